"""The base class of the import, export and assembly dialogs: target folder, progress, result.

fields ──request()──▶ InteropModel ──▶ progress, notices, an error message ──▶ arrived(outcome)
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QProgressBar, QVBoxLayout

from app.state.context import AppContext
from app.state.interop import InteropModel
from app.widgets.basics import Banner, button, label
from app.widgets.theme import G
from app.widgets.work_dialog import WorkDialog
from workflows.wire.events import BuildDone
from workflows.wire.requests import Request


class InteropDialog(WorkDialog):
    """A dialog that does not block the main window. Subclasses fill `body` and implement `request`."""

    model: InteropModel

    def __init__(self, context: AppContext, title: str, verb: str) -> None:
        super().__init__()
        self.context = context
        self.model = InteropModel(context.new_worker, self)
        self.setWindowTitle(title)
        self.setMinimumWidth(620)
        self.heading = label(title, "title")
        self.body = QVBoxLayout()
        self.body.setSpacing(G)
        self.target = QLineEdit()
        self.target.setAccessibleName(self.tr("Where to"))
        self.browse = button(self.tr("Choose …"), "folder", clicked=self._choose_target)
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(4)
        self.note = label("", "muted", wrap=True)
        self.banner = Banner()
        self.go = button(verb, role="primary", clicked=self.start)
        self.leave = button(self.tr("Close"), clicked=self._leave)
        for part in (self.browse, self.leave):
            part.setAutoDefault(False)
        self.go.setDefault(True)  # Enter in a field starts the work
        self._lay_out()
        self.model.changed.connect(self.refresh)
        self.target.textChanged.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        where = QHBoxLayout()
        where.setSpacing(G)
        where.addWidget(label(self.tr("Where to")))
        where.addWidget(self.target, 1)
        where.addWidget(self.browse)
        ends = QHBoxLayout()
        ends.setSpacing(G)
        ends.addWidget(self.note, 1)
        ends.addWidget(self.leave)
        ends.addWidget(self.go)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * G, 2 * G, 2 * G, 2 * G)
        column.setSpacing(G)
        column.addWidget(self.heading)
        column.addLayout(self.body, 1)
        column.addLayout(where)
        column.addWidget(self.banner)
        column.addWidget(self.bar)
        column.addLayout(ends)

    # -- what subclasses say -----------------------------------------------------------------------------------

    def request(self) -> Request[BuildDone]:
        """The request for the worker."""
        raise NotImplementedError

    def arrived(self, outcome: BuildDone) -> None:
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
        """Show the progress."""
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
            self.arrived(outcome)
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
        folder = QFileDialog.getExistingDirectory(self, self.tr("The folder in which it is to lie"), str(start))
        if folder:
            self.target.setText(str(unused_path(Path(folder), plain_file_name(target.name))))


def unused_path(folder: Path, name: str) -> Path:
    """A path in `folder` that does not exist: the name, or the name with a number."""
    paths = (folder / (name if i < 2 else f"{name}-{i}") for i in range(1, 1000))
    return next(path for path in paths if not path.exists())


def plain_file_name(name: str) -> str:
    """A valid file name for a title."""
    return "".join(letter if letter.isalnum() or letter in "-._" else "-" for letter in name).strip("-.") or "model"
