"""The help dialog: the current page, the documentation, the shortcuts of all pages, this machine, versions."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from PySide6.QtCore import QObject, QSize, Qt, qVersion
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QDialog, QGridLayout, QHeaderView, QTableWidget, QTableWidgetItem, QTabWidget, QWidget

from app.frame.command_palette import matches
from app.frame.page_stack import PageStack
from app.help.documentation import DocumentationSheet
from app.help.page_help import PageHelp, page_help
from app.state.context import AppContext
from app.widgets.basics import button, label, scroll_area
from app.widgets.fields import line_edit
from app.widgets.layouts import STRETCH, clear_layout, vbox
from app.widgets.theme import G
from workflows import __version__


@dataclass(frozen=True, slots=True)
class Shortcut:
    """Keys in the system's notation, their effect, and the page that they work on (empty: every page)."""

    keys: str
    text: str
    place: str = ""


def action_shortcuts(actions: Iterable[QAction], place: str = "") -> Iterator[Shortcut]:
    """The shortcuts of the actions that have keys, without duplicates."""
    seen = set[tuple[str, str]]()
    for action in actions:
        text = action.text().replace("&", "")
        for keys in action.shortcuts():
            shown = keys.toString(QKeySequence.SequenceFormat.NativeText)
            if shown and (shown, text) not in seen:
                seen.add((shown, text))
                yield Shortcut(shown, text, place)


def page_shortcuts(page: str, place: str) -> Iterator[Shortcut]:
    """The keys of a page that do not belong to an action."""
    for keys, text in page_help(page).keys:
        yield Shortcut(keys, text, place)


PARTS = (
    "PySide6",
    "onnxruntime",
    "onnxruntime-qnn",
    "onnxruntime-ep-webgpu",
    "onnxruntime-genai",
    "torch",
    "transformers",
    "onnx",
    "onnxscript",
    "tokenizers",
    "numpy",
    "pyqtgraph",
    "netron",
)
Fact = tuple[str, str, str]
"""A name, its version and its licence."""


def version_facts(parts: Sequence[str] = PARTS) -> list[Fact]:
    """Version and licence of Joinery, Python, Qt and the installed packages of `parts`."""
    rows = [
        ("Joinery", __version__, "Apache-2.0"),
        ("Python", platform.python_version(), "PSF-2.0"),
        ("Qt", qVersion(), "LGPL-3.0"),
    ]
    for name in parts:
        try:
            package = metadata.metadata(name)
        except metadata.PackageNotFoundError:
            continue
        rows.append((name, package["Version"], _licence_name(package)))
    return rows


def _licence_name(package: metadata.PackageMetadata) -> str:
    """The licence in one line; the first one if the package names several."""
    for field in ("License-Expression", "License"):
        text = str(next(iter(package.get_all(field) or []), "")).strip()  # with importlib_metadata, [] raises
        if text:
            first = re.split(r"\n| AND ", text)[0]
            return first if first == text else f"{first} …"
    classes = (str(value) for value in package.get_all("Classifier") or [])
    return next((one.rpartition(" :: ")[2] for one in classes if one.startswith("License :: ")), "")


def about_text(home: Path) -> str:
    """Versions, system and data folder as text for a bug report."""
    lines = [f"{name} {version}" for name, version, _licence in version_facts()]
    return "\n".join([*lines, platform.platform(), str(home)])


class PageSheet(QWidget):
    """The purpose of the current page, its first step and its keys."""

    def __init__(self) -> None:
        super().__init__()
        self.title, self.what = label("", "title"), label("", wrap=True)
        self.first, self.keys = label("", wrap=True), QGridLayout()
        self.keys.setColumnStretch(1, 1)
        self.keys.setHorizontalSpacing(2 * G)
        self.keys_title = label(self.tr("Keys on this page"), "heading")
        texts = (self.title, self.what, label(self.tr("To begin"), "heading"), self.first)
        self.tour = button(self.tr("Take the tour"), "play")
        tour = (self.tour, 0, Qt.AlignmentFlag.AlignLeft)
        vbox(*texts, self.keys_title, self.keys, 2 * G, tour, STRETCH, parent=self, margins=2 * G)

    def show_help(self, title: str, content: PageHelp, shortcuts: Iterable[Shortcut]) -> None:
        self.title.setText(title)
        self.what.setText(content.what)
        self.first.setText(content.first)
        clear_layout(self.keys)
        for row, one in enumerate(shortcuts):
            self.keys.addWidget(label(one.keys, "heading"), row, 0)
            self.keys.addWidget(label(one.text, wrap=True), row, 1)
        self.keys_title.setVisible(self.keys.count() > 0)


class ShortcutSheet(QWidget):
    """All shortcuts, with a field that filters them by keys or effect."""

    def __init__(self) -> None:
        super().__init__()
        self.field = line_edit(self.tr("Find a shortcut"), self.tr("Find a shortcut"), clear=True)
        self.field.textChanged.connect(self._filter)
        self.table = QTableWidget(0, 3)
        self.table.setAccessibleName(self.tr("Shortcuts"))
        self.table.setHorizontalHeaderLabels([self.tr("Keys"), self.tr("What they do"), self.tr("Where")])
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.setStyleSheet("QTableView::item { padding: 0 5px; }")
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        self.table.setTabKeyNavigation(False)
        head = self.table.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        vbox(self.field, (self.table, 1), parent=self, margins=2 * G)

    def fill(self, shortcuts: Iterable[Shortcut]) -> None:
        self.table.setRowCount(0)
        for one in shortcuts:
            row = self.table.rowCount()
            self.table.insertRow(row)
            for column, text in enumerate((one.keys, one.text, one.place or self.tr("everywhere"))):
                self.table.setItem(row, column, QTableWidgetItem(text))
        self._filter(self.field.text())

    @property
    def visible_texts(self) -> list[str]:
        """The effects of the shortcuts that match the filter."""
        rows = [row for row in range(self.table.rowCount()) if not self.table.isRowHidden(row)]
        return [self._text(row, 1) for row in rows]

    def _text(self, row: int, column: int) -> str:
        item = self.table.item(row, column)
        return item.text() if item is not None else ""

    def _filter(self, pattern: str) -> None:
        for row in range(self.table.rowCount()):
            line = " ".join(self._text(row, column) for column in range(self.table.columnCount()))
            self.table.setRowHidden(row, not matches(pattern, line))


