"""The form of an accuracy comparison: two bundles, prompts, steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtWidgets import QCheckBox, QFileDialog, QSpinBox, QWidget

from app.measure.request_form import RequestForm
from app.state.recent_bundles import RecentBundles
from app.text.translatable import tr
from app.widgets import label
from app.widgets.basics import button
from app.widgets.bundle_field import BundleField
from app.widgets.fields import add_token_unit, line_edit
from app.widgets.layouts import STRETCH, grid_layout, hbox
from app.widgets.path_field import PathField
from app.widgets.plain_text import set_tool_tip
from workflows.wire.requests import Eval

STEPS, SUGGESTIONS = 16, 5


class _PromptsField(PathField):
    def button_text(self) -> str:
        return self.tr("Choose a file of prompts")

    def choose_path(self, title: str) -> str:
        return QFileDialog.getOpenFileName(self, title, "", self.tr("Text (*.txt);;All (*)"))[0]


class AccuracyForm(RequestForm):
    """Requests an `Eval`."""

    def __init__(self, recents: RecentBundles, parent: QWidget | None = None) -> None:
        super().__init__(tr("Compare"), "play", parent)
        self._consented: dict[str, tuple[str, ...]] = {}
        self.candidate = BundleField(recents, self.tr("Bundle to evaluate"), self.tr("A bundle's folder"))
        self._checkpoint = ""
        self.reference = BundleField(
            recents,
            self.tr("Reference: a bundle or a checkpoint"),
            self.tr("A bundle, a checkpoint's folder, demo:NAME, a hub id"),
            unfit=self._itself,
        )
        hint = self.tr("default: the test questions of the demo, or plain sentences")
        self.prompts = line_edit(self.tr("File of prompts, one per line"), hint, clear=True)
        self.file = _PromptsField(self.prompts)
        self.file.picked.connect(self.prompts.setText)
        self.steps = add_token_unit(QSpinBox())
        self.steps.setRange(1, 512)
        self.steps.setValue(STEPS)
        self.steps.setAccessibleName(self.tr("Maximum of new tokens per prompt"))
        self.suggest = QCheckBox(self.tr("Suggest"))
        set_tool_tip(
            self.suggest,
            self.tr(
                "Ranks the quantized nodes by the accuracy that each would gain in full precision; needs one run "
                "per node."
            ),
        )
        self.suggest.setAccessibleName(self.tr("Suggest nodes to exclude from quantization"))
        self.tasks_button = button(self.tr("Tasks of lm-eval …"), role="link")
        set_tool_tip(self.tasks_button, self.tr("Scores of the open bundle in public tasks, without a reference."))
        self._lay_out()
        for field in (self.candidate, self.reference):
            field.changed.connect(self.refresh)
        self._recents = recents
        self.candidate.changed.connect(self._offer_checkpoint)
        self.refresh()

    def _lay_out(self) -> None:
        grid = grid_layout(stretch=(1, 3), parent=self)
        grid.addWidget(label(self.tr("Bundle"), "muted"), 0, 0)
        grid.addWidget(self.candidate, 0, 1)
        grid.addWidget(label(self.tr("compared with"), "muted"), 0, 2)
        grid.addWidget(self.reference, 0, 3)
        grid.addWidget(label(self.tr("Prompts"), "muted"), 1, 0)
        grid.addWidget(self.file, 1, 1)
        limits = label(self.tr("up to"), "muted"), self.steps, self.suggest
        grid.addLayout(hbox(*limits, STRETCH, self.tasks_button, self.start_button), 1, 2, 1, 2)

    def fill_in(self, candidate: str = "", reference: str = "", consented: Sequence[str] = ()) -> None:
        """Fill in the bundles that are not empty. consented: hashes of the code that `reference` may run."""
        self._consented[reference] = tuple(consented)
        for field, path in ((self.candidate, candidate), (self.reference, reference)):
            if path:
                field.choose(path)
        (self.start_button if self.ready else self.reference).setFocus()

    def _offer_checkpoint(self) -> None:
        """Choose what the bundle was built of, where nothing else is: only against it does a fault of the build show.

        It stands first in the list; the bundle itself cannot be chosen.
        """
        entry = self._recents.find(self.candidate.path)
        before, self._checkpoint = self._checkpoint, entry.checkpoint if entry is not None else ""
        untouched = self.reference.path in ("", before, self.candidate.path)
        self.reference.offer(self.tr("its checkpoint: {0}").format(self._checkpoint), self._checkpoint)
        self.reference.refill()
        if untouched:
            self.reference.choose(self._checkpoint)

    def _itself(self, summary: Mapping[str, Any]) -> str:
        itself = str(summary["path"]) == self.candidate.path
        return self.tr("It is the bundle itself: nothing would differ.") if itself else ""

    @property
    def fields(self) -> Sequence[QWidget]:
        return self.candidate, self.reference, self.file, self.steps, self.suggest

    @property
    def ready(self) -> bool:
        return bool(self.candidate.path and self.reference.path not in ("", self.candidate.path))

    def request(self) -> Eval:
        suggestions = SUGGESTIONS if self.suggest.isChecked() else 0
        prompts, reference = self.prompts.text().strip(), self.reference.path
        consented = self._consented.get(reference, ())
        return Eval(self.candidate.path, reference, prompts, self.steps.value(), suggestions, consented)
