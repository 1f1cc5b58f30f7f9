"""The layout of the chat page: the header and the widgets around the conversation; ChatStack shows other pages.

list of chats │ header, banners, the conversation, context bar, composer │ side panel
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QMenu, QStackedWidget, QToolButton, QWidget

from app.chat.chat_list import ChatList
from app.chat.compare import CompareView
from app.chat.composer import Composer
from app.chat.context_usage import ContextUsageBar
from app.chat.controller import ChatController
from app.chat.embeddings.embedding_view import EmbeddingView
from app.chat.examples import ExamplePrompts
from app.chat.intents import CompareBundles, NewChat
from app.chat.sampling import SamplingSettings
from app.chat.setting_chips import SettingChipRow
from app.chat.settings_panel import SettingsPanel
from app.chat.transcript import COLUMN, Transcript
from app.state.context import AppContext
from app.state.embeddings import Embeddings, makes_vectors
from app.state.recent_bundles import bundle_title
from app.widgets import Banner, ElidedLabel, EmptyState, button, label
from app.widgets.actions import tool_button
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.theme import G
from workflows.wire.events import SpeechChoices


class ChatHeader(QWidget):
    """`requested` gives NewChat or CompareBundles; the export button opens a menu that ChatFiles fills."""

    requested = Signal(object)  # NewChat or CompareBundles

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = ElidedLabel("", "heading")
        self.new = tool_button("plus", self.tr("New chat (Ctrl+N)"))
        self.recent = tool_button("clock", self.tr("Show or hide the list of chats"))
        self.compare = tool_button("branch", self.tr("Compare with another bundle"))
        self.drafts = tool_button("underline", self.tr("Show or hide underlines of accepted drafts"))
        self.export = tool_button("save", self.tr("Export this chat"))
        self.side = tool_button("settings", self.tr("Show or hide the settings"))
        for one in (self.recent, self.side, self.drafts):
            one.setCheckable(True)
            one.setChecked(True)
        self.drafts.hide()
        self.new.clicked.connect(lambda: self.requested.emit(NewChat()))
        self.compare.clicked.connect(lambda: self.requested.emit(CompareBundles()))
        self.export.setMenu(QMenu(self.export))
        self.export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        tools = (self.new, self.compare, self.drafts, self.export, self.side)
        hbox(self.recent, (self.heading, 1), *tools, spacing=G // 2, margins=(2 * G, G, 2 * G, G), parent=self)

    def set_empty(self, empty: bool) -> None:
        """Disables what an empty chat cannot do: export, and a new chat."""
        for one in (self.export, self.new):
            one.setEnabled(not empty)


class LastBundleHint(QWidget):
    """Says which bundle gave the last reply, where another one gives the next. `requested`: its folder."""

    requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._path = ""
        self.text = label("", "muted", wrap=True)
        self.open = button("", role="link", clicked=lambda: self.requested.emit(self._path))
        hbox((self.text, 1), self.open, parent=self)
        self.hide()

    def show_bundle(self, path: str, last: str, current: str) -> None:
        """Shows the hint. path: the folder of the bundle `last`, which can be opened if it still exists."""
        self._path = path
        text = self.tr("The last reply of this chat is by {0}; {1} answers the next prompt.")
        self.text.setText(text.format(last, current))
        self.open.setText(self.tr("Open {0}").format(Path(path).name))
        self.open.setAccessibleName(self.open.text())
        self.open.setVisible(Path(path).exists())
        self.show()


class ChatFrame(QWidget):
    """The widgets of the page. stack: no bundle, an invitation, or the conversation."""

    def __init__(self, controller: ChatController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.transcript = Transcript()
        self.composer = Composer()
        self.chips = SettingChipRow(self.transcript)
        self.context_bar = ContextUsageBar()
        self.panel = SettingsPanel()
        self.banner = Banner()  # of the session: cleared when it opens
        self.chat_banner = Banner()  # of the chat's file: cleared with the chat
        self.last_bundle = LastBundleHint()
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
        self.chats = ChatList(controller)
        self.list_side = _beside(self.chats, left=True)
        below = QWidget()
        below.setMaximumWidth(COLUMN)
        vbox(self.last_bundle, self.chips, self.composer, self.context_bar, parent=below)
        foot = hbox(STRETCH, (below, COLUMN), STRETCH, margins=(2 * G, G, 2 * G, G))
        banners = vbox(self.chat_banner, self.banner, spacing=0, margins=(2 * G, 0, 2 * G, 0))
        middle = vbox(self.header, banners, (self.stack, 1), foot, spacing=0)
        hbox(self.list_side, (middle, 1), self.side, spacing=0, parent=self)

    def show_state(self, bundle: str, empty: bool, completes: bool, opening: bool) -> None:
        """Shows the page's state: bundle name (or empty), whether the chat is empty, whether the model completes."""
        self.composer.set_enabled(bool(bundle))
        self.composer.set_completes(completes)
        self.examples.show_invitation(bundle, completes, opening)
        self.header.set_empty(empty)
        self.stack.setCurrentIndex(2 if not empty else 1 if bundle else 0)

    def show_senses(self, *, sees: bool, takes_sound: bool, speech: SpeechChoices | None) -> None:
        """Shows what the open bundle takes besides text: pictures, recordings, or a recording in place of a prompt."""
        self.composer.set_senses(sees, speech, takes_sound)
        if speech is not None:
            self.examples.invite_recording()

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


class ChatStack(QStackedWidget):
    """Shows `frame`, the page of a bundle that makes vectors, or a comparison of two bundles.

    covered: emitted when something is shown in place of the conversation, or no more; that stays as it is.
    """

    covered = Signal(bool)

    def __init__(self, context: AppContext, frame: ChatFrame, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._frame = context, frame
        self.compare: CompareView | None = None
        self.embeddings: EmbeddingView | None = None
        self.addWidget(frame)

    def follow_bundle(self) -> None:
        """Shows the page that the current bundle has: one that makes vectors cannot chat."""
        bundle = self._context.bundle
        if bundle is None or not makes_vectors(bundle):
            if self.currentWidget() is self.embeddings:
                self._show(self._frame)
            return
        if self.embeddings is None:
            self.embeddings = EmbeddingView(Embeddings(self._context.new_worker, self))
            self.addWidget(self.embeddings)
            page = self.parentWidget()
            if page is not None:
                page.addActions(self.embeddings.actions())  # the command palette lists those of pages
        self.embeddings.set_bundle(str(bundle["path"]), bundle_title(bundle))
        self._show(self.embeddings)

    def escape(self) -> None:
        """Stops what the visible page does."""
        shown = self.currentWidget()
        if isinstance(shown, EmbeddingView):
            shown.cancel()
        else:
            self.composer.escape()

    def _show(self, page: QWidget) -> None:
        self.setCurrentWidget(page)
        for action in self.embeddings.actions() if self.embeddings is not None else ():
            action.setEnabled(page is self.embeddings)
        self.covered.emit(page is not self._frame)

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
        self._show(self.compare)
        self.compare.enter(bundle, sampling)

    def _leave_compare(self) -> None:
        self._show(self._frame)
        self.follow_bundle()
        self._frame.composer.edit.setFocus()
