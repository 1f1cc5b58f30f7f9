"""Where the doors are opened from: the palette, a drop, a banner, a row of Home."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

if TYPE_CHECKING:
    from app.interop.interop_dialog import InteropDialog
    from app.window import MainWindow


class InteropActions(QObject):
    """Opens the dialogs, each imported when first asked for; `shown` is the last."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._context = window, window.context
        self.shown: InteropDialog | None = None

    def import_folder(self, folder: str) -> None:
        """A folder of onnxruntime-genai's, into a bundle."""
        from app.interop.genai_dialogs import ImportDialog

        self._show(ImportDialog(self._context, Path(folder)))

    def export_current(self) -> None:
        """The current bundle, for onnxruntime-genai."""
        bundle = self._context.bundle
        if bundle is None:
            self._context.show_note(self.tr("There is no bundle to export: open one first."))
        else:
            self.export(str(bundle["path"]), str(bundle["name"]))

    def export(self, bundle: str, name: str) -> None:
        """A bundle, for onnxruntime-genai; a folder of theirs is imported instead."""
        from app.interop.genai_dialogs import ExportDialog

        entry = self._context.recents.find(bundle)
        if entry is not None and entry.summary.get("in_place"):
            self.import_folder(bundle)
        else:
            self._show(ExportDialog(self._context, Path(bundle), name))

    def assemble(self, graphs: Sequence[str]) -> None:
        """Several graphs, into one bundle."""
        from app.interop.assemble_dialog import AssembleDialog

        self._show(AssembleDialog(self._context, [Path(graph) for graph in graphs]))

    def ask_import(self) -> None:
        """Asks for the folder."""
        folder = QFileDialog.getExistingDirectory(self._window, self.tr("A folder with a genai_config.json"))
        if folder:
            self.import_folder(folder)

    def ask_graphs(self) -> None:
        """Asks for the files."""
        title, kind = self.tr("The graphs of one model"), self.tr("ONNX files (*.onnx)")
        names, _kind = QFileDialog.getOpenFileNames(self._window, title, "", kind)
        if names:
            self.assemble(names)

    def _show(self, dialog: InteropDialog) -> None:
        dialog.setParent(self._window, dialog.windowFlags())
        self.shown = dialog
        dialog.destroyed.connect(lambda _gone=None: self._forget(dialog))
        dialog.show()

    def _forget(self, dialog: InteropDialog) -> None:
        if self.shown is dialog:
            self.shown = None
