"""The guided tour: each step points at a control that is there, the tour can be left and continues where it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QAbstractButton

from app.chat.composer import Composer
from app.help.guided_tour import GuidedTour
from app.window import MainWindow
from tests.app.conftest import make_bundle
from tests.fakes.inspections import BUNDLE

Make = Callable[..., MainWindow]


def card_of(tour: GuidedTour) -> Any:
    assert tour.card is not None and tour.card.isVisible()
    return tour.card


def texts(tour: GuidedTour) -> str:
    return f"{card_of(tour).number.text()} {card_of(tour).title.text()}"


def action(window: MainWindow, text: str) -> Any:
    return next(one for one in window.every_action() if one.text() == text)


def test_each_step_points_at_a_visible_control_of_its_page(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window(inspection=BUNDLE)
    window.resize(1024, 700)
    window.context.open_bundle(make_bundle(tmp_path / "one"))
    action(window, "Take the tour").trigger()
    tour, pages = window.tour, []
    for number in range(1, 6):
        qtbot.waitUntil(lambda: card_of(tour).next.hasFocus() and window.context.activities.idle)
        tour._place()
        target, card, ring = tour.target(), card_of(tour), tour.ring
        assert target is not None and target.isVisible() and ring is not None and ring.isVisible()
        assert window.rect().contains(card.geometry()), "the card is whole within the window"
        around = QRect(target.mapTo(window, QPoint()), target.size())
        assert ring.geometry().intersects(around) and not card.geometry().intersects(around)
        assert texts(tour).startswith(f"Tour: step {number} of 5")
        assert card.title.text() in card.next.accessibleDescription()
        pages.append(window.stack.current_name)
        qtbot.keyClick(card.next, Qt.Key.Key_Space)
    assert pages == ["build", "build", "chat", "inspect", "measure"]
    assert not tour.running and window.context.settings.text("tour") == "finished"


def test_escape_leaves_and_the_tour_continues_there(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    window.tour.start()
    window.tour.next()
    window.tour.next()
    assert isinstance(window.tour.target(), Composer)
    qtbot.keyClick(card_of(window.tour).next, Qt.Key.Key_Escape)
    assert not window.tour.running and window.tour.ring is not None and not window.tour.ring.isVisible()
    assert "continues here" in window.status.note.message
    window.status.note.action.click()
    assert texts(window.tour) == "Tour: step 3 of 5 Chat with it"
    card_of(window.tour).back.click()
    assert texts(window.tour).startswith("Tour: step 2 of 5")
    window.tour.leave()
    other = make_window()  # the next start, with the same settings
    other.tour.start()
    assert texts(other.tour).startswith("Tour: step 2 of 5")


def test_a_finished_or_damaged_tour_begins_anew(make_window: Make) -> None:
    window = make_window()
    for saved in ("finished", "17", "-1", "x"):
        window.context.settings.set("tour", saved)
        assert window.tour.next_index == 0


def test_on_another_page_nothing_is_pointed_at(make_window: Make) -> None:
    window = make_window()
    window.tour.start()
    window.show_page("devices")
    window.tour._place()
    assert window.tour.target() is None and window.tour.ring is not None and not window.tour.ring.isVisible()
    assert window.rect().contains(card_of(window.tour).geometry())


def test_the_help_of_a_page_leads_to_it(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    window.help.show_sheet("page")
    button = window.help.dialog.page.tour
    assert isinstance(button, QAbstractButton)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not window.help.dialog.isVisible() and window.tour.running
