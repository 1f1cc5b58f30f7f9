"""What stands beside a choice is of that choice: on every page with combo boxes, for every entry of each, twice.

The texts around a combo box are a function of its entry: one that is chosen again has the texts that it had.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QElapsedTimer, QTimer
from PySide6.QtWidgets import QComboBox, QLabel, QTabWidget, QWidget
from pytestqt.qtbot import QtBot

from app.chat.page import ChatPage
from app.devices.page import DevicesPage
from app.state.machines import MachinesModel
from app.widgets.basics import CardFrame, Section
from app.widgets.collapsible import CollapsibleSection
from app.widgets.machine_choice import MachineChoice
from app.window import MainWindow
from tests.app.conftest import make_bundle
from tests.app.pictures import STATES, history_at, wait, window_over
from tests.app.sequences import process
from tests.fakes.inspections import BUNDLE
from tests.fakes.worker import QNN, program
from workflows.process.machines import RemoteMachine, add_machine
from workflows.wire.codec import to_fields

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
PAGES = {"chat": 5, "settings": 5}
"""Page → the least number of its combo boxes."""
ROLES = ("Output head", "Embedding", "First layer", "Last layer", "Attention output", "Down projection")
SCENES: dict[str, set[str]] = {
    "build-recipe": {"Target", "Graphs", "Model"},
    "build-quantize": {"Weights that share a scale", "How weights are rounded", *ROLES},
    "build-calibrate": {"How ranges are measured"},
    "build-goal": {"Quality measure"},
    "measure-full": {"What is shown"},
    "history": {"All kinds", "All bundles", "All precisions", "All providers"},
    "inspect-time": {"Measure that colors the graph", "Phase that was measured", "Provider to measure on"},
}
"""State of a page → the names of the combo boxes that are walked there."""
MEASURED = {"Phase that was measured", "Provider to measure on"}
CAPTIONED = {"Target", "Graphs", "Model", "How ranges are measured", *MEASURED}
"""The boxes whose entries have a caption each: one that never changes would be a function of its entry, too."""
PATIENCE_MS, SOON_MS = 120_000, 500


def combos(page: QWidget) -> list[QComboBox]:
    """Those that can be used now, and that a person cannot type into."""
    return [
        one
        for one in page.findChildren(QComboBox)
        if one.isVisible() and one.isEnabled() and not one.isEditable() and one.count() > 1
    ]


def surroundings(combo: QComboBox) -> tuple[str, ...]:
    """The visible texts of the section that has the combo box, without those of sections within it."""
    part: QWidget = combo
    while not isinstance(part, Section | CollapsibleSection | CardFrame) and part.parentWidget() is not None:
        part = part.parentWidget()
        if part.findChildren(QLabel):
            break
    inner = [one for one in part.findChildren(CollapsibleSection) if not one.isAncestorOf(combo)]
    labels = [one for one in part.findChildren(QLabel) if not any(other.isAncestorOf(one) for other in inner)]
    return tuple(one.text() for one in labels if one.isVisible())


def settle(window: MainWindow) -> None:
    """Waits for what follows a choice: a plan, a session, and what a page puts off for a moment."""
    draft, passed = window.context.unsaved_recipe, QElapsedTimer()
    passed.start()
    process()
    timers = [one for one in window.findChildren(QTimer) if one.isSingleShot() and one.interval() <= SOON_MS]
    while draft.planning or window.context.session.busy or any(one.isActive() for one in timers):
        assert passed.elapsed() < PATIENCE_MS
        wait(0.01)
    process()


def walk(page: QWidget, settled: Callable[[], None]) -> dict[str, bool]:
    """Chooses each entry of each combo box twice, with `settled` after each; returns box → whether each entry has texts
    of its own.
    """
    for section in page.findChildren(CollapsibleSection):
        section.unfold(True)
    process()
    walked = {}
    for combo in combos(page):
        first, seen = combo.currentIndex(), dict[str, tuple[str, ...]]()
        for place in [*range(combo.count()), *range(combo.count()), first]:
            if not (combo.isVisible() and combo.isEnabled()):
                break
            combo.setCurrentIndex(place)
            combo.activated.emit(place)
            settled()
            text, around = combo.currentText(), surroundings(combo)
            assert seen.setdefault(text, around) == around, (combo.accessibleName(), text)
        walked[combo.accessibleName()] = len({*seen.values()}) == len(seen)
    return walked


@pytest.mark.parametrize("name", [pytest.param("chat", marks=pytest.mark.slow), "settings"])
def test_what_stands_beside_a_choice_is_of_that_choice(
    name: str, make_window: Callable[..., MainWindow], qtbot: QtBot, tmp_path: Path
) -> None:
    window = make_window(inspection=BUNDLE)
    window.context.open_bundle(make_bundle(tmp_path / "bundle"))
    window.show_page(name)
    page = window.stack.page(name)
    qtbot.waitUntil(lambda: not window.context.session.busy)
    if isinstance(page, ChatPage):
        page.header.side.setChecked(True)
    walked: dict[str, bool] = {}
    for tabs in [*page.findChildren(QTabWidget), None]:
        for tab in range(tabs.count() if tabs is not None else 1):
            if tabs is not None:
                tabs.setCurrentIndex(tab)
            walked |= walk(page, partial(settle, window))
    assert len(walked) >= PAGES[name] and all(walked), walked


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name == "build-quantize")) for name in SCENES]
)
def test_on_pages_with_content_too(name: str, qapp: object) -> None:
    scenario, prepare = ({}, history_at(0, 0)) if name == "history" else STATES[name]
    with window_over(scenario) as (window, home):
        window.resize(1440, 900)
        prepare(window, home)
        wait(0.4)
        page = window.stack.currentWidget()
        settle(window)
        walked = walk(page, partial(settle, window))
        assert {*walked} >= SCENES[name], walked
        assert all(walked[one] for one in CAPTIONED & {*walked}), walked


def test_devices_are_of_the_chosen_machine(
    make_window: Callable[..., MainWindow], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that cannot be reached has none: those of the machine before do not stand under its name."""
    for name in ("npu", "off"):
        add_machine(RemoteMachine(name, f"ssh://{name}.lan"))
    there = {"npu": program(devices=[to_fields(QNN)]), "off": [sys.executable, "-c", "exit(1)"]}
    monkeypatch.setattr(MachinesModel, "program", lambda self, name=None: there.get(name or self.current))
    window = make_window()
    window.show_page("devices")
    page = window.stack.page("devices")
    assert isinstance(page, DevicesPage)
    qtbot.waitUntil(lambda: len(page.cards) > 1)
    machine = page.findChild(MachineChoice)
    assert machine is not None and [machine.itemData(n) for n in range(machine.count())] == ["", "npu", "off"]
    seen: dict[str, list[str]] = {"": [card.device.name for card in page.cards], "npu": ["qnn"], "off": []}
    for name in ("npu", "off", "", "off", "npu", "", "npu"):
        machine.setCurrentIndex(machine.findData(name))
        machine.activated.emit(machine.currentIndex())
        process()
        assert [card.device.name for card in page.cards] in ([], seen[name]), name
        qtbot.waitUntil(page.again.isEnabled)
        assert [card.device.name for card in page.cards] == seen[name], name
        assert page.banner.isHidden() == (name != "off")
