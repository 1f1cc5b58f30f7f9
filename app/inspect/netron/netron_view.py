"""One model in Netron: a browser widget that can go nowhere else."""

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
"""Netron's rules for the dark, on and off, without drawing the model anew; see `files.served`."""


class NetronPage(QWebEnginePage):
    """Opens no other window and follows no link out of our scheme."""

    said = Signal(str)

    def acceptNavigationRequest(  # noqa: N802
        self, url: QUrl | str, kind: QWebEnginePage.NavigationType, is_main: bool
    ) -> bool:
        """Qt's name: our own pages alone."""
        return QUrl(url).scheme() == SCHEME.decode()

    def createWindow(self, kind: QWebEnginePage.WebWindowType) -> QWebEnginePage | None:  # type: ignore[override]  # noqa: N802
        """Qt's name: none."""
        return None

    def javaScriptConsoleMessage(  # noqa: N802
        self, level: QWebEnginePage.JavaScriptConsoleMessageLevel, message: str, line: int, source: str
    ) -> None:
        """Qt's name: what a page logs is no warning of ours."""
        self.said.emit(message)


class NetronView(QWebEngineView):
    """Shows one model; follows the window's theme."""

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

    def leave(self) -> None:
        """Forgets its model, and lets its page go before the profile."""
        theme().changed.disconnect(self._retheme)
        self._engine.pages.models.pop(self.host, None)
        self._page.deleteLater()
        self.deleteLater()
