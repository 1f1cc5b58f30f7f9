"""The help of the main window: F1, the shortcuts, the documentation and About."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.help.dialog import HelpDialog
from app.help.page_help import page_help
from app.help.shortcuts import Shortcut, action_shortcuts, page_shortcuts
from app.widgets.page_stack import PageStack


class HelpController(QObject):
    """Creates the help dialog when it is first needed, and updates it when another page is shown."""

    def __init__(self, home: Path, stack: PageStack, window: QWidget) -> None:
        super().__init__(window)
        self._home, self._stack, self._window = home, stack, window
        self._dialog: HelpDialog | None = None

    @property
    def dialog(self) -> HelpDialog:
        """The dialog; created by the first call."""
        if self._dialog is None:
            self._dialog = HelpDialog(self._home, self.shortcuts, self._window)
        return self._dialog

    def show_page_help(self) -> None:
        """Show the help of the current page."""
        self._describe_page()
        self.dialog.show_sheet("page")

    def show_shortcuts(self) -> None:
        """Show all shortcuts."""
        self._describe_page()
        self.dialog.show_sheet("shortcuts")

    def show_documentation(self) -> None:
        """Show the documentation pages."""
        self._describe_page()
        self.dialog.show_sheet("documentation")

    def show_about(self) -> None:
        """Show versions, licences and the data folder."""
        self._describe_page()
        self.dialog.show_sheet("about")

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
