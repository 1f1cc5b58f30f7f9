"""The context bar: tokens in the cache, evicted tokens, and the speed of the reply; and what updates it."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRectF, QSize, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.chat.controller import ChatController
from app.state.context import AppContext
from app.state.measurements import ReplyTally
from app.text.formatting import format_milliseconds, format_number, format_token_rate
from app.widgets import label
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.theme import G, theme

NEARLY_FULL = 0.9


class _Bar(QWidget):
    """A rounded bar that shows used of capacity."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.share = 0.0
        self.alarming = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(6)
        theme().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(200, 6)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme().color("empty"))
        painter.setBrush(theme().color("empty"))
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(box, 2.5, 2.5)
        if self.share > 0:
            color = theme().color("warning" if self.alarming else "cache")
            painter.setPen(color)
            painter.setBrush(color)
            box.setWidth(max(box.width() * min(self.share, 1.0), 4))
            painter.drawRoundedRect(box, 2.5, 2.5)
        painter.end()


class ContextUsageBar(QWidget):
    """Capacity, used and evicted tokens; tok/s and TTFT of the running or last reply."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = _Bar()
        self.usage = label("", "muted")
        self.speed = label("", "muted")
        vbox(self.bar, hbox(self.usage, STRETCH, self.speed, spacing=2 * G), spacing=G // 2, parent=self)
        self.set_closed(chosen=False)

    def set_closed(self, chosen: bool) -> None:
        """Shows that no bundle is loaded. chosen: whether one is current and can be loaded."""
        text = self.tr("context: the bundle is not loaded") if chosen else self.tr("context: no bundle is open")
        self._show(text, 0.0)

    def set_usage(self, used: int, capacity: int, evicted: int, window: bool, needed: int = 0) -> None:
        """Shows the use of the cache in tokens. needed: tokens of the conversation when last counted."""
        share = used / capacity if capacity else 0.0
        alarming = not window and share >= NEARLY_FULL
        text = self.tr("context {0} of {1} tokens").format(format_number(used), format_number(capacity))
        if window or evicted:
            text += self.tr(" · {0} evicted").format(format_number(evicted))
        elif used >= capacity:
            text += self.tr(" · full")
        elif needed >= capacity:
            text += self.tr(" · this chat does not fit, it needs about {0}").format(format_number(needed))
        elif alarming:
            text += self.tr(" · nearly full")
        self._show(text, share, alarming or needed >= capacity)

    def _show(self, text: str, share: float, alarming: bool = False) -> None:
        self.bar.share, self.bar.alarming = share, alarming
        self.bar.update()
        self.usage.setText(text)
        self.bar.setAccessibleName(text)

    def set_speed(self, reply: ReplyTally) -> None:
        """Shows the speed of the running or last reply."""
        parts = []
        if reply.decode_rate is not None:
            parts.append(format_token_rate(reply.decode_rate))
        if reply.ttft_ms is not None:
            parts.append(f"TTFT {format_milliseconds(reply.ttft_ms)}")
        self.speed.setText(" · ".join(parts))

    def forget_speed(self) -> None:
        """Clears the speed."""
        self.speed.clear()


REFRESH_MS = 200


class ContextUsage(QObject):
    """Fills `bar` when the cache changes, and on a timer while a reply runs."""

    def __init__(self, context: AppContext, controller: ChatController, bar: ContextUsageBar, parent: QObject) -> None:
        super().__init__(parent)
        self._context, self._controller, self._bar = context, controller, bar
        self._key = controller.chat.key
        self._drawn = -1
        self._of_another = False  # the cache and the measured speed belong to another conversation
        self._ticker = QTimer(self, interval=REFRESH_MS)
        self._ticker.timeout.connect(self._tick)
        context.session.cache.changed.connect(lambda _groups: self.refresh())
        context.session.opened.connect(lambda _ready: bar.forget_speed())
        context.bundleChanged.connect(lambda _summary: bar.forget_speed())
        controller.runningChanged.connect(self._on_running)
        controller.reset.connect(self._on_reset)

    def stop(self) -> None:
        """Stops updating, as the window closes."""
        self._ticker.stop()

    def refresh(self) -> None:
        """Shows the current cache."""
        ready, bundle = self._context.ready, self._context.bundle
        if ready is None or bundle is None:
            self._bar.set_closed(bundle is not None)
            return
        window = ready.layout in ("window", "fifo")
        groups = [] if self._of_another else self._context.session.groups_for(str(bundle["path"]))
        occupancy = self._context.measurements.reply.occupancy if self._controller.running else None
        used = sum(count for _, _, count in groups[0].runs) if groups else 0
        if occupancy is not None and not self._of_another:
            used = occupancy[0]
        evicted = groups[0].evicted if groups else 0
        needed = 0 if window or self._controller.running else self._controller.chat.tokens
        self._bar.set_usage(used, ready.capacity, evicted, window, needed)

    def _on_running(self, running: bool) -> None:
        if running:
            self._of_another = False
            self._ticker.start()
        else:
            self._ticker.stop()
            self._tick()
            self.refresh()

    def _on_reset(self) -> None:
        """Clears the speed: a new chat has no reply yet."""
        if not len(self._controller.chat):
            self._context.measurements.start_chat()
        key = self._controller.chat.key
        if key != self._key:
            self._key, self._of_another = key, True
            self._bar.forget_speed()
            self.refresh()

    def _tick(self) -> None:
        if self._context.measurements.revision != self._drawn:
            self._drawn = self._context.measurements.revision
            if self._context.ready is not None:
                self._bar.set_speed(self._context.measurements.reply)
            self.refresh()
