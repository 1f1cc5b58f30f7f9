"""The frame: pages, keys, palette, theme, what comes back after a restart, drops, a session that dies."""

from __future__ import annotations

import gc
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QScrollArea, QWidget

from app.builder.step_page import DONE, RUN, SOURCE
from app.main import PAGES
from app.startup.preload import FIRST_MS
from app.state.context import AppContext
from app.state.inspection import InspectTarget
from app.state.settings import Settings
from app.widgets.basics import PillLabel
from app.widgets.theme import theme
from app.window import MainWindow
from tests.app.conftest import make_bundle
from workflows.wire.requests import ListDevices

Make = Callable[..., MainWindow]
NAMES = [page.name for page in PAGES]


def test_ctrl_and_a_figure_show_each_page(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    for index, name in reversed(list(enumerate(NAMES, 1))):
        qtbot.keyClick(window, getattr(Qt.Key, f"Key_{index}"), Qt.KeyboardModifier.ControlModifier)
        assert window.stack.currentWidget() is window.stack.page(name)


def test_the_other_pages_are_built_ahead_and_nothing_is_started(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    window.stack.preload()
    qtbot.waitUntil(lambda: window.stack.preloader.done)
    gc.unfreeze()  # the next tests' garbage is theirs
    assert all(window.stack.indexOf(window.stack.page(name)) >= 0 for name in NAMES)
    assert window.stack.count() == len(window.stack.names)
    assert window.stack.current_name == "home"
    context = window.context
    assert not any(one.pid for one in (context.probe_worker, context.source_worker, context.session_worker))


def test_a_window_that_closes_builds_no_further_page(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    window.stack.preload()
    window.close()
    qtbot.wait(2 * FIRST_MS)
    assert window.stack.preloader.done and window.stack.count() == 1


@pytest.mark.parametrize("name", NAMES)
def test_tab_reaches_a_control_of_each_page(qtbot: Any, make_window: Make, name: str) -> None:
    window = make_window()
    window.show_page(name)
    qtbot.waitUntil(lambda: not window.context.probe_worker.busy)
    page, reached = window.stack.page(name), set[QWidget]()
    for _ in range(80):
        qtbot.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        focus = QApplication.focusWidget()
        if focus is not None and page.isAncestorOf(focus):
            reached.add(focus)
    assert reached
    for widget in reached:
        text = getattr(widget, "text", str)()
        assert widget.accessibleName() or (isinstance(text, str) and text), f"{widget} has no name"


def test_the_palette_finds_an_action_of_a_page_and_runs_it(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    window.stack.page("devices")
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    palette = window.palette_box
    assert palette.isVisible()
    every = palette.list.count()
    qtbot.keyClicks(palette.field, "go meas")
    assert 0 < palette.list.count() < every
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert window.stack.currentWidget() is window.stack.page("measure")
    assert not palette.isVisible()
    texts = [a.text() for a in window.every_action()]
    assert "Search for devices again" in texts
    assert "Theme: dark" in texts


def test_escape_closes_the_palette(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    window.palette_box.open()
    qtbot.keyClicks(window.palette_box.field, "no such thing")
    assert window.palette_box.list.count() == 0
    qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Escape)
    assert not window.palette_box.isVisible()


def test_escape_closes_the_palette_and_no_reply(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    """A key of the palette is no shortcut of the page behind it."""
    window = make_window(reply="word", tokens=3000, delay=0.002)
    window.context.open_bundle(make_bundle(tmp_path / "demo"))
    window.show_page("chat")
    page: Any = window.stack.page("chat")
    page.send("Hello")
    qtbot.waitUntil(lambda: window.context.session.state == "generating")
    window.palette_box.open()
    qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Escape)
    assert not window.palette_box.isVisible() and page.controller.running
    qtbot.keyClick(page.composer.edit, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not page.controller.running)


def test_the_theme_changes_and_is_kept(qtbot: Any, make_window: Make, home: Path) -> None:
    window = make_window()
    window.set_theme("light")
    light = theme().color("window").name()
    with qtbot.waitSignal(theme().changed):
        window.set_theme("dark")
    assert theme().dark
    assert theme().color("window").name() != light
    qtbot.waitUntil(lambda: window.palette().window().color() == theme().color("window"))
    assert Settings(home).text("theme") == "dark"


def test_every_icon_can_be_drawn(qapp: Any) -> None:
    from app.widgets.theme import ICONS

    names = [file.stem for file in ICONS.glob("*.svg")]
    assert len(names) > 40
    for name in names:
        image = theme().icon(name).pixmap(32, 32).toImage()
        assert any(image.pixelColor(x, y).alpha() for x in range(32) for y in range(32)), name


def test_the_frame_waits_for_no_page(qtbot: Any, make_context: Any) -> None:
    window, other = (MainWindow(make_context(), PAGES) for _ in range(2))
    for one in (window, other):
        qtbot.addWidget(one)
        one.show()
        assert (one.stack.count(), one.stack.current_name) == (0, "home")
    other.show_page("devices")
    qtbot.waitUntil(lambda: window.stack.count() == 1)
    assert window.stack.currentWidget() is window.stack.built("home")
    qtbot.wait(20)
    assert other.stack.built("home") is None and other.stack.current_name == "devices"


def test_page_geometry_and_bundle_come_back(qtbot: Any, make_window: Make, home: Path, tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path / "b")
    window = make_window()
    window.resize(960, 690)
    window.show_page("measure")
    assert window.context.open_bundle(bundle)
    window.close()
    again = make_window()
    qtbot.waitUntil(lambda: again.context.bundle is not None)
    assert again.context.bundle is not None
    assert again.context.bundle["name"] == "b"
    assert again.stack.currentWidget() is again.stack.page("measure")
    assert (again.width(), again.height()) == (960, 690)


def test_settings_that_cannot_be_read_are_defaults(make_window: Make, home: Path) -> None:
    home.mkdir(parents=True)
    (home / "window.ini").write_bytes(b"\0\0[[[\nnonsense")
    (home / "recents.json").write_text('{"not": "a list"}')
    window = make_window()
    assert window.stack.currentWidget() is window.stack.page("home")
    assert window.context.recents.entries == []


def drop(window: MainWindow, *paths: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    event = QDropEvent(
        QPointF(QPoint(9, 9)),
        Qt.DropAction.CopyAction,
        mime,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    window.dropEvent(event)


def test_two_graphs_that_are_dropped_are_compared(make_window: Make, tmp_path: Path) -> None:
    window = make_window()
    files = [tmp_path / "before.onnx", tmp_path / "after.onnx"]
    for file in files:
        file.write_bytes(b"")
    asked: list[InspectTarget] = []
    window.context.inspectRequested.connect(asked.append)
    drop(window, *files)
    assert window.stack.currentWidget() is window.stack.page("inspect")
    assert asked == [InspectTarget(str(files[1]), before=str(files[0]))]


def test_a_folder_a_graph_and_a_bundle_may_be_dropped(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window()
    (tmp_path / "checkpoint").mkdir()
    graph = tmp_path / "graph.onnx"
    graph.write_bytes(b"")
    asked: list[InspectTarget] = []
    window.context.inspectRequested.connect(asked.append)
    drop(window, tmp_path / "checkpoint")
    assert window.stack.currentWidget() is window.stack.page("build")
    assert window.context.unsaved_recipe.source == str(tmp_path / "checkpoint")
    drop(window, graph)
    assert window.stack.currentWidget() is window.stack.page("inspect")
    assert asked == [InspectTarget(str(graph))]
    drop(window, make_bundle(tmp_path / "b"))
    assert window.stack.currentWidget() is window.stack.page("chat")
    drop(window, tmp_path / "missing.txt")
    assert "neither a folder nor an .onnx or .gguf file" in window.banner.message
    qtbot.waitUntil(lambda: not window.context.unsaved_recipe.probing)


def test_a_session_worker_that_is_killed_gives_a_message_and_a_way_on(
    qtbot: Any, make_window: Make, tmp_path: Path
) -> None:
    window = make_window()
    context = window.context
    bundle = make_bundle(tmp_path / "b")
    context.session.open(str(bundle))
    qtbot.waitUntil(lambda: context.session.state == "ready")
    os.kill(context.session_worker.pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: context.session.state == "failed")
    assert "SIGKILL" in window.banner.message
    qtbot.mouseClick(window.banner._action, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: context.session.state == "ready")


def test_devices_are_requested_once_and_shown(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    window.show_page("devices")
    page: Any = window.stack.page("devices")
    qtbot.waitUntil(lambda: len(page.cards) == 4)
    assert [c.accessibleName() for c in page.cards] == ["CPU", "Qualcomm QNN", "WebGPU", "DirectML GPU"]


@pytest.mark.parametrize(
    ("scenario", "words"),
    [
        ({"devices": []}, "No device was reported"),
        ({"errors": {"devices": {"kind": "internal", "message": "No answer."}}}, "No answer."),
    ],
)
def test_devices_empty_and_failed(qtbot: Any, make_window: Make, scenario: dict[str, Any], words: str) -> None:
    window = make_window(**scenario)
    window.show_page("devices")
    page: Any = window.stack.page("devices")
    qtbot.waitUntil(lambda: words in (page.state.title.text(), page.banner.message))


def sideways(page: QWidget) -> list[str]:
    """The parts of a page that want to be wider than their scroll area."""
    areas = [a for a in page.findChildren(QScrollArea) if a.isVisible() and a.widget() is not None]
    return [str(a.widget()) for a in areas if a.widget().minimumSizeHint().width() > a.viewport().width()]


def test_no_page_is_wider_than_a_small_window(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window()
    window.resize(1024, 700)
    for name in ("a-bundle-with-quite-a-long-name", "b"):
        window.context.recents.add(str(make_bundle(tmp_path / name)))
    window.context.recents.add(str(make_bundle(tmp_path / "c", damaged=True)))
    for name in NAMES:
        window.show_page(name)
        qtbot.waitUntil(lambda: not window.context.probe_worker.busy)
        assert not sideways(window.stack.page(name)), name


class TestHome:
    """Recent bundles."""

    def fill(self, context: AppContext, tmp_path: Path) -> list[str]:
        paths = [make_bundle(tmp_path / name) for name in ("one", "two", "three")]
        for path in paths:
            context.recents.add(str(path))
        return [str(p) for p in paths]

    def test_newest_first_with_facts_and_what_is_wrong(self, qtbot: Any, make_window: Make, tmp_path: Path) -> None:
        window = make_window()
        paths = self.fill(window.context, tmp_path)
        (Path(paths[1]) / "damaged").write_text("")
        window.context.recents.refresh()
        page: Any = window.stack.page("home")
        assert [row.entry.name for row in page.rows] == ["three", "two", "one"]
        assert [bool(row.entry.problem) for row in page.rows] == [False, True, False]
        assert "has 12 bytes instead of 9,000" in page.rows[1].entry.problem

    def test_remove_can_be_undone(self, qtbot: Any, make_window: Make, tmp_path: Path, home: Path) -> None:
        window = make_window()
        paths = self.fill(window.context, tmp_path)
        page: Any = window.stack.page("home")
        page.rows[1].remove.emit(paths[1])
        assert [row.entry.name for row in page.rows] == ["three", "one"]
        assert [r["path"] for r in json.loads((home / "recents.json").read_text())] == [paths[2], paths[0]]
        assert page.undo.isVisible()
        qtbot.mouseClick(page.undo._action, Qt.MouseButton.LeftButton)
        assert [row.entry.name for row in page.rows] == ["three", "two", "one"]
        assert Path(paths[1]).is_dir()

    def test_a_damaged_bundle_is_not_opened(self, qtbot: Any, make_window: Make, tmp_path: Path) -> None:
        window = make_window()
        path = make_bundle(tmp_path / "bad", damaged=True)
        assert not window.context.open_bundle(path)
        assert window.context.bundle is None
        assert "12 bytes" in window.banner.message

    def test_a_model_without_a_cache_is_shown_without_one(self, qtbot: Any, make_window: Make, tmp_path: Path) -> None:
        window = make_window()
        path = make_bundle(tmp_path / "bert")
        (path / "cacheless").write_text("")
        assert window.context.open_bundle(path)
        bar = window.bar
        shown = [part.text() for part in bar.findChildren(PillLabel) if part.isVisible()]
        assert shown == ["model", "fp32"]
        page: Any = window.stack.page("home")
        assert [part.text() for part in page.rows[0].findChildren(PillLabel)] == ["bert", "fp32"]

    def test_the_last_speed_is_kept(self, qtbot: Any, make_window: Make, tmp_path: Path) -> None:
        window = make_window()
        path = str(make_bundle(tmp_path / "b"))
        window.context.open_bundle(path)
        window.context.session.open(path)
        qtbot.waitUntil(lambda: window.context.session.state == "ready")
        window.context.session.generate("hello")
        qtbot.waitUntil(lambda: window.context.session.state == "ready")
        assert window.context.recents.entries[0].speed == pytest.approx(212.4)
        assert window.context.recents.entries[0].provider == "cpu"

    def test_one_click_builds_the_demo_and_opens_the_chat(self, qtbot: Any, make_window: Make, home: Path) -> None:
        window = make_window(delay=0.02)
        page: Any = window.stack.page("home")
        assert page.demo.text() == "Build and chat"
        qtbot.mouseClick(page.demo, Qt.MouseButton.LeftButton)
        assert (window.stack.current_name, page.demo.text()) == ("home", "Checking …")
        qtbot.waitUntil(lambda: window.context.build.running)
        assert window.stack.current_name == "build"
        wizard: Any = window.stack.page("build").wizard  # type: ignore[attr-defined]
        qtbot.waitUntil(lambda: wizard.currentId() == RUN)
        assert wizard.steps[RUN].cancel.isVisible()
        qtbot.waitUntil(lambda: window.stack.current_name == "chat")
        assert window.context.bundle is not None
        assert window.context.bundle["path"] == str(home / "bundles" / "qwen3-demo-fp32-static4096")
        assert page.demo.text() == "Chat with the demo"
        chat: Any = window.stack.page("chat")
        assert window.focusWidget() is chat.composer.edit
        window.show_page("home")
        page.start_convert()
        assert (window.stack.current_name, wizard.currentId()) == ("build", SOURCE)

    def test_who_writes_while_a_build_ends_keeps_the_focus(self, qtbot: Any, make_window: Make, tmp_path: Path) -> None:
        window = make_window(delay=0.02)
        window.context.open_bundle(str(make_bundle(tmp_path / "b")))
        home: Any = window.stack.page("home")
        qtbot.mouseClick(home.demo, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: window.context.build.running)
        window.show_page("chat")
        chat: Any = window.stack.page("chat")
        chat.composer.edit.setFocus()
        wizard: Any = window.stack.page("build").wizard  # type: ignore[attr-defined]
        qtbot.waitUntil(lambda: wizard.currentId() == DONE)
        assert window.focusWidget() is chat.composer.edit

    def test_who_left_the_demos_build_is_reported_when_it_is_done(self, qtbot: Any, make_window: Make) -> None:
        window = make_window(delay=0.02)
        page: Any = window.stack.page("home")
        qtbot.mouseClick(page.demo, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: window.context.build.running)
        window.show_page("home")
        qtbot.waitUntil(lambda: window.status.note.message.endswith(" is built."))
        assert window.stack.current_name == "home"

    def test_a_demo_that_cannot_be_looked_at_is_reported(self, qtbot: Any, make_window: Make) -> None:
        window = make_window(errors={"recipe": {"kind": "recipe", "message": "It has no recipe."}})
        page: Any = window.stack.page("home")
        qtbot.mouseClick(page.demo, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: window.banner.message == "It has no recipe.")
        assert not window.context.build.running

    def test_the_demo_that_is_there_is_opened(self, qtbot: Any, make_window: Make, home: Path) -> None:
        window = make_window()
        page: Any = window.stack.page("home")
        window.context.recents.add(str(make_bundle(home / "bundles" / "qwen3-demo")))
        assert page.demo.text() == "Chat with the demo"
        window.show_page("home")
        qtbot.mouseClick(page.demo, Qt.MouseButton.LeftButton)
        assert window.stack.currentWidget() is window.stack.page("chat")


def test_a_window_that_closes_starts_nothing(qtbot: Any, make_window: Any, tmp_path: Path) -> None:
    """What a timer or the end of another job asks for then ends as cancelled, without a process."""
    window = make_window()
    window.interop.open_path(tmp_path)
    context = window.context
    context.close()
    ended: list[object] = []
    for worker in (context.probe_worker, context.session_worker, context.new_worker()):
        job = worker.request(ListDevices())
        job.finished.connect(ended.append)
        assert worker.pid == 0
    qtbot.waitUntil(lambda: len(ended) == 3)
    assert {getattr(one, "kind", "") for one in ended} == {"cancelled"}


def test_dragging_files_over_the_window_shows_what_dropping_does(make_window: Make, tmp_path: Path) -> None:
    window = make_window()
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(tmp_path / "a.onnx"))])
    buttons = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dragEnterEvent(QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, mime, *buttons))
    assert window.drop_frame.isVisible() and window.drop_frame.text == "Drop to open it"
    assert window.drop_frame.geometry() == window.rect()
    window.dragLeaveEvent(QDragLeaveEvent())
    assert not window.drop_frame.isVisible()
    mime.setUrls([QUrl.fromLocalFile(str(tmp_path / name)) for name in ("a.onnx", "b.onnx")])
    window.dragEnterEvent(QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, mime, *buttons))
    assert window.drop_frame.text == "Drop to compare them, or to put them together"
    drop(window, tmp_path / "missing.txt")
    assert not window.drop_frame.isVisible()


@pytest.mark.parametrize("name", ["notes.txt", "~nobody-of-this-name.onnx"])
def test_what_cannot_be_opened_is_named_whole(
    make_window: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    window = make_window()
    window.interop.open_path(name)
    assert window.banner.message == f"{tmp_path / name} is neither a folder nor an .onnx or .gguf file."
    assert window.stack.current_name == "home"


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_ctrl_o_opens_one_compares_two_and_puts_more_together(
    qtbot: Any, make_window: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    files = [tmp_path / f"{number}.onnx" for number in range(count)]
    for file in files:
        file.write_bytes(b"")
    names = [str(file) for file in files]
    window = make_window()
    pages, looks, assembled = list[str](), list[InspectTarget](), list[list[str]]()
    monkeypatch.setattr(window, "show_page", pages.append)  # the page itself takes a while to build
    window.context.inspectRequested.connect(looks.append)
    monkeypatch.setattr(window.interop, "assemble", assembled.append)
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (names, ""))
    qtbot.keyClick(window, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier)
    wanted = {1: [InspectTarget(*names)], 2: [InspectTarget(names[-1], before=names[0])]} if names else {}
    assert looks == wanted.get(count, []) and assembled == ([names] if count > 2 else [])
    assert pages == ["inspect"] * (count in wanted)
    assert window.status.note.message.startswith("Two graphs are compared.") == (count == 2)


def test_a_path_that_is_given_at_the_start_stays_in_front_of_the_last_bundle(
    qtbot: Any, make_context: Callable[..., Any], tmp_path: Path
) -> None:
    """The last bundle was restored over an .onnx file that the command line names."""
    context = make_context()
    context.settings.set("bundle", str(make_bundle(tmp_path / "last")))
    graph = tmp_path / "net.onnx"
    graph.write_bytes(b"")
    window = MainWindow(context, PAGES)
    window.path = str(graph)
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(lambda: window.stack.current_name == "inspect" and context.bundle is not None)
    page: Any = window.stack.page("inspect")
    assert page.reader.target.path == str(graph)
    assert context.bundle["path"] == str(tmp_path / "last")
