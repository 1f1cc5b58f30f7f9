"""The main window: rail, context bar, page stack, status line, command palette, settings menu, drag and drop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path

from PySide6.QtCore import QChildEvent, QEvent, QRect, Qt, QTimer
from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QKeySequence
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from app.help.controller import HelpController
from app.interop.actions import InteropActions
from app.startup.preload import SLOW_IMPORTS, Preloader
from app.state.context import Act, AppContext
from app.state.inspection import InspectTarget
from app.state.settings import expand_home
from app.text.translatable import translatable
from app.widgets.bundle_bar import BundleBar
from app.widgets.close_guard import CloseGuard
from app.widgets.command_palette import CommandPalette
from app.widgets.drop_frame import DropFrame
from app.widgets.note_line import ErrorBanner
from app.widgets.rail import PageEntry, Rail
from app.widgets.screen_geometry import available_screens, fit_to_screen, minimum_window_size
from app.widgets.session_choice import SessionChoice
from app.widgets.status_line import StatusLine
from app.widgets.styling import apply_style
from app.widgets.theme import set_icon, theme

SETTINGS = PageEntry("settings", translatable("Settings"), "settings", "app.settings.page:SettingsPage")


class MainWindow(QMainWindow):
    """The frame around the pages. A page is built when it is first shown and keeps its state from then on."""

    def __init__(self, context: AppContext, pages: Sequence[PageEntry]) -> None:
        super().__init__()
        self.context = context
        self._entries = {page.name: page for page in (*pages, SETTINGS)}
        self._built: dict[str, QWidget] = {}
        self.warm = Preloader(self)
        self.setWindowTitle("Joinery")
        self.setWindowIcon(theme().icon("joinery"))
        self.setAcceptDrops(True)
        self.setMinimumSize(minimum_window_size(available_screens()))
        self.rail = Rail(pages, SETTINGS)
        self.bar = BundleBar(context)
        self.stack = QStackedWidget()
        self.status = StatusLine(context)
        self.interop = InteropActions(self)
        self.help = HelpController(self)
        self.leaving = CloseGuard(context, self)
        self.drop = DropFrame(self)
        self._lay_out()
        self._make_actions()
        self.palette_box = CommandPalette(self.every_action, self)
        self._connect()
        self._restore()

    def _lay_out(self) -> None:
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addWidget(self.bar)
        right.addWidget(self.stack, 1)
        right.addWidget(self.status)
        body = QWidget()
        row = QHBoxLayout(body)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.rail)
        row.addLayout(right, 1)
        self.setCentralWidget(body)
        self.banner = ErrorBanner(self.context.notes, self.stack)
        for part in (self.rail, self.bar, self.banner, self.status):
            apply_style(part)

    def _make_actions(self) -> None:
        for action in self.rail.actions_of_pages:
            self.addAction(action)
        for mode, text in (
            ("system", self.tr("Theme: follow the system")),
            ("light", self.tr("Theme: light")),
            ("dark", self.tr("Theme: dark")),
        ):
            self._action(text, "", "settings", partial(self.set_theme, mode))
        self._action(self.tr("Find an action"), "Ctrl+K", "search", lambda: self.palette_box.open())
        self._action(self.tr("Open or compare ONNX files …"), "Ctrl+O", "inspect", self._ask_graphs)
        for text, icon, act in (
            (self.tr("Import a folder of onnxruntime-genai's …"), "folder", self.interop.ask_import),
            (self.tr("Export the bundle for onnxruntime-genai …"), "save", self.interop.export_current),
            (self.tr("Put ONNX graphs together …"), "component", self.interop.ask_graphs),
            (self.tr("Find the divergence of two runs …"), "branch", self._find_divergence),
        ):
            self._action(text, "", icon, act)
        for text, keys, act in (
            (self.tr("Help for this page"), "F1", self.help.page),
            (self.tr("Keyboard shortcuts"), "Ctrl+?", self.help.list),
            (self.tr("About Joinery"), "", self.help.about),
        ):
            self._action(text, keys, "info", act)
        self._action(self.tr("Settings"), "Ctrl+,", "settings", lambda: self.show_page("settings"))
        self._action(self.tr("Quit"), "Ctrl+Q", "close", self.close)

    def _action(self, text: str, keys: str, icon: str, act: Act) -> QAction:
        action = QAction(text, self)
        if keys:
            action.setShortcut(QKeySequence(keys))
        set_icon(action, icon)
        action.setIconVisibleInMenu(False)
        action.triggered.connect(lambda _checked=False: act())
        self.addAction(action)
        return action

    def _connect(self) -> None:
        self.rail.chosen.connect(self.show_page)
        self.rail.helpRequested.connect(self.help.page)
        self.context.settings.changed.connect(self._on_setting)
        self.bar.paletteRequested.connect(self.palette_box.open)
        self.context.navigate.connect(self.show_page)
        self.context.accuracyRequested.connect(self._show_accuracy)
        self.context.exportRequested.connect(self.interop.export)
        self.context.bundleChanged.connect(self._say_in_place)
        self.context.session_worker.crashed.connect(self._on_session_crash)

    def every_action(self) -> Iterator[QAction]:
        """All that the palette can find: the window's actions, then those of the pages that were built."""
        yield from self.actions()
        for page in self._built.values():
            yield from page.actions()

    @property
    def page_names(self) -> list[str]:
        """The names of the pages, in the rail's order."""
        return list(self._entries)

    @property
    def current_page(self) -> str:
        """The name of the page that is in front, or that will be."""
        front = self.stack.currentWidget()
        return next((name for name, page in self._built.items() if page is front), self._first)

    def page(self, name: str) -> QWidget:
        """The page called `name`, built if it is not yet."""
        if name not in self._built:
            page = self._build_page(self._entries[name])
            apply_style(page, later=True)
            for choice in page.findChildren(SessionChoice):
                choice.prefer(self.context.settings.preference("provider"))
            self._built[name] = page
            self.stack.addWidget(page)
        return self._built[name]

    def _build_page(self, entry: PageEntry) -> QWidget:
        module, _, cls = entry.factory.partition(":")
        page: QWidget = getattr(import_module(module), cls)(self.context)
        page.setAccessibleName(entry.title)
        if page.focusProxy() is None:
            page.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # Tab leads from the page to its first control
        return page

    def warm_up(self) -> None:
        """Build the other pages ahead, a slice at a time, now that the window is shown."""
        modules = [*SLOW_IMPORTS, *(entry.factory.partition(":")[0] for entry in self._entries.values())]
        self.warm.start([partial(self._build_ahead, name) for name in self._entries], modules)

    def _build_ahead(self, name: str) -> None:
        """A page, and in slices of their own the parts that it has."""
        parts = getattr(self.page(name), "slices", None)
        if parts is not None:
            self.warm.next(parts())

    def built(self, name: str) -> QWidget | None:
        """The page called `name`, where it is built."""
        return self._built.get(name)

    def title_of(self, name: str) -> str:
        """What the page called `name` is called in the window."""
        return self._entries[name].title

    def show_page(self, name: str) -> None:
        """Bring a page to the front; Ctrl+1… and the rail come here."""
        page = self.page(name)
        self.stack.setCurrentWidget(page)
        self.context.notes.set_front("page", name)
        page.setFocus()
        self.rail.set_current(name)
        self.setWindowTitle(f"{self.title_of(name)} · Joinery")
        self.help.follow()

    def _show_accuracy(self, candidate: str, reference: str, consented: Sequence[str]) -> None:
        """The measure page is built when it is first asked for, so that a signal cannot reach it before."""
        self.show_page("measure")
        self.page("measure").show_accuracy(candidate, reference, consented)  # type: ignore[attr-defined]

    def set_theme(self, mode: str) -> None:
        """Follow the system, or be light or dark; kept for the next start."""
        self.context.settings.set("theme", mode)
        theme().set_mode(mode)

    def _on_setting(self, key: str) -> None:
        if key == "theme":
            theme().set_mode(self.context.settings.preference(key))

    def _find_divergence(self) -> None:
        from app.measure.divergence.dialog import DivergenceDialog  # when it is first asked for

        (DivergenceDialog.waiting(self) or DivergenceDialog(self.context, self)).show()

    def _say_in_place(self, summary: dict[str, object] | None) -> None:
        """A folder of another program's is read where it lies, and changed by nobody."""
        if summary and summary.get("in_place"):
            text = self.tr("This is a folder of onnxruntime-genai's, read in place; nothing is written to it.")
            folder = str(summary["path"])
            self.context.show_note(
                text, self.tr("Import …"), lambda: self.interop.import_folder(folder), owner={"bundle": folder}
            )

    def _on_session_crash(self, message: str) -> None:
        """The chat page has a banner of its own for this."""
        if self.stack.currentWidget() is self._built.get("chat"):
            return
        session = self.context.session
        self.context.show_error(
            message,
            self.context.session_worker.last_lines,
            self.tr("Reopen the bundle"),
            session.reopen,
            owner={"session": (session.bundle, "failed")},
        )

    def _restore(self) -> None:
        settings = self.context.settings
        self.resize(1280, 800)
        self.restoreGeometry(settings.data("geometry"))
        if not self.windowState():
            place = fit_to_screen(QRect(self.pos(), self.size()), available_screens())
            self.resize(place.size())
            self.move(place.topLeft())
        name = settings.text("page", "home")
        self._first = name if name in self._entries else "home"
        QTimer.singleShot(0, self, self._restore_page)

    def _restore_page(self) -> None:
        """After the frame is shown, which need not wait for it; unless another page was asked for meanwhile."""
        if not self._built:
            self.show_page(self._first)
        QTimer.singleShot(0, self, self._restore_bundle)

    def _restore_bundle(self) -> None:
        """After the window is shown: reading bundles takes an import and some files."""
        self.context.recents.refresh()
        last = self.context.settings.text("bundle")
        if last and self.context.bundle is None:
            self.context.open_bundle(last)

    def open_path(self, path: str | Path) -> None:
        """What was dropped or named on the command line: an .onnx file, a bundle's folder or a checkpoint's."""
        target = expand_home(path).absolute()
        if target.suffix == ".onnx" and target.is_file():
            self.show_page("inspect")
            self.context.inspectRequested.emit(InspectTarget(str(target)))
        elif any((target / name).exists() for name in ("pipeline.json", "manifest.json", "genai_config.json")):
            if self.context.open_bundle(target):
                self.show_page("chat")
        elif target.is_dir():
            self.show_page("build")
            self.context.unsaved_recipe.probe(str(target))
        else:
            self.context.show_error(
                self.tr("{0} is neither a folder nor an .onnx file.").format(str(target)),
            )

    def open_paths(self, paths: Sequence[str]) -> None:
        """Two dropped .onnx files are compared, more are parts of one; of anything else the first is opened."""
        graphs = [str(Path(p).absolute()) for p in paths if p.lower().endswith(".onnx") and Path(p).is_file()]
        if len(paths) == 2 and len(graphs) == 2:
            self.show_page("inspect")
            look = InspectTarget(graphs[1], before=graphs[0])
            self.context.inspectRequested.emit(look)
            text = self.tr("Two graphs are compared. Parts of one model can be put together instead.")
            owner = {**self.context.notes.here, "look": look}
            self.context.show_note(text, self.tr("Put together …"), lambda: self.interop.assemble(graphs), owner)
        elif len(graphs) > 2:
            self.interop.assemble(graphs)
        elif paths:
            self.open_path(paths[0])

    def _ask_graphs(self) -> None:
        """Asks for one .onnx file, or two to compare."""
        names, _kind = QFileDialog.getOpenFileNames(
            self, self.tr("Open an ONNX file, or choose two to compare"), "", self.tr("ONNX files (*.onnx)")
        )
        self.open_paths(names)

    def childEvent(self, event: QChildEvent) -> None:
        """A dialog, a menu or what lies over the pages is dressed before it is seen."""
        super().childEvent(event)
        if event.type() != QEvent.Type.ChildPolished:
            return  # before one asks what it is: a child that is being made costs PySide 25 ms to find a class for
        child = event.child()
        if isinstance(child, QWidget) and child is not self.centralWidget():
            apply_style(child)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """A local file or folder may be dropped anywhere, or several .onnx files."""
        files = [u for u in event.mimeData().urls() if u.isLocalFile()]
        if files:
            event.acceptProposedAction()
            self.drop.show_for(len(files))

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Nothing is dropped."""
        self.drop.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped."""
        self.drop.hide()
        paths = [u.toLocalFile() for u in event.mimeData().urls() if u.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.open_paths(paths)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep the geometry and the page, and end the workers; a build that ran resumes when it is asked for again."""
        if not self.leaving.may_close():
            event.ignore()
            return
        self.warm.stop()
        self.context.settings.set("geometry", self.saveGeometry())
        self.context.settings.set("page", self.current_page)  # now and not with each change: it waits for the disk
        self.context.close()
        super().closeEvent(event)
