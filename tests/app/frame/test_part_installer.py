"""A job that misses the build part is answered with a button, a question, an installation that can be cancelled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtWidgets import QMessageBox, QPushButton

from app.widgets import Banner
from app.window import MainWindow
from workflows.wire.reports.parts import PartReport
from workflows.wire.requests import ProbeSource

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
MISSES = {
    "kind": "package",
    "message": "joinery build needs the part build of Joinery, whose package torch is not installed: pip install …",
    "reason": "build",
}


@pytest.fixture
def window(qtbot: Any, make_window: Callable[..., MainWindow]) -> MainWindow:
    """After a source was looked at without the part."""
    window = make_window(part=True, delay=0.5, errors={"probe": MISSES})
    window.context.source_worker.request(ProbeSource("demo:qwen3"))
    qtbot.waitUntil(lambda: bool(offers(window)))
    return window


def offers(window: MainWindow) -> dict[str, Any]:
    """The buttons of the note that offers the part; none without it."""
    note = window.context.notes.shown(error=False)
    return dict(note.actions) if note is not None and "Install them …" in note.actions else {}


def asked(window: MainWindow, qtbot: Any) -> Any:
    """The question, once what installing would do is known."""
    offers(window)["Install them …"]()
    qtbot.waitUntil(lambda: window.part_installer.question is not None)
    return window.part_installer.question


def press(box: Any, text: str) -> None:
    next(one for one in box.buttons() if one.text() == text).click()


def test_the_part_is_offered_once_and_installed_after_a_question(window: MainWindow, qtbot: Any) -> None:
    window.context.source_worker.request(ProbeSource("demo:t5"))
    qtbot.waitUntil(lambda: not window.context.source_worker.busy)
    box = asked(window, qtbot)
    assert box.text().startswith(
        "pip installs torch 2.13.0, transformers 5.23.0 into Joinery's own folder, /home/anna/"
    )
    assert "about 1.9 GiB of disk, and 46.6 GiB are free" in box.informativeText()
    assert "Source: https://pypi.org/simple." in box.informativeText()
    assert not offers(window) and box.defaultButton().text() == "Cancel"
    with qtbot.waitSignal(window.context.build_part.installed, timeout=10_000):
        press(box, "Install")
    note = window.context.notes.shown(error=False)
    assert note is not None and "is installed" in note.message
    assert window.part_installer.question is None


def test_an_installation_is_cancelled_in_the_status_line(window: MainWindow, qtbot: Any) -> None:
    box = asked(window, qtbot)
    with qtbot.waitSignal(window.context.build_part.failed, timeout=10_000) as ended:
        press(box, "Install")
        qtbot.waitUntil(lambda: any("Installing" in one.link.whole for one in window.status.chips.values()))
        next(one for one in window.status.chips.values() if "what building needs" in one.link.whole).end.click()
    assert ended.args[0].kind == "cancelled"
    assert not window.context.build_part.running and window.context.notes.shown(error=True) is None


def test_a_full_disk_leaves_no_button_to_install(window: MainWindow) -> None:
    report = PartReport("build", False, {"torch": "2.13.0"}, "/x", 2 * 10**9, 10**9, [], True)
    window.context.build_part.described.emit(report)
    box = window.part_installer.question
    assert isinstance(box, QMessageBox) and [one.text() for one in box.buttons()] == ["Cancel"]
    assert "Make room on the disk first." in box.informativeText() and "8 GB" in box.informativeText()
    press(box, "Cancel")
    window.context.build_part.described.emit(replace(report, installed=True))
    assert window.part_installer.question is None


def test_another_machine_s_missing_part_is_not_offered(
    qtbot: Any, make_window: Callable[..., MainWindow], monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window(part=True, errors={"probe": MISSES})
    worker = window.context.new_worker()
    monkeypatch.setattr(type(worker), "remote", property(lambda _: True))
    worker.request(ProbeSource("demo:qwen3"))
    qtbot.waitUntil(lambda: not worker.busy)
    assert not offers(window)


def test_the_page_that_shows_the_error_has_the_button_and_no_note_repeats_it(
    qtbot: Any, make_window: Callable[..., MainWindow]
) -> None:
    window = make_window(part=True, errors={"probe": MISSES})
    window.show_page("build")
    window.context.unsaved_recipe.probe("demo:qwen3")

    def banners() -> list[Banner]:
        return [one for one in window.findChildren(Banner) if one.isVisible() and one.message == MISSES["message"]]

    qtbot.waitUntil(lambda: bool(banners()))
    qtbot.waitUntil(lambda: "Install them …" in [one.text() for one in banners()[0].findChildren(QPushButton)])
    assert len(banners()) == 1 and not offers(window) and window.context.notes.shown(error=True) is None
    next(one for one in banners()[0].findChildren(QPushButton) if one.text() == "Install them …").click()
    qtbot.waitUntil(lambda: window.part_installer.question is not None)
