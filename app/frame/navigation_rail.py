"""The navigation rail at the left: one button per page, with icon and name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal
from PySide6.QtGui import QAction, QFontMetrics, QKeySequence
from PySide6.QtWidgets import QButtonGroup, QToolButton, QWidget

from app.widgets.layouts import STRETCH, vbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import SMALL, G, sans_font, set_icon


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page of the window: its name, English title, icon, and class as `module:class`."""

    name: str
    english: str
    icon: str
    factory: str

    @property
    def title(self) -> str:
        return QCoreApplication.translate("PageEntry", self.english)


class NavigationRail(QWidget):
    """`chosen` has the name of a page. The actions of Ctrl+1… are in `actions_of_pages`.

    The help and the settings are at the bottom.
    """

    chosen = Signal(str)
    helpRequested = Signal()  # noqa: N815

    def __init__(self, pages: Sequence[PageEntry], settings: PageEntry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "rail")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        titles = [page.title for page in (*pages, settings)]
        self._width = max(8 * G, G + max(map(QFontMetrics(sans_font(SMALL)).horizontalAdvance, titles)))
        self.setFixedWidth(self._width + 2 * G)
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QToolButton] = {}
        self._icons = {page.name: page.icon for page in (*pages, settings)}
        self.actions_of_pages: list[QAction] = []
        self.help = self._plain(self.tr("Help"), "info")
        set_tool_tip(self.help, self.tr("Help for this page (F1)"))
        self.help.clicked.connect(self.helpRequested)
        self.gear = self._page_button(settings)
        set_tool_tip(self.gear, self.tr("Settings (Ctrl+,)"))
        buttons = [self._button(page, index) for index, page in enumerate(pages, 1)]
        vbox(*buttons, STRETCH, self.help, self.gear, parent=self, margins=G, spacing=G // 2)

    def _button(self, page: PageEntry, index: int) -> QToolButton:
        button = self._page_button(page)
        set_tool_tip(button, f"{page.title} (Ctrl+{index})")
        action = QAction(self.tr("Go to {0}").format(page.title), self)
        action.setShortcut(QKeySequence(f"Ctrl+{index}"))
        set_icon(action, page.icon)
        action.triggered.connect(lambda: self.chosen.emit(page.name))
        self.actions_of_pages.append(action)
        return button

    def _page_button(self, page: PageEntry) -> QToolButton:
        button = self._plain(page.title, page.icon)
        button.setCheckable(True)
        button.clicked.connect(lambda: self.chosen.emit(page.name))
        self._group.addButton(button)
        self._buttons[page.name] = button
        return button

    def _plain(self, title: str, icon: str) -> QToolButton:
        button = QToolButton()
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setText(title)
        button.setAccessibleName(title)
        button.setIconSize(QSize(24, 24))
        button.setFixedSize(self._width, 7 * G)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        set_icon(button, icon, "muted")
        return button

    def set_current(self, name: str) -> None:
        for other, button in self._buttons.items():
            set_icon(button, self._icons[other], "accent" if other == name else "muted")
        self._buttons[name].setChecked(True)
