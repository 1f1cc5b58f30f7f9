"""Other people's graphs in the window: a folder read in place, imported; a bundle exported; files put together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt

from app.home.page import HomePage
from app.interop.assemble_dialog import AssembleDialog
from app.interop.interop_dialog import ExportDialog, ExportGgufDialog, ImportDialog, unused_path
from app.window import MainWindow
from tests.app.conftest import make_bundle
from tests.app.test_window import drop
from workflows.wire.requests import ExportGguf

Make = Callable[..., MainWindow]


def genai(folder: Path) -> Path:
    """A folder that the fake reader takes for one of onnxruntime-genai's."""
    make_bundle(folder)
    (folder / "genai_config.json").write_text("{}")
    return folder


def shown(window: MainWindow) -> Any:
    dialog = window.interop.dialog
    assert dialog is not None
    return dialog


def test_a_folder_that_is_dropped_opens_in_place_and_is_imported(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window()
    folder = genai(tmp_path / "phi")
    drop(window, folder)
    assert window.stack.currentWidget() is window.stack.page("chat")
    assert "read in place" in window.status.note.message
    window.status.note.action.click()
    dialog = shown(window)
    assert isinstance(dialog, ImportDialog)
    target = Path(dialog.target.text())
    assert target == window.context.bundles_folder / "phi"
    qtbot.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.interop.dialog is None)
    assert window.context.bundle is not None and window.context.bundle["path"] == str(folder)
    window.status.note.action.click()
    assert window.context.bundle["path"] == str(target)


def test_a_bundle_is_exported_from_its_row(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window()
    window.interop.open_path(make_bundle(tmp_path / "qwen"))
    home = window.stack.page("home")
    assert isinstance(home, HomePage)
    home.rows[0].export.emit(str(tmp_path / "qwen"), "qwen")
    dialog = shown(window)
    assert isinstance(dialog, ExportDialog)
    dialog.target.setText(str(tmp_path / "theirs"))
    dialog.version.setCurrentIndex(1)
    dialog.link.setChecked(True)
    asked = dialog.request()
    assert (asked.bundle, asked.out, asked.version, asked.link) == (
        str(tmp_path / "qwen"), str(tmp_path / "theirs"), 2, True,
    )  # fmt: skip
    dialog.start()
    qtbot.waitUntil(lambda: "Written to" in dialog.banner.message)
    assert (tmp_path / "theirs").is_dir()
    dialog.close()


def test_the_open_bundle_is_written_as_gguf(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window()
    window.interop.export_current_gguf()
    assert window.interop.dialog is None and "open one first" in window.status.note.message
    window.interop.open_path(make_bundle(tmp_path / "qwen"))
    qtbot.waitUntil(lambda: window.context.bundle is not None)
    next(one for one in window.actions() if "GGUF file …" in one.text()).trigger()
    dialog = shown(window)
    first = Path(dialog.target.text())
    assert isinstance(dialog, ExportGgufDialog) and first.name == "qwen.gguf"
    first.parent.mkdir(parents=True)
    first.touch()
    assert unused_path(first.parent, "qwen", ".gguf").name == "qwen-2.gguf"
    dialog.target.setText(str(tmp_path / "q.gguf"))
    dialog.rounded.setChecked(True)
    assert dialog.request() == ExportGguf(str(tmp_path / "qwen"), str(tmp_path / "q.gguf"), round_scales=True)
    dialog.start()
    qtbot.waitUntil(lambda: "Written to" in dialog.banner.message)
    dialog.close()


def test_a_refusal_stays_in_the_dialog_and_another_try_clears_it(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window(errors={"export_genai": {"kind": "bundle", "message": "It has a window."}})
    window.interop.export(str(make_bundle(tmp_path / "b")), "b")
    dialog = shown(window)
    dialog.start()
    qtbot.waitUntil(lambda: dialog.banner.message == "It has a window.")
    assert dialog.go.isEnabled() and not dialog.bar.isVisible()
    dialog.start()
    assert dialog.banner.message == ""
    qtbot.waitUntil(lambda: dialog.banner.message == "It has a window.")
    dialog.close()


def test_work_that_is_stopped_is_reported(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window(delay=0.2)
    window.interop.import_folder(str(genai(tmp_path / "phi")))
    dialog = shown(window)
    dialog.start()
    qtbot.waitUntil(lambda: dialog.bar.isVisible())
    assert not dialog.target.isEnabled()
    qtbot.mouseClick(dialog.leave, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Stopped" in dialog.banner.message)
    dialog.close()


def test_a_dialog_that_is_closed_stops_its_work_first(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window(delay=0.2)
    window.interop.import_folder(str(genai(tmp_path / "phi")))
    dialog = shown(window)
    dialog.start()
    qtbot.waitUntil(lambda: dialog.model.note != "")
    dialog.close()
    assert not dialog.isVisible() and dialog.model.running
    qtbot.waitUntil(lambda: window.interop.dialog is None)


def test_three_graphs_that_are_dropped_are_put_together(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window()
    files = [tmp_path / name for name in ("encoder_model.onnx", "decoder.onnx", "head.onnx")]
    for file in files:
        file.write_bytes(b"")
    drop(window, *files)
    dialog = shown(window)
    assert isinstance(dialog, AssembleDialog)
    assert dialog.components() == {"encoder": str(files[0]), "decoder": str(files[1]), "head": str(files[2])}
    assert not dialog.go.isEnabled()  # nothing is known yet
    qtbot.waitUntil(lambda: dialog.go.isEnabled())
    assert "head takes what its graph says." in dialog.notes.text()
    dialog.names[2].setText("decoder")
    assert not dialog.go.isEnabled()
    qtbot.waitUntil(lambda: "a different name" in dialog.missing.text())
    dialog.names[2].setText("lm_head")
    qtbot.waitUntil(lambda: dialog.go.isEnabled())
    dialog.start()
    qtbot.waitUntil(lambda: window.interop.dialog is None)
    assert window.context.bundle is None and "is built" in window.status.note.message


def test_what_is_missing_keeps_the_assembly_from_being_written(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    lacking = ["Nothing feeds decoder.encoder_hidden_states: give the encoder too."]
    window = make_window(assembly={"lacking": lacking})
    window.interop.assemble([str(tmp_path / "decoder.onnx")])
    dialog = shown(window)
    qtbot.waitUntil(lambda: dialog.missing.text() == lacking[0])
    assert not dialog.go.isEnabled()
    dialog.close()


def test_two_graphs_can_be_put_together_instead_of_compared(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window()
    files = [tmp_path / "encoder.onnx", tmp_path / "decoder.onnx"]
    for file in files:
        file.write_bytes(b"")
    drop(window, *files)
    assert "Assemble them" in window.status.note.message
    window.status.note.action.click()
    assert isinstance(shown(window), AssembleDialog)
    qtbot.waitUntil(lambda: shown(window).report is not None)
    shown(window).close()


def test_the_palette_has_import_and_export(make_window: Make) -> None:
    window = make_window()
    texts = [action.text() for action in window.every_action()]
    for word in ("Import a folder of onnxruntime-genai", "Export the bundle", "Assemble ONNX graphs"):
        assert any(word in text for text in texts)
    window.interop.export_current()
    assert "no bundle to export" in window.status.note.message
