"""Banner, CardFrame, EmptyState, PillLabel, Section, Stat, and functions that style plain widgets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.plain_text import PlainLabel, set_tool_tip
from app.widgets.theme import G, mono_font, set_icon

Kind = Literal["error", "warning", "info", "ok"]


def set_role(widget: QWidget, role: str, name: str = "role") -> None:
    """Set a property that the stylesheet selects by, and restyle the widget."""
    widget.setProperty(name, role)
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def label(text: str = "", role: str = "", wrap: bool = False, selectable: bool = True) -> PlainLabel:
    """Plain text (never HTML: it may come from a file) in one of the text roles."""
    result = PlainLabel(text)
    if role:
        result.setProperty("role", role)
    if wrap:
        result.setWordWrap(True)
        result.setMinimumWidth(G * 8)
    if selectable:
        result.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return result


def button(
    text: str, icon: str = "", role: str = "", clicked: Callable[[], object] | None = None, tool_tip: str = ""
) -> QPushButton:
    """A push button; `role` is "", "primary", "danger" or "link"."""
    result = QPushButton(text)
    result.setAccessibleName(text)
    if role:
        result.setProperty("role", role)
    if icon:
        ink = {"primary": "accent_text", "danger": "error", "link": "accent"}.get(role, "text")
        set_icon(result, icon, ink)
    if clicked is not None:
        result.clicked.connect(lambda _checked=False: clicked())
    if tool_tip:
        set_tool_tip(result, tool_tip)
    return result


def separator() -> QFrame:
    """A hairline between two parts."""
    result = QFrame()
    result.setProperty("role", "line")
    result.setFixedHeight(1)
    return result


def scroll_area(content: QWidget) -> QScrollArea:
    """`content` in an area that scrolls vertically only."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    content.setProperty("role", "scroll")
    area.setViewport(QWidget())  # paints no background; PySide takes 10 ms to find the class of Qt's own viewport
    area.setWidget(content)
    content.setAutoFillBackground(False)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area


def make_frameless(area: QTextEdit | QPlainTextEdit) -> None:
    """Make a text area frameless and transparent.

    The viewport is first: as a styled widget, it would cost 1 KB for each one ever created.
    """
    area.viewport().setAutoFillBackground(False)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setStyleSheet("QTextEdit, QPlainTextEdit { background: transparent; border: 0; }")


