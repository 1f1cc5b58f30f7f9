"""The documentation pages: every Markdown file of resources/docs, listed by title and shown as safe text.

resources/docs/*.md ──read_pages──▶ DocsPage ──▶ list │ view ──link──▶ another page, or a question before a browser
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QTextBlock, QTextCursor
from PySide6.QtWidgets import QListWidget, QMessageBox, QTextBrowser, QWidget

import resources
from app.text.translatable import tr
from app.widgets.basics import label
from app.widgets.expiring_question import ExpiringQuestion
from app.widgets.layouts import hbox, vbox
from app.widgets.markdown import MarkdownDocument
from app.widgets.theme import G

FOLDER = Path(resources.__file__).parent / "docs"
FIRST = "first-steps.md"
"""The page that is listed first; the others follow by title."""


@dataclass(frozen=True, slots=True)
class DocsPage:
    """A page: its file name, its first heading and its Markdown."""

    name: str
    title: str
    text: str


def read_pages(folder: Path = FOLDER) -> list[DocsPage]:
    """The pages of a folder. A file that cannot be read as text is left out."""
    pages = []
    for file in folder.glob("*.md"):
        try:
            text = file.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        headings = (line.lstrip("#").strip() for line in text.splitlines() if line.startswith("#"))
        pages.append(DocsPage(file.name, next(headings, "") or file.stem, text))
    return sorted(pages, key=lambda page: (page.name != FIRST, page.title.casefold()))


def heading_anchor(title: str) -> str:
    """The anchor that GitHub gives a heading: `KV cache` becomes `kv-cache`."""
    chars = (char for char in title.strip().lower() if char.isalnum() or char in " -_")
    return "".join(chars).replace(" ", "-")


def open_in_browser(url: QUrl, parent: QWidget) -> None:
    """Ask whether to open an address in the browser, and show the address in full."""
    title, text = tr("Open in the browser?"), tr("This link leads out of Joinery:")
    box = ExpiringQuestion(title, text, url.toDisplayString(), lambda: None, parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.add_answer(tr("Open"), QMessageBox.ButtonRole.AcceptRole, lambda: QDesktopServices.openUrl(url))
    box.add_refusal(tr("Cancel"))
    box.open()


class DocumentationSheet(QWidget):
    """A list of the pages and the chosen one. `open_external` receives http(s) links; other links are named only."""

    def __init__(self, folder: Path = FOLDER, open_external: Callable[[QUrl, QWidget], None] = open_in_browser) -> None:
        super().__init__()
        self._folder, self._open_external = folder, open_external
        self.pages: list[DocsPage] = []
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Documentation pages"))
        self.list.setFixedWidth(22 * G)
        self.list.currentRowChanged.connect(self._show_row)
        self.view = QTextBrowser()
        self.view.setOpenLinks(False)
        self.view.setAccessibleName(self.tr("Documentation"))
        self._document = MarkdownDocument(self.view)
        self._document.setDocumentMargin(2 * G)
        self.view.setDocument(self._document)
        self.view.anchorClicked.connect(self.follow_link)
        self.note = label("", "muted", wrap=True)
        self.note.hide()
        column = vbox((self.view, 1), self.note, spacing=None)
        hbox(self.list, (column, 1), parent=self, margins=2 * G)

    def load(self) -> None:
        """Read the pages when the sheet is first shown."""
        if not self.pages:
            self.pages = read_pages(self._folder)
            self.list.addItems([page.title for page in self.pages])
            self.list.setCurrentRow(0)

    def show_page(self, name: str, anchor: str = "") -> bool:
        """Show the page of a file, from the heading with `anchor` on. False if there is no such page."""
        row = next((row for row, page in enumerate(self.pages) if page.name == name), -1)
        if row < 0:
            return False
        self.list.setCurrentRow(row)
        heading = self._heading(anchor)
        if heading is not None:
            self.view.setTextCursor(QTextCursor(heading))
            top = self._document.documentLayout().blockBoundingRect(heading).top()
            self.view.verticalScrollBar().setValue(round(top) - G)
        return True

    def follow_link(self, url: QUrl) -> None:
        """Follow a link: to a heading or another page, or after a question to the browser."""
        self.note.hide()
        name = url.path() or self.pages[self.list.currentRow()].name
        if url.scheme() in ("http", "https"):
            self._open_external(url, self)
        elif url.scheme() or not self.show_page(name, url.fragment()):
            self.note.setText(self.tr("{0} is not one of these pages.").format(url.toDisplayString()))
            self.note.show()

    def _show_row(self, row: int) -> None:
        self.note.hide()
        self._document.render_markdown(self.pages[row].text if row >= 0 else "")
        self.view.verticalScrollBar().setValue(0)

    def _heading(self, anchor: str) -> QTextBlock | None:
        block = self._document.begin()
        while anchor and block.isValid():
            if block.blockFormat().headingLevel() and heading_anchor(block.text()) == anchor:
                return block
            block = block.next()
        return None
