"""Run page: the components as they are built, the stages with time and memory, and the log."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QPlainTextEdit, QWizard

from app.builder.cache_text import planned_cache
from app.builder.recipe_diagram import RecipeDiagram
from app.builder.step_page import StepPage
from app.state.build import TAIL, BuildModel, StageRow
from app.state.context import AppContext
from app.text.formatting import approximate_duration, format_bytes, format_duration, format_number
from app.text.translatable import tr
from app.widgets.basics import button, label
from app.widgets.collapsible import CollapsibleSection
from app.widgets.fields import progress_bar
from app.widgets.layouts import hbox, vbox
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import G, mono_font, theme
from workflows.wire.stage_times import OTHER

STATE_TINTS = {"waiting": "muted", "started": "accent", "skipped": "muted", "failed": "error", "stopped": "warning"}
"""The colour of a row by the state of its stage; the others have that of text."""


class StageTable(ReadOnlyTable):
    """The stages of the build with time and memory; what runs within another stage is indented beneath it."""

    def __init__(self, build: BuildModel) -> None:
        headings = [tr("Stage"), tr("State"), tr("Time"), tr("Peak memory")]
        super().__init__(TextTableModel(headings, numbers=(2, 3)), tr("Stages of the build"), stretch=1)
        self._build = build
        self._shown: list[tuple[str, ...]] = []
        self.show_all_rows()
        self.setTextElideMode(Qt.TextElideMode.ElideRight)

    def refresh(self) -> None:
        """Show the rows as they are now; after the end they add up to the whole build."""
        rows = [self._cells(row) for row in self._build.rows]
        tints = [STATE_TINTS.get(row.state, "") for row in self._build.rows]
        if rows and not self._build.running:
            rest = [time for time in self._build.times if time.stage == OTHER]
            rows += [(tr("starting and other work"), "", format_duration(time.seconds), "") for time in rest]
            rows.append((tr("whole build"), "", format_duration(self._build.elapsed), ""))
        if rows != self._shown:
            self._shown = rows
            self.rows.fill(rows, tints)

    def _cells(self, row: StageRow) -> tuple[str, ...]:
        states = {
            "waiting": tr("waiting"),
            "started": tr("running"),
            "done": tr("done"),
            "reused": tr("reused"),
            "skipped": tr("skipped"),
            "failed": tr("failed"),
            "stopped": tr("stopped"),
        }
        title = f"    {row.title}" if row.inner else row.title
        state = " · ".join(filter(None, (states[row.state], row.note)))
        time = format_duration(row.elapsed) if row.state != "waiting" and row.elapsed else ""
        memory = f"{format_number(row.peak_mib)} MiB" if row.peak_mib else ""
        if row.state == "started" and self._build.memory:
            memory = format_bytes(self._build.memory)
        return title, state, f"({time})" if row.inner and time else time, memory


class RunPage(StepPage):
    """Follows the build model. Complete once the bundle is finished."""

    editRequested = Signal()  # noqa: N815

    def __init__(self, context: AppContext) -> None:
        super().__init__(
            context,
            self.tr("Build"),
            self.tr("The build runs in a separate process and continues while you use other pages."),
        )
        self.setCommitPage(True)
        self.setButtonText(QWizard.WizardButton.CommitButton, self.tr("Next"))
        self.text = label("", "heading")
        self.bar = progress_bar(self.tr("Progress of the build"), total=1000)
        self.cancel = button(self.tr("Cancel"), "stop", clicked=self.build.cancel)
        self.retry = button(self.tr("Retry from here"), "refresh", "primary", clicked=self.build.retry)
        self.edit = button(self.tr("Edit recipe"), "edit", clicked=self.editRequested.emit)
        self.diagram = RecipeDiagram()
        self.table = StageTable(self.build)
        self.log = QPlainTextEdit()
        self.log.setReadOnly(True)
        self.log.setFont(mono_font())
        self.log.setProperty("role", "log")
        self.log.setMaximumBlockCount(TAIL)
        self.log.setMinimumHeight(24 * G)
        self.log.setAccessibleName(self.tr("Log of the build"))
        self._lay_out()
        self._unwritten: list[str] = list(self.build.tail)  # of a build that started before this page was created
        self._shown: object = None
        self._flush = QTimer(self, interval=50, singleShot=True)
        self._flush.timeout.connect(self._write_log)
        self._clock = QTimer(self, interval=250)
        self._clock.timeout.connect(self.refresh)
        self.build.logged.connect(self._on_log)
        self.build.changed.connect(self._on_change)
        self.build.finished.connect(self.refresh)
        theme().changed.connect(self.refresh)
        self._flush.start()
        self._on_change()

    def _lay_out(self) -> None:
        self.body.addLayout(hbox((vbox(self.text, self.bar), 1), self.edit, self.retry, self.cancel))
        top = Qt.AlignmentFlag.AlignTop
        self.body.addLayout(hbox((self.diagram, 2, top), (self.table, 3, top), spacing=3 * G))
        section = CollapsibleSection(self.tr("Log"), self.tr("What the build reports, line by line"))
        section.body.addWidget(self.log)
        self.body.addWidget(section)
        self.body.addStretch(1)

    def initializePage(self) -> None:
        self.refresh()

    def _on_change(self) -> None:
        """Merge the events into four updates per second."""
        if self.build.request is not self._shown:
            if self._shown is not None:
                self.log.clear()
            self._shown = self.build.request
            self._show_plan()
        if not self._clock.isActive():
            self.refresh()
            self._clock.start()

    def _show_plan(self) -> None:
        """Draw the components; a build that is resumed after a restart has no plan."""
        plan = self.build.plan
        self.diagram.setVisible(plan is not None)
        if plan is not None:
            self.diagram.set_plan(plan.components, plan.edges, planned_cache(plan))

    def _on_log(self, text: str) -> None:
        self._unwritten.append(text)
        if not self._flush.isActive():
            self._flush.start()

    def _write_log(self) -> None:
        lines, self._unwritten = self._unwritten, []
        if lines:
            self.log.appendPlainText("\n".join(lines))

    def refresh(self) -> None:
        build = self.build
        if not build.running:
            self._clock.stop()
        self.text.setText(self._status_text())
        self.bar.setValue(round(build.fraction * 1000))
        self.cancel.setVisible(build.running)
        self.cancel.setEnabled(not build.stopping)
        ended_badly = build.state in ("failed", "cancelled")
        self.retry.setVisible(ended_badly)
        self.edit.setVisible(ended_badly)
        self.retry.setText(self.tr("Resume") if build.state == "cancelled" else self.tr("Retry from here"))
        self.retry.setAccessibleName(self.retry.text())
        self.diagram.show_progress(build.active if build.running else "", build.traced)
        self.table.refresh()
        self._show_end()
        self.completeChanged.emit()

    def _status_text(self) -> str:
        build = self.build
        if build.stopping:
            return self.tr("Stopping")
        if build.running:
            return " · ".join(
                filter(None, [self._current_work(), format_duration(build.elapsed), self._remaining_text()])
            )
        texts = {
            "idle": self.tr("No build is running"),
            "done": self.tr("Built in {0}"),
            "failed": self.tr("Failed after {0}"),
            "cancelled": self.tr("Stopped after {0}"),
        }
        return texts[build.state].format(format_duration(build.elapsed))

    def _current_work(self) -> str:
        progress, row = self.build.progress, self.build.current
        if row is None:
            return self.tr("finishing") if self.build.finishing else self.tr("starting")
        return f"{row.title} · {progress.message}" if progress and progress.message and not row.inner else row.title

    def _remaining_text(self) -> str:
        """The estimated remaining time; empty if unknown."""
        remaining = self.build.remaining
        if self.build.finishing:
            return ""
        if remaining is not None and not self.build.late:
            return self.tr("about {0} left").format(approximate_duration(remaining))
        return self.tr("longer than expected") if self.build.expected else ""

    def _show_end(self) -> None:
        build = self.build
        if build.state == "failed" and build.error is not None:
            if self.banner.message != build.error.message:
                details = build.error.details or "\n".join(list(build.tail)[-40:])
                self.banner.error(build.error.message, details)
        elif build.state == "cancelled":
            text = self.tr("The build was stopped. Finished stages are saved, and Resume continues after them.")
            if self.banner.message != text:
                self.banner.show_message("info", text)
        else:
            self.banner.clear()

    def isComplete(self) -> bool:
        return self.build.state == "done"
