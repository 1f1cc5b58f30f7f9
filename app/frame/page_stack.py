"""The pages of the main window: each is built when it is first shown, or ahead of time while the window is idle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.frame.navigation_rail import PageEntry
from app.startup.preload import PLAIN_IMPORTS, Preloader, import_slices
from app.state.context import AppContext
from app.widgets.lazy_tabs import LazyTabs
from app.widgets.session_choice import SessionChoice
from app.widgets.styling import apply_style

_CONTROL, _SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
_TAB_KEYS: dict[tuple[int, Qt.KeyboardModifier], int] = {
    (Qt.Key.Key_Tab, _CONTROL): 1,
    (Qt.Key.Key_Backtab, _CONTROL | _SHIFT): -1,
    (Qt.Key.Key_PageDown, _CONTROL): 1,
    (Qt.Key.Key_PageUp, _CONTROL): -1,
}
"""Those that QTabWidget takes where the focus is within it, and how many tabs they go on."""


class PageStack(QStackedWidget):
    """The pages by name. A built page keeps its state until the window is closed."""

    def __init__(self, context: AppContext, entries: Sequence[PageEntry], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._entries = {entry.name: entry for entry in entries}
        self._built: dict[str, QWidget] = {}
        self.preloader = Preloader(self)
        name = context.settings.text("page", "home")
        self.first = name if name in self._entries else "home"
        """The page that the window opens with."""

    @property
    def names(self) -> list[str]:
        """The names of the pages, in the order of the rail."""
        return list(self._entries)

    @property
    def current_name(self) -> str:
        """The name of the visible page; `first` while no page is built."""
        front = self.currentWidget()
        return next((name for name, page in self._built.items() if page is front), self.first)

    @property
    def built_pages(self) -> Iterator[QWidget]:
        yield from self._built.values()

    def title_of(self, name: str) -> str:
        return self._entries[name].title

    def built(self, name: str) -> QWidget | None:
        """The page called `name`, or None if it is not built yet."""
        return self._built.get(name)

    def page(self, name: str) -> QWidget:
        """The page called `name`; builds it if necessary."""
        if name not in self._built:
            page = self._build(self._entries[name])
            apply_style(page, later=True)
            for choice in page.findChildren(SessionChoice):
                choice.prefer(self._context.settings.preference("provider"))
            self._built[name] = page
            self.addWidget(page)
        return self._built[name]

    def _build(self, entry: PageEntry) -> QWidget:
        module, _, name = entry.factory.partition(":")
        page: QWidget = getattr(import_module(module), name)(self._context)
        page.setAccessibleName(entry.title)
        if page.focusProxy() is None:
            page.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # Tab leads from the page to its first control
        return page

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt's name: keys that turn a page's tabs do so from wherever they were not taken, a page's own focus too."""
        steps = _TAB_KEYS.get((event.key(), event.modifiers()))
        front = self.currentWidget()
        tabs = front.findChild(LazyTabs) if steps and front is not None else None
        if steps and isinstance(tabs, LazyTabs) and tabs.isVisible():
            tabs.turn(steps)
        else:
            super().keyPressEvent(event)

    def preload(self) -> None:
        """Build the remaining pages in the background, one part per turn of the event loop."""
        imports = import_slices(entry.factory.partition(":")[0] for entry in self._entries.values())
        self.preloader.start([*imports, *(partial(self._preload_page, name) for name in self._entries)], PLAIN_IMPORTS)

    def _preload_page(self, name: str) -> None:
        slices = getattr(self.page(name), "slices", None)
        if slices is not None:
            self.preloader.next(slices())
