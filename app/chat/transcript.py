"""The messages of the active branch, one widget each, in a column that follows the end unless the user scrolled up.

The newest messages get their widgets at once, earlier ones in time slices, some ahead of the visible part: two thousand
widgets at once would take 20 s and 570 MB.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Generator

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.chat.controller import ChatController
from app.chat.message_view import MessageView
from app.jobs.time_slices import TimeSlicer
from app.state.conversation import ChatMessage, Conversation
from app.widgets.theme import G, theme

COLUMN = 800
"""The width of the messages, and of what is below them, in pixels."""
END_TOLERANCE = 32
SHOWN_AT_ONCE, EARLIER_AT_ONCE = 6, 24
"""Messages that are shown at once, and how many earlier ones are added at a time."""


class Transcript(QScrollArea):
    """Shows a conversation. `requested` emits the intents of its messages."""

    requested = Signal(object)  # Intent of a MessageView
    shown = Signal(object)  # a new MessageView, before it is in the column

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("Conversation"))
        body = QWidget()
        body.setProperty("role", "scroll")
        self._column = QVBoxLayout(body)
        self._column.setSpacing(G)
        self._column.addStretch()
        self.setWidget(body)
        self.views: list[MessageView] = []  # the shown messages, oldest first
        self._earlier: list[ChatMessage] = []
        self._chat = Conversation()
        self._slices = TimeSlicer(self)
        self._anchor: tuple[MessageView, int] | None = None
        self._busy = False
        self._underlines = True
        self._follows_end = True
        bar = self.verticalScrollBar()
        bar.valueChanged.connect(self._on_scroll)
        bar.rangeChanged.connect(self._keep_position)
        theme().changed.connect(self._redraw_underlines)

    def connect_controller(self, controller: ChatController) -> None:
        """Shows the controller's conversation from now on."""

        def grow(id: int, text: str) -> None:
            if (view := self.view(id)) is not None:
                view.grow(text)

        def notice(id: int, text: str) -> None:
            if (view := self.view(id)) is not None:
                view.add_notice(text)

        def append(id: int) -> None:
            self.add(controller.chat, id)
            self.to_end()

        controller.reset.connect(lambda: self.show_path(controller.chat))
        controller.appended.connect(append)
        controller.grew.connect(grow)
        controller.noticed.connect(notice)
        controller.ended.connect(self._finish)
        controller.runningChanged.connect(self.set_busy)

    def _finish(self, id: int) -> None:
        if (view := self.view(id)) is not None:
            view.finish()
        for view in self.views:
            if not view.message.trace:  # it was dropped
                view.forget_trace()

    def view(self, id: int) -> MessageView | None:
        """The widget of a message; None if it is not shown."""
        return next((v for v in self.views if v.message.id == id), None)

    def show_path(self, chat: Conversation) -> None:
        """Shows the active branch from its end on; unchanged messages keep their widgets."""
        self._slices.stop()
        path = chat.path()
        first = len(self._earlier)
        same = self._common_prefix(chat, path[first:]) if chat is self._chat and path[:first] == self._earlier else 0
        if not same or len(path) - first - same > SHOWN_AT_ONCE:
            same, first = 0, max(0, len(path) - SHOWN_AT_ONCE)
        self._chat, self._earlier, self._anchor = chat, path[:first], None
        for view in self.views[same:]:
            self._column.removeWidget(view)
            view.hide()
            view.deleteLater()
        del self.views[same:]
        for message in path[first + same :]:
            self.add(chat, message.id)
        self.to_end()
        if not same:
            self._show_earlier()

    def _common_prefix(self, chat: Conversation, path: list[ChatMessage]) -> int:
        """The number of leading widgets that still show the right message."""
        same = 0
        for view, message in zip(self.views, path, strict=False):
            if view.message is not message or view.property("siblings") != list(chat.siblings(message.id)):
                break
            same += 1
        return same

    def add(self, chat: Conversation, id: int) -> MessageView:
        """Adds a message at the end."""
        view = self._new(chat, id)
        self._column.insertWidget(self._column.count() - 1, view)
        self.views.append(view)
        return view

    def _new(self, chat: Conversation, id: int) -> MessageView:
        siblings = chat.siblings(id)
        view = MessageView(chat[id], siblings)
        view.setProperty("siblings", list(siblings))
        view.requested.connect(self.requested)
        view.set_busy(self._busy)
        if not self._underlines:
            view.underline_drafts(False)
        self.shown.emit(view)
        return view

    def _show_earlier(self) -> None:
        """Creates the widgets of some earlier messages."""
        if self._earlier and not self._slices.busy:
            self._slices.run(self._prepend(EARLIER_AT_ONCE), later=True)

    def _prepend(self, count: int) -> Generator[None, None, None]:
        yield
        for message in reversed(self._earlier[-count:]):
            view = self._new(self._chat, message.id)
            self._earlier.pop()
            self.views.insert(0, view)
            self._column.insertWidget(0, view)
            yield

    def set_busy(self, busy: bool) -> None:
        """Disables branching while a reply runs."""
        self._busy = busy
        for view in self.views:
            view.set_busy(busy)

    def underline_drafts(self, on: bool) -> None:
        """Underlines accepted draft tokens in all messages, or none."""
        self._underlines = on
        for view in self.views:
            view.underline_drafts(on)

    def _redraw_underlines(self) -> None:
        self.underline_drafts(self._underlines)

    def to_end(self) -> None:
        """Scrolls to the newest message and follows it."""
        self._follows_end = True
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def _on_scroll(self, value: int) -> None:
        self._follows_end = value >= self.verticalScrollBar().maximum() - END_TOLERANCE
        place = bisect_left(self.views, value, key=_bottom)
        self._anchor = (self.views[place], self.views[place].y() - value) if place < len(self.views) else None
        if value < self.viewport().height():
            self._show_earlier()

    def _keep_position(self) -> None:
        """Keeps the end visible if it was; else keeps the topmost message in place."""
        bar, anchor, tail = self.verticalScrollBar(), self._anchor, self._follows_end
        if tail:
            bar.setValue(bar.maximum())
        elif anchor is not None:
            bar.setValue(anchor[0].y() - anchor[1])
        self._anchor, self._follows_end = anchor, tail  # nobody scrolled

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt's name: the column is laid out anew, which moves messages without a change of its length, too."""
        if watched is self.widget() and event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            QTimer.singleShot(0, self, self._keep_position)
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt's name: keeps the column in the middle and readable."""
        side = max(2 * G, (self.width() - COLUMN) // 2)
        scroll_bar = self.width() - self.viewport().width()
        self._column.setContentsMargins(side, 2 * G, side - scroll_bar, 2 * G)
        super().resizeEvent(event)


def _bottom(view: MessageView) -> int:
    """The bottom of a message in the column; above everything if it is not placed yet."""
    return view.geometry().bottom() if view.x() else -1
