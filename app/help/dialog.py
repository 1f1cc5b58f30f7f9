"""One window beside the main one with three sheets: this page, shortcuts, about. It stays open while one works."""

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
from app.help.page_help import PageHelp
from app.help.shortcuts import Shortcut
from app.widgets.basics import button, label, scroll_area
from app.widgets.command_palette import matches
from app.widgets.theme import G


class PageSheet(QWidget):
    """What the page in front is for."""

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

    def show_help(self, title: str, told: PageHelp, shortcuts: Iterable[Shortcut]) -> None:
        """Of another page."""
        self.title.setText(title)
        self.what.setText(told.what)
        self.first.setText(told.first)
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
    """Every shortcut, found by its keys or by what it does."""

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
        """What there is now."""
        self.table.setRowCount(0)
        for one in shortcuts:
            row = self.table.rowCount()
            self.table.insertRow(row)
            for column, text in enumerate((one.keys, one.text, one.place or self.tr("everywhere"))):
                self.table.setItem(row, column, QTableWidgetItem(text))
        self._filter(self.field.text())

    @property
    def found(self) -> list[str]:
        """What the lines that are shown do."""
        rows = [row for row in range(self.table.rowCount()) if not self.table.isRowHidden(row)]
        return [self._text(row, 1) for row in rows]

    def _text(self, row: int, column: int) -> str:
        item = self.table.item(row, column)
        return item.text() if item is not None else ""

    def _filter(self, words: str) -> None:
        for row in range(self.table.rowCount()):
            told = " ".join(self._text(row, column) for column in range(self.table.columnCount()))
            self.table.setRowHidden(row, not matches(words, told))


class AboutSheet(QWidget):
    """Versions and licences, the folder, and a button that copies them."""

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
            for column, said in enumerate(fact):
                grid.addWidget(label(said, "muted" if column == 2 else "small"), row, column)
        box.addLayout(grid)
        box.addWidget(label(self.tr("Your data is in {0}").format(home), "muted", wrap=True))
        self.copy = button(
            self.tr("Copy"), "copy", clicked=lambda: QGuiApplication.clipboard().setText(about_text(home))
        )
        self.copy.setAccessibleName(self.tr("Copy versions and folder"))
        box.addWidget(self.copy, 0, Qt.AlignmentFlag.AlignLeft)
        box.addStretch(1)


class HelpDialog(QDialog):
    """`shortcuts` is asked each time that they are shown."""

    def __init__(self, home: Path, shortcuts: Callable[[], Iterable[Shortcut]], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Help"))
        self._shortcuts = shortcuts
        self.page, self.shortcuts, self.about = PageSheet(), ShortcutSheet(), AboutSheet(home)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName(self.tr("Help"))
        self.tabs.addTab(scroll_area(self.page), self.tr("This page"))
        self.tabs.addTab(self.shortcuts, self.tr("Shortcuts"))
        self.tabs.addTab(scroll_area(self.about), self.tr("About"))
        self.tabs.currentChanged.connect(lambda _index: self._renew())
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.tabs)
        self.resize(QSize(80 * G, 64 * G).boundedTo(parent.size() * 0.9))

    def show_tab(self, index: int) -> None:
        """0: this page, 1: shortcuts, 2: about."""
        self.tabs.setCurrentIndex(index)
        self._renew()
        self.show()
        self.activateWindow()
        (self.shortcuts.field if index == 1 else self.tabs.tabBar()).setFocus()

    def _renew(self) -> None:
        if self.tabs.currentIndex() == 1:
            self.shortcuts.fill(self._shortcuts())
