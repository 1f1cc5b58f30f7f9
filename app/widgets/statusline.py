"""The line at the bottom: what is at work, with its cancel; what went wrong last; the workers' memory."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QSizePolicy, QToolButton, QWidget

from app.state.context import AppContext
from app.widgets.basics import label
from app.widgets.format import seconds, size
from app.widgets.theme import G, set_icon


class StatusLine(QWidget):
    """Follows the build and the session; refreshed four times a second while a build runs."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.setProperty("role", "statusline")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(4 * G)
        self._icon = label()
        self.text = label("", "small")
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._bar.setFixedWidth(16 * G)
        self._bar.setAccessibleName(self.tr("Progress of the build"))
        self.cancel = self._tool(self.tr("Cancel"), self._on_cancel)
        self.memory = label("", "muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * G, 0, 2 * G, 0)
        row.setSpacing(G)
        row.addWidget(self._icon)
        row.addWidget(self.text, 1)
        for part in (self._bar, self.cancel, self.memory):
            row.addWidget(part)
        self._timer = QTimer(self, interval=250)
        self._timer.timeout.connect(self.refresh)
        context.build.changed.connect(self._watch)
        context.build.finished.connect(self.refresh)
        context.session.stateChanged.connect(self._watch)
        context.memoryChanged.connect(self._show_memory)
        self._show_memory(0)
        self.refresh()

    def _tool(self, text: str, act: object) -> QToolButton:
        tool = QToolButton()
        tool.setText(text)
        tool.setAccessibleName(text)
        tool.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        tool.setIconSize(QSize(14, 14))
        tool.setFixedHeight(3 * G)
        tool.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        tool.setStyleSheet("QToolButton { padding: 0 6px; font-size: 12px; }")
        set_icon(tool, "stop", "muted")
        tool.clicked.connect(act)
        return tool

    def _watch(self) -> None:
        """Redraw soon; a build that runs keeps the timer going."""
        if not self._timer.isActive():
            self.refresh()
            self._timer.start()

    def refresh(self) -> None:
        """Show what is at work."""
        build, session = self._context.build, self._context.session
        self._bar.setVisible(build.running)
        self.cancel.setVisible(build.running or session.state == "generating")
        self.cancel.setEnabled(not build.stopping)
        if not build.running:
            self._timer.stop()
        icon, color, text = self._build_words() or self._session_words()
        if text != self.text.text():
            self.text.setText(text)
            set_icon(self._icon, icon, color, 14)
        self._bar.setValue(round(build.fraction * 1000))

    def _build_words(self) -> tuple[str, str, str] | None:
        build = self._context.build
        if build.running:
            row = build.current
            ended = sum(r.ended for r in build.rows)
            stage = row.stage if row else self.tr("starting")
            verb = self.tr("Stopping") if build.stopping else self.tr("Build")
            return (
                "circle",
                "accent",
                f"{verb} {min(ended + 1, len(build.rows))}/{len(build.rows)} · {stage} · {seconds(build.elapsed)}",
            )
        if build.state == "failed" and build.error:
            return "error", "error", self.tr("Build failed: %1").replace("%1", build.error.message)
        if build.state == "cancelled":
            return "stop", "muted", self.tr("Build stopped; it resumes where it was")
        return None

    def _session_words(self) -> tuple[str, str, str]:
        session = self._context.session
        words = {
            "opening": ("circle", "accent", self.tr("Opening the bundle")),
            "generating": ("circle", "accent", self.tr("Generating")),
            "ready": ("ok", "ok", self.tr("Bundle is open")),
            "closed": ("circle", "muted", self.tr("Ready")),
        }
        if session.state in words:
            return words[session.state]
        return "error", "error", session.error.message if session.error else self.tr("The session ended")

    def _on_cancel(self) -> None:
        if self._context.build.running:
            self._context.build.cancel()
        else:
            self._context.session.stop()

    def _show_memory(self, rss: int) -> None:
        text = self.tr("Workers %1").replace("%1", size(rss)) if rss else self.tr("No worker running")
        self.memory.setText(text)
        self.memory.setToolTip(self.tr("Resident memory of the worker processes"))
