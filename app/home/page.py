"""The Home page: three ways to start, unfinished builds, and the recent bundles."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPushButton, QWidget

from app.home.recent_row import RecentRow
from app.home.welcome_card import WelcomeCard
from app.state.context import AppContext
from app.state.inspection import InspectTarget
from app.state.recent_bundles import RecentBundle
from app.state.settings import existing_parent
from app.state.unfinished_builds import UnfinishedBuild
from app.text.formatting import format_local_time
from app.text.translatable import tr
from app.widgets.actions import add_action
from app.widgets.basics import (
    Banner,
    CardFrame,
    ElidedLabel,
    EmptyState,
    PillLabel,
    Section,
    button,
    label,
    scroll_area,
)
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.theme import G, set_icon


class UnfinishedRow(CardFrame):
    """One build: its source, time and progress. Discarding deletes files, so it asks for confirmation."""

    def __init__(self, context: AppContext, entry: UnfinishedBuild) -> None:
        super().__init__()
        self.entry, self._context = entry, context
        self.setAccessibleName(entry.name)
        head = hbox(label(entry.name, "heading"), PillLabel(self.tr("unfinished"), "warning"), STRETCH)
        self.status = ElidedLabel(self._status_text())
        self.resume = button(self.tr("Resume"), "refresh", "primary", self._resume)
        self.discard = button(self.tr("Discard"), "trash", clicked=self._discard)
        for part, verb in ((self.resume, self.tr("Resume {0}")), (self.discard, self.tr("Discard {0}"))):
            part.setAccessibleName(verb.format(entry.name))
        texts = vbox(head, self.status, spacing=G // 2)
        self.body.addLayout(hbox((texts, 1), self.resume, self.discard, spacing=2 * G))

    def _status_text(self) -> str:
        done = ", ".join(self.entry.stages)
        far = self.tr("finished stages: {0}").format(done) if done else self.tr("no finished stage")
        return " · ".join((self.entry.source, self.tr("started {0}").format(format_local_time(self.entry.began)), far))

    def _resume(self) -> None:
        self._context.unfinished.resume(self.entry)
        self._context.navigate.emit("build")  # another running build is shown there, too

    def _discard(self) -> None:
        sure = self.tr("Delete the finished stages?")
        if self.discard.text() != sure:
            self.discard.setText(sure)
            self.discard.setAccessibleName(sure)
        else:
            self._context.unfinished.discard(self.entry.out)


class UnfinishedSection(Section):
    """Hidden if there is no unfinished build."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(tr("Unfinished builds"))
        self._context = context
        self.rows: list[UnfinishedRow] = []
        context.unfinished.changed.connect(self.refresh)
        context.build.finished.connect(self.refresh)
        self._fill()
        if not self.rows:  # stays hidden without rows: before it has a parent, it would be a window
            self.hide()

    def refresh(self) -> None:
        """Update the list."""
        self._fill()
        self.setVisible(bool(self.rows))

    def _fill(self) -> None:
        for old in self.rows:
            self.body.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.rows = [UnfinishedRow(self._context, entry) for entry in self._context.unfinished.entries]
        for row in self.rows:
            self.body.addWidget(row)


