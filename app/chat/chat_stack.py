"""The content of the chat page: the conversation, or the comparison of two bundles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.chat.compare import CompareView
from app.chat.composer import Composer
from app.chat.frame import ChatFrame
from app.chat.sampling import SamplingSettings

if TYPE_CHECKING:
    from app.state.context import AppContext


class ChatStack(QStackedWidget):
    """Shows `frame` first. comparing: emitted when the comparison appears or goes; the conversation stays as it is."""

    comparing = Signal(bool)

    def __init__(self, context: AppContext, frame: ChatFrame, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._frame = context, frame
        self.compare: CompareView | None = None
        self.addWidget(frame)

    @property
    def composer(self) -> Composer:
        """The visible composer."""
        seen = self.currentWidget()
        return seen.composer if isinstance(seen, CompareView) else self._frame.composer

    def show_compare(self, bundle: str, sampling: SamplingSettings) -> None:
        """Shows the comparison, with `bundle` on the left and `sampling` for both."""
        if self.compare is None:
            self.compare = CompareView(self._context)
            self.compare.closed.connect(self._leave_compare)
            self.addWidget(self.compare)
        self._context.navigate.emit("chat")
        self.setCurrentWidget(self.compare)
        self.comparing.emit(True)
        self.compare.enter(bundle, sampling)

    def _leave_compare(self) -> None:
        self.setCurrentWidget(self._frame)
        self.comparing.emit(False)
        self._frame.composer.edit.setFocus()
