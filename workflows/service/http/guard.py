"""What a request must have before a route sees it: a known host, the token, and a body that is not too large."""

from __future__ import annotations

import hmac

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workflows.common.loopback import is_loopback
from workflows.service.http.api_errors import ApiError
from workflows.service.http.settings import ServerSettings

_OPEN = ("/health", "/ready")


class BodyTooLargeError(ApiError):
    """A body with more bytes than are allowed."""


class Guard:
    """Stands before all routes."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app, self._settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            self._check(scope)
        except ApiError as error:
            await JSONResponse(error.body, error.status)(scope, receive, send)
            return
        await self._app(scope, self._limited(receive), send)

    def _check(self, scope: Scope) -> None:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1").rsplit(":", 1)[0].strip("[]")
        if is_loopback(self._settings.host) and host and not is_loopback(host):  # a page's name that leads here
            raise ApiError(421, "This server answers on this machine alone.", code="wrong_host")
        wanted = self._settings.token
        given = headers.get(b"authorization", b"").removeprefix(b"Bearer ")
        if wanted and scope["path"] not in _OPEN and not hmac.compare_digest(given, wanted.encode()):
            raise ApiError(
                401, "The token is missing or wrong: send it as Authorization: Bearer.", code="invalid_api_key"
            )
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self._settings.body_bytes:
            raise self._too_large()

    def _limited(self, receive: Receive) -> Receive:
        seen = 0

        async def limited() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._settings.body_bytes:
                raise self._too_large()
            return message

        return limited

    def _too_large(self) -> BodyTooLargeError:
        return BodyTooLargeError(413, f"The body has more than {self._settings.body_mb:g} MiB.", code="body_too_large")
