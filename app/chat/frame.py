"""The layout of the chat page.

list of chats │ header, banners, the conversation, context bar, composer │ side panel
"""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QStackedWidget, QWidget

from app.chat.chat_list import ChatList
from app.chat.composer import Composer
from app.chat.context_usage_bar import ContextUsageBar
from app.chat.examples import ExamplePrompts
from app.chat.header import ChatHeader
from app.chat.setting_chips import SettingChipRow
from app.chat.settings_panel import SettingsPanel
from app.chat.transcript import Transcript
from app.widgets import Banner, EmptyState
from app.widgets.layouts import hbox, vbox
from app.widgets.theme import G


class ChatFrame(QWidget):
    """The widgets of the page. stack: no bundle, an invitation, or the conversation."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.transcript = Transcript()
        self.composer = Composer()
        self.chips = SettingChipRow(self.transcript)
        self.context_bar = ContextUsageBar()
        self.panel = SettingsPanel()
        self.banner = Banner()  # of the session: cleared when it opens
        self.chat_banner = Banner()  # of the chat's file: cleared with the chat
        self.header = ChatHeader()
        self.examples = ExamplePrompts()
        self.no_bundle = EmptyState(
            self.tr("No bundle is open"),
            self.tr("Open a bundle you have built, or convert the demo in a minute. The chat appears here."),
            self.tr("Go to Home"),
            "chat",
        )
        self.stack = QStackedWidget()
        for page in (self.no_bundle, self.examples, self.transcript):
            self.stack.addWidget(page)
        self.side = _beside(self.panel)
        self.chats = ChatList()
        self.left = _beside(self.chats, left=True)
        foot = vbox(self.context_bar, self.chips, self.composer, margins=(2 * G, G, 2 * G, 2 * G))
        banners = vbox(self.chat_banner, self.banner, spacing=0, margins=(2 * G, 0, 2 * G, 0))
        middle = vbox(self.header, banners, (self.stack, 1), foot, spacing=0)
        hbox(self.left, (middle, 1), self.side, spacing=0, parent=self)

    def show_state(self, bundle: str, empty: bool, completes: bool, opening: bool) -> None:
        """Shows the page's state: bundle name (or empty), whether the chat is empty, whether the model completes."""
        self.composer.set_enabled(bool(bundle))
        self.composer.set_completes(completes)
        self.examples.show_invitation(bundle, completes, opening)
        self.header.set_empty(empty)
        self.stack.setCurrentIndex(2 if not empty else 1 if bundle else 0)

    def clear_banners(self) -> None:
        """Clears messages about the last prompt."""
        self.banner.clear()
        self.chat_banner.clear()


def _beside(part: QWidget, left: bool = False) -> QWidget:
    """A side widget behind a hairline; left: it is on the left of the line."""
    side, rule = QWidget(), QFrame()
    rule.setProperty("role", "line")
    rule.setFixedWidth(1)
    hbox(*((part, rule) if left else (rule, part)), spacing=0, parent=side)
    return side
