"""Updates the context bar: tokens in the cache, evicted tokens, and the speed of the reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.chat.context_usage_bar import ContextUsageBar
from app.chat.controller import ChatController

if TYPE_CHECKING:
    from app.state.context import AppContext

REFRESH_MS = 200


class ContextUsage(QObject):
    """Fills `bar` when the cache changes, and on a timer while a reply runs."""

    def __init__(self, context: AppContext, controller: ChatController, bar: ContextUsageBar, parent: QObject) -> None:
        super().__init__(parent)
        self._context, self._controller, self._bar = context, controller, bar
        self._key = controller.chat.key
        self._drawn = -1
        self._of_another = False  # what is in the cache, and was measured, belongs to another conversation
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
