"""The status line: running jobs with a cancel button, failures until they were seen, a note, the memory."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QToolButton, QWidget

from app.frame.note_line import NoteLine
from app.state.activities import Activity
from app.state.context import AppContext
from app.text.formatting import format_bytes, format_duration, format_number, pluralize
from app.text.translatable import tr
from app.widgets.basics import label
from app.widgets.fields import progress_bar
from app.widgets.layouts import hbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G, set_icon
from workflows.wire.events import ProgressEvent

PAGES = {
    "build": "build",
    "probe": "build",
    "generate": "chat",
    "open": "chat",
    "eval": "measure",
    "eval_tasks": "measure",
    "bench": "measure",
    "install": "devices",
    "uninstall": "devices",
    "preflight": "devices",
    "compile": "devices",
    "add_machine": "devices",
    "check_machine": "devices",
    "sweep": "measure",
    "tune": "build",
}
"""The page of each kind of job; other kinds are described in the line only."""
MOST = 3
"""The number of chips with enough room; of more, the oldest are counted."""


class _ElidedLink(QPushButton):
    """An elided line of text that links to a page."""

    def __init__(self, clicked: Callable[[], object]) -> None:
        super().__init__()
        self._whole = ""
        self.setFlat(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setStyleSheet("QPushButton { border: 0; padding: 0; text-align: left; font-size: 12px; }")
        self.clicked.connect(lambda _checked=False: clicked())

    def set_text(self, text: str) -> None:
        if text != self._whole:
            self._whole = text
            self.setAccessibleName(text)
            set_tool_tip(self, text)
            self._cut()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._cut()

    def _cut(self) -> None:
        self.setText(self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, self.width()))

    @property
    def whole(self) -> str:
        return self._whole


class ActivityChip(QWidget):
    """A running or failed job: an icon, a link to its page, its progress, and a button that ends or dismisses it."""

    def __init__(self, icon: str, color: str, act: str, go: Callable[[], object], end: Callable[[], object]) -> None:
        super().__init__()
        sign = label()
        set_icon(sign, icon, color, 14)
        self.link = _ElidedLink(go)
        self._bar = progress_bar(total=1000)
        self._bar.setFixedWidth(10 * G)
        self._bar.hide()
        self.end = QToolButton()
        self.end.setText(act)
        self.end.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.end.setIconSize(QSize(14, 14))
        self.end.setFixedHeight(3 * G)
        self.end.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.end.setStyleSheet("QToolButton { padding: 0 6px; font-size: 12px; }")
        set_icon(self.end, "close" if icon == "error" else "stop", "muted")
        self.end.clicked.connect(lambda _checked=False: end())
        hbox(sign, (self.link, 1), self._bar, self.end, parent=self)

    def show_state(self, text: str, share: float | None, ending: bool) -> None:
        self.link.set_text(text)
        self._bar.setVisible(share is not None)
        self._bar.setValue(round(1000 * (share or 0.0)))
        self._bar.setAccessibleName(self.tr("Progress of {0}").format(text))
        self.end.setEnabled(not ending)
        self.end.setAccessibleName(f"{self.end.text()}: {text}")


class ServerLink(QPushButton):
    """Says on every page that the server runs, and leads to its page; hidden while it is stopped."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._server = context.server
        self.setProperty("role", "link")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setStyleSheet("QPushButton { padding: 0 4px; font-size: 12px; }")
        set_icon(self, "server", "accent", 14)
        self.setIconSize(QSize(14, 14))
        self.clicked.connect(lambda _checked=False: context.navigate.emit("server"))
        self._server.changed.connect(self.refresh)
        self._server.sampled.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Shows how many requests run or wait."""
        self.setVisible(self._server.on)
        count = self._server.busy
        text = pluralize(count, self.tr("1 request"), self.tr("{0} requests")) if count else self.tr("Server")
        self.setText(text)
        self.setAccessibleName(f"{self.tr('Server')}: {text}")
        set_tool_tip(self, self.tr("The server runs at {0}.").format(self._server.client_address))


class StatusLine(QWidget):
    """Follows `context.activities`; refreshed four times per second while jobs run."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.setProperty("role", "statusline")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(4 * G)
        self.chips: dict[Activity | str, ActivityChip] = {}
        """The chips, by running job or by kind of failure."""
        self.text = label("", "small")
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._more = label("", "muted")
        self.memory = label("", "muted")
        self.server = ServerLink(context)
        self._chips = hbox(spacing=2 * G)
        self.note = NoteLine(context.notes)
        margins = (2 * G, 1, 2 * G, 0)  # keeps the line above visible
        parts = (self._chips, (self.text, 1), (self.note, 5), self._more, self.server, self.memory)
        self._row = hbox(*parts, parent=self, margins=margins, spacing=2 * G)
        self._timer = QTimer(self, interval=250)
        self._timer.timeout.connect(self.refresh)
        context.activities.changed.connect(self._watch)
        context.build.finished.connect(self.refresh)
        for rare in (context.session.stateChanged, context.session.opened, context.bundleChanged):
            rare.connect(lambda *_: self.refresh())
        context.memoryChanged.connect(self._show_memory)
        self._show_memory(0)
        self.refresh()

    @property
    def visible_texts(self) -> list[str]:
        """All visible texts except for the memory."""
        chips = [chip.link.whole for chip in self.chips.values()]
        return chips or [self.text.text()]

    def _watch(self) -> None:
        """Refresh at once where a job came or ended, else soon; running jobs keep the timer active."""
        if not self._timer.isActive() or set(self.chips) != set(self._listed[-MOST:]):
            self.refresh()
            self._timer.start()

    @property
    def _listed(self) -> list[Activity | str]:
        """The failures, then the running jobs."""
        return [*self._context.activities.failures, *self._context.activities.running]

    def refresh(self) -> None:
        every = self._listed
        if not self._context.activities.running:
            self._timer.stop()
        shown = every[-MOST:]
        for gone in [key for key in self.chips if key not in shown]:
            chip = self.chips.pop(gone)
            self._chips.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        for key in shown:
            if key not in self.chips:
                self.chips[key] = self._chip(key)
                self._chips.addWidget(self.chips[key], 1)
            self._show(key)
        self._row.setStretchFactor(self._chips, 5 if shown else 0)  # as much as a note
        hidden = len(every) - len(shown)
        self._more.setText(self.tr("and %n more", "", hidden) if hidden else "")
        self._show_rest(bool(shown))

    def _chip(self, key: Activity | str) -> ActivityChip:
        if isinstance(key, str):
            acknowledge, go = self._context.activities.acknowledge, self._go
            return ActivityChip("error", "error", self.tr("Dismiss"), lambda: go(key), lambda: acknowledge(key))
        kind = key.kind
        return ActivityChip("circle", "accent", self.tr("Cancel"), lambda: self._go(kind), lambda: self._cancel(key))

    def _go(self, kind: str) -> None:
        if kind in PAGES:
            self._context.navigate.emit(PAGES[kind])

    def _cancel(self, activity: Activity) -> None:
        """The texts of a build, including that it is stopping."""
        build = self._context.build
        (build.cancel if activity.kind == "build" else activity.job.cancel)()
        self.refresh()

    def _show(self, key: Activity | str) -> None:
        chip, build = self.chips[key], self._context.build
        if isinstance(key, str):
            failed = self.tr("{0} failed: {1}").format(self.title_of(key), self._context.activities.failures[key])
            chip.show_state(failed, None, False)
        elif key.kind == "build":
            chip.show_state(self._build_words(), build.fraction, build.stopping)
        else:
            parts = [
                self.title_of(key.kind),
                progress_text(key.progress),
                format_duration(key.seconds) if key.seconds >= 1 else "",
            ]
            chip.show_state(" · ".join(filter(None, parts)), key.share, key.job.cancelled)

    def title_of(self, kind: str) -> str:
        """The name of a kind of job for the user."""
        titles = {
            "build": self.tr("Build"),
            "generate": self.tr("Generating"),
            "label_pictures": self.tr("Labelling pictures"),
            "depth": self.tr("Estimating depths"),
            "open": self.tr("Opening the bundle"),
            "eval": self.tr("Comparing accuracy"),
            "eval_tasks": self.tr("Asking tasks"),
            "bench": self.tr("Measuring"),
            "profile": self.tr("Measuring the nodes"),
            "rounding": self.tr("Comparing weights"),
            "diverge": self.tr("Finding the divergence"),
            "record_values": self.tr("Recording values to compare"),
            "report": self.tr("Writing a report"),
            "prune": self.tr("Removing old runs"),
            "install": self.tr("Installing"),
            "uninstall": self.tr("Uninstalling"),
            "install_part": self.tr("Installing what building needs"),
            "preflight": self.tr("Trying on a device"),
            "compile": self.tr("Compiling"),
            "add_machine": self.tr("Adding a machine"),
            "check_machine": self.tr("Checking a machine"),
            "sweep": self.tr("Running a sweep"),
            "tune": self.tr("Timing formats"),
            "probe": self.tr("Downloading"),
            "capabilities": self.tr("Looking at this machine"),
            "import": self.tr("Importing"),
            "export_genai": self.tr("Exporting"),
            "export_gguf": self.tr("Writing a GGUF file"),
            "assemble": self.tr("Assembling"),
        }
        return titles.get(kind, self.tr("Reading"))  # a background job, shown while it reports bytes

    def _build_words(self) -> str:
        build = self._context.build
        outer = [row.ended for row in build.rows if not row.inner]
        row, ended = build.current, sum(outer)
        stage = row.title if row else self.tr("finishing") if build.finishing else self.tr("starting")
        verb = self.tr("Stopping") if build.stopping else self.title_of("build")
        return f"{verb} {min(ended + 1, len(outer))}/{len(outer)} · {stage} · {format_duration(build.elapsed)}"

    def _show_rest(self, busy: bool) -> None:
        """Show the state of the bundle while nothing runs."""
        session, build = self._context.session, self._context.build
        path = str((self._context.bundle or {}).get("path", ""))
        text = self.tr("Bundle is open") if self._context.ready else self.tr("Ready")
        if session.state_for(path) == "failed":
            text = session.error.message if session.error else self.tr("The session ended")
        if build.state == "cancelled":
            text = self.tr("Build stopped; it can be resumed")
        self.text.setVisible(not busy)
        self.text.setText(text)

    def _show_memory(self, rss: int) -> None:
        counted = pluralize(self._context.worker_count, self.tr("1 worker"), self.tr("{0} workers"))
        text = f"{counted} · {format_bytes(rss)}" if rss else self.tr("No worker running")
        self.memory.setText(text)
        set_tool_tip(self.memory, self.tr("Resident memory of the worker processes"))


def progress_text(progress: ProgressEvent | None) -> str:
    """What a job says of itself; of a sweep, which counts its steps in English, how many are done."""
    if progress is None or progress.stage != "sweep":
        return progress.message if progress is not None else ""
    return tr("{0} of {1} done").format(format_number(progress.done), format_number(progress.total))
