"""The chat page: transcript, composer, context bar and side panel around one ChatController."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.chat.compare import CompareView
from app.chat.composer import Composer
from app.chat.context_bar import ContextBar
from app.chat.controller import ChatController
from app.chat.failures import Failures
from app.chat.files import ChatFiles
from app.chat.panel import SettingsPanel
from app.chat.sampling import Sampling
from app.chat.transcript import Transcript
from app.state.chats import ChatStore
from app.state.conversation import Conversation
from app.state.session import SessionFailure
from app.widgets import Banner, EmptyState, button, label
from app.widgets.actions import action
from app.widgets.theme import G, set_icon
from workflows.locks import HeldError
from workflows.wire.events import ReadyEvent
from workflows.wire.reports.devices import DevicesReport
from workflows.wire.requests import ListDevices

if TYPE_CHECKING:
    from app.state.context import AppContext

REFRESH_MS = 200


class ChatPage(QWidget):
    """Talks with the open bundle. `send` is what the composer does."""

    title = "Chat"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.session = context.session
        self.store = ChatStore(context.home / "chats")
        self.controller = ChatController(self.session, self.store, self._ensure_open, self)
        self.compare: CompareView | None = None
        self._of_chat: list[QAction] = []  # actions that mean nothing while two bundles are compared
        self._asked_devices = False
        self._drawn = -1
        self._build()
        self._connect()
        self._add_actions()
        self._restore()
        self._name_default_cache()
        self.side_button.setChecked(context.settings.text("chat.side", "shown") == "shown")
        self._refresh_state()

    # -- what others may call --------------------------------------------------------------------------------

    def send(self, text: str) -> None:
        """Sends a prompt as if it had been typed; opens the bundle first where that is needed."""
        self.banner.clear()
        self.chat_banner.clear()
        self.controller.send(text)

    def open_session(self) -> None:
        """Opens the current bundle with the panel's cache layout and provider."""
        path = self._bundle_path()
        if path:
            self.banner.clear()
            self.session.open(path, *self.panel.choice.chosen)

    def show_compare(self) -> None:
        """Two bundles side by side in place of the conversation, which stays as it is."""
        if self.compare is None:
            self.compare = CompareView(self.context)
            self.compare.closed.connect(self._leave_compare)
            self.views.addWidget(self.compare)
        self.context.navigate.emit("chat")
        self.views.setCurrentWidget(self.compare)
        self._set_chat_actions(False)
        self.compare.enter(self._bundle_path(), self.controller.sampling)

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
        self.panel = SettingsPanel()
        self.banner = Banner()  # of the session: cleared when it opens
        self.chat_banner = Banner()  # of the chat's file: cleared with the chat
        self.files = ChatFiles(self.controller, self.banner, self._open_chat, self)
        self.no_bundle = EmptyState(
            self.tr("No bundle is open"),
            self.tr("Open a bundle you have built, or convert the demo in a minute. The chat comes here."),
            self.tr("Go to Home"),
            "chat",
        )
        self.stack = QStackedWidget()
        for page in (self.no_bundle, self._examples_page(), self.transcript):
            self.stack.addWidget(page)
        foot = QVBoxLayout()
        foot.setContentsMargins(2 * G, G, 2 * G, 2 * G)
        foot.setSpacing(G)
        foot.addWidget(self.context_bar)
        foot.addWidget(self.composer)
        middle = QVBoxLayout()
        middle.setSpacing(0)
        middle.addLayout(self._header())
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
        side = QWidget()
        box = QHBoxLayout(side)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        rule = QFrame()
        rule.setProperty("role", "line")
        rule.setFixedWidth(1)
        box.addWidget(rule)
        box.addWidget(self.panel)
        self.side = side
        row.addWidget(side)
        self.views = QStackedWidget()  # the conversation, or two bundles side by side
        self.views.addWidget(talk)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.views)

    def _header(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(2 * G, G, 2 * G, G)
        row.setSpacing(G // 2)
        self.heading = label("", "heading")
        self.new_button = self._tool("plus", self.tr("New chat (Ctrl+N)"))
        self.recent_button = self._tool("clock", self.tr("Earlier chats"))
        self.compare_button = self._tool("branch", self.tr("Compare with another bundle"))
        self.export_button = self._tool("save", self.tr("Export this chat"))
        self.side_button = self._tool("settings", self.tr("Show or hide the settings"))
        self.side_button.setCheckable(True)
        self.side_button.setChecked(True)
        for one, fill in ((self.recent_button, self.files.fill_recent), (self.export_button, self.files.fill_export)):
            menu = QMenu(one)
            menu.aboutToShow.connect(partial(fill, menu))
            one.setMenu(menu)
            one.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        row.addWidget(self.heading, 1)
        for one in (self.new_button, self.recent_button, self.compare_button, self.export_button, self.side_button):
            row.addWidget(one)
        return row

    def _tool(self, icon: str, tip: str) -> QToolButton:
        tool = QToolButton()
        set_icon(tool, icon)
        tool.setToolTip(tip)
        tool.setAccessibleName(tip)
        return tool

    def _examples_page(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setSpacing(G)
        column.addStretch(1)
        self.invitation = label(self.tr("Ask the model something"), "heading", selectable=False)
        column.addWidget(self.invitation, 0, Qt.AlignmentFlag.AlignHCenter)
        self.hint = label("", "muted", selectable=False)
        column.addWidget(self.hint, 0, Qt.AlignmentFlag.AlignHCenter)
        self.examples: list[QPushButton] = []
        for text in (
            self.tr("What is 8 times 7?"),
            self.tr("What is the capital of France?"),
            self.tr("What is the opposite of hot?"),
        ):
            one = button(text, clicked=partial(self.send, text))
            one.setMinimumWidth(36 * G)
            self.examples.append(one)
            column.addWidget(one, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)
        return page

    def _connect(self) -> None:
        c, s = self.controller, self.session
        self.composer.sent.connect(self.send)
        self.composer.edited.connect(c.edit)
        self.composer.stopped.connect(c.stop)
        self.composer.recalled.connect(self._edit_last)
        self.transcript.action.connect(self._on_action)
        self.no_bundle.triggered.connect(lambda: self.context.navigate.emit("home"))
        self.new_button.clicked.connect(self._new_chat)
        self.compare_button.clicked.connect(self.show_compare)
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
        c.unsaved.connect(self._on_unsaved)
        c.runningChanged.connect(self._on_running)
        s.stateChanged.connect(self._refresh_state)
        s.opened.connect(self._on_opened)
        s.failed.connect(self._on_session_failed)
        s.cacheChanged.connect(lambda _groups: self._refresh_usage())
        self.context.bundleChanged.connect(self._on_bundle)
        self.setFocusProxy(self.composer.edit)
        self._ticker = QTimer(self)
        self._ticker.setInterval(REFRESH_MS)
        self._ticker.timeout.connect(self._tick)
        self._save_sampling = QTimer(self)
        self._save_sampling.setSingleShot(True)
        self._save_sampling.setInterval(500)
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

    def _bundle_path(self) -> str:
        bundle = self.context.bundle
        return str(bundle["path"]) if bundle else ""

    def _name_default_cache(self) -> None:
        bundle = self.context.bundle
        self.panel.choice.set_built(str(bundle.get("layout", "")) if bundle else "")

    def _ensure_open(self) -> bool:
        path = self._bundle_path()
        if not path:
            return False
        if self.session.state in ("closed", "failed") or self.session.bundle != path:
            self.open_session()
        return True

    def _on_bundle(self, *_: object) -> None:
        self._refresh_state()
        self._name_default_cache()
        if self.isVisible() and not self.controller.running:
            self._ensure_open()
            self.composer.edit.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt's name: the bundle opens when the page is first looked at, so that the first reply comes fast."""
        super().showEvent(event)
        self.window().installEventFilter(self)
        if self.session.state == "closed" and not self.controller.running:
            self._ensure_open()
        if not self._asked_devices:
            self._asked_devices = True
            self.context.probe_worker.request(ListDevices()).on_answer(self._on_devices)
        self.composer.edit.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt's name: the window that closes takes the chat to the disk first."""
        if event.type() == QEvent.Type.Close and watched is self.window():
            self.shut()
        return super().eventFilter(watched, event)

    def _on_devices(self, found: DevicesReport) -> None:
        self.panel.choice.set_devices(found.devices)

    def _on_opened(self, ready: ReadyEvent) -> None:
        self.panel.languages.offer(ready.languages)
        self._on_languages()
        if self.session.request is not None:  # the KV tab may have opened it
            self.panel.choice.follow(self.session.request.provider, self.session.request.cache)
        self.banner.clear()
        self._refresh_usage()

    def _refresh_state(self, *_: object) -> None:
        has_bundle = bool(self._bundle_path())
        self.composer.set_enabled(has_bundle)
        empty = not len(self.controller.chat)
        self.stack.setCurrentIndex(2 if not empty else 1 if has_bundle else 0)
        for one in (self.export_button, self.new_button):
            one.setEnabled(not empty)
        self._show_invitation()
        self._refresh_usage()

    def _show_invitation(self) -> None:
        """What an empty chat asks for: a question, or the beginning of a text where there is no chat template."""
        completes = self.controller.completes
        wanted = self.tr("Begin a text and the model completes it") if completes else self.tr("Ask the model something")
        opening = self.session.state == "opening"
        self.invitation.setText(self.tr("Opening the bundle …") if opening else wanted)
        self.hint.setText("" if completes else self.tr("or begin with one of these:"))
        for one in self.examples:
            one.setVisible(not completes)
        self.composer.set_completes(completes)

    def _refresh_usage(self) -> None:
        ready, groups = self.session.ready, self.session.groups
        if ready is None:
            self.context_bar.set_usage(0, 0, 0, window=False)
            return
        used = sum(count for _, _, count in groups[0].runs) if groups else 0
        evicted = groups[0].evicted if groups else 0
        occupancy = self.context.measurements.occupancy
        if self.controller.running and occupancy is not None:
            used = occupancy[0]
        self.context_bar.set_usage(used, ready.capacity, evicted, ready.layout in ("window", "fifo"))

    def _tick(self) -> None:
        if self.context.measurements.revision != self._drawn:
            self._drawn = self.context.measurements.revision
            self.context_bar.set_speed(self.context.measurements)
            self._refresh_usage()

    # -- the conversation ------------------------------------------------------------------------------------

    def _restore(self) -> None:
        try:
            key = self.store.begin()
        except OSError as error:
            self._on_unsaved(str(error))
            return
        self.controller.sampling = Sampling.from_json(self.context.settings.text("sampling"))
        self.panel.set_sampling(self.controller.sampling)
        if not key:
            return
        if self.store.must_ask:
            self.chat_banner.show_message(
                "warning",
                self.tr("Joinery ended unexpectedly twice in a row, so the last chat was not opened by itself."),
                action=self.tr("Open the last chat"),
                on_action=lambda: self._open_chat(key),
            )
            return
        self._open_chat(key)

    def _open_chat(self, key: str) -> None:
        self._open_saved(key, self.controller.open_chat)

    def _open_saved(self, key: str, how: Callable[[str], None]) -> None:
        try:
            how(key)
        except HeldError as error:
            self._offer_copy(key, error.holder)
            return
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            self.chat_banner.show_message("warning", self.tr("The last chat could not be read."), details=str(error))
            return
        self.chat_banner.clear()
        self.banner.clear()

    def _offer_copy(self, key: str, holder: str) -> None:
        """Two windows do not write one chat."""
        self.chat_banner.show_message(
            "info",
            self.tr("The chat is already open in another window; a copy of it can go on here."),
            details=holder,
            action=self.tr("Open a copy"),
            on_action=lambda: self._open_saved(key, self.controller.open_copy),
        )

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
        view = self.transcript.view(id)
        if view is not None:
            view.grow(text)

    def _on_noticed(self, id: int, text: str) -> None:
        view = self.transcript.view(id)
        if view is not None:
            view.add_notice(text)

    def _on_ended(self, id: int) -> None:
        view = self.transcript.view(id)
        if view is not None:
            view.finish()
        self.transcript.forget_traces()

    def _on_running(self, running: bool) -> None:
        self.composer.set_running(running)
        self.transcript.set_busy(running)
        self.panel.set_running(running)
        self.recent_button.setEnabled(not running)
        if running:
            self.banner.clear()
            self._ticker.start()
        else:
            self._ticker.stop()
            self._tick()
            self._refresh_usage()

    def _on_action(self, name: str, id: int) -> None:
        message = self.controller.chat[id]
        if name == "regenerate":
            self.controller.regenerate(id)
        elif name == "edit":
            self.composer.begin_edit(id, message.content)
        elif name in ("previous", "next"):
            index, _count = self.controller.chat.siblings(id)
            self.controller.select(id, index + (1 if name == "next" else -1))

    def _edit_last(self) -> None:
        prompts = [m for m in self.controller.chat.path() if m.role == "user"]
        if prompts and not self.controller.running:
            self.composer.begin_edit(prompts[-1].id, prompts[-1].content)

    def _last_reply(self) -> int | None:
        replies = [m.id for m in self.controller.chat.path() if m.role == "assistant"]
        return replies[-1] if replies else None

    def _regenerate_last(self) -> None:
        reply = self._last_reply()
        if reply is not None:
            self.controller.regenerate(reply)

    def _copy_last(self) -> None:
        reply = self._last_reply()
        if reply is not None:
            QGuiApplication.clipboard().setText(self.controller.chat[reply].content)

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

    def _on_unsaved(self, reason: str) -> None:
        self.chat_banner.show_message("warning", self.tr("This chat could not be saved."), details=reason)

    def shut(self) -> None:
        """Saves what is there; the next start brings it back."""
        self._ticker.stop()
        if self._save_sampling.isActive():
            self._save_sampling.stop()
            self._save_sampling.timeout.emit()
        self.controller.shut()
