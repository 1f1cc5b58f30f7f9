"""What is to be compared: two bundles, prompts, steps; and the button that begins and ends it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QGridLayout, QHBoxLayout, QLineEdit, QSpinBox, QWidget

from app.state.recent_bundles import RecentBundles
from app.widgets import button, label
from app.widgets.basics import set_role
from app.widgets.bundle_field import BundleField
from app.widgets.path_field import PathField
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G, set_icon
from app.widgets.token_spin import add_token_unit
from workflows.wire.requests import Eval

STEPS, SUGGESTED = 16, 5


class _PromptsField(PathField):
    def words(self) -> str:
        return self.tr("Choose a file of prompts")

    def ask(self, title: str) -> str:
        return QFileDialog.getOpenFileName(self, title, "", self.tr("Text (*.txt);;All (*)"))[0]


class AccuracyForm(QWidget):
    """`asked` with a Request, `stopped` when it is to end."""

    asked = Signal(object)
    stopped = Signal()

    def __init__(self, recents: RecentBundles, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._running = False
        self._consented: dict[str, tuple[str, ...]] = {}
        self.candidate = BundleField(recents, self.tr("Bundle that is judged"), self.tr("A bundle's folder"))
        self.reference = BundleField(
            recents,
            self.tr("Bundle or source it is compared with"),
            self.tr("A bundle, a checkpoint's folder, demo:NAME, a hub id"),
        )
        self.prompts = QLineEdit()
        self.prompts.setPlaceholderText(self.tr("the demo's held-back questions, or plain sentences"))
        self.prompts.setAccessibleName(self.tr("File of prompts, one a line"))
        self.prompts.setClearButtonEnabled(True)
        self.file = _PromptsField(self.prompts)
        self.file.picked.connect(self.prompts.setText)
        self.steps = add_token_unit(QSpinBox())
        self.steps.setRange(1, 512)
        self.steps.setValue(STEPS)
        self.steps.setAccessibleName(self.tr("New tokens a prompt at most"))
        self.suggest = QCheckBox(self.tr("Suggest"))
        set_tool_tip(
            self.suggest,
            self.tr(
                "Also ranks quantized nodes by what leaving each in full precision would gain; takes a run a node."
            ),
        )
        self.suggest.setAccessibleName(self.tr("Suggest nodes to exclude from quantization"))
        self.run = button(self.tr("Compare"), "play", "primary", self._on_run)
        self.run.setMinimumWidth(14 * G)
        self._lay_out()
        for field in (self.candidate, self.reference):
            field.changed.connect(self._refresh)
        self._refresh()

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(G)
        grid.setVerticalSpacing(G)
        grid.addWidget(label(self.tr("Bundle"), "muted"), 0, 0)
        grid.addWidget(self.candidate, 0, 1)
        grid.addWidget(label(self.tr("compared with"), "muted"), 0, 2)
        grid.addWidget(self.reference, 0, 3)
        grid.addWidget(label(self.tr("Prompts"), "muted"), 1, 0)
        grid.addWidget(self.file, 1, 1)
        grid.addWidget(label(self.tr("up to"), "muted"), 1, 2, Qt.AlignmentFlag.AlignRight)
        row = QHBoxLayout()
        row.setSpacing(G)
        row.addWidget(self.steps)
        row.addWidget(self.suggest)
        row.addStretch(1)
        row.addWidget(self.run)
        grid.addLayout(row, 1, 3)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)

    def name(self, candidate: str = "", reference: str = "", consented: Sequence[str] = ()) -> None:
        """Fills in what is not empty, and waits for the rest. consented: code that `reference` may run."""
        self._consented[reference] = tuple(consented)
        for field, path in ((self.candidate, candidate), (self.reference, reference)):
            if path:
                field.choose(path)
        (self.run if self.run.isEnabled() else self.reference).setFocus()

    def set_running(self, running: bool) -> None:
        """The button begins, or ends."""
        self._running = running
        for field in (self.candidate, self.reference, self.file, self.steps, self.suggest):
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
        self.run.setEnabled(self._running or bool(self.candidate.path and self.reference.path))

    def _on_run(self) -> None:
        if self._running:
            self.stopped.emit()
            return
        suggest = SUGGESTED if self.suggest.isChecked() else 0
        prompts = self.prompts.text().strip()
        reference = self.reference.path
        consented = self._consented.get(reference, ())
        self.asked.emit(Eval(self.candidate.path, reference, prompts, self.steps.value(), suggest, consented))
