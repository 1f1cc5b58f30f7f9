"""The dialogs that import a folder of onnxruntime-genai and export a bundle to one."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout

from app.interop.interop_dialog import InteropDialog, plain_file_name, unused_path
from app.state.context import AppContext
from app.widgets.basics import label
from app.widgets.theme import G
from workflows.wire.events import BuildDone
from workflows.wire.requests import ExportGenai, ImportGenai


class ImportDialog(InteropDialog):
    """Imports a folder of onnxruntime-genai into a bundle, and opens it."""

    def __init__(self, context: AppContext, folder: Path) -> None:
        self._folder = folder
        super().__init__(context, context.tr("Import from onnxruntime-genai"), context.tr("Import"))
        text = self.tr(
            "Graphs, weights and tokenizer of {0} are copied into a bundle of their own, once they were seen to fit "
            "together. The folder itself stays as it is."
        )
        self.body.addWidget(label(text.format(folder), wrap=True))
        self.target.setText(str(unused_path(context.bundles_folder, plain_file_name(folder.name))))

    def request(self) -> ImportGenai:
        """The import request."""
        return ImportGenai(str(self._folder), self.target.text().strip())

    def arrived(self, outcome: BuildDone) -> None:
        """Open the bundle. The main window shows what was left out, since this dialog closes."""
        if self.context.open_bundle(outcome.bundle):
            self.context.navigate.emit("chat")
            if self.model.notices:
                self.context.show_note(" ".join(self.model.notices), owner=self.context.notes.of_bundle)
            self.close()


class ExportDialog(InteropDialog):
    """Exports a bundle for onnxruntime-genai."""

    def __init__(self, context: AppContext, bundle: Path, name: str) -> None:
        self._bundle = bundle
        self.version = QComboBox()
        self.link = QCheckBox(context.tr("Link the weights instead of copying them"))
        super().__init__(context, context.tr("Export for onnxruntime-genai"), context.tr("Export"))
        self.version.addItem(self.tr("Version 1, for the released package"), 1)
        self.version.addItem(self.tr("Version 2, as proposed"), 2)
        self.version.setAccessibleName(self.tr("Version of the configuration"))
        text = self.tr(
            "{0} is written as a folder with genai_config.json, tokenizer, and a sample in Python and in C++ that "
            "runs it without Joinery. What it cannot say is refused before anything is written."
        )
        self.body.addWidget(label(text.format(name), wrap=True))
        row = QHBoxLayout()
        row.setSpacing(G)
        row.addWidget(label(self.tr("Configuration")))
        row.addWidget(self.version)
        row.addStretch(1)
        self.body.addLayout(row)
        self.body.addWidget(self.link)
        self.target.setText(str(unused_path(context.home / "genai", plain_file_name(name))))

    def request(self) -> ExportGenai:
        """The export request."""
        version: Literal[1, 2] = 2 if self.version.currentData() == 2 else 1
        return ExportGenai(str(self._bundle), self.target.text().strip(), version, self.link.isChecked())

    def arrived(self, outcome: BuildDone) -> None:
        """Show where the folder is and how to run it."""
        text = self.tr('Written to {0}. Run it with: python sample.py "a prompt"').format(outcome.bundle)
        self.banner.show_message("ok", text, action=self.tr("Show the folder"), on_action=lambda: _show(outcome.bundle))


def _show(folder: str) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(folder))
