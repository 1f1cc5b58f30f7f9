"""The context bar: tokens in the cache, those of its pictures, evicted ones, the reply's speed; and what updates it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.chat.controller import ChatController
from app.state.context import AppContext
from app.state.inspection import cached_tokens
from app.state.measurements import ReplyTally
from app.text.formatting import format_bytes, format_milliseconds, format_number, format_token_rate, pluralize
from app.widgets import ElidedLabel, label
from app.widgets.layouts import hbox, vbox
from app.widgets.plain_text import PlainLabel, set_tool_tip
from app.widgets.theme import G, set_icon, theme
from workflows.wire.events import STATE

NEARLY_FULL = 0.9


class _Bar(QWidget):
    """A rounded bar that shows used of capacity, the tokens of pictures first, in another color and hatched."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.share = self.pictured = 0.0
        """The used share of the capacity, and what pictures take of the capacity."""
        self.alarming = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(6)
        theme().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(200, 6)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._fill(painter, 1.0, theme().color("empty"))
        if self.share > 0:
            self._fill(painter, self.share, theme().color("warning" if self.alarming else "cache"))
        if self.pictured > 0:
            self._fill(painter, self.pictured, theme().color("picture"))
            self._fill(painter, self.pictured, QBrush(theme().color("surface"), Qt.BrushStyle.BDiagPattern))
        painter.end()

    def _fill(self, painter: QPainter, share: float, brush: QColor | QBrush) -> None:
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        box.setWidth(max(box.width() * min(share, 1.0), 4))
        painter.setPen(brush if isinstance(brush, QColor) else Qt.PenStyle.NoPen)
        painter.setBrush(brush)
        painter.drawRoundedRect(box, 2.5, 2.5)


class ContextUsageBar(QWidget):
    """Capacity, used and evicted tokens; tok/s and TTFT of the running or last reply."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = _Bar()
        self.usage = label("", "muted")
        self.state = label("", "muted")
        self.picture = PlainLabel()
        set_icon(self.picture, "picture", "picture", 16)
        self.pictures = label("", "muted")
        self.speed = ElidedLabel("")
        self.speed.setAlignment(Qt.AlignmentFlag.AlignRight)  # the first to be cut
        seen = hbox(self.picture, self.pictures, spacing=G // 2)
        vbox(
            self.bar,
            hbox(self.usage, self.state, seen, (self.speed, 1), spacing=2 * G),
            spacing=G // 2,
            parent=self,
        )
        self.set_closed(chosen=False)

    def set_closed(self, chosen: bool) -> None:
        """Shows that no bundle is loaded. chosen: whether one is current and can be loaded."""
        text = self.tr("context: the bundle is not loaded") if chosen else self.tr("context: no bundle is open")
        self._show(text, 0.0)
        self.bar.show()
        self.set_pictures((), 0)
        self.set_state(0)

    def set_state(self, size: int) -> None:
        """Shows the bytes of the state of fixed size; 0 for a model without one."""
        self.state.setText(self.tr("state of {0}").format(format_bytes(size)) if size else "")
        set_tool_tip(self.state, self.tr("The state of fixed size, which every token replaces") if size else "")
        self.state.setVisible(bool(size))

    def set_pictures(self, pictures: Sequence[tuple[str, int]], capacity: int) -> None:
        """Shows the pictures in the cache: file and tokens of each, in their order."""
        tokens = sum(count for _, count in pictures)
        self.bar.pictured = tokens / capacity if capacity else 0.0
        self.bar.update()
        number = format_number(tokens)
        one, many = self.tr("{0} tokens of 1 picture"), self.tr("{0} tokens of {1} pictures")
        text = one if len(pictures) == 1 else many
        self.pictures.setText(text.format(number, format_number(len(pictures))))
        for shown in (self.picture, self.pictures):
            shown.setVisible(bool(pictures))
        lines = [
            pluralize(count, self.tr("{1}: 1 token"), self.tr("{1}: {0} tokens"), Path(path).name)
            for path, count in pictures
        ]
        for widget in (self.bar, self.pictures):
            set_tool_tip(widget, "\n".join(lines))
            widget.setAccessibleDescription("; ".join(lines))

    def set_usage(self, used: int, capacity: int, evicted: int, window: bool, needed: int = 0) -> None:
        """Shows the use of the cache in tokens. needed: tokens of the conversation when last counted.

        capacity: 0 for a cache without slots, which never gets full.
        """
        self.bar.setVisible(bool(capacity))
        if not capacity:
            self._show(pluralize(used, self.tr("context 1 token"), self.tr("context {0} tokens")), 0.0)
            return
        share = used / capacity
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
        self.speed.set_whole(" · ".join(parts))

    def forget_speed(self) -> None:
        """Clears the speed."""
        self.speed.set_whole("")


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
        window, cache = ready.layout in ("window", "fifo"), self._context.session.cache
        groups = [] if self._of_another else self._context.session.groups_for(str(bundle["path"]))
        occupancy = self._context.measurements.reply.occupancy if self._controller.running else None
        has_slots = ready.layout != STATE
        used = (sum(count for _, _, count in groups[0].runs) if has_slots else groups[0].length) if groups else 0
        if occupancy is not None and not self._of_another:
            used = occupancy[0]
        evicted = groups[0].evicted if groups else 0
        needed = 0 if window or self._controller.running else self._controller.chat.tokens
        self._bar.set_usage(used, ready.capacity if has_slots else 0, evicted, window, needed)
        self._bar.set_state(sum(group.bytes for group in groups if group.layout == STATE))
        pictures = [(one.path, cached_tokens(one, group)) for group in groups[:1] for one in cache.pictures]
        self._bar.set_pictures([one for one in pictures if one[1]], ready.capacity)

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
