"""The palettes for light and dark, the fonts and the icons; every colour of the window is defined here.

    system scheme | setting ──▶ Theme ──palette, icons──▶ the application ──changed──▶ painted widgets
                                      └──sheet──▶ the parts of the window (app/widgets/styling.py)

A widget gets a colour by name (`theme().color("prefill")`) and repaints on `changed`. Icons are SVG files of
`resources/icons` with one stroke colour, which is replaced by the palette's.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Literal, cast

from PySide6.QtCore import QByteArray, QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QFont, QIcon, QIconEngine, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel

import resources
from app.widgets.stylesheet import stylesheet

Mode = Literal["system", "light", "dark"]

G = 8
"""The grid in pixels: margins and gaps are multiples of it."""

SMALL, BODY, TITLE = 12, 14, 20
"""The text sizes in pixels."""

ICONS = Path(resources.__file__).parent / "icons"
_STROKE = b"#808890"

_LIGHT = {
    "window": "#f5f6f8",
    "surface": "#ffffff",
    "raised": "#ffffff",
    "sunken": "#eceef2",
    "border": "#d9dde4",
    "frame": "#7d8694",
    "text": "#1b2028",
    "muted": "#5b6472",
    "accent": "#2f5fd0",
    "accent_text": "#ffffff",
    "ok": "#197545",
    "warning": "#975600",
    "error": "#bc2e39",
    "added": "#197545",
    "removed": "#bc2e39",
    "changed": "#975600",
    "prefill": "#7a4fc4",
    "decode": "#0a7367",
    "cache": "#2269ab",
    "picture": "#a32c72",
    "empty": "#dfe3e9",
    "faint": "#9aa1ad",
}
_DARK = {
    "window": "#15181d",
    "surface": "#1c2027",
    "raised": "#252a33",
    "sunken": "#111419",
    "border": "#323843",
    "frame": "#76808f",
    "text": "#e4e7ec",
    "muted": "#98a1b0",
    "accent": "#7ba0ff",
    "accent_text": "#0e1420",
    "ok": "#56c288",
    "warning": "#e5a84b",
    "error": "#f4888f",
    "added": "#56c288",
    "removed": "#f4888f",
    "changed": "#e5a84b",
    "prefill": "#b494f5",
    "decode": "#4cc9b6",
    "cache": "#6db5f2",
    "picture": "#f08cc0",
    "empty": "#2b313b",
    "faint": "#687180",
}
_SANS = ["Inter", "Segoe UI", "SF Pro Text", "Noto Sans", "Ubuntu", "DejaVu Sans", "sans-serif"]
_MONO = ["JetBrains Mono", "Cascadia Mono", "SF Mono", "Menlo", "Consolas", "DejaVu Sans Mono", "monospace"]


def tabular_figures(font: QFont) -> QFont:
    """`font` with tabular figures, so that changing numbers do not move."""
    result = QFont(font)
    result.setFeature(QFont.Tag("tnum"), 1)
    return result


def sans_font(size: int = BODY, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The window's font at `size` pixels."""
    font = QFont(_SANS)
    font.setPixelSize(size)
    font.setWeight(weight)
    return tabular_figures(font)


def mono_font(size: int = SMALL) -> QFont:
    """The fixed-width font at `size` pixels: logs, JSON, tensor names."""
    font = QFont(_MONO)
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setPixelSize(size)
    return font


