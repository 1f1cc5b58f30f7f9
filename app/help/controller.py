"""Between the window and its help: opens it, and has it follow the page in front while it is open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from app.help.dialog import HelpDialog
from app.help.page_help import page_help
from app.help.shortcuts import Shortcut, action_shortcuts, page_shortcuts

if TYPE_CHECKING:
    from app.window import MainWindow


class HelpController(QObject):
    """F1, the list of shortcuts and About; the dialog is made when it is first asked for."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._dialog: HelpDialog | None = None

    @property
    def dialog(self) -> HelpDialog:
        """The one dialog."""
        if self._dialog is None:
            self._dialog = HelpDialog(self._window.context.home, self.shortcuts, self._window)
        return self._dialog

    def page(self) -> None:
        """Of the page in front."""
        self._describe()
        self.dialog.show_tab(0)

    def list(self) -> None:
        """The shortcuts."""
        self._describe()
        self.dialog.show_tab(1)

    def about(self) -> None:
        """Versions, licences, folder."""
        self._describe()
        self.dialog.show_tab(2)

    def follow(self) -> None:
        """Another page is in front."""
        if self._dialog is not None and self._dialog.isVisible():
            self._describe()

    def shortcuts(self) -> Iterator[Shortcut]:
        """The window's, then those of each page."""
        yield from action_shortcuts(self._window.actions())
        for name in self._window.page_names:
            yield from self._of_page(name)

    def _of_page(self, name: str) -> Iterator[Shortcut]:
        title = self._window.title_of(name)
        page = self._window.built(name)
        if page is not None:
            yield from action_shortcuts(page.findChildren(QAction), title)
        yield from page_shortcuts(name, title)

    def _describe(self) -> None:
        name = self._window.current_page
        self.dialog.page.show_help(self._window.title_of(name), page_help(name), self._of_page(name))
