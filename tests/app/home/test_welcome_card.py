"""The card of the first start: it says what the machine can do, can be hidden, and does not come back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt

from app.home.page import HomePage
from app.home.welcome_card import WelcomeCard
from app.window import MainWindow
from tests.app.conftest import make_bundle

Make = Callable[..., MainWindow]


def card_of(window: MainWindow) -> WelcomeCard:
    window.show_page("home")
    page = window.stack.page("home")
    assert isinstance(page, HomePage)
    return page.welcome


def test_it_says_what_the_machine_can_do(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    card = card_of(window)
    assert card.isVisible() and "Looking" in card.facts.text() and not card.fits.isVisible()
    card._timer.setInterval(0)
    card._timer.start()
    qtbot.waitUntil(card.fits.isVisible)
    assert card.facts.text().startswith("AMD EPYC 9654 · 2 cores · avx2")
    assert card.fits.text() == (
        "Of the well-known models, the largest that fit: Qwen3-8B in int4 with 9,216 tokens, Qwen3-0.6B in int8 with "
        "40,960 tokens."
    )
    assert card.devices.text() == "Runs on: CPU, Qualcomm QNN. Not available: WebGPU, DirectML GPU."


def test_its_buttons_lead_to_the_models_and_the_tour(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    card = card_of(window)
    qtbot.mouseClick(card.models, Qt.MouseButton.LeftButton)
    assert window.help.dialog.isVisible() and window.help.dialog.tabs.tabText(3) == "This machine"
    assert window.help.dialog.tabs.currentIndex() == 3
    window.help.dialog.close()
    qtbot.mouseClick(card.tour, Qt.MouseButton.LeftButton)
    assert window.tour.running and window.stack.current_name == "build"


def test_hidden_it_stays_hidden(qtbot: Any, make_window: Make) -> None:
    card = card_of(make_window())
    qtbot.mouseClick(card.close_button, Qt.MouseButton.LeftButton)
    assert not card.isVisible()
    assert not card_of(make_window()).isVisible()


def test_who_has_bundles_is_not_welcomed(make_window: Make, tmp_path: Path) -> None:
    window = make_window()
    window.context.recents.add(str(make_bundle(tmp_path / "one")))
    assert not card_of(make_window()).isVisible()
