"""Notes of the frame: each goes with what it speaks of, its button too, and none of them moves the page."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QWidget

import app
from app.builder.step_page import RECIPE
from app.interop.interop_dialog import ImportDialog
from app.main import PAGES
from app.measure.divergence.dialog import DivergenceDialog
from app.state.notes import Note, Notes
from app.window import MainWindow
from tests.app.conftest import make_bundle
from tests.app.test_interop import genai
from tests.app.test_window import drop
from tests.fakes.divergence import FIRST, report
from workflows.wire.events import BuildDone
from workflows.wire.requests import Build, Diverge, DivergenceSide, InstallPlugin

Make = Callable[..., MainWindow]
Raise = Callable[[MainWindow, Path], None]


def graphs(window: MainWindow, folder: Path) -> None:
    files = [folder / "encoder.onnx", folder / "decoder.onnx"]
    for file in files:
        file.write_bytes(b"")
    drop(window, *files)


def recipe(window: MainWindow, folder: Path) -> None:
    """A build that was begun elsewhere failed, and its recipe takes the place of what was chosen here."""
    window.show_page("build")
    window.context.unsaved_recipe.source = str(folder)
    window.context.build.request = Build("demo:qwen3", str(folder / "out"), {})
    wizard: Any = window.stack.page("build").wizard  # type: ignore[attr-defined]
    wizard.setStartId(5)
    wizard.restart()
    wizard.edit_recipe()


def kept(window: MainWindow, folder: Path) -> None:
    dialog = DivergenceDialog(window.context, window)
    dialog.model.request = Diverge(DivergenceSide(str(folder / "a")), DivergenceSide(str(folder / "a")), "8 * 7 =")
    dialog.show_node(report().nodes[FIRST])


def settings(window: MainWindow, _folder: Path) -> None:
    window.show_page("settings")
    window.stack.page("settings").reset()  # type: ignore[attr-defined]


def reset(window: MainWindow, folder: Path) -> None:
    """A target takes back a setting that only the one before has."""
    window.show_page("build")
    draft = window.context.unsaved_recipe
    draft.source = str(folder)
    draft.options["kv_dtype"] = "int8"
    page: Any = window.stack.page("build")
    page.wizard.steps[RECIPE]._on_chosen("target", "qnn")


def toured(window: MainWindow, _folder: Path) -> None:
    window.tour.start()
    window.tour.leave()


RAISED: dict[str, tuple[str, Raise]] = {
    "read in place": ("interop/actions.py", lambda window, folder: drop(window, genai(folder / "phi"))),
    "Two graphs are compared": ("interop/actions.py", graphs),
    "no bundle to export": ("interop/actions.py", lambda window, _: window.interop.export_current()),
    "All settings were reset": ("settings/page.py", settings),
    "The result of the divergence": ("measure/divergence/dialog.py", kept),
    "The tour continues": ("help/guided_tour.py", toured),
    "has replaced": ("builder/page.py", recipe),
    "has settings of its own": ("builder/recipe_page.py", reset),
}
OF_A_CRASH = ["help/crash_dialog.py"]  # of no bundle and no page: tests/app/help/test_crash_dialog.py
OF_A_PART = 2 * ["frame/part_installer.py"]  # of Joinery itself: tests/app/frame/test_part_installer.py
OF_A_WORKER = ["state/context.py"]  # those that hold until the worker answers: see below


def test_every_note_of_the_window_is_tried_here() -> None:
    root = Path(app.__file__).parent
    said = [
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "show_note"
    ]
    assert sorted(said) == sorted([place for place, _ in RAISED.values()] + OF_A_CRASH + OF_A_PART + OF_A_WORKER)


@pytest.mark.parametrize("words", RAISED)
def test_a_note_goes_with_its_bundle_and_its_page_and_its_button_is_dead(
    make_window: Make, tmp_path: Path, words: str
) -> None:
    window, pressed = make_window(), list[str]()
    line, notes = window.status.note, window.context.notes
    if words != "no bundle to export":
        window.context.open_bundle(make_bundle(tmp_path / "a"))
    RAISED[words][1](window, tmp_path)
    note = notes.shown(error=False)
    assert note is not None and words in line.message and line.isVisible()
    note.actions = dict.fromkeys(note.actions, lambda: pressed.append(words))
    page = window.stack.current_name
    window.show_page("measure")
    if "page" in note.owner:
        assert not line.isVisible()
        notes.act(note)
        window.show_page(page)
        assert words in line.message and line.isVisible()  # it comes back with its page
    window.show_page("home")
    if note.owner != {"page": "settings"} and "draft" not in note.owner:  # neither is of a bundle
        window.context.open_bundle(make_bundle(tmp_path / "other"))
        window.show_page(page)
        assert not line.isVisible() and line.message == ""
        line.action.click()
        notes.act(note)
    assert pressed == []


def test_a_note_of_a_recipe_goes_with_it(make_window: Make, tmp_path: Path) -> None:
    window = make_window()
    recipe(window, tmp_path)
    assert "has replaced" in window.status.note.message
    window.context.unsaved_recipe.reset()
    window.show_page("build")
    assert not window.status.note.isVisible()


def test_what_a_target_takes_back_is_said_and_comes_back(make_window: Make, tmp_path: Path) -> None:
    window = make_window()
    reset(window, tmp_path)
    options = window.context.unsaved_recipe.options
    assert options == {"target": "qnn"} and "Keys and values in 8-bit integers" in window.status.note.message
    window.status.note.action.click()
    assert window.context.unsaved_recipe.options == {"kv_dtype": "int8"}


def test_a_note_of_two_graphs_goes_when_others_are_looked_at(make_window: Make, tmp_path: Path) -> None:
    window = make_window()
    graphs(window, tmp_path)
    window.interop.open_path(tmp_path / "encoder.onnx")
    assert window.stack.current_name == "inspect" and not window.status.note.isVisible()


def test_a_note_of_a_worker_goes_when_it_answers_or_ends(make_window: Make) -> None:
    window = make_window()
    context, line = window.context, window.status.note
    worker = context.new_worker()
    worker.hung.emit(True)
    window.show_page("measure")  # it is of no page
    assert "does not respond" in line.message and line.action.text() == "End it"
    context.session_worker.hung.emit(True)
    assert line.action.text() == "Restart it"
    context.session_worker.hung.emit(False)
    assert not line.isVisible()
    worker.hung.emit(True)
    worker.retired.emit()
    assert not line.isVisible()


@pytest.mark.parametrize(("button", "page"), [("Open", "inspect"), ("Chat", "chat")])
def test_a_bundle_that_was_made_is_offered_and_changes_nothing(
    make_window: Make, tmp_path: Path, button: str, page: str
) -> None:
    window = make_window()
    context, line = window.context, window.status.note
    other, imported = str(make_bundle(tmp_path / "other")), str(make_bundle(tmp_path / "imported"))
    context.open_bundle(other)
    window.show_page("inspect")
    dialog = ImportDialog(context, tmp_path / "a")
    dialog.model.notices = ["It has a window."]
    dialog.show_outcome(BuildDone(bundle=imported, seconds=1.0, bytes=1, components=[]))
    assert context.bundle is not None and context.bundle["path"] == other
    window.show_page("measure")  # the note is of no page
    assert line.message == "imported is built. It has a window." and line.isVisible()
    window.show_page("inspect")
    next(one for one in (line.action, line.second) if one.text() == button).click()
    assert context.bundle["path"] == imported and window.stack.current_name == page and not line.isVisible()


def test_the_offer_of_a_bundle_goes_once_it_is_opened(make_window: Make, tmp_path: Path) -> None:
    window = make_window()
    made = make_bundle(tmp_path / "made")
    window.context.offer_bundle(str(made))
    window.context.open_bundle(make_bundle(tmp_path / "other"))
    assert window.status.note.message == "made is built."
    window.context.open_bundle(made)
    assert not window.status.note.isVisible()


def test_an_error_of_a_session_goes_when_it_is_opened_anew(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window()
    session = window.context.session
    session.open(str(make_bundle(tmp_path / "a")))
    qtbot.waitUntil(lambda: session.state == "ready")
    window.context.session_worker.kill()
    qtbot.waitUntil(lambda: window.banner.isVisible())
    session.open(str(make_bundle(tmp_path / "b")))
    assert not window.banner.isVisible()
    qtbot.waitUntil(lambda: session.state == "ready")
    assert session.bundle == str(tmp_path / "b")


def test_a_note_and_an_error_are_reported_and_go_with_their_buttons(qtbot: Any, make_window: Make) -> None:
    window, done = make_window(), list[str]()
    window.show_page("home")
    window.context.show_note("It was removed.", "Undo", lambda: done.append("undone"))
    assert window.status.note.message == "It was removed."
    window.context.show_error("The disk is full.")
    assert window.banner.message == "The disk is full." and window.banner.property("kind") == "error"
    qtbot.mouseClick(window.banner._close, Qt.MouseButton.LeftButton)
    assert window.banner.isHidden() and window.status.note.isVisible()
    qtbot.mouseClick(window.status.note.action, Qt.MouseButton.LeftButton)
    assert window.status.note.isHidden() and done == ["undone"]
    window.context.show_error("It stopped.", "line 1", "Again", lambda: done.append("again"))
    qtbot.mouseClick(window.banner._action, Qt.MouseButton.LeftButton)
    assert window.banner.isHidden() and done == ["undone", "again"]


def places(window: MainWindow) -> dict[int, tuple[QPoint, int, int]]:
    """Where everything of the frame and of the page in front lies, but for the notes themselves."""
    page = window.stack.currentWidget()
    parts = [window.rail, window.bar, window.status, window.status.memory, page, *page.findChildren(QWidget)]
    return {id(one): (one.mapTo(window, QPoint()), one.width(), one.height()) for one in parts if one.isVisible()}


def settled(qtbot: Any, window: MainWindow) -> dict[int, tuple[QPoint, int, int]]:
    """Where everything lies once no job runs any more and what the jobs brought has its place."""
    qtbot.wait(50)
    qtbot.waitUntil(lambda: not window.context.activities._open)
    seen = dict[int, tuple[QPoint, int, int]]()

    def is_still() -> bool:
        nonlocal seen
        before, seen = seen, places(window)
        qtbot.wait(50)
        return before == seen

    qtbot.waitUntil(is_still)
    return seen


@pytest.mark.parametrize("size", [(1280, 800), (1024, 700)])
@pytest.mark.parametrize("name", [page.name for page in PAGES])
def test_nothing_of_a_page_moves_for_a_note_or_an_error(
    qtbot: Any, make_window: Make, tmp_path: Path, name: str, size: tuple[int, int]
) -> None:
    window = make_window()
    window.resize(*size)
    window.context.open_bundle(make_bundle(tmp_path / "a"))
    window.show_page(name)
    before = settled(qtbot, window)
    window.context.show_note("A note that is long. " * 12, "Import …", lambda: None)
    window.context.show_error("An error that is long. " * 30, "details\n" * 40, "Open it anew", lambda: None)
    qtbot.wait(50)
    window.banner._more.click()
    qtbot.wait(50)
    assert window.status.note.isVisible() and window.banner.isVisible()
    after = places(window)
    assert {key: after[key] for key in before if key in after} == {key: before[key] for key in before if key in after}
    area = window.stack.geometry()
    assert area.contains(QRect(window.banner.mapTo(window.centralWidget(), QPoint()), window.banner.size()))
    assert window.status.rect().contains(window.status.note.geometry())
    assert window.size().toTuple() == size


def test_what_runs_and_a_note_both_have_room(qtbot: Any, make_window: Make) -> None:
    window = make_window(hang_on="install")
    window.resize(1024, 700)
    window.context.plugins.start("webgpu", InstallPlugin("webgpu"), "Asking …")
    window.context.show_note("A note that is long. " * 12, "Import …", owner={})
    qtbot.waitUntil(lambda: bool(window.status.chips))
    qtbot.wait(50)
    (chip,) = window.status.chips.values()
    assert chip.link.width() > 200 and window.status.note.width() > 300
    window.context.plugins.cancel()
    qtbot.waitUntil(lambda: not window.status.chips)
    qtbot.wait(50)
    assert window.status.note.width() > 600 and window.status.text.width() > 80


def test_the_newest_that_holds_is_shown() -> None:
    notes = Notes()
    notes.set_front("bundle", "a")
    notes.set_front("page", "chat")
    first = notes.show(Note("first", owner={"bundle": "a"}))
    second = notes.show(Note("second", owner={"page": "chat"}))
    assert notes.shown(error=False) is second
    notes.set_front("page", "home")
    assert notes.shown(error=False) is first and notes.shown(error=True) is None
    notes.set_front("bundle", "b")
    assert notes.shown(error=False) is None
    notes.set_front("bundle", "a")
    assert notes.shown(error=False) is None  # gone, not hidden
    notes.set_front("page", "chat")
    assert notes.shown(error=False) is second
