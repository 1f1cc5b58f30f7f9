"""Pictures and recordings of a request as files that a worker reads: no path is opened, and nothing is fetched."""

from __future__ import annotations

import base64
import binascii
import re
import tempfile
from pathlib import Path
from typing import Any

from workflows.service.http.api_errors import ApiError

_DATA = re.compile(r"data:(image|audio)/[a-z0-9.+-]{1,40};base64,", re.IGNORECASE)


class MediaFiles:
    """A folder of one request."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._count = 0

    def close(self) -> None:
        """Removes the files."""
        if self._folder is not None:
            self._folder.cleanup()

    def add(self, content: bytes) -> str:
        """The path of a new file."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="joinery-serve-", ignore_cleanup_errors=True)
        self._count += 1
        path = Path(self._folder.name) / f"{self._count}"
        path.write_bytes(content)
        return str(path)

    def picture(self, part: dict[str, Any]) -> str:
        """The file of a part {"image_url": {"url": "data:image/…;base64,…"}}. Raises ApiError for another URL."""
        given = part.get("image_url")
        url = given.get("url") if isinstance(given, dict) else given
        begun = _DATA.match(url) if isinstance(url, str) else None
        if begun is None or not isinstance(url, str):
            raise ApiError(
                400, "This server fetches nothing: send a picture as a data: URL in base64.", param="image_url"
            )
        return self.add(_decoded(url[begun.end() :], "image_url"))

    def sound(self, part: dict[str, Any]) -> str:
        """The file of a part {"input_audio": {"data": base64, "format": "wav"}}."""
        given = part.get("input_audio")
        if not isinstance(given, dict) or not isinstance(given.get("data"), str):
            raise ApiError(400, "A recording is sent as input_audio with data in base64.", param="input_audio")
        return self.add(_decoded(given["data"], "input_audio"))


def _decoded(text: str, param: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise ApiError(400, f"The data of {param} is no base64.", param=param) from None