class ElidedLabel(PlainLabel):
    """A label of one line that is elided if it does not fit; its tool tip has the full text.

    cut: the end, as of names and sentences; the middle of paths.
    """

    def __init__(
        self,
        text: str,
        role: str = "muted",
        parent: QWidget | None = None,
        cut: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__(parent=parent)
        self._cut_at = cut
        self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.set_whole(text)

    def set_whole(self, text: str) -> None:
        self._whole = text
        set_tool_tip(self, text)
        self.setAccessibleName(text)
        self._cut()

    def sizeHint(self) -> QSize:
        """The size of the whole text, for a layout that may give it less (Qt's name)."""
        return QSize(self.fontMetrics().horizontalAdvance(self._whole) + 2, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._cut()

    def _cut(self) -> None:
        width = self.contentsRect().width()
        self.setText(self.fontMetrics().elidedText(self._whole, self._cut_at, width))


class ElidedButton(QPushButton):
    """A button whose text is drawn cut at its end where it has no room; `text` is the whole."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text.replace("&", "&&"), parent)
        self.setAccessibleName(text)

    def minimumSizeHint(self) -> QSize:
        return QSize(8 * G, super().minimumSizeHint().height())

    def _option(self) -> QStyleOptionButton:
        option = QStyleOptionButton()
        self.initStyleOption(option)
        room = self.style().subElementRect(QStyle.SubElement.SE_PushButtonContents, option, self).width()
        option.text = self.fontMetrics().elidedText(option.text, Qt.TextElideMode.ElideRight, room)
        return option

    @property
    def shown_text(self) -> str:
        """The text as it is drawn."""
        return str(self._option().text)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt's name."""
        QStylePainter(self).drawControl(QStyle.ControlElement.CE_PushButton, self._option())


class CardFrame(QFrame):
    """A raised box; its content goes into `.body`, a vertical layout."""

    def __init__(self, title: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.body = vbox(parent=self, margins=2 * G)
        if title:
            self.body.addWidget(label(title, "heading"))


class PillLabel(PlainLabel):
    """A word in a rounded outline.

    `role` tints it: "", accent, ok, warning, error, prefill, decode, cache, added, removed, changed.
    """

    def __init__(self, text: str = "", role: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setProperty("role", "pill")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set(text, role)

    def set(self, text: str, role: str = "") -> None:
        """Change the word and its tint."""
        self.setText(text)
        set_role(self, role, "tint")


class Section(QWidget):
    """A heading, an optional line of explanation and widgets at its right; the content goes into `.body`."""

    def __init__(self, title: str, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = label(title, "heading")
        self.header = hbox(self.heading, STRETCH)
        self.body = vbox()
        texts = [label(text, "muted", wrap=True)] if text else []
        vbox(self.header, *texts, self.body, parent=self)


class Stat(QWidget):
    """A number with its unit above its name."""

    def __init__(self, name: str, value: str = "–", unit: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._value = label(value, "number")
        self._unit = label(unit, "muted")
        baseline = Qt.AlignmentFlag.AlignBaseline
        row = hbox((self._value, 0, baseline), (self._unit, 0, baseline), STRETCH, spacing=G // 2)
        vbox(row, label(name, "muted"), parent=self, spacing=0)
        self.set(value, unit)

    def set(self, value: str, unit: str | None = None) -> None:
        """Set the number; without `unit`, the unit stays."""
        self._value.setText(value)
        if unit is not None:
            self._unit.setText(unit)
        self.setAccessibleName(f"{self._name}: {value} {self._unit.text()}".strip())


class EmptyState(QWidget):
    """The text of an empty page: what will appear there, and the first step."""

    triggered = Signal()

    def __init__(
        self, title: str, text: str = "", action: str = "", icon: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        box = QVBoxLayout(self)
        box.setContentsMargins(4 * G, 4 * G, 4 * G, 4 * G)
        box.setSpacing(G)
        box.addStretch(1)
        if icon:
            picture = label()
            set_icon(picture, icon, "muted", 40)
            box.addWidget(picture, 0, Qt.AlignmentFlag.AlignHCenter)
        self.title = label(title, "heading")
        self.text = label(text, "body-muted", wrap=True)
        self.text.setMaximumWidth(56 * G)
        self.text.setMinimumWidth(32 * G)
        self.title.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        box.addWidget(self.title, 0, Qt.AlignmentFlag.AlignHCenter)
        middle = QHBoxLayout()  # a wrapping label gets its height from a layout only if it fills the cell
        middle.addStretch(1)
        middle.addWidget(self.text, 4)
        middle.addStretch(1)
        box.addLayout(middle)
        self.action = button(action, role="primary", clicked=self.triggered.emit)
        box.addSpacing(G)
        box.addWidget(self.action, 0, Qt.AlignmentFlag.AlignHCenter)
        self.action.setVisible(bool(action))
        box.addStretch(1)

    def set(self, title: str, text: str, action: str = "") -> None:
        self.title.setText(title)
        self.text.setText(text)
        self.action.setText(action)
        self.action.setAccessibleName(action)
        self.action.setVisible(bool(action))


NARROW = 64 * G
"""Pixels below which a banner has its buttons under its text."""


class Banner(QFrame):
    """A message at the place where it belongs, with details on demand and a button for the likely solution.

    `triggered` is the button, `dismissed` the cross. A banner without a message is hidden.
    """

    triggered = Signal()
    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "banner")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._act: Callable[[], object] | None = None
        self._owner: Callable[[], object] = lambda: None
        self._shown_for: object = None
        self._icon = label()
        self._text = label(wrap=True)
        self._more = button(self.tr("Details"), role="link", clicked=self._toggle)
        self._action = button("", clicked=self._on_action)
        self._close = QToolButton()
        self._close.setAccessibleName(self.tr("Dismiss"))
        set_tool_tip(self._close, self.tr("Dismiss"))
        set_icon(self._close, "close", "muted")
        self._close.clicked.connect(self._dismiss)
        self._details = QPlainTextEdit()
        self._details.setReadOnly(True)
        self._details.setFont(mono_font())
        self._details.setProperty("role", "log")
        self._details.setAccessibleName(self.tr("Details"))
        self._details.setMaximumHeight(20 * G)
        self._lay_out()
        self.hide()

    def _lay_out(self) -> None:
        top = Qt.AlignmentFlag.AlignTop
        self._buttons = hbox(self._more, self._action)
        self._middle = hbox((self._text, 1), self._buttons)
        self._middle.setAlignment(self._buttons, top | Qt.AlignmentFlag.AlignLeft)
        row = hbox((self._icon, 0, top), (self._middle, 1), (self._close, 0, top))
        vbox(row, self._details, parent=self, margins=(G + 4, G, G, G))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where it is narrow, the buttons are below the text, which has no room beside them (Qt's name)."""
        super().resizeEvent(event)
        beside = self.width() >= NARROW
        self._middle.setDirection(QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom)

    @property
    def message(self) -> str:
        return self._text.text()

    def bind(self, owner: Callable[[], object], *changes: SignalInstance) -> None:
        """Removes a message once `owner()` is another one than when it was shown; checked at each of `changes`."""
        self._owner = owner
        for change in changes:
            change.connect(lambda *_: self.clear() if self._shown_for != owner() else None)

    def show_message(
        self,
        kind: Kind,
        message: str,
        details: str = "",
        action: str = "",
        on_action: Callable[[], object] | None = None,
    ) -> None:
        """Show `message`; `details` can be expanded; the button `action` calls `on_action` and emits `triggered`."""
        set_role(self, kind, "kind")
        set_icon(self._icon, kind, "accent" if kind == "info" else kind)
        self._text.setText(message)
        self.setAccessibleName(message)
        self._details.setPlainText(details)
        self._details.hide()
        self._more.setText(self.tr("Details"))
        self._more.setVisible(bool(details))
        self._act = on_action
        self._action.setText(action)
        self._action.setAccessibleName(action)
        self._action.setVisible(bool(action))
        self._shown_for = self._owner()
        self.show()

    def error(
        self, message: str, details: str = "", action: str = "", on_action: Callable[[], object] | None = None
    ) -> None:
        """Show an error: `show_message("error", …)`."""
        self.show_message("error", message, details, action, on_action)

    def clear(self) -> None:
        self._text.setText("")
        self.hide()

    def _toggle(self) -> None:
        self._details.setVisible(not self._details.isVisible())
        self._more.setText(self.tr("Hide details") if self._details.isVisible() else self.tr("Details"))

    def _on_action(self) -> None:
        act = self._act
        self.triggered.emit()
        if act is not None:
            act()

    def _dismiss(self) -> None:
        self.clear()
        self.dismissed.emit()