class Theme(QObject):
    """The colours, icons and fonts in use; one object, `theme()`, serves the whole window."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._mode: Mode = "system"
        self._dark = False
        self._icons: dict[tuple[str, str], QIcon] = {}
        self._sheet = ""

    @property
    def sheet(self) -> str:
        """The stylesheet in the current colours."""
        return self._sheet

    @property
    def dark(self) -> bool:
        """Whether the dark colours are in use."""
        return self._dark

    @property
    def mode(self) -> Mode:
        """The requested mode: `system`, `light` or `dark`."""
        return self._mode

    def color(self, name: str) -> QColor:
        """The colour called `name`. Raises KeyError for an unknown name."""
        return QColor((_DARK if self._dark else _LIGHT)[name])

    def icon(self, name: str, color: str = "text") -> QIcon:
        """The icon `name` of resources/icons in the palette's `color`.

        It does not follow later changes of the theme; `set_icon` does.
        """
        key = (name, color)
        if key not in self._icons:
            inks = {QIcon.Mode.Disabled: "faint", QIcon.Mode.Selected: "accent_text"}
            self._icons[key] = QIcon(
                _ThemeIconEngine(name, self.color(color), {m: self.color(i) for m, i in inks.items()})
            )
        return self._icons[key]

    def pixmap(self, name: str, color: str = "text", size: int = 20) -> QPixmap:
        """The icon as a picture of `size` logical pixels, sharp on high-DPI screens."""
        ratio = 2
        picture = QPixmap(_pixmap(name, self.color(color).name(), size * ratio))
        picture.setDevicePixelRatio(ratio)
        return picture

    def set_mode(self, mode: str) -> None:
        """Follow the system, or use light or dark colours."""
        if mode not in ("system", "light", "dark"):
            raise ValueError(f"no theme is called {mode!r}: system, light or dark")
        self._mode = cast(Mode, mode)
        hints = QApplication.styleHints()
        if mode == "system":
            hints.unsetColorScheme()
        else:
            hints.setColorScheme(Qt.ColorScheme.Dark if mode == "dark" else Qt.ColorScheme.Light)
        self._refresh()

    def apply(self, app: QApplication) -> None:
        """Apply Fusion, font and palette to `app`, and follow the system's scheme from then on."""
        app.setStyle("Fusion")
        app.setFont(sans_font())
        app.styleHints().colorSchemeChanged.connect(self._refresh, Qt.ConnectionType.UniqueConnection)
        self._refresh()

    def _refresh(self) -> None:
        scheme = QApplication.styleHints().colorScheme()
        self._dark = self._mode == "dark" or (self._mode == "system" and scheme == Qt.ColorScheme.Dark)
        sheet = stylesheet(_DARK if self._dark else _LIGHT, ICONS)
        if sheet == self._sheet:  # Qt repeats the signal when a mode is set
            return
        self._sheet = sheet
        self._icons.clear()
        QApplication.setPalette(self._palette())
        self.changed.emit()

    def _palette(self) -> QPalette:
        role, group = QPalette.ColorRole, QPalette.ColorGroup
        palette = QPalette()
        for target, name in (
            (role.Window, "window"),
            (role.WindowText, "text"),
            (role.Base, "surface"),
            (role.AlternateBase, "sunken"),
            (role.Text, "text"),
            (role.Button, "raised"),
            (role.ButtonText, "text"),
            (role.ToolTipBase, "raised"),
            (role.ToolTipText, "text"),
            (role.PlaceholderText, "muted"),
            (role.Highlight, "accent"),
            (role.HighlightedText, "accent_text"),
            (role.Accent, "accent"),
            (role.Link, "accent"),
            (role.LinkVisited, "accent"),
            (role.Mid, "border"),
            (role.Light, "raised"),
            (role.Dark, "border"),
            (role.BrightText, "error"),
        ):
            palette.setColor(target, self.color(name))
        for target in (role.WindowText, role.Text, role.ButtonText):
            palette.setColor(group.Disabled, target, self.color("faint"))
        return palette


class _ThemeIconEngine(QIconEngine):
    """An icon drawn on demand in the requested sizes: drawing all sizes in advance takes 3 ms per icon."""

    def __init__(self, name: str, ink: QColor, other: dict[QIcon.Mode, QColor]) -> None:
        super().__init__()
        self._name, self._ink, self._other = name, ink, other

    def clone(self) -> QIconEngine:
        return _ThemeIconEngine(self._name, self._ink, self._other)

    def pixmap(self, size: QSize, mode: QIcon.Mode, _state: QIcon.State) -> QPixmap:
        """The image in a size in device pixels (Qt's name)."""
        ink = self._other.get(mode, self._ink)
        return _pixmap(self._name, ink.name(), max(1, min(size.width(), size.height())))

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        ratio = painter.device().devicePixelRatio()
        side = min(rect.width(), rect.height())
        place = QRect(0, 0, side, side)
        place.moveCenter(rect.center())
        painter.drawPixmap(place, self.pixmap(QSize(side, side) * ratio, mode, state))


@lru_cache(maxsize=4096)
def _pixmap(name: str, ink: str, size: int) -> QPixmap:
    source = (ICONS / f"{name}.svg").read_bytes().replace(_STROKE, ink.encode())
    picture = QPixmap(QSize(size, size))
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    QSvgRenderer(QByteArray(source)).render(painter, QRectF(0, 0, size, size))
    painter.end()
    return picture


def blend_colors(one: QColor, other: QColor, share: float) -> QColor:
    """A color of which `share` is one color, and the rest the other."""
    pairs = zip(one.getRgb()[:3], other.getRgb()[:3], strict=True)  # type: ignore[index]
    return QColor(*(round(a * share + b * (1 - share)) for a, b in pairs))


def set_icon(target: QAbstractButton | QAction | QLabel, name: str, color: str = "text", size: int = 20) -> None:
    """Give `target` an icon that follows the theme; a label shows it at `size` pixels."""
    target.setProperty("iconName", name)
    target.setProperty("iconColor", color)
    target.setProperty("iconPixels", size)
    redraw_icon(target)


def redraw_icon(target: QAbstractButton | QAction | QLabel) -> None:
    """Redraw the icon of `set_icon` in the current colours."""
    name, color = target.property("iconName"), target.property("iconColor") or "text"
    if isinstance(target, QLabel):
        target.setPixmap(theme().pixmap(name, color, target.property("iconPixels")))
    else:
        target.setIcon(theme().icon(name, color))


@lru_cache(maxsize=1)
def theme() -> Theme:
    """The one theme of the process."""
    return Theme()
