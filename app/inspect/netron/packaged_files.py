"""Netron's packaged files as they are served: without date, version, consent page and dark-mode query.

    name ──read_asset──▶ (media type, bytes)

Netron 9.3.3 loops on "please update" 180 days after the date in its page, calls home where its version is not 0.0.0,
and asks at a server which country this is where no cookie says "consent"; a page of our scheme has no cookies, so a
script stands in for them (facts of the window's design).
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

MODEL = "model.onnx"
"""The file name of the model for the page."""

TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".png": "image/png",
    ".ico": "image/x-icon",
}
COOKIE = 'Object.defineProperty(document, "cookie", { get: () => "consent=1", set: () => {} });'
"""A script that each page runs before Netron."""

_NAME = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+")
_DATE = re.compile(r'<meta name="date" content="[^"]*">\n?')
_VERSION = re.compile(r'<meta name="version" content="[^"]*">')
_DARK = "(prefers-color-scheme: dark)"


def netron_folder() -> Path | None:
    """The folder of Netron's package, which is not imported; None where it is not installed."""
    spec = find_spec("netron")
    places = list(spec.submodule_search_locations or []) if spec else []
    return Path(places[0]) if places else None


def read_asset(root: Path, name: str, title: str, dark: bool) -> tuple[str, bytes] | None:
    """The media type and the content of one of Netron's files; None for a missing file or an invalid name."""
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
    """Netron's page with the model's file name, without date, and with version 0.0.0."""
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
