"""The chat page: transcript, composer, context bar and side panel around one ChatController."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtGui import QAction, QGuiApplication, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.chat.compare import CompareView
from app.chat.composer import Composer
from app.chat.context_bar import ContextBar
from app.chat.controller import ChatController
from app.chat.examples import Examples
from app.chat.failures import Failures
from app.chat.files import ChatFiles
from app.chat.header import Header
from app.chat.opener import Opener
from app.chat.panel import SettingsPanel
from app.chat.sampling import Sampling
from app.chat.transcript import Transcript
from app.chat.usage import Usage
from app.state.chats import ChatStore
from app.state.conversation import Conversation, Message, Role
from app.state.session import SessionFailure
from app.widgets import Banner, EmptyState
from app.widgets.actions import action
from app.widgets.theme import G
from workflows.wire.events import ReadyEvent

if TYPE_CHECKING:
    from app.state.context import AppContext


class ChatPage(QWidget):
    """Talks with the open bundle. `send` is what the composer does."""

    title = "Chat"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.session = context.session
        self.store = ChatStore(context.home / "chats")
        self.controller = ChatController(self.session, self.store, lambda: self.opener.ensure(), self)
        self.compare: CompareView | None = None
        self._of_chat: list[QAction] = []  # actions that mean nothing while two bundles are compared
        self._build()
        self._connect()
        self._add_actions()
        self.controller.sampling = Sampling.from_json(context.settings.text("sampling"))
        self.panel.set_sampling(self.controller.sampling)
        self.files.restore()
        self.side_button.setChecked(context.settings.text("chat.side", "shown") == "shown")
        self._refresh_state()

    # -- what others may call --------------------------------------------------------------------------------

    def send(self, text: str) -> None:
        """Sends a prompt as if it had been typed; opens the bundle first where that is needed."""
        self.banner.clear()
        self.chat_banner.clear()
        self.controller.send(text)

    def open_session(self) -> None:
        """Opens the current bundle with the panel's cache layout and providers."""
        self.opener.open()

    def show_compare(self) -> None:
        """Two bundles side by side in place of the conversation, which stays as it is."""
        if self.compare is None:
            self.compare = CompareView(self.context)
            self.compare.closed.connect(self._leave_compare)
            self.views.addWidget(self.compare)
        self.context.navigate.emit("chat")
        self.views.setCurrentWidget(self.compare)
        self._set_chat_actions(False)
        self.compare.enter(self.opener.path, self.controller.sampling)

    def _leave_compare(self) -> None:
        self.views.setCurrentIndex(0)
        self._set_chat_actions(True)
        self.composer.edit.setFocus()

    def _set_chat_actions(self, on: bool) -> None:
        for one in self._of_chat:
            one.setEnabled(on)

    def _escape(self) -> None:
        comparing = self.compare is not None and self.views.currentWidget() is self.compare
        (self.compare.composer if comparing and self.compare else self.composer).escape()

    # -- building --------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.transcript = Transcript()
        self.composer = Composer()
        self.context_bar = ContextBar()
        self.usage = Usage(self.context, self.controller, self.context_bar, self)
        self.panel = SettingsPanel()
        self.banner = Banner()  # of the session: cleared when it opens
        self.chat_banner = Banner()  # of the chat's file: cleared with the chat
        self.files = ChatFiles(self.controller, self.banner, self.chat_banner, self)
        self.opener = Opener(self.context, self.panel, self.controller, self.banner, self)
        self.header = Header(self.files)
        self.heading, self.side_button = self.header.heading, self.header.side
        self.examples = Examples()
        self.no_bundle = EmptyState(
            self.tr("No bundle is open"),
            self.tr("Open a bundle you have built, or convert the demo in a minute. The chat comes here."),
            self.tr("Go to Home"),
            "chat",
        )
        self.stack = QStackedWidget()
        for page in (self.no_bundle, self.examples, self.transcript):
            self.stack.addWidget(page)
        foot = QVBoxLayout()
        foot.setContentsMargins(2 * G, G, 2 * G, 2 * G)
        foot.setSpacing(G)
        foot.addWidget(self.context_bar)
        foot.addWidget(self.composer)
        middle = QVBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.header)
        holder = QVBoxLayout()
        holder.setContentsMargins(2 * G, 0, 2 * G, 0)
        holder.addWidget(self.chat_banner)
        holder.addWidget(self.banner)
        middle.addLayout(holder)
        middle.addWidget(self.stack, 1)
        middle.addLayout(foot)
        self.failures = Failures(self.context, self.banner, self._new_chat, self)
        talk = QWidget()
        row = QHBoxLayout(talk)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addLayout(middle, 1)
        self.side = self._beside()
        row.addWidget(self.side)
        self.views = QStackedWidget()  # the conversation, or two bundles side by side
        self.views.addWidget(talk)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.views)

    def _beside(self) -> QWidget:
        """The panel behind a hair line."""
        side, rule = QWidget(), QFrame()
        rule.setProperty("role", "line")
        rule.setFixedWidth(1)
        box = QHBoxLayout(side)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        box.addWidget(rule)
        box.addWidget(self.panel)
        return side

    def _connect(self) -> None:
        c, s = self.controller, self.session
        self.composer.sent.connect(self.send)
        self.examples.asked.connect(self.send)
        self.composer.edited.connect(c.edit)
        self.composer.stopped.connect(c.stop)
        self.composer.recalled.connect(self._edit_last)
        self.transcript.action.connect(self._on_action)
        self.no_bundle.triggered.connect(lambda: self.context.navigate.emit("home"))
        self.header.new.clicked.connect(self._new_chat)
        self.header.compare.clicked.connect(self.show_compare)
        self.side_button.toggled.connect(self._show_side)
        self.panel.system_changed.connect(c.set_system)
        self.panel.sampling_changed.connect(self._on_sampling)
        self.panel.opening.changed.connect(self._on_opening)
        self.panel.opening.unread.connect(self._on_unread)
        self.panel.languages.changed.connect(self._on_languages)
        self.panel.session_changed.connect(self.open_session)
        c.reset.connect(self._show_chat)
        c.appended.connect(self._on_appended)
        c.grew.connect(self._on_grew)
        c.noticed.connect(self._on_noticed)
        c.ended.connect(self._on_ended)
        c.failed.connect(self.failures.show)
        c.runningChanged.connect(self._on_running)
        s.stateChanged.connect(self._refresh_state)
        s.opened.connect(self._on_opened)
        s.failed.connect(self._on_session_failed)
        self.context.bundleChanged.connect(self._on_bundle)
        self.setFocusProxy(self.composer.edit)
        self._save_sampling = QTimer(self, singleShot=True, interval=500)
        self._save_sampling.timeout.connect(
            lambda: self.context.settings.set("sampling", self.controller.sampling.to_json())
        )
        application = QCoreApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self.shut)

    def _add_actions(self) -> None:
        """What the keyboard and the window's Ctrl+K find here."""
        for text, keys, act in (
            (self.tr("New chat"), "Ctrl+N", self._new_chat),
            (self.tr("Answer again"), "Ctrl+R", self._regenerate_last),
            (self.tr("Copy the last reply"), "Ctrl+Shift+C", self._copy_last),
            (self.tr("Edit the last prompt"), "Ctrl+E", self._edit_last),
            (self.tr("Stop the reply"), "Escape", self._escape),
            (self.tr("Write a prompt"), "Ctrl+L", self.composer.edit.setFocus),
            (self.tr("Compare the answers of two bundles"), "Ctrl+D", self.show_compare),
            (self.tr("Save the chat as Markdown"), "", partial(self.files.ask, "md")),
            (self.tr("Save the chat as JSON"), "", partial(self.files.ask, "json")),
            (self.tr("Show or hide the chat settings"), "", self.side_button.toggle),
        ):
            added = action(self, text, act, keys)
            if act not in (self._escape, self.show_compare):
                self._of_chat.append(added)

    # -- the bundle ------------------------------------------------------------------------------------------

    def _on_bundle(self, *_: object) -> None:
        self._refresh_state()
        if self.isVisible() and not self.controller.running:
            self.opener.ensure()
            self.composer.edit.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt's name: the bundle opens when the page is first looked at, so that the first reply comes fast."""
        super().showEvent(event)
        self.window().installEventFilter(self)
        if self.session.state == "closed" and not self.controller.running:
            self.opener.ensure()
        self.opener.ask_devices()
        self.composer.edit.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt's name: the window that closes takes the chat to the disk first."""
        if event.type() == QEvent.Type.Close and watched is self.window():
            self.shut()
        return super().eventFilter(watched, event)

    def _on_opened(self, _ready: ReadyEvent) -> None:
        self._on_languages()
        self.usage.refresh()

    def _refresh_state(self, *_: object) -> None:
        has_bundle = bool(self.opener.path)
        self.composer.set_enabled(has_bundle)
        empty = not len(self.controller.chat)
        self.stack.setCurrentIndex(2 if not empty else 1 if has_bundle else 0)
        for one in (self.header.export, self.header.new):
            one.setEnabled(not empty)
        completes = self.controller.completes
        self.examples.invite(completes, self.session.state == "opening")
        self.composer.set_completes(completes)
        self.usage.refresh()

    # -- the conversation ------------------------------------------------------------------------------------

    def _new_chat(self) -> None:
        self.chat_banner.clear()
        self.banner.clear()
        self.controller.new_chat()
        self.composer.leave_edit()
        self.composer.edit.setFocus()

    def _show_chat(self) -> None:
        chat: Conversation = self.controller.chat
        self.panel.set_system(chat.system)
        self.transcript.show_path(chat)
        self._show_title()
        self._refresh_state()

    def _show_title(self) -> None:
        self.heading.setText(self.controller.chat.title or self.tr("New chat"))

    def _on_appended(self, id: int) -> None:
        self.transcript.add(self.controller.chat, id)
        self.transcript.to_end()
        self._show_title()
        self._refresh_state()

    def _on_grew(self, id: int, text: str) -> None:
        if (view := self.transcript.view(id)) is not None:
            view.grow(text)

    def _on_noticed(self, id: int, text: str) -> None:
        if (view := self.transcript.view(id)) is not None:
            view.add_notice(text)

    def _on_ended(self, id: int) -> None:
        if (view := self.transcript.view(id)) is not None:
            view.finish()
        self.transcript.forget_traces()

    def _on_running(self, running: bool) -> None:
        self.composer.set_running(running)
        self.transcript.set_busy(running)
        self.panel.set_running(running)
        self.header.recent.setEnabled(not running)
        if running:
            self.banner.clear()

    def _on_action(self, name: str, id: int) -> None:
        message = self.controller.chat[id]
        if name == "regenerate":
            self.controller.regenerate(id)
        elif name == "edit":
            self.composer.begin_edit(id, message.content)
        elif name in ("previous", "next"):
            index, _count = self.controller.chat.siblings(id)
            self.controller.select(id, index + (1 if name == "next" else -1))

    def _last(self, role: Role) -> Message | None:
        return next((m for m in reversed(self.controller.chat.path()) if m.role == role), None)

    def _edit_last(self) -> None:
        if (prompt := self._last("user")) is not None and not self.controller.running:
            self.composer.begin_edit(prompt.id, prompt.content)

    def _regenerate_last(self) -> None:
        if (reply := self._last("assistant")) is not None:
            self.controller.regenerate(reply.id)

    def _copy_last(self) -> None:
        if (reply := self._last("assistant")) is not None:
            QGuiApplication.clipboard().setText(reply.content)

    def _on_languages(self) -> None:
        self.controller.languages = self.panel.languages.to_options()

    def _on_sampling(self, sampling: Sampling) -> None:
        self.controller.sampling = sampling
        self._save_sampling.start()

    def _on_opening(self, prefill: str, tools: str) -> None:
        self.controller.prefill, self.controller.tools = prefill, tools.strip()

    def _on_unread(self, path: str, reason: str) -> None:
        self.banner.error(self.tr("The file {0} cannot be read: {1}.").format(path, reason))

    def _show_side(self, on: bool) -> None:
        self.side.setVisible(on)
        self.context.settings.set("chat.side", "shown" if on else "hidden")

    # -- failures --------------------------------------------------------------------------------------------

    def _on_session_failed(self, failure: SessionFailure) -> None:
        self.failures.show_of_session(failure)
        self._refresh_state()

    def shut(self) -> None:
        """Saves what is there; the next start brings it back."""
        self.usage.stop()
        if self._save_sampling.isActive():
            self._save_sampling.stop()
            self._save_sampling.timeout.emit()
        self.controller.shut()