class AboutSheet(QWidget):
    """Versions, licences and the data folder, with a button that copies them."""

    def __init__(self, home: Path) -> None:
        super().__init__()
        text = self.tr(
            "A workbench that turns Hugging Face checkpoints into composite ONNX models, and lets you see, run and "
            "measure what was built."
        )
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * G)
        grid.setColumnStretch(2, 1)
        for row, fact in enumerate(version_facts()):
            for column, text in enumerate(fact):
                grid.addWidget(label(text, "muted" if column == 2 else "small"), row, column)
        self.copy = button(
            self.tr("Copy"), "copy", clicked=lambda: QGuiApplication.clipboard().setText(about_text(home))
        )
        self.copy.setAccessibleName(self.tr("Copy versions and folder"))
        vbox(
            label("Joinery", "title"),
            label(text, wrap=True),
            grid,
            label(self.tr("Your data is in {0}").format(home), "muted", wrap=True),
            (self.copy, 0, Qt.AlignmentFlag.AlignLeft),
            STRETCH,
            parent=self,
            margins=2 * G,
        )


class HelpDialog(QDialog):
    """The sheets as tabs. `shortcuts` returns the current shortcuts; it is called whenever their sheet is shown."""

    def __init__(self, context: AppContext, shortcuts: Callable[[], Iterable[Shortcut]], parent: QWidget) -> None:
        from app.help.machine_sheet import MachineSheet  # imported when it is first needed

        super().__init__(parent)
        self.setWindowTitle(self.tr("Help"))
        self._shortcuts = shortcuts
        self.page, self.shortcuts, self.about = PageSheet(), ShortcutSheet(), AboutSheet(context.home)
        self.documentation, self.machine = DocumentationSheet(), MachineSheet(context)
        self.page.tour.clicked.connect(lambda: self._leave_for(context.tourRequested.emit))
        self.machine.convertRequested.connect(lambda name: self._leave_for(lambda: context.convertRequested.emit(name)))
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName(self.tr("Help"))
        sheets = (
            ("page", scroll_area(self.page), self.tr("This page")),
            ("documentation", self.documentation, self.tr("Documentation")),
            ("shortcuts", self.shortcuts, self.tr("Shortcuts")),
            ("machine", scroll_area(self.machine), self.tr("This machine")),
            ("about", scroll_area(self.about), self.tr("About")),
        )
        self._indices = {name: self.tabs.addTab(sheet, title) for name, sheet, title in sheets}
        self.tabs.currentChanged.connect(lambda _index: self._fill_sheet())
        vbox(self.tabs, parent=self)
        self.resize(QSize(118 * G, 76 * G).boundedTo(parent.size() * 0.9))

    def show_sheet(self, name: str) -> None:
        """Show the dialog with the sheet `page`, `documentation`, `shortcuts`, `machine` or `about`."""
        self.tabs.setCurrentIndex(self._indices[name])
        self._fill_sheet()
        self.show()
        self.activateWindow()
        focus = {"shortcuts": self.shortcuts.field, "documentation": self.documentation.list}
        focus.get(name, self.tabs.tabBar()).setFocus()

    def _leave_for(self, act: Callable[[], object]) -> None:
        self.close()
        act()

    def _fill_sheet(self) -> None:
        sheet = self.tabs.currentWidget()
        if sheet is self.shortcuts:
            self.shortcuts.fill(self._shortcuts())
        elif sheet is self.documentation:
            self.documentation.load()
        elif self.tabs.currentIndex() == self._indices["machine"]:
            self.machine.load()


class HelpController(QObject):
    """Creates the help dialog when it is first needed, and updates it when another page is shown."""

    def __init__(self, context: AppContext, stack: PageStack, window: QWidget) -> None:
        super().__init__(window)
        self._context, self._stack, self._window = context, stack, window
        self._dialog: HelpDialog | None = None

    @property
    def dialog(self) -> HelpDialog:
        """The dialog; created by the first call."""
        if self._dialog is None:
            self._dialog = HelpDialog(self._context, self.shortcuts, self._window)
        return self._dialog

    def show_sheet(self, name: str) -> None:
        """Show the sheet `page`, which describes the current page, or another one of the dialog."""
        self._describe_page()
        self.dialog.show_sheet(name)

    def update_page(self) -> None:
        """Describe the current page if the dialog is visible."""
        if self._dialog is not None and self._dialog.isVisible():
            self._describe_page()

    def shortcuts(self) -> Iterator[Shortcut]:
        """The shortcuts of the window, then those of each page."""
        yield from action_shortcuts(self._window.actions())
        for name in self._stack.names:
            yield from self._page_shortcuts(name)

    def _page_shortcuts(self, name: str) -> Iterator[Shortcut]:
        title = self._stack.title_of(name)
        page = self._stack.built(name)
        if page is not None:
            yield from action_shortcuts(page.findChildren(QAction), title)
        yield from page_shortcuts(name, title)

    def _describe_page(self) -> None:
        name = self._stack.current_name
        self.dialog.page.show_help(self._stack.title_of(name), page_help(name), self._page_shortcuts(name))
