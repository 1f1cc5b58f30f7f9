"""The main window: rail, bundle bar, page stack, status line, command palette, drag and drop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from PySide6.QtCore import QChildEvent, QEvent, QRect, QTimer
from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QVBoxLayout, QWidget

from app.frame.bundle_bar import BundleBar
from app.frame.cli_actions import add_cli_actions
from app.frame.close_guard import CloseGuard
from app.frame.command_palette import CommandPalette
from app.frame.drop_frame import DropFrame
from app.frame.navigation_rail import NavigationRail, PageEntry
from app.frame.note_line import ErrorBanner
from app.frame.page_stack import PageStack
from app.frame.part_installer import PartInstaller
from app.frame.screen_geometry import available_screens, fit_to_screen, minimum_window_size
from app.frame.status_line import StatusLine
from app.help.dialog import HelpController
from app.help.guided_tour import GuidedTour
from app.interop.actions import InteropActions
from app.state.context import Act, AppContext
from app.state.settings import expand_home
from app.text.translatable import translatable
from app.widgets.banner_overlay import BannerOverlay
from app.widgets.drops import accept_as_copy
from app.widgets.styling import apply_style
from app.widgets.theme import set_icon, theme

SETTINGS = PageEntry("settings", translatable("Settings"), "settings", "app.settings.page:SettingsPage")


class MainWindow(QMainWindow):
    """The frame around the pages; `stack` builds and holds them. path: to open at the start, after the last bundle."""

    def __init__(self, context: AppContext, pages: Sequence[PageEntry]) -> None:
        super().__init__()
        self.context = context
        self.path = ""
        self.setWindowTitle("Joinery")
        self.setWindowIcon(theme().icon("joinery"))
        self.setAcceptDrops(True)
        self.setMinimumSize(minimum_window_size(available_screens()))
        self.rail = NavigationRail(pages, SETTINGS)
        self.bar = BundleBar(context)
        self.stack = PageStack(context, (*pages, SETTINGS))
        self.status = StatusLine(context)
        self.interop = InteropActions(context, self)
        self.help = HelpController(context, self.stack, self)
        self.tour = GuidedTour(context, self.stack, self.show_page, self)
        self.part_installer = PartInstaller(context, self)
        self.close_guard = CloseGuard(context, self)
        self.drop_frame = DropFrame(self)
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
        self.banner = ErrorBanner(self.context.notes)
        overlay = BannerOverlay(body, self.banner, area=self.stack)
        for part in (self.rail, self.bar, overlay, self.status):
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
        self._action(self.tr("Open or compare ONNX files …"), "Ctrl+O", "inspect", self.interop.choose_files)
        for text, icon, act in (
            (self.tr("Import a folder of onnxruntime-genai …"), "folder", self.interop.choose_import),
            (self.tr("Export the bundle for onnxruntime-genai …"), "save", self.interop.export_current),
            (self.tr("Write the bundle as a GGUF file …"), "save", self.interop.export_current_gguf),
            (self.tr("Assemble ONNX graphs …"), "component", self.interop.choose_graphs),
            (self.tr("Find the divergence of two runs …"), "branch", self._find_divergence),
            (self.tr("Install what building needs …"), "build", self.context.build_part.describe),
        ):
            self._action(text, "", icon, act)
        for text, keys, act in (
            (self.tr("Help for this page"), "F1", partial(self.help.show_sheet, "page")),
            (self.tr("Documentation"), "", partial(self.help.show_sheet, "documentation")),
            (self.tr("Keyboard shortcuts"), "Ctrl+?", partial(self.help.show_sheet, "shortcuts")),
            (self.tr("What this machine can do"), "", partial(self.help.show_sheet, "machine")),
            (self.tr("Take the tour"), "", self.tour.start),
            (self.tr("About Joinery"), "", partial(self.help.show_sheet, "about")),
        ):
            self._action(text, keys, "info", act)
        self._action(self.tr("Settings"), "Ctrl+,", "settings", lambda: self.show_page("settings"))
        self._action(self.tr("Quit"), "Ctrl+Q", "close", self.close)
        documented = partial(self.help.show_sheet, "documentation")
        others: dict[str, Act] = {
            "assemble": self.interop.choose_graphs,
            "import": self.interop.choose_import,
            "export-genai": self.interop.export_current,
            "diverge": self._find_divergence,
            "export-gguf": self.interop.export_current_gguf,
            **dict.fromkeys(("cache", "plugins", "samples"), documented),
        }
        add_cli_actions(self, self.show_page, self.stack.page, others)

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
        self.rail.helpRequested.connect(partial(self.help.show_sheet, "page"))
        self.context.settings.changed.connect(self._on_setting)
        self.bar.paletteRequested.connect(self.palette_box.open)
        self.bar.openRequested.connect(self.interop.choose_bundle)
        self.context.navigate.connect(self.show_page)
        self.context.accuracyRequested.connect(partial(self._call_page, "measure", "show_accuracy"))
        self.context.helpRequested.connect(self.help.show_sheet)
        self.context.tourRequested.connect(self.tour.start)
        self.context.convertRequested.connect(partial(self._call_page, "build", "offer_hub"))
        self.context.exportRequested.connect(self.interop.export)
        self.context.session_worker.crashed.connect(self._on_session_crash)

    def every_action(self) -> Iterator[QAction]:
        """The actions of the command palette: of the window, of the pages built so far, and the recent bundles."""
        yield from self.actions()
        for page in self.stack.built_pages:
            yield from page.actions()
        yield from self.bar.bundle_actions()

    def show_page(self, name: str) -> None:
        """Show a page; the rail and Ctrl+1… call this."""
        page = self.stack.page(name)
        self.stack.setCurrentWidget(page)
        self.context.notes.set_front("page", name)
        page.setFocus()
        self.rail.set_current(name)
        self.setWindowTitle(f"{self.stack.title_of(name)} · Joinery")
        self.help.update_page()

    def _call_page(self, name: str, method: str, *arguments: object) -> None:
        """Show a page and call a method of it by name: it may not be built yet, so that no signal could reach it."""
        self.show_page(name)
        getattr(self.stack.page(name), method)(*arguments)

    def set_theme(self, mode: str) -> None:
        """Set and save the theme: `system`, `light` or `dark`."""
        self.context.settings.set("theme", mode)
        theme().set_mode(mode)

    def _on_setting(self, key: str) -> None:
        if key == "theme":
            theme().set_mode(self.context.settings.preference(key))

    def _find_divergence(self) -> None:
        from app.measure.divergence.dialog import DivergenceDialog  # imported when it is first needed

        (DivergenceDialog.waiting(self) or DivergenceDialog(self.context, self)).show()

    def _on_session_crash(self, message: str) -> None:
        """Report the crash on every page but the chat page, which has its own banner for it."""
        if self.stack.currentWidget() is self.stack.built("chat"):
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
        QTimer.singleShot(0, self, self._restore_page)

    def _restore_page(self) -> None:
        """Show the last page after the frame is visible, unless another page was shown in the meantime."""
        if not self.stack.count():
            self.show_page(self.stack.first)
        QTimer.singleShot(0, self, self._restore_bundle)

    def _restore_bundle(self) -> None:
        """Open the last bundle after the window is visible: reading bundles takes an import and some files."""
        self.context.recents.refresh()
        last = self.context.settings.text("bundle")
        replaced = self.path and expand_home(self.path).is_dir()  # by the bundle or the checkpoint that is there
        if last and self.context.bundle is None and not replaced:
            self.context.open_bundle(last)
        if self.path:
            self.interop.open_path(self.path)

    def childEvent(self, event: QChildEvent) -> None:
        """Style a new child (dialog, menu, overlay) before it is shown."""
        super().childEvent(event)
        if event.type() != QEvent.Type.ChildPolished:
            return  # first: for a child under construction, PySide takes 25 ms to find its class
        child = event.child()
        if isinstance(child, QWidget) and child is not self.centralWidget():
            apply_style(child)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept local files and folders anywhere in the window."""
        files = [u for u in event.mimeData().urls() if u.isLocalFile()]
        if files:
            accept_as_copy(event)
            self.drop_frame.show_for(len(files))

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Hide the frame when the files leave the window."""
        self.drop_frame.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the dropped files."""
        self.drop_frame.hide()
        paths = [u.toLocalFile() for u in event.mimeData().urls() if u.isLocalFile()]
        if paths:
            accept_as_copy(event)
            self.interop.open_paths(paths)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save the geometry and the page, and stop the workers. A running build can be resumed later."""
        if not self.close_guard.may_close():
            event.ignore()
            return
        self.stack.preloader.stop()
        self.context.settings.set("geometry", self.saveGeometry())
        self.context.settings.set("page", self.stack.current_name)  # once, at the end: writing waits for the disk
        self.context.close()
        super().closeEvent(event)
