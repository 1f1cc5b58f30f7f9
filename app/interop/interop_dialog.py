"""The dialogs that import from and export to onnxruntime-genai, and the base class of these and of the assembly.

fields ──request()──▶ InteropModel ──▶ progress, notices, an error message ──▶ show_outcome(outcome)
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from PySide6.QtCore import QTimer, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QCheckBox, QFileDialog

from app.state.context import AppContext
from app.state.interop import InteropModel
from app.widgets.basics import Banner, button, label
from app.widgets.fields import combo_box, line_edit, progress_bar
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.theme import G
from app.widgets.work_dialog import WorkDialog
from workflows.wire.events import BuildDone
from workflows.wire.requests import ExportGenai, ExportGguf, ImportGenai, Request


class InteropDialog(WorkDialog):
    """A dialog that does not block the main window. Subclasses fill `body` and implement `request`."""

    model: InteropModel

    def __init__(self, context: AppContext, title: str, verb: str, target: str = "") -> None:
        """target: what is written, by default a folder."""
        super().__init__()
        target = target or context.tr("Target folder")
        self.context = context
        self.model = InteropModel(context.new_worker, self)
        self.setWindowTitle(title)
        self.setMinimumWidth(620)
        self.heading = label(title, "title")
        self.body = vbox()
        self.target = line_edit(target)
        self.browse = button(self.tr("Choose …"), "folder", clicked=self._choose_target)
        self.bar = progress_bar(height=4)
        self.note = label("", "muted", wrap=True)
        self.banner = Banner()
        self.go = button(verb, role="primary", clicked=self.start)
        self.leave = button(self.tr("Close"), clicked=self._leave)
        for part in (self.browse, self.leave):
            part.setAutoDefault(False)
        self.go.setDefault(True)  # Enter in a field starts the work
        self._lay_out(target)
        self.model.changed.connect(self.refresh)
        self.target.textChanged.connect(self.refresh)
        self.refresh()

    def _lay_out(self, target: str) -> None:
        where = hbox(label(target), (self.target, 1), self.browse)
        ends = hbox((self.note, 1), self.leave, self.go)
        vbox(self.heading, (self.body, 1), where, self.banner, self.bar, ends, parent=self, margins=2 * G)

    # -- what subclasses say -----------------------------------------------------------------------------------

    def request(self) -> Request[BuildDone]:
        """The request for the worker."""
        raise NotImplementedError

    def show_outcome(self, outcome: BuildDone) -> None:
        """Called when the folder is written."""
        raise NotImplementedError

    def ready(self) -> bool:
        """Whether the request is complete."""
        return bool(self.target.text().strip())

    # -- the work ----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the work unless it is running."""
        if self.ready() and not self.model.running:
            self.banner.clear()
            self.model.start(self.request())

    def refresh(self) -> None:
        model = self.model
        self.bar.setVisible(model.running)
        self.note.setText(model.note if model.running else "\n".join(model.notices))
        self.leave.setText(self.tr("Stop") if model.running else self.tr("Close"))
        self.go.setEnabled(self.ready() and not model.running)
        for field in (self.target, self.browse):
            field.setEnabled(not model.running)
        if model.state == "failed" and model.error is not None:
            self.banner.error(model.error.message)
        elif model.state == "cancelled":
            self.banner.show_message("info", self.tr("Stopped; nothing was written."))
        elif model.outcome is not None:
            outcome, model.outcome = model.outcome, None
            self.show_outcome(outcome)
        QTimer.singleShot(0, self, self.make_room)
        self.settle()

    def make_room(self) -> None:
        """Grow if the content needs more room; never shrink while the user works."""
        column = self.layout()
        assert column is not None  # created with the dialog
        needed = column.totalHeightForWidth(self.width())
        if needed > self.height():
            self.resize(self.width(), needed)

    def _leave(self) -> None:
        if self.model.running:
            self.model.cancel()
        else:
            self.close()

    def _choose_target(self) -> None:
        target = Path(self.target.text())
        start = next((folder for folder in target.parents if folder.is_dir()), Path.home())
        folder = QFileDialog.getExistingDirectory(self, self.tr("The folder that will contain it"), str(start))
        if folder:
            self.target.setText(str(unused_path(Path(folder), plain_file_name(target.name))))


def unused_path(folder: Path, name: str, suffix: str = "") -> Path:
    """A path in `folder` that does not exist: the name, or the name with a number, and the suffix behind it."""
    paths = (folder / f"{name if i < 2 else f'{name}-{i}'}{suffix}" for i in range(1, 1000))
    return next(path for path in paths if not path.exists())


