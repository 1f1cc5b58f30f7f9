"""Netron's packaged files as they are shown: without its date, its version, its consent page and its dark-mode query.

    name ──served──▶ (type, bytes)

Netron 9.3.3 loops on "please update" 180 days after the date in its page, calls home where its version is not 0.0.0,
and asks at a server which country this is where no cookie says "consent"; a page of our scheme has no cookies, so a
script stands in for them (facts of the window's design).
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

MODEL = "model.onnx"
"""The name under which a page finds its model."""

TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".png": "image/png",
    ".ico": "image/x-icon",
}
COOKIE = 'Object.defineProperty(document, "cookie", { get: () => "consent=1", set: () => {} });'
"""Runs in each page before Netron does."""

_NAME = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+")
_DATE = re.compile(r'<meta name="date" content="[^"]*">\n?')
_VERSION = re.compile(r'<meta name="version" content="[^"]*">')
_DARK = "(prefers-color-scheme: dark)"


def netron_folder() -> Path | None:
    """Where Netron's package is; None where it is not installed. It is not imported: that would read its server."""
    found = find_spec("netron")
    places = list(found.submodule_search_locations or []) if found else []
    return Path(places[0]) if places else None


def read_asset(root: Path, name: str, title: str, dark: bool) -> tuple[str, bytes] | None:
    """The type and the bytes of one of Netron's files; None for what it has not, or what is no file name."""
    kind = TYPES.get(Path(name).suffix)
    if kind is None or not _NAME.fullmatch(name):
        return None
    try:
        content = (root / name).read_bytes()
    except OSError:
        return None
    if name == "index.html":
        content = adapt_index_page(content.decode(), title).encode()
    if kind in ("text/html", "text/css"):
        content = content.replace(_DARK.encode(), b"all" if dark else b"not all")
    return kind, content


def adapt_index_page(html: str, title: str) -> str:
    """Netron's page for our model: no date, version 0.0.0, and where its model is."""
    named = re.sub(r'["<>&]', "_", title)
    meta = (
        '<meta name="version" content="0.0.0">\n'
        f'<meta name="file" content="{MODEL}">\n<meta name="identifier" content="{named}">'
    )
    html, dates = _DATE.subn("", html)
    html, versions = _VERSION.subn(lambda _: meta, html)
    if dates != 1 or versions != 1:
        raise ValueError("Netron's page has another form than that of version 9.3.3: reinstall netron==9.3.3.")
    return html
