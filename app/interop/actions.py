"""The actions for files of other programs: import, export, assemble, and opening what is dropped on the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from app.state.context import AppContext
from app.state.inspection import InspectTarget
from app.state.settings import existing_parent, expand_home

if TYPE_CHECKING:
    from app.interop.interop_dialog import InteropDialog


class InteropActions(QObject):
    """Opens the dialogs of this package over `window`. Imports each when it is first needed; `dialog` is the last."""

    def __init__(self, context: AppContext, window: QWidget) -> None:
        super().__init__(window)
        self._window, self._context = window, context
        self.dialog: InteropDialog | None = None
        context.bundleChanged.connect(self._offer_import)

    def import_folder(self, folder: str) -> None:
        """Import a folder of onnxruntime-genai into a bundle."""
        from app.interop.interop_dialog import ImportDialog

        self._show(ImportDialog(self._context, Path(folder)))

    def export_current(self) -> None:
        """Export the open bundle for onnxruntime-genai."""
        self._with_open_bundle(self.export)

    def export_current_gguf(self) -> None:
        """Write the open bundle as a GGUF file."""
        self._with_open_bundle(self._export_gguf)

    def _with_open_bundle(self, export: Callable[[str, str], None]) -> None:
        """Calls `export` with path and name of the open bundle; says that there is none."""
        bundle = self._context.bundle
        if bundle is None:
            self._context.show_note(self.tr("There is no bundle to export: open one first."))
        else:
            export(str(bundle["path"]), str(bundle["name"]))

    def _export_gguf(self, bundle: str, name: str) -> None:
        from app.interop.interop_dialog import ExportGgufDialog

        self._show(ExportGgufDialog(self._context, Path(bundle), name))

    def export(self, bundle: str, name: str) -> None:
        """Export a bundle for onnxruntime-genai; a folder of onnxruntime-genai is imported instead."""
        from app.interop.interop_dialog import ExportDialog

        entry = self._context.recents.find(bundle)
        if entry is not None and entry.summary.get("in_place"):
            self.import_folder(bundle)
        else:
            self._show(ExportDialog(self._context, Path(bundle), name))

    def assemble(self, graphs: Sequence[str]) -> None:
        from app.interop.assemble_dialog import AssembleDialog

        self._show(AssembleDialog(self._context, [Path(graph) for graph in graphs]))

    def choose_import(self) -> None:
        folder = QFileDialog.getExistingDirectory(self._window, self.tr("A folder with a genai_config.json"))
        if folder:
            self.import_folder(folder)

    def choose_bundle(self) -> None:
        """Choose a bundle's folder and open it; the page in front stays."""
        start = str(existing_parent(self._context.bundles_folder))
        folder = QFileDialog.getExistingDirectory(self._window, self.tr("Open a bundle"), start)
        if folder:
            self._context.open_bundle(folder)

    def choose_graphs(self) -> None:
        names = self._choose_onnx(self.tr("The graphs of one model"))
        if names:
            self.assemble(names)

    def choose_files(self) -> None:
        """Choose one .onnx file to open, or two to compare."""
        self.open_paths(self._choose_onnx(self.tr("Open an ONNX file, or choose two to compare")))

    def open_path(self, path: str | Path) -> None:
        """Open a dropped path or one of the command line: an .onnx file, a bundle folder or a checkpoint.

        A checkpoint is a folder, or a model in GGUF.
        """
        context, target = self._context, expand_home(path).absolute()
        if target.name == "pipeline.json":  # what a file manager opens a bundle by
            target = target.parent
        if target.suffix == ".onnx" and target.is_file():
            context.navigate.emit("inspect")
            context.inspectRequested.emit(InspectTarget(str(target)))
        elif any((target / name).exists() for name in ("pipeline.json", "manifest.json", "genai_config.json")):
            context.chat_with(target)
        elif target.is_dir() or (target.suffix.lower() == ".gguf" and target.is_file()):
            context.navigate.emit("build")
            context.unsaved_recipe.probe(str(target))
        else:
            context.show_error(self.tr("{0} is neither a folder nor an .onnx or .gguf file.").format(str(target)))

    def open_paths(self, paths: Sequence[str]) -> None:
        """Open dropped paths: compare two .onnx files, offer to assemble more, or open the first path."""
        context = self._context
        graphs = [str(Path(p).absolute()) for p in paths if p.lower().endswith(".onnx") and Path(p).is_file()]
        if len(paths) == 2 and len(graphs) == 2:
            context.navigate.emit("inspect")
            look = InspectTarget(graphs[1], before=graphs[0])
            context.inspectRequested.emit(look)
            text = self.tr("Two graphs are compared. Assemble them instead if they are parts of one model.")
            owner = {**context.notes.here, "look": look}
            context.show_note(text, self.tr("Assemble …"), lambda: self.assemble(graphs), owner)
        elif len(graphs) > 2:
            self.assemble(graphs)
        elif paths:
            self.open_path(paths[0])

    def _choose_onnx(self, title: str) -> list[str]:
        return QFileDialog.getOpenFileNames(self._window, title, "", self.tr("ONNX files (*.onnx)"))[0]

    def _offer_import(self, summary: dict[str, object] | None) -> None:
        """Say that a folder of onnxruntime-genai is opened in place, and offer to import it."""
        if summary and summary.get("in_place"):
            text = self.tr("This folder of onnxruntime-genai is read in place; nothing is written to it.")
            folder = str(summary["path"])
            self._context.show_note(
                text, self.tr("Import …"), lambda: self.import_folder(folder), owner={"bundle": folder}
            )

    def _show(self, dialog: InteropDialog) -> None:
        dialog.setParent(self._window, dialog.windowFlags())
        self.dialog = dialog
        dialog.destroyed.connect(lambda _object=None: self._forget(dialog))
        dialog.show()

    def _forget(self, dialog: InteropDialog) -> None:
        if self.dialog is dialog:
            self.dialog = None
