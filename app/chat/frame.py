"""The layout of the chat page: the header and the widgets around the conversation; ChatStack shows other pages.

list of chats │ header, banners, the conversation, context bar, composer │ side panel
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFrame, QMenu, QStackedWidget, QToolButton, QWidget

from app.chat.chat_list import ChatList
from app.chat.compare import CompareView
from app.chat.composer import Composer
from app.chat.context_usage import ContextUsageBar
from app.chat.controller import ChatController
from app.chat.examples import ExamplePrompts
from app.chat.intents import CompareBundles, NewChat
from app.chat.sampling import SamplingSettings
from app.chat.setting_chips import SettingChipRow
from app.chat.settings_panel import SettingsPanel
from app.chat.tasks.depth_view import DepthView
from app.chat.tasks.embedding_view import EmbeddingView
from app.chat.tasks.label_view import LabelView
from app.chat.tasks.picture_label_view import PictureLabelView
from app.chat.tasks.pictures_panel import PicturesPanel
from app.chat.tasks.texts_panel import TextsPanel
from app.chat.transcript import COLUMN, Transcript
from app.jobs.worker_client import WorkerClient
from app.state.bundle_use import use_of
from app.state.context import AppContext
from app.state.embeddings import Embeddings
from app.state.picture_task import Depths, LabeledPictures
from app.state.recent_bundles import bundle_title
from app.state.saved_texts import SavedTexts
from app.state.text_labels import TextLabels
from app.widgets import Banner, ElidedLabel, EmptyState, button, label
from app.widgets.actions import tool_button
from app.widgets.banner_overlay import BannerOverlay
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
        self.examples.clipChosen.connect(self.composer.attachments.sound)
        self.no_bundle = EmptyState("", icon="chat")
        self.show_absence("")
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
        middle = vbox(self.header, (self.stack, 1), foot, spacing=0)
        hbox(self.list_side, (middle, 1), self.side, spacing=0, parent=self)
        self.overlay = BannerOverlay(self, self.chat_banner, self.banner, area=self.stack)

    def show_state(self, bundle: str, empty: bool, completes: bool, opening: bool) -> None:
        """Shows the page's state: bundle name (or empty), whether the chat is empty, whether the model completes."""
        self.composer.set_enabled(bool(bundle))
        self.composer.set_completes(completes)
        self.examples.show_invitation(bundle, completes, opening)
        self.header.set_empty(empty)
        self.stack.setCurrentIndex(2 if not empty else 1 if bundle else 0)

    def show_absence(self, name: str) -> None:
        """Says why there is no chat: no bundle is open, or the one called `name` has no page for its task."""
        if name:
            text = self.tr("Inspect shows its graph and runs it on numbers; Measure shows its speed.")
            self.no_bundle.set(self.tr("{0} does not chat").format(name), text, self.tr("Inspect"))
        else:
            text = self.tr("Open a bundle you have built, or convert the demo in a minute. The chat appears here.")
            self.no_bundle.set(self.tr("No bundle is open"), text, self.tr("Go to Home"))

    def show_senses(self, *, sees: bool, takes_sound: bool, speech: SpeechChoices | None) -> None:
        """Shows what the open bundle takes besides text: pictures, recordings, or a recording in place of a prompt."""
        self.composer.set_senses(sees, speech, takes_sound)
        if speech is not None:
            self.examples.invite_recording()
        elif sees:
            self.examples.invite_pictures()

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


TaskView = EmbeddingView | LabelView | PictureLabelView | DepthView
"""The page of a bundle that does not chat."""
_TASK_VIEWS: dict[str, Callable[[Callable[[], WorkerClient], QObject], TaskView]] = {
    "vectors": lambda new, owner: EmbeddingView(Embeddings(new, owner)),
    "labels": lambda new, owner: LabelView(TextLabels(new, owner)),
    "pictures": lambda new, owner: PictureLabelView(LabeledPictures(new, owner)),
    "depth": lambda new, owner: DepthView(Depths(new, owner)),
}
"""By the use of a bundle."""


def _inputs(page: TaskView) -> TextsPanel | PicturesPanel:
    """The part of a page that has what is given to the bundle."""
    return page.texts if isinstance(page, EmbeddingView | LabelView) else page.pictures


class ChatStack(QStackedWidget):
    """Shows `frame`, the page of a bundle that does something else, or a comparison of two bundles.

    covered: emitted when something is shown in place of the conversation, or no more; that stays as it is.
    """

    covered = Signal(bool)

    def __init__(self, context: AppContext, frame: ChatFrame, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._frame = context, frame
        self.compare: CompareView | None = None
        self.tasks: dict[str, TaskView] = {}
        """The pages built so far, by the use of their bundles."""
        self._saved = SavedTexts(context.home, context.show_error)
        context.closing.connect(self._save_texts)
        self.addWidget(frame)

    def follow_bundle(self) -> None:
        """Shows the page that the current bundle has."""
        bundle = self._context.bundle
        use = use_of(bundle)
        self._frame.show_absence(str(bundle["name"]) if bundle is not None and not use else "")
        if bundle is None or use not in _TASK_VIEWS:
            if self.currentWidget() in self.tasks.values():
                self._show(self._frame)
            return
        page = self._task(use)
        page.set_bundle(bundle, bundle_title(bundle))
        self._show(page)

    def _task(self, use: str) -> TaskView:
        if use not in self.tasks:
            page = self.tasks[use] = _TASK_VIEWS[use](self._context.new_idle_worker, self)
            _inputs(page).show_content(self._saved.of(use))
            self.addWidget(page)
            above = self.parentWidget()
            if above is not None:
                above.addActions(page.actions())  # the command palette lists those of pages
        return self.tasks[use]

    def _save_texts(self) -> None:
        self._saved.save({use: _inputs(page).content for use, page in self.tasks.items()})

    def escape(self) -> None:
        """Stops what the visible page does."""
        shown = self.currentWidget()
        if isinstance(shown, TaskView):
            _inputs(shown).cancel()
        else:
            self.composer.escape()

    def _show(self, page: QWidget) -> None:
        self.setCurrentWidget(page)
        for task in self.tasks.values():
            for action in task.actions():
                action.setEnabled(page is task)
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
