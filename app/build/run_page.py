"""Run page: the stages with state, time and memory, the end of the log, and how to continue; Done page: the bundle."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QPlainTextEdit, QTableWidget, QTableWidgetItem, QWizard

from app.build.goal_card import TrialsChart, read_goal_report
from app.build.step_page import StepPage
from app.state.build import TAIL, StageRow
from app.state.context import AppContext
from app.text.formatting import approximate_duration, format_bytes, format_duration, format_number, split_unit
from app.widgets.basics import CardFrame, Section, Stat, button, label
from app.widgets.fields import progress_bar
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G, mono_font, set_icon, theme

_STATE_STYLES = {
    "waiting": ("circle", "muted"),
    "started": ("play", "accent"),
    "done": ("ok", "ok"),
    "reused": ("ok", "ok"),
    "skipped": ("skip", "muted"),
    "failed": ("error", "error"),
    "stopped": ("stop", "warning"),
}


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
        self.table = self._make_table()
        self.log = QPlainTextEdit()
        self.log.setReadOnly(True)
        self.log.setFont(mono_font())
        self.log.setProperty("role", "log")
        self.log.setMaximumBlockCount(TAIL)
        self.log.setMinimumHeight(12 * G)
        self.log.setAccessibleName(self.tr("Log of the build"))
        self._lay_out()
        self._unwritten: list[str] = list(self.build.tail)  # of a build that started before this page was created
        self._shown: object = self.build.request
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
        self.body.addWidget(self.table)
        section = Section(self.tr("Log"))
        section.body.addWidget(self.log)
        self.body.addWidget(section, 1)

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(0, 5)
        table.setHorizontalHeaderLabels(
            [self.tr("Stage"), self.tr("State"), self.tr("Time"), self.tr("Peak memory"), self.tr("Note")]
        )
        table.setAccessibleName(self.tr("Stages of the build"))
        table.verticalHeader().hide()
        table.setShowGrid(False)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        table.setTabKeyNavigation(False)
        table.setWordWrap(False)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column, width in enumerate((24 * G, 13 * G, 12 * G, 14 * G)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            table.setColumnWidth(column, width)
        header.setSectionResizeMode(4, QHeaderView.ResizeMode.Stretch)
        table.verticalHeader().setDefaultSectionSize(4 * G)
        return table

    def initializePage(self) -> None:
        self.refresh()

    def _on_change(self) -> None:
        """Merge the events into four updates per second."""
        if self.build.request is not self._shown:
            self._shown = self.build.request
            self.log.clear()
        if not self._clock.isActive():
            self.refresh()
            self._clock.start()

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
        importing = build.current is not None and build.current.stage == "import"  # importing reports no progress
        self.bar.setRange(0, 0 if importing else 1000)
        self.bar.setValue(round(build.fraction * 1000))
        self.cancel.setVisible(build.running)
        self.cancel.setEnabled(not build.stopping)
        ended_badly = build.state in ("failed", "cancelled")
        self.retry.setVisible(ended_badly)
        self.edit.setVisible(ended_badly)
        self.retry.setText(self.tr("Resume") if build.state == "cancelled" else self.tr("Retry from here"))
        self.retry.setAccessibleName(self.retry.text())
        self._show_rows()
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
            return self.tr("starting")
        if row.stage == "import":
            return self.tr("importing torch and transformers")
        return f"{row.stage} · {progress.message}" if progress and progress.message else row.stage

    def _remaining_text(self) -> str:
        """The estimated remaining time; empty if unknown."""
        remaining = self.build.remaining
        if remaining is not None:
            return self.tr("about {0} left").format(approximate_duration(remaining))
        return self.tr("longer than expected") if self.build.expected else ""

    def _show_rows(self) -> None:
        rows = self.build.rows
        self.table.setRowCount(len(rows))
        for index, row in enumerate(rows):
            items = [self._item(index, column) for column in range(5)]
            for item, text in zip(items, self._cells(row), strict=True):
                item.setText(text)
            icon, color = _STATE_STYLES[row.state]
            items[0].setIcon(theme().icon(icon, color))
            items[1].setForeground(theme().color(color))
            set_tool_tip(items[4], row.note)
        self.table.setFixedHeight(self.table.horizontalHeader().sizeHint().height() + max(len(rows), 3) * 4 * G + 4)

    def _item(self, row: int, column: int) -> QTableWidgetItem:
        item = self.table.item(row, column)
        if item is None:
            item = QTableWidgetItem()
            self.table.setItem(row, column, item)
        return item

    def _cells(self, row: StageRow) -> tuple[str, str, str, str, str]:
        states = {
            "waiting": self.tr("waiting"),
            "started": self.tr("running"),
            "done": self.tr("done"),
            "reused": self.tr("reused"),
            "skipped": self.tr("skipped"),
            "failed": self.tr("failed"),
            "stopped": self.tr("stopped"),
        }
        time = format_duration(row.elapsed) if row.state != "waiting" and row.elapsed else ""
        memory = f"{format_number(row.peak_mib)} MiB" if row.peak_mib else ""
        if row.state == "started" and self.build.memory:
            memory = format_bytes(self.build.memory)
        return row.stage, states[row.state], time, memory, row.note

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


class DonePage(StepPage):
    """Four actions: chat, inspect, measure, compare with the checkpoint."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(
            context, self.tr("Done"), self.tr("The bundle is complete: every file was written and verified.")
        )
        self.setFinalPage(True)
        card = CardFrame()
        tick = label()
        set_icon(tick, "ok", "ok", 24)
        self.name = label("", "heading")
        card.body.addLayout(hbox(tick, (self.name, 1)))
        self.path = label("", "muted", wrap=True)
        card.body.addWidget(self.path)
        self.stats = {
            "seconds": Stat(self.tr("Build time")),
            "bytes": Stat(self.tr("Size")),
            "components": Stat(self.tr("Components")),
        }
        stats = hbox(*self.stats.values(), STRETCH, spacing=4 * G)
        card.body.addSpacing(G)
        card.body.addLayout(stats)
        self.body.addWidget(card)
        self.tried = TrialsChart()
        self.chosen = label("", "muted", wrap=True)
        self.body.addWidget(self.tried)
        self.body.addWidget(self.chosen)
        self.chat = button(self.tr("Chat with it"), "chat", "primary", lambda: self._go("chat"))
        self.inspect = button(self.tr("Inspect the graphs"), "inspect", clicked=lambda: self._go("inspect"))
        self.measure = button(self.tr("Measure"), "measure", clicked=lambda: self._go("measure"))
        self.accuracy = button(self.tr("Check accuracy"), "ok", clicked=self._check)
        self.body.addLayout(hbox(self.chat, self.inspect, self.measure, self.accuracy, STRETCH))
        self.body.addStretch(1)

    def initializePage(self) -> None:
        """Show the outcome and make the bundle the current one."""
        outcome = self.build.outcome
        if outcome is None:
            return
        self.name.setText(outcome.bundle.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1])
        self.path.setText(outcome.bundle)
        self.tried.show_report(read_goal_report(Path(outcome.bundle)))
        self.chosen.setText(self.tried.accessibleName() if self.tried.report else "")
        self.chosen.setVisible(bool(self.chosen.text()))
        self.stats["seconds"].set(*split_unit(format_duration(outcome.seconds)))
        self.stats["bytes"].set(*split_unit(format_bytes(outcome.bytes)))
        self.stats["components"].set(format_number(len(outcome.components)), ", ".join(outcome.components))

    def _check(self) -> None:
        request, outcome = self.build.request, self.build.outcome
        if request is not None and outcome is not None and self.context.open_bundle(outcome.bundle):
            self.context.accuracyRequested.emit(outcome.bundle, request.source, list(request.consented))

    def _go(self, page: str) -> None:
        outcome = self.build.outcome
        if outcome is not None and self.context.open_bundle(outcome.bundle):
            self.context.navigate.emit(page)