def plain_file_name(name: str) -> str:
    """A valid file name for a title."""
    return "".join(letter if letter.isalnum() or letter in "-._" else "-" for letter in name).strip("-.") or "model"


class ImportDialog(InteropDialog):
    """Imports a folder of onnxruntime-genai into a bundle, and offers to open it."""

    def __init__(self, context: AppContext, folder: Path) -> None:
        self._folder = folder
        super().__init__(context, context.tr("Import from onnxruntime-genai"), context.tr("Import"))
        text = self.tr(
            "Copies graphs, weights and tokenizer of {0} into a new bundle after checking that they fit "
            "together. The folder itself is not changed."
        )
        self.body.addWidget(label(text.format(folder), wrap=True))
        self.target.setText(str(unused_path(context.bundles_folder, plain_file_name(folder.name))))

    def request(self) -> ImportGenai:
        return ImportGenai(str(self._folder), self.target.text().strip())

    def show_outcome(self, outcome: BuildDone) -> None:
        """Offer the bundle. The main window shows what was left out, since this dialog closes."""
        self.context.recents.add(outcome.bundle)
        self.context.offer_bundle(outcome.bundle, self.model.notices)
        self.close()


class ExportDialog(InteropDialog):
    """Exports a bundle for onnxruntime-genai."""

    def __init__(self, context: AppContext, bundle: Path, name: str) -> None:
        self._bundle = bundle
        versions = (context.tr("Version 1, for the released package"), 1), (context.tr("Version 2, as proposed"), 2)
        self.version = combo_box(context.tr("Version of the configuration"), versions)
        self.link = QCheckBox(context.tr("Link the weights instead of copying them"))
        super().__init__(context, context.tr("Export for onnxruntime-genai"), context.tr("Export"))
        text = self.tr(
            "Writes {0} as a folder with genai_config.json, tokenizer, and samples in Python and C++ that "
            "run it without Joinery. Features that the format cannot express are refused before anything is "
            "written."
        )
        self.body.addWidget(label(text.format(name), wrap=True))
        self.body.addLayout(hbox(label(self.tr("Configuration")), self.version, STRETCH))
        self.body.addWidget(self.link)
        self.target.setText(str(unused_path(context.home / "genai", plain_file_name(name))))

    def request(self) -> ExportGenai:
        version: Literal[1, 2] = 2 if self.version.currentData() == 2 else 1
        return ExportGenai(str(self._bundle), self.target.text().strip(), version, self.link.isChecked())

    def show_outcome(self, outcome: BuildDone) -> None:
        """Show where the folder is and how to run it."""
        text = self.tr('Written to {0}. Run it with: python sample.py "a prompt"').format(outcome.bundle)
        self.banner.show_message("ok", text, action=self.tr("Show the folder"), on_action=lambda: _show(outcome.bundle))


class ExportGgufDialog(InteropDialog):
    """Writes a bundle as a file for llama.cpp."""

    def __init__(self, context: AppContext, bundle: Path, name: str) -> None:
        self._bundle = bundle
        self.rounded = QCheckBox(context.tr("Round 32-bit scales of integers to GGUF's 16 bits, by 0.05 % at most"))
        title, verb = context.tr("Write as a GGUF file for llama.cpp"), context.tr("Write")
        super().__init__(context, title, verb, context.tr("Target file"))
        text = self.tr(
            "Writes weights, tokenizer and chat template of {0} as one file for llama.cpp and the programs that are "
            "made of it, and reads it again before it is kept. What GGUF cannot say with the same numbers is refused."
        )
        self.body.addWidget(label(text.format(name), wrap=True))
        self.body.addWidget(self.rounded)
        self.target.setText(str(unused_path(context.home / "gguf", plain_file_name(name), ".gguf")))

    def request(self) -> ExportGguf:
        return ExportGguf(str(self._bundle), self.target.text().strip(), self.rounded.isChecked())

    def show_outcome(self, outcome: BuildDone) -> None:
        """Show where the file is."""
        text, folder = self.tr("Written to {0}.").format(outcome.bundle), str(Path(outcome.bundle).parent)
        self.banner.show_message("ok", text, action=self.tr("Show the folder"), on_action=lambda: _show(folder))

    def _choose_target(self) -> None:
        kinds = self.tr("GGUF models (*.gguf)")
        file, _ = QFileDialog.getSaveFileName(self, self.tr("The file to write"), self.target.text(), kinds)
        if file:
            self.target.setText(file if file.lower().endswith(".gguf") else f"{file}.gguf")


def _show(folder: str) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(folder))
