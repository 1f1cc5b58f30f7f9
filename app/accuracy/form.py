"""What is to be compared: two bundles, prompts, steps; and the button that begins and ends it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QFileDialog, QGridLayout, QHBoxLayout, QLineEdit, QSpinBox, QWidget

from app.state.accuracy import Request
from app.state.recents import Recents
from app.widgets import button, label
from app.widgets.basics import set_role
from app.widgets.theme import G, set_icon

STEPS = 16


class Form(QWidget):
    """`asked` with a Request, `stopped` when it is to end."""

    asked = Signal(object)
    stopped = Signal()

    def __init__(self, recents: Recents, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._recents = recents
        self._running = False
        self.candidate = self._choice(self.tr("Bundle that is judged"), self.tr("A bundle's folder"))
        self.reference = self._choice(
            self.tr("Bundle or source it is compared with"),
            self.tr("A bundle, a checkpoint's folder, demo:NAME, a hub id"),
        )
        self.prompts = QLineEdit()
        self.prompts.setPlaceholderText(self.tr("the demo's held-back questions, or plain sentences"))
        self.prompts.setAccessibleName(self.tr("File of prompts, one a line"))
        self.prompts.setClearButtonEnabled(True)
        self.steps = QSpinBox()
        self.steps.setRange(1, 512)
        self.steps.setValue(STEPS)
        self.steps.setSuffix(self.tr(" tokens"))
        self.steps.setAccessibleName(self.tr("New tokens a prompt at most"))
        self.run = button(self.tr("Compare"), "play", "primary", self._on_run)
        self.run.setMinimumWidth(14 * G)
        self._lay_out()
        recents.changed.connect(self.refill)
        for field in (self.candidate, self.reference):
            field.editTextChanged.connect(self._refresh)
        self.refill()

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(G)
        grid.setVerticalSpacing(G)
        grid.addWidget(label(self.tr("Bundle"), "muted"), 0, 0)
        grid.addWidget(self._with_folder(self.candidate), 0, 1)
        grid.addWidget(label(self.tr("compared with"), "muted"), 0, 2)
        grid.addWidget(self._with_folder(self.reference), 0, 3)
        grid.addWidget(label(self.tr("Prompts"), "muted"), 1, 0)
        grid.addWidget(self._with_file(self.prompts), 1, 1)
        grid.addWidget(label(self.tr("up to"), "muted"), 1, 2, Qt.AlignmentFlag.AlignRight)
        row = QHBoxLayout()
        row.setSpacing(G)
        row.addWidget(self.steps)
        row.addStretch(1)
        row.addWidget(self.run)
        grid.addLayout(row, 1, 3)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)

    def _choice(self, name: str, hint: str) -> QComboBox:
        field = QComboBox()
        field.setEditable(True)
        field.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        field.setAccessibleName(name)
        field.setToolTip(name)
        field.setMinimumContentsLength(12)
        field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        edit = field.lineEdit()
        assert edit is not None
        edit.setPlaceholderText(hint)
        return field

    def _with_folder(self, field: QComboBox) -> QWidget:
        return self._with_button(field, self.tr("Choose a folder"), lambda: self._ask_folder(field))

    def _with_file(self, field: QLineEdit) -> QWidget:
        return self._with_button(field, self.tr("Choose a file of prompts"), self._ask_file)

    def _with_button(self, field: QWidget, tip: str, act: object) -> QWidget:
        box = QWidget()
        row = QHBoxLayout(box)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(G // 2)
        row.addWidget(field, 1)
        browse = button("", "folder", clicked=act)  # type: ignore[arg-type]
        browse.setToolTip(tip)
        browse.setAccessibleName(tip)
        row.addWidget(browse)
        return box

    def _ask_folder(self, field: QComboBox) -> None:
        folder = QFileDialog.getExistingDirectory(self, field.accessibleName(), str(Path(path_of(field)).parent))
        if folder:
            choose(field, folder)

    def _ask_file(self) -> None:
        name, _kind = QFileDialog.getOpenFileName(
            self, self.prompts.accessibleName(), "", self.tr("Text (*.txt);;All (*)")
        )
        if name:
            self.prompts.setText(name)

    def refill(self) -> None:
        """The bundles that were used last; what was typed stays."""
        for field in (self.candidate, self.reference):
            kept = path_of(field)
            field.blockSignals(True)
            field.clear()
            for entry in self._recents.entries:
                if not entry.problem:
                    field.addItem(entry.name if self._unique(entry.name) else entry.path, entry.path)
                    field.setItemData(field.count() - 1, entry.path, Qt.ItemDataRole.ToolTipRole)
            field.setCurrentIndex(-1)
            choose(field, kept)
            field.blockSignals(False)
        self._refresh()

    def _unique(self, name: str) -> bool:
        return sum(entry.name == name for entry in self._recents.entries) == 1

    def name(self, candidate: str = "", reference: str = "") -> None:
        """Fills in what is not empty, and waits for the rest."""
        for field, path in ((self.candidate, candidate), (self.reference, reference)):
            if path:
                choose(field, path)
        (self.run if self.run.isEnabled() else self.reference).setFocus()

    def set_running(self, running: bool) -> None:
        """The button begins, or ends."""
        self._running = running
        for field in (self.candidate, self.reference, self.prompts, self.steps):
            field.setEnabled(not running)
        self.run.setText(self.tr("Stop") if running else self.tr("Compare"))
        self.run.setAccessibleName(self.run.text())
        set_role(self.run, "danger" if running else "primary")
        set_icon(self.run, "stop" if running else "play", "error" if running else "accent_text")
        self._refresh()

    def ask(self) -> None:
        """Begins, where both are named."""
        if not self._running and self.run.isEnabled():
            self._on_run()

    def _refresh(self) -> None:
        self.run.setEnabled(self._running or bool(path_of(self.candidate) and path_of(self.reference)))

    def _on_run(self) -> None:
        if self._running:
            self.stopped.emit()
            return
        candidate, reference = path_of(self.candidate), path_of(self.reference)
        self.asked.emit(Request(candidate, reference, self.prompts.text().strip(), self.steps.value()))


def path_of(field: QComboBox) -> str:
    """The path of the chosen bundle, or what was typed."""
    text = field.currentText().strip()
    index = field.findText(text)
    return str(field.itemData(index)) if text and index >= 0 else text


def choose(field: QComboBox, path: str) -> None:
    """Shows the bundle at `path`, by its name where it is in the list."""
    index = field.findData(path)
    if index >= 0:
        field.setCurrentIndex(index)
    else:
        field.setEditText(path)