class HomePage(QWidget):
    """Start cards above, recent bundles below; follows `context.recents`."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.title = self.tr("Home")
        self._context = context
        self.rows: list[RecentRow] = []
        self.undo = Banner()
        recent = Section(self.tr("Recent bundles"))
        self._empty = EmptyState(
            self.tr("No bundles yet"),
            self.tr(
                "Bundles that you build or open are listed here with their architecture, precision, cache and speed. "
                "A folder, an .onnx or a .gguf file can also be dropped anywhere in this window."
            ),
            icon="component",
        )
        self.unfinished = UnfinishedSection(context)
        self._rows_box = vbox()
        recent.body.addWidget(self.undo)
        recent.body.addLayout(self._rows_box)
        recent.body.addWidget(self._empty)
        content, start = QWidget(), label(self.tr("Start"), "title")
        self.welcome = WelcomeCard(context)
        parts = (start, self._cards(), self.unfinished, self.welcome, G, recent, STRETCH)
        vbox(*parts, spacing=2 * G, margins=3 * G, parent=content)
        vbox(scroll_area(content), parent=self)
        self._add_actions()
        context.recents.changed.connect(self.refresh)
        context.build.changed.connect(self._watch_demo)
        context.demo.stepped.connect(self._on_demo_step)
        self.refresh()

    def _cards(self) -> QHBoxLayout:
        row = hbox(spacing=2 * G)
        text = self.tr("Build ONNX graphs with an explicit KV cache from a Hugging Face folder or hub id.")
        self.convert = self._card(row, "build", self.tr("Convert a checkpoint"), text, self.tr("Choose a source"))
        text = self.tr("Build the small Qwen3 that ships with Joinery: under a minute, no download.")
        self.demo = self._card(row, "demo", self.tr("Try the demo"), text, self.tr("Build and chat"))
        text = self.tr("Inspect a graph's inputs, outputs and operators, or chat with a bundle.")
        self.open = self._card(row, "folder", self.tr("Open an ONNX file or bundle"), text, self.tr("Open a bundle"))
        self.convert.clicked.connect(self.start_convert)
        self.demo.clicked.connect(self.start_demo)
        self.open.clicked.connect(self.choose_bundle)
        return row

    def _card(self, row: QHBoxLayout, icon: str, title: str, text: str, action: str) -> QPushButton:
        card = CardFrame()
        picture = label()
        set_icon(picture, icon, "accent", 28)
        card.body.addWidget(picture)
        card.body.addWidget(label(title, "heading", wrap=True))
        card.body.addWidget(label(text, "muted", wrap=True))
        card.body.addStretch(1)
        push = button(action, role="primary" if icon == "demo" else "")
        buttons = [push]
        if icon == "folder":
            self.open_file = button(self.tr("Open a file"), clicked=self.choose_file)
            buttons.append(self.open_file)
        card.body.addLayout(hbox(*buttons, STRETCH))
        row.addWidget(card, 1)
        return push

    def _add_actions(self) -> None:
        for text, icon, act, keys in (
            (self.tr("Convert a checkpoint"), "build", self.start_convert, ""),
            (self.tr("Try the demo"), "demo", self.start_demo, ""),
            (self.tr("Open a bundle"), "folder", self.choose_bundle, ""),
            (self.tr("Open an ONNX file"), "file", self.choose_file, ""),
            (self.tr("Undo removing a bundle from the list"), "undo", self._undo, "Ctrl+Z"),
        ):
            add_action(self, text, act, keys, icon=icon)

    def start_convert(self) -> None:
        """Show the wizard where it was left, or its first page after a finished build."""
        if self._context.build.state == "done":
            self._context.clear_build()
        self._context.navigate.emit("build")

    def demo_bundle(self) -> RecentBundle | None:
        """The recent demo bundle, if it is complete."""
        for entry in self._context.recents.entries:
            if entry.summary and entry.path.startswith(str(self._context.bundles_folder / "qwen3-demo")):
                return entry
        return None

    def start_demo(self) -> None:
        """Chat with the demo; if it is not built yet, build it with the defaults first."""
        entry = self.demo_bundle()
        if entry is not None:
            self._context.chat_with(entry.path)
        elif self._context.build.running:
            self._context.navigate.emit("build")
        else:
            self._context.demo.start(self._context.bundle)

    def _on_demo_step(self, step: str) -> None:
        if step == "building" and self.isVisible():
            self._context.navigate.emit("build")
        self._watch_demo()

    def choose_bundle(self) -> None:
        """Choose a bundle folder."""
        start = str(existing_parent(self._context.bundles_folder))
        folder = QFileDialog.getExistingDirectory(self, self.tr("Open a bundle"), start)
        if folder:
            self._context.chat_with(folder)

    def choose_file(self) -> None:
        """Choose an .onnx file."""
        file, _ = QFileDialog.getOpenFileName(
            self, self.tr("Open an ONNX file"), str(Path.home()), self.tr("ONNX graphs (*.onnx)")
        )
        if file:
            self._context.navigate.emit("inspect")
            self._context.inspectRequested.emit(InspectTarget(file))

    def refresh(self) -> None:
        """Update the list."""
        for old in self.rows:
            self._rows_box.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.rows = [self._row(entry) for entry in self._context.recents.entries]
        for row in self.rows:
            self._rows_box.addWidget(row)
        self._empty.setVisible(not self.rows)
        self._watch_demo()

    def _row(self, entry: RecentBundle) -> RecentRow:
        row = RecentRow(entry)
        row.chat.connect(self._context.chat_with)
        row.inspect.connect(self._inspect)
        row.remove.connect(self._remove)
        row.locate.connect(self._locate)
        row.export.connect(self._context.exportRequested)
        return row

    def _watch_demo(self) -> None:
        built = self.demo_bundle() is not None
        text = self.tr("Chat with the demo") if built else self.tr("Build and chat")
        if self._context.build.running and not built:
            text = self.tr("Show the build")
        elif self._context.demo.step == "looking":
            text = self.tr("Checking …")
        if self.demo.text() != text:
            self.demo.setText(text)
            self.demo.setAccessibleName(text)

    def _inspect(self, path: str) -> None:
        if self._context.open_bundle(path):
            self._context.navigate.emit("inspect")

    def _locate(self, path: str) -> None:
        """Chooses the folder that a missing bundle was moved to, and opens it; what is no bundle changes nothing."""
        title = self.tr("Locate {0}").format(Path(path).name)
        folder = QFileDialog.getExistingDirectory(self, title, str(existing_parent(Path(path))))
        if folder and self._context.open_bundle(folder):
            self._context.recents.relocate(path, folder)

    def showEvent(self, event: QShowEvent) -> None:
        """Qt's name: a folder may have been moved meanwhile."""
        super().showEvent(event)
        self._context.recents.refresh_moved()

    def event(self, event: QEvent) -> bool:
        """Qt's name: the person comes back from a file manager."""
        if event.type() == QEvent.Type.WindowActivate and self.isVisible():
            self._context.recents.refresh_moved()
        return super().event(event)

    def _remove(self, path: str) -> None:
        entry = self._context.recents.find(path)
        name = entry.title if entry else path
        self._context.recents.remove(path)
        text = self.tr("{0} was removed from the list. Its files were not deleted.").format(name)
        self.undo.show_message("info", text, action=self.tr("Undo"), on_action=self._undo)
        self.undo.setFocus(Qt.FocusReason.OtherFocusReason)

    def _undo(self) -> None:
        self._context.recents.undo_remove()
        self.undo.clear()
