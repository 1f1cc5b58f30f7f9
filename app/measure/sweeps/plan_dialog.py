"""The dialog that makes the plan of a sweep: a source, the values of each axis, and what it would take.

fields ──▶ SweepChoices ──PlanRecipe──▶ estimate      Save ──▶ a TOML file, which the form takes
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QFileDialog, QHBoxLayout, QWidget

from app.jobs.latest_request import LatestRequest
from app.state.context import AppContext
from app.text.engine_text import translate_engine_text
from app.text.formatting import approximate_duration, format_bytes, format_number
from app.widgets import Banner, button, label
from app.widgets.fields import line_edit
from app.widgets.file_suffix import suggested_file, with_file_suffix
from app.widgets.layouts import STRETCH, grid_layout, hbox, vbox
from app.widgets.theme import G
from workflows.common.errors import describe_os_error
from workflows.common.files import write_atomically
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.plan import PlanReport
from workflows.wire.requests import PlanRecipe


@dataclass(frozen=True, slots=True)
class SweepChoices:
    """The axes of a sweep. layouts: none for the one that the build chooses. evaluates, measures: further steps."""

    source: str
    precisions: tuple[str, ...]
    layouts: tuple[str, ...] = ()
    providers: tuple[str, ...] = ("cpu",)
    evaluates: bool = True
    measures: bool = True

    @property
    def builds(self) -> int:
        """The number of bundles."""
        return len(self.precisions) * max(1, len(self.layouts))


def plan_text(choices: SweepChoices) -> str:
    """The plan; strings are quoted as in JSON, which TOML reads as well."""
    steps = ["build", *["eval"] * choices.evaluates, *["bench"] * choices.measures]
    lines = [f"sources = {_quoted([choices.source])}"]
    if choices.layouts:
        lines.append(f"layouts = {_quoted(choices.layouts)}")
    if choices.measures:
        lines.append(f"providers = {_quoted(choices.providers)}")
    lines.append(f"steps = {_quoted(steps)}")
    for precision in choices.precisions:
        lines += ["", "[[recipe]]", f"name = {_quoted(precision)}", f"precision = {_quoted(precision)}"]
    return "\n".join(lines) + "\n"


def _quoted(value: str | Sequence[str]) -> str:
    return json.dumps(value, ensure_ascii=False)


def sweep_estimate(choices: SweepChoices, plan: PlanReport) -> tuple[float, int]:
    """Seconds of the builds, and bytes of the bundles, by the plan of one of them.

    A build's export is made once and shared by all precisions of a layout; the rest of a build is made for each.
    """
    price = plan.estimate
    shared = sum(price.stages.get(stage, 0.0) for stage in ("checkpoint", "export", "optimize"))
    layouts = max(1, len(choices.layouts))
    seconds = layouts * (shared + len(choices.precisions) * (price.seconds - shared))
    sizes = {one.name: one.bytes for one in plan.precisions}
    own = sizes.get(plan.chosen.precision, 0)
    beside = max(0, price.disk_bytes - own)  # tokenizer, graphs and their snapshots
    return seconds, layouts * sum(sizes.get(name, own) + beside for name in choices.precisions)


PRECISIONS = ("fp32", "fp16", "int8", "int4", "w8a16")
LAYOUTS = ("static", "window", "gqa", "scatter")
_BEGUN = ("fp32", "int8", "int4")


class SweepPlanDialog(QDialog):
    """`saved` has the path of the written plan. Begins with what the open bundle was built of, where that is known."""

    saved = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Plan of a sweep"))
        self._requests = LatestRequest(context.new_idle_worker(), 300, self)
        self._requests.answered.connect(self._show_estimate)
        self._requests.failed.connect(self._show_error)
        entry = context.recents.find(str((context.bundle or {}).get("path", "")))
        hint = self.tr("a checkpoint's folder, demo:NAME, a hub id")
        self.source = line_edit(self.tr("Source"), hint, clear=True)
        self.source.setText(entry.checkpoint if entry is not None else "")
        self.precisions = {name: self._box(name, name in _BEGUN) for name in PRECISIONS}
        self.layouts = {name: self._box(name, False) for name in LAYOUTS}
        self.providers = line_edit(self.tr("Providers, separated by commas"), "cpu")
        self.evaluates = self._box(self.tr("Compare the accuracy"), True)
        self.measures = self._box(self.tr("Measure the speed"), True)
        self.estimate = label("", "muted", wrap=True)
        self.banner = Banner()
        self.save_button = button(self.tr("Save the plan …"), "save", "primary", self.choose_file)
        self.source.textChanged.connect(lambda _text: self._refresh())
        self._lay_out()
        self._refresh()

    def _box(self, text: str, on: bool) -> QCheckBox:
        box = QCheckBox(text)
        box.setChecked(on)
        box.toggled.connect(lambda _on: self._refresh())
        return box

    def _lay_out(self) -> None:
        grid = grid_layout(2 * G, G, stretch=(1,))
        rows: tuple[tuple[str, QWidget | QHBoxLayout], ...] = (
            (self.tr("Source"), self.source),
            (self.tr("Precisions"), hbox(*self.precisions.values(), STRETCH)),
            (self.tr("Cache layouts (none: the build chooses)"), hbox(*self.layouts.values(), STRETCH)),
            (self.tr("Providers"), self.providers),
            (self.tr("After each build"), hbox(self.evaluates, self.measures, STRETCH)),
        )
        for row, (text, part) in enumerate(rows):
            grid.addWidget(label(text, "muted"), row, 0)
            if isinstance(part, QWidget):
                grid.addWidget(part, row, 1)
            else:
                grid.addLayout(part, row, 1)
        buttons = hbox(STRETCH, self.save_button, button(self.tr("Close"), clicked=self.close))
        vbox(grid, self.estimate, self.banner, buttons, parent=self, margins=2 * G, spacing=2 * G)

    @property
    def choices(self) -> SweepChoices:
        """What is chosen now."""
        return SweepChoices(
            self.source.text().strip(),
            tuple(name for name, box in self.precisions.items() if box.isChecked()),
            tuple(name for name, box in self.layouts.items() if box.isChecked()),
            tuple(filter(None, (one.strip() for one in self.providers.text().split(",")))) or ("cpu",),
            self.evaluates.isChecked(),
            self.measures.isChecked(),
        )

    def _refresh(self) -> None:
        choices = self.choices
        ready = bool(choices.source and choices.precisions)
        self.save_button.setEnabled(ready)
        self.banner.clear()
        asked = self.tr("Choose a source and at least one precision.")
        self.estimate.setText(self.tr("Estimating …") if ready else asked)
        if ready:
            self._requests.send(PlanRecipe(choices.source, {"precision": choices.precisions[0]}))
        else:
            self._requests.cancel()

    def _show_estimate(self, plan: PlanReport) -> None:
        choices = self.choices
        if choices.precisions:
            seconds, size = sweep_estimate(choices, plan)
            text = self.tr(
                "Bundles: {0} · about {1} of building · about {2} of disk; comparing and measuring come on top."
            )
            values = format_number(choices.builds), approximate_duration(seconds), format_bytes(size)
            self.estimate.setText(text.format(*values))

    def _show_error(self, error: ErrorEvent) -> None:
        self.estimate.clear()
        self.banner.error(error.message, error.details)

    def choose_file(self) -> None:
        """Ask for a file, and write the plan to it."""
        kinds = self.tr("Plans (*.toml)")
        name, _ = QFileDialog.getSaveFileName(self, self.tr("Save the plan"), suggested_file("sweep.toml"), kinds)
        if name:
            self.save(with_file_suffix(name, ".toml"))

    def save(self, path: Path) -> None:
        """Write the plan, and close."""
        try:
            write_atomically(path, plan_text(self.choices).encode())
        except OSError as error:
            self.banner.error(translate_engine_text(describe_os_error(error)))
            return
        self.saved.emit(str(path))
        self.close()
