"""The help dialog: the current page, the documentation, the shortcuts, About. It does not block the main window."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHeaderView,
    QLineEdit,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.help.about import about_text, version_facts
from app.help.documentation import DocumentationSheet
from app.help.page_help import PageHelp
from app.help.shortcuts import Shortcut
from app.widgets.basics import button, label, scroll_area
from app.widgets.command_palette import matches
from app.widgets.theme import G


class PageSheet(QWidget):
    """The purpose of the current page, its first step and its keys."""

    def __init__(self) -> None:
        super().__init__()
        self.title, self.what = label("", "title"), label("", wrap=True)
        self.first, self.keys = label("", wrap=True), QGridLayout()
        self._lines: list[QWidget] = []
        self.keys.setColumnStretch(1, 1)
        self.keys.setHorizontalSpacing(2 * G)
        box = QVBoxLayout(self)
        box.setContentsMargins(2 * G, 2 * G, 2 * G, 2 * G)
        box.setSpacing(G)
        self.keys_title = label(self.tr("Keys on this page"), "heading")
        for part in (self.title, self.what, label(self.tr("To begin"), "heading"), self.first, self.keys_title):
            box.addWidget(part)
        box.addLayout(self.keys)
        box.addStretch(1)

    def show_help(self, title: str, content: PageHelp, shortcuts: Iterable[Shortcut]) -> None:
        """Describe a page."""
        self.title.setText(title)
        self.what.setText(content.what)
        self.first.setText(content.first)
        for part in self._lines:
            self.keys.removeWidget(part)
            part.deleteLater()
        self._lines = []
        for row, one in enumerate(shortcuts):
            for column, part in enumerate((label(one.keys, "heading"), label(one.text, wrap=True))):
                self.keys.addWidget(part, row, column)
                self._lines.append(part)
        self.keys_title.setVisible(bool(self._lines))


class ShortcutSheet(QWidget):
    """All shortcuts, with a field that filters them by keys or effect."""

    def __init__(self) -> None:
        super().__init__()
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("Find a shortcut"))
        self.field.setAccessibleName(self.tr("Find a shortcut"))
        self.field.setClearButtonEnabled(True)
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
        box = QVBoxLayout(self)
        box.setContentsMargins(2 * G, 2 * G, 2 * G, 2 * G)
        box.setSpacing(G)
        box.addWidget(self.field)
        box.addWidget(self.table, 1)

    def fill(self, shortcuts: Iterable[Shortcut]) -> None:
        """Replace the table's rows."""
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
        box = QVBoxLayout(self)
        box.setContentsMargins(2 * G, 2 * G, 2 * G, 2 * G)
        box.setSpacing(G)
        box.addWidget(label("Joinery", "title"))
        text = self.tr(
            "A workbench that turns Hugging Face checkpoints into composite ONNX models, and lets you see, run and "
            "measure what was built."
        )
        box.addWidget(label(text, wrap=True))
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * G)
        grid.setColumnStretch(2, 1)
        for row, fact in enumerate(version_facts()):
            for column, text in enumerate(fact):
                grid.addWidget(label(text, "muted" if column == 2 else "small"), row, column)
        box.addLayout(grid)
        box.addWidget(label(self.tr("Your data is in {0}").format(home), "muted", wrap=True))
        self.copy = button(
            self.tr("Copy"), "copy", clicked=lambda: QGuiApplication.clipboard().setText(about_text(home))
        )
        self.copy.setAccessibleName(self.tr("Copy versions and folder"))
        box.addWidget(self.copy, 0, Qt.AlignmentFlag.AlignLeft)
        box.addStretch(1)


class HelpDialog(QDialog):
    """The sheets as tabs. `shortcuts` returns the current shortcuts; it is called whenever their sheet is shown."""

    def __init__(self, home: Path, shortcuts: Callable[[], Iterable[Shortcut]], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Help"))
        self._shortcuts = shortcuts
        self.page, self.shortcuts, self.about = PageSheet(), ShortcutSheet(), AboutSheet(home)
        self.documentation = DocumentationSheet()
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName(self.tr("Help"))
        sheets = (
            ("page", scroll_area(self.page), self.tr("This page")),
            ("documentation", self.documentation, self.tr("Documentation")),
            ("shortcuts", self.shortcuts, self.tr("Shortcuts")),
            ("about", scroll_area(self.about), self.tr("About")),
        )
        self._indices = {name: self.tabs.addTab(sheet, title) for name, sheet, title in sheets}
        self.tabs.currentChanged.connect(lambda _index: self._fill_sheet())
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.tabs)
        self.resize(QSize(104 * G, 72 * G).boundedTo(parent.size() * 0.9))

    def show_sheet(self, name: str) -> None:
        """Show the dialog with the sheet `page`, `documentation`, `shortcuts` or `about`."""
        self.tabs.setCurrentIndex(self._indices[name])
        self._fill_sheet()
        self.show()
        self.activateWindow()
        focus = {"shortcuts": self.shortcuts.field, "documentation": self.documentation.list}
        focus.get(name, self.tabs.tabBar()).setFocus()

    def _fill_sheet(self) -> None:
        sheet = self.tabs.currentWidget()
        if sheet is self.shortcuts:
            self.shortcuts.fill(self._shortcuts())
        elif sheet is self.documentation:
            self.documentation.load()
