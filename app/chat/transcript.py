"""The messages of the active branch, one widget each, in a column that follows the tail unless it was scrolled up."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.chat.controller import ChatController
from app.chat.message import MessageView
from app.state.conversation import Conversation
from app.widgets.theme import G, theme

COLUMN = 800
NEAR = 32


class Transcript(QScrollArea):
    """Shows a conversation. `wanted` tells what is to be done with a message."""

    wanted = Signal(object)  # Intent of a MessageView

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
        self._views: list[MessageView] = []
        self._busy = False
        self._underlines = True
        self._tail = True
        bar = self.verticalScrollBar()
        bar.valueChanged.connect(self._on_scroll)
        bar.rangeChanged.connect(self._on_range)
        theme().changed.connect(self._restyle)

    def follow(self, controller: ChatController) -> None:
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
        self.forget_traces()

    @property
    def views(self) -> list[MessageView]:
        """The messages that are shown, oldest first."""
        return self._views

    def view(self, id: int) -> MessageView | None:
        """The widget of a message, where it is shown."""
        return next((v for v in self._views if v.message.id == id), None)

    def show_path(self, chat: Conversation) -> None:
        """Shows the active branch; messages that stay as they are keep their widgets."""
        path = chat.path()
        same = 0
        for view, message in zip(self._views, path, strict=False):
            if view.message is not message or view.property("siblings") != list(chat.siblings(message.id)):
                break
            same += 1
        for view in self._views[same:]:
            self._column.removeWidget(view)
            view.hide()
            view.deleteLater()
        del self._views[same:]
        for message in path[same:]:
            self.add(chat, message.id)
        self.to_end()

    def add(self, chat: Conversation, id: int) -> MessageView:
        """Adds a message at the end."""
        siblings = chat.siblings(id)
        view = MessageView(chat[id], siblings)
        view.setProperty("siblings", list(siblings))
        view.wanted.connect(self.wanted)
        view.set_busy(self._busy)
        if not self._underlines:
            view.underline_drafts(False)
        self._column.insertWidget(self._column.count() - 1, view)
        self._views.append(view)
        return view

    def set_busy(self, busy: bool) -> None:
        """While a reply runs nothing may branch."""
        self._busy = busy
        for view in self._views:
            view.set_busy(busy)

    def underline_drafts(self, on: bool) -> None:
        """Underlines what was drafted and accepted in all messages, or nothing."""
        self._underlines = on
        for view in self._views:
            view.underline_drafts(on)

    def _restyle(self) -> None:
        """Lines in the theme's new colour."""
        self.underline_drafts(self._underlines)

    def forget_traces(self) -> None:
        """Lets go of the tokens of messages that no longer have theirs."""
        for view in self._views:
            if not view.message.trace:
                view.forget_trace()

    def to_end(self) -> None:
        """Scrolls to the newest message and stays there."""
        self._tail = True
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def _on_scroll(self, value: int) -> None:
        self._tail = value >= self.verticalScrollBar().maximum() - NEAR

    def _on_range(self, _low: int, high: int) -> None:
        if self._tail:
            self.verticalScrollBar().setValue(high)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt's name: keeps the column in the middle and readable."""
        side = max(2 * G, (self.viewport().width() - COLUMN) // 2)
        self._column.setContentsMargins(side, 2 * G, side, 2 * G)
        super().resizeEvent(event)
