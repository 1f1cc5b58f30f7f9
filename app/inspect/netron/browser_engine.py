"""The browser engine for Netron: a URL scheme of its own, a profile without storage, and a request filter.

a page ──▶ RequestGuard: passes netron://…, blocks all else ──▶ NetronSchemeHandler: files and models from memory
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QCoreApplication, QObject
from PySide6.QtWebEngineCore import (
    QWebEngineProfile,
    QWebEngineScript,
    QWebEngineSettings,
    QWebEngineUrlRequestInfo,
    QWebEngineUrlRequestInterceptor,
    QWebEngineUrlRequestJob,
    QWebEngineUrlScheme,
    QWebEngineUrlSchemeHandler,
)

from app.inspect.netron.packaged_files import COOKIE, MODEL, netron_folder, read_asset
from app.widgets.theme import theme

SCHEME = b"netron"


class RequestGuard(QWebEngineUrlRequestInterceptor):
    """Passes requests of the scheme `netron`; `blocked` lists the URLs of all others."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.blocked: list[str] = []

    def interceptRequest(self, info: QWebEngineUrlRequestInfo) -> None:  # noqa: N802
        if info.requestUrl().scheme() != SCHEME.decode():
            self.blocked.append(info.requestUrl().toString())
            info.block(True)


class NetronSchemeHandler(QWebEngineUrlSchemeHandler):
    """Serves netron://VIEW/FILE. models: path and title of the model of each view."""

    def __init__(self, root: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.root = root
        self.models: dict[str, tuple[Path, str]] = {}

    def requestStarted(self, job: QWebEngineUrlRequestJob) -> None:  # noqa: N802
        """Qt's name: answers with a file or a model, or with "not found"."""
        url = job.requestUrl()
        answer = self._answer(url.host(), url.path().lstrip("/"))
        if answer is None:
            job.fail(QWebEngineUrlRequestJob.Error.UrlNotFound)
            return
        kind, content = answer
        buffer = QBuffer(job)
        buffer.setData(QByteArray(content))
        job.reply(kind.encode(), buffer)

    def _answer(self, view: str, name: str) -> tuple[str, bytes] | None:
        model = self.models.get(view)
        if model is None:
            return None
        path, title = model
        if name != MODEL:
            return read_asset(self.root, name, title, theme().dark)
        try:
            return "application/octet-stream", path.read_bytes()
        except OSError:
            return None


class BrowserEngine(QObject):
    """The only browser engine of the process."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self.profile = QWebEngineProfile(self)  # without a name: it stores nothing
        self.guard = RequestGuard(self)
        self.pages = NetronSchemeHandler(root, self)
        self.profile.setUrlRequestInterceptor(self.guard)
        self.profile.installUrlSchemeHandler(SCHEME, self.pages)
        self.profile.setPersistentCookiesPolicy(QWebEngineProfile.PersistentCookiesPolicy.NoPersistentCookies)
        self.profile.setHttpCacheType(QWebEngineProfile.HttpCacheType.NoCache)
        self.profile.setSpellCheckEnabled(False)
        self.profile.downloadRequested.connect(lambda request: request.cancel())
        self._disable_features(self.profile.settings())
        self._insert_cookie_script()

    def _disable_features(self, settings: QWebEngineSettings) -> None:
        off = QWebEngineSettings.WebAttribute
        for attribute in (
            off.LocalContentCanAccessFileUrls,
            off.LocalContentCanAccessRemoteUrls,
            off.PluginsEnabled,
            off.HyperlinkAuditingEnabled,
            off.DnsPrefetchEnabled,
            off.LocalStorageEnabled,
            off.ScreenCaptureEnabled,
            off.WebRTCPublicInterfacesOnly,
            off.JavascriptCanOpenWindows,
            off.ErrorPageEnabled,
            off.WebGLEnabled,
        ):
            settings.setAttribute(attribute, False)

    def _insert_cookie_script(self) -> None:
        script = QWebEngineScript()
        script.setName("cookie")
        script.setSourceCode(COOKIE)
        script.setInjectionPoint(QWebEngineScript.InjectionPoint.DocumentCreation)
        script.setWorldId(QWebEngineScript.ScriptWorldId.MainWorld)
        self.profile.scripts().insert(script)


def _register() -> None:
    """Registers the scheme, which must happen before the first profile is made."""
    scheme = QWebEngineUrlScheme(SCHEME)
    scheme.setSyntax(QWebEngineUrlScheme.Syntax.Host)
    flags = QWebEngineUrlScheme.Flag
    scheme.setFlags(flags.SecureScheme | flags.CorsEnabled | flags.FetchApiAllowed)
    QWebEngineUrlScheme.registerScheme(scheme)


def unavailable_reason() -> str:
    """The reason why the browser cannot be started here, where it would crash the window; empty if it can."""
    if netron_folder() is None:
        return "Netron is not installed: pip install netron==9.3.3 brings it."
    root = sys.platform.startswith("linux") and os.geteuid() == 0
    if root and os.environ.get("QTWEBENGINE_DISABLE_SANDBOX") != "1":
        return "Netron's view does not start as root, where its sandbox cannot work: start Joinery as another user."
    return ""


@lru_cache(maxsize=1)
def browser_engine() -> BrowserEngine:
    """The engine, started with the first call. Raises RuntimeError with `unavailable_reason`."""
    reason = unavailable_reason()
    root = netron_folder()
    if reason or root is None:
        raise RuntimeError(reason)
    _register()
    if (app := QCoreApplication.instance()) is not None:
        app.aboutToQuit.connect(close_engine)
    return BrowserEngine(root)


def close_engine() -> None:
    """Deletes the engine, after all its views."""
    if browser_engine.cache_info().currsize:
        browser_engine().profile.deleteLater()
        browser_engine.cache_clear()
