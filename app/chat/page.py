"""The chat page: its widgets around one ChatController.

widgets ──requested──▶ do ──▶ ChatController ──reset, appended, grew, ended──▶ widgets
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, QTimer
from PySide6.QtGui import QAction, QGuiApplication, QShowEvent
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from app.chat import intents
from app.chat.attachments import AttachmentDrop
from app.chat.bundle_opener import BundleOpener
from app.chat.chat_files import ChatFiles
from app.chat.composer import PromptAutosave
from app.chat.context_usage import ContextUsage
from app.chat.controller import ChatController
from app.chat.failures import FailureBanner
from app.chat.frame import ChatFrame, ChatStack
from app.chat.panel_controller import PanelController
from app.chat.setting_chips import ActiveSettings
from app.chat.speech.recordings import Recordings
from app.state.chat_store import ChatStore
from app.state.context import AppContext
from app.state.conversation import Conversation
from app.state.unsent_prompts import UnsentPrompts
from app.widgets.actions import FocusForwarder, add_action
from app.widgets.layouts import vbox
from app.widgets.styling import style_separately


def copy_last_reply(chat: Conversation) -> None:
    """Puts the last reply, if any, on the clipboard."""
    if (last := chat.last("assistant")) is not None:
        QGuiApplication.clipboard().setText(last.content)


class FocusRedirect(QObject):
    """Qt moves the focus to the next widget; in `area`, that of `heir` gets it instead."""

    def __init__(self, area: QWidget, heir: Callable[[], QWidget]) -> None:
        super().__init__(area)
        self._area, self._heir = area, heir
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_moved)

    def _on_moved(self, old: QWidget | None, new: QWidget | None) -> None:
        if old is None or not isValid(self._area):  # the focus leaves a page that is being destroyed, too
            return
        if not self._area.isVisible() or not self._area.isAncestorOf(old):
            return
        heir = self._heir()
        if new is not heir and not (old.isEnabled() and old.isVisible()):
            heir.setFocus()


class ChatPage(QWidget):
    """The chat with the open bundle."""

    title = "Chat"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context, self.session = context, context.session
        self.store = ChatStore(context.home / "chats")
        self.controller = ChatController(
            self.session, self.store, lambda: self.opener.ensure_open(), lambda: context.ready, context.title_of, self
        )
        self.frame = frame = ChatFrame(self.controller)
        self.transcript, self.composer, self.examples = frame.transcript, frame.composer, frame.examples
        self.header, self.panel, self.side, self.chats = frame.header, frame.panel, frame.side, frame.chats
        self.banner, self.chat_banner, self.context_bar = frame.banner, frame.chat_banner, frame.context_bar
        self.usage = ContextUsage(context, self.controller, self.context_bar, self)
        self.choices = PanelController(context, self.panel, self.controller, self.chat_banner, self)
        self.panel.decoding.problemChanged.connect(self.composer.set_problem)
        self.drafting = PromptAutosave(self.composer, self.controller, UnsentPrompts(context.home / "chats"), self)
        self.focus = FocusRedirect(self.frame, lambda: self.composer.focus_target)
        self.files = ChatFiles(self.controller, self.header.export.menu(), self.banner, self.chat_banner, self)
        self.opener = BundleOpener(context, self.panel, self.controller, self.banner, self)
        self._active_settings = ActiveSettings(
            self.panel, self.controller, self.choices, self.opener, self.frame.chips, self._show_setting, self
        )
        self.failures = FailureBanner(context, self.banner, self.controller, self.do, self)
        self.recordings = Recordings(self.controller, self.transcript, context.probe_worker, self)
        self.recordings.playback.failed.connect(self.chat_banner.error)
        self.composer.attachments.recorder.begun.connect(self.recordings.playback.stop)  # it would be recorded
        self.views = ChatStack(context, self.frame)
        vbox(self.views, parent=self)
        style_separately(self.frame.stack)
        self._connect()
        self._chat_actions = self._add_actions()
        self.views.follow_bundle()
        self.files.restore()
        self.drafting.show()
        tools = {"chat.side": self.header.side, "chat.list": self.header.recent, "chat.drafts": self.header.drafts}
        for key, tool in tools.items():
            usual = "hidden" if key == "chat.side" else "shown"
            tool.setChecked(context.settings.text(key, usual) == "shown")
        self._refresh_state()

    def _add_actions(self) -> list[QAction]:
        """Adds the keyboard's actions; returns those that are disabled while two bundles are compared."""
        tr, do = self.tr, partial(partial, self.do)

        def search() -> None:
            self.header.recent.setChecked(True)
            self.chats.query.setFocus()

        add_action(self, tr("Stop the reply"), lambda: self.views.escape(), "Escape")
        add_action(self, tr("Compare the answers of two bundles"), do(intents.CompareBundles()), "Ctrl+D")
        rows = (
            (tr("New chat"), "Ctrl+N", do(intents.NewChat())),
            (tr("Answer again"), "Ctrl+R", do(intents.Regenerate())),
            (tr("Copy the last reply"), "Ctrl+Shift+C", do(intents.CopyLast())),
            (tr("Edit the last prompt"), "Ctrl+E", do(intents.EditPrompt())),
            (tr("Write a prompt"), "Ctrl+L", self.composer.edit.setFocus),
            (tr("Attach pictures or a recording"), "Ctrl+Shift+P", self.composer.attachments.choose),
            (tr("Search the chats"), "Ctrl+Shift+F", search),
            (tr("Save the chat as Markdown"), "", partial(self.files.choose_file, "md")),
            (tr("Save the chat as JSON"), "", partial(self.files.choose_file, "json")),
            (tr("Show or hide the list of chats"), "", self.header.recent.toggle),
            (tr("Show or hide the chat settings"), "", self.header.side.toggle),
            (tr("Show or hide underlines of accepted drafts"), "", self.header.drafts.toggle),
        )
        return [add_action(self, text, act, keys) for text, keys, act in rows]

    def _connect(self) -> None:
        c, s = self.controller, self.session
        for part in (self.composer, self.transcript, self.examples, self.header, self.chats):
            part.requested.connect(self.do)
        self.examples.requested.connect(lambda _: self.composer.edit.setFocus())  # the clicked button goes
        self.transcript.connect_controller(c)
        self.composer.attachments.set_folder(self.store.folder)
        self.composer.attachments.failed.connect(self.chat_banner.error)
        AttachmentDrop(self.frame.stack, self.composer.attachments)
        self.files.changed.connect(self.chats.refresh)
        self.files.changed.connect(self._refresh_state)
        self.frame.no_bundle.triggered.connect(
            lambda: self.context.navigate.emit("home" if self.context.bundle is None else "inspect")
        )
        self.header.side.toggled.connect(partial(self._show_side, "chat.side", self.side))
        self.header.recent.toggled.connect(partial(self._show_side, "chat.list", self.frame.list_side))
        self.header.drafts.toggled.connect(self._underline_drafts)
        self.panel.session_changed.connect(self.opener.open)
        self.views.covered.connect(self._on_covered)
        c.reset.connect(self._on_chat)
        self.banner.bind(lambda: (self.opener.path, c.chat.key), self.context.bundleChanged, c.reset)
        self.chat_banner.bind(lambda: c.chat.key, c.reset)
        self.frame.last_bundle.requested.connect(self.context.open_bundle)
        c.appended.connect(self._refresh_state)
        c.ended.connect(self._refresh_state)
        c.failed.connect(self.failures.show)
        c.runningChanged.connect(self._on_running)
        c.endedBehind.connect(lambda *_: self.banner.clear())  # it said whose reply runs
        c.endedBehind.connect(lambda *_: self._on_running(False))
        s.stateChanged.connect(self._refresh_state)
        s.opened.connect(self._refresh_state)
        s.failed.connect(self.failures.show_of_session)
        s.failed.connect(self._refresh_state)
        self.context.bundleChanged.connect(self._on_bundle)
        self.context.chatRequested.connect(self._begin_chat)
        self.context.closing.connect(self.shut)
        FocusForwarder(self, self.composer.edit)
        application = QCoreApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self.shut)

    def do(self, intent: intents.Intent) -> None:
        """Performs an intent of a widget or the keyboard."""
        c = self.controller
        match intent:
            case intents.Send(text, files):
                self.send(text, files)
            case intents.SendSound(sound):
                self.frame.clear_banners()
                c.send_sound(sound)
            case intents.ReplacePrompt(prompt, text, files):
                c.edit(prompt, text, files)
            case intents.EditPrompt(prompt):
                self._edit_prompt(prompt)
            case intents.Regenerate(reply):
                c.regenerate(reply)
            case intents.SwitchVersion(message, step):
                c.select(message, c.chat.siblings(message)[0] + step)
            case intents.PlaySound() | intents.MoveSound() | intents.PlaySegment():
                self.recordings.do(intent)
            case intents.Stop():
                self.session.stop()
            case intents.NewChat() | intents.StartOver():
                self._new_chat(intent)
            case intents.CompareBundles():
                self.show_compare()
            case intents.CopyLast():
                copy_last_reply(self.controller.chat)
            case _:
                self.files.do(intent)

    def send(self, text: str, files: tuple[str, ...] = ()) -> None:
        """Sends a prompt as if it had been typed; opens the bundle first if needed."""
        self.frame.clear_banners()
        self.controller.send(text, files)

    def show_compare(self) -> None:
        """Shows the comparison of two bundles in place of the conversation."""
        self.views.show_compare(self.opener.path, self.controller.sampling)

    def _on_covered(self, on: bool) -> None:
        for one in self._chat_actions:
            one.setEnabled(not on)

    def _edit_prompt(self, prompt: int | None) -> None:
        chat = self.controller.chat
        message = chat[prompt] if prompt is not None else chat.last("user")
        if message is not None and not message.sound and not self.controller.running:
            self.composer.begin_edit(message.id, message.content, message.files)

    def _new_chat(self, intent: intents.NewChat | intents.StartOver) -> None:
        last = self.controller.chat.last("user") if isinstance(intent, intents.StartOver) else None
        self.frame.clear_banners()
        self.controller.new_chat()
        self.composer.edit.setFocus()
        if last is not None:
            self.controller.send(last.content, last.files)

    def _begin_chat(self, bundle: str) -> None:
        """Begins a new chat with a bundle that was opened for it, unless the open one is of this bundle."""
        chat = self.controller.chat
        if len(chat) and chat.bundle != bundle and not self.controller.running:
            self._new_chat(intents.NewChat())

    def _show_last_bundle(self) -> None:
        """Says that another bundle gave the last reply than the one that gives the next."""
        chat, now = self.controller.chat, self.opener.path
        before = chat.bundle if len(chat) and now and not self.controller.running else ""
        if before and before != now:
            self.frame.last_bundle.show_bundle(before, self.context.title_of(before), self.opener.title)
        else:
            self.frame.last_bundle.hide()

    def _on_chat(self) -> None:
        self.context.activities.acknowledge("generate")  # the failure was of the previous chat
        self._refresh_state()

    def _on_bundle(self, *_: object) -> None:
        self.views.follow_bundle()
        self._refresh_state()
        if self.isVisible() and not self.controller.busy:
            self.opener.ensure_open()
            self.composer.edit.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt's name: the bundle opens when the page is looked at, so that the first reply comes fast."""
        super().showEvent(event)
        self.opener.open_unless_failed()
        self.opener.request_devices()
        self.composer.edit.setFocus()

    def _refresh_state(self, *_: object) -> None:
        chat = self.controller.chat
        opening = self.opener.state == "opening"
        ready = self.context.ready
        self.frame.show_state(self.opener.name, not len(chat), self.controller.completes, opening)
        if ready is None:
            self.frame.show_senses(sees=False, takes_sound=False, speech=None)
        else:
            self.frame.show_senses(sees=ready.sees, takes_sound=ready.takes_sound, speech=ready.speech)
        self.header.heading.set_whole(chat.title or self.tr("New chat"))
        self.header.drafts.setVisible(any(one.reply is not None and one.reply.drafter for one in chat.path()))
        self.usage.refresh()
        self._show_last_bundle()
        self._active_settings.refresh()

    def _on_running(self, running: bool) -> None:
        self.composer.set_running(running)
        if running:
            self.banner.clear()
        elif self.isVisible():
            QTimer.singleShot(0, self, self.opener.open_unless_failed)  # another bundle may have been chosen meanwhile

    def _underline_drafts(self, on: bool) -> None:
        self.transcript.underline_drafts(on)
        self.context.settings.set("chat.drafts", "shown" if on else "hidden")

    def _show_setting(self, place: QWidget) -> None:
        """Shows the side panel at one of its fields."""
        self.header.side.setChecked(True)
        self.panel.reveal(place)

    def _show_side(self, key: str, side: QWidget, on: bool) -> None:
        side.setVisible(on)
        self.context.settings.set(key, "shown" if on else "hidden")

    def shut(self) -> None:
        """Saves everything; the next start restores it."""
        self.usage.stop()
        self.recordings.playback.stop()
        self.composer.attachments.recorder.cancel()
        self.choices.apply_pending()
        self.drafting.save()
        self.controller.shut()
