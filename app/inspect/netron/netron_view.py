"""One model in Netron: a browser widget that cannot leave Netron's page."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from PySide6.QtCore import QUrl, Signal
from PySide6.QtWebEngineCore import QWebEnginePage
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QWidget

from app.inspect.netron.browser_engine import SCHEME, BrowserEngine
from app.widgets.theme import theme

_numbers = count(1)
_SWITCH = """for (const sheet of document.styleSheets) for (const rule of sheet.cssRules)
  if (rule instanceof CSSMediaRule && rule.media.mediaText === "%s") rule.media.mediaText = "%s";"""
DARK, LIGHT = _SWITCH % ("not all", "all"), _SWITCH % ("all", "not all")
"""Scripts that switch Netron's dark mode without a new layout of the model; see packaged_files.read_asset."""


class NetronPage(QWebEnginePage):
    """Opens no window, and follows no link to another scheme."""

    logged = Signal(str)

    def acceptNavigationRequest(  # noqa: N802
        self, url: QUrl | str, kind: QWebEnginePage.NavigationType, is_main: bool
    ) -> bool:
        """Qt's name: allows pages of Netron's scheme only."""
        return QUrl(url).scheme() == SCHEME.decode()

    def createWindow(self, kind: QWebEnginePage.WebWindowType) -> QWebEnginePage | None:  # type: ignore[override]  # noqa: N802
        """Qt's name: creates no window."""
        return None

    def javaScriptConsoleMessage(  # noqa: N802
        self, level: QWebEnginePage.JavaScriptConsoleMessageLevel, message: str, line: int, source: str
    ) -> None:
        """Qt's name: keeps messages of the page out of the log."""
        self.logged.emit(message)


class NetronView(QWebEngineView):
    """Shows one model in the colors of the window's theme."""

    def __init__(self, engine: BrowserEngine, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self.host = f"view{next(_numbers)}"
        self._page = NetronPage(engine.profile, self)
        self._page.setBackgroundColor(theme().color("surface"))
        self.setPage(self._page)
        self.setAccessibleName(self.tr("Netron"))
        theme().changed.connect(self._retheme)

    def open(self, file: Path, title: str) -> None:
        """Shows the model of a file."""
        self._engine.pages.models[self.host] = (file, title)
        self.load(QUrl(f"{SCHEME.decode()}://{self.host}/index.html"))

    def _retheme(self) -> None:
        self._page.setBackgroundColor(theme().color("surface"))
        self._page.runJavaScript(DARK if theme().dark else LIGHT)

    def close_model(self) -> None:
        """Closes the model; deletes the page before its profile."""
        theme().changed.disconnect(self._retheme)
        self._engine.pages.models.pop(self.host, None)
        self._page.deleteLater()
        self.deleteLater()
