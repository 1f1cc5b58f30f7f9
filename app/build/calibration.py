"""Quantize page: the calibration prompts of precisions that need the range of activations."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QLineEdit, QPushButton

from app.state.unsaved_recipe import UnsavedRecipe
from app.widgets.basics import Section, label
from app.widgets.theme import G
from workflows.wire.codec import read
from workflows.wire.reports.plan import PlanReport


class CalibrationBox(Section):
    """Prompts and method, as options of the unsaved recipe. Hidden if the chosen precision needs neither."""

    def __init__(self, draft: UnsavedRecipe) -> None:
        super().__init__("")
        self.heading.setText(self.tr("Calibration"))
        self._draft = draft
        self.body.addWidget(
            label(
                self.tr(
                    "The model itself answers these prompts, and each graph is fitted to what it sees: a text file "
                    "with a prompt a line, or a data set's folder. A demo has prompts of its own."
                ),
                "muted",
                wrap=True,
            )
        )
        self.prompts = QLineEdit()
        self.prompts.setPlaceholderText(self.tr("the demo's own prompts"))
        self.prompts.setAccessibleName(self.tr("Calibration prompts"))
        self.prompts.editingFinished.connect(self._send)
        browse = QPushButton(self.tr("Choose a file…"))
        browse.clicked.connect(self._browse)
        self.method = QComboBox()
        self.method.setAccessibleName(self.tr("How ranges are found"))
        self.method.addItem(self.tr("Least and largest value"), "minmax")
        self.method.addItem(self.tr("All but the outliers (percentile)"), "percentile")
        self.method.addItem(self.tr("Least information lost (entropy)"), "entropy")
        self.method.activated.connect(lambda _index: self._send())
        row = QHBoxLayout()
        row.setSpacing(G)
        row.addWidget(self.prompts, 1)
        row.addWidget(browse)
        row.addWidget(self.method)
        self.body.addLayout(row)

    def show_plan(self, plan: PlanReport | None, calibrated: bool, ranges: bool = True) -> None:
        """Show the calibration. calibrated: whether there is one; ranges: whether it measures activation ranges."""
        self.setVisible(calibrated)
        self.method.setVisible(ranges)
        if plan is not None and not self._draft.planning:
            if not (self.prompts.hasFocus() and self.prompts.isModified()):  # keeps the text that is being typed
                self.prompts.setText(plan.chosen.calibration_prompts)
            self.method.setCurrentIndex(self.method.findData(plan.chosen.calibration_method))

    def _browse(self) -> None:
        kinds = self.tr("Prompts (*.txt *.jsonl);;All files (*)")
        file, _ = QFileDialog.getOpenFileName(self, self.tr("Calibration prompts"), self.prompts.text(), kinds)
        if file:
            self.prompts.setText(file)
            self._send()

    def _send(self) -> None:
        """Keeps the other calibration options, which the recipe's text may set."""
        chosen = read(dict[str, object], self._draft.options.get("quantize", {})).get("calibration", {})
        prompts, method = self.prompts.text().strip(), self.method.currentData()
        calibration = {**read(dict[str, object], chosen), "prompts": prompts, "method": method}
        self._draft.set_quantize(calibration=calibration)
