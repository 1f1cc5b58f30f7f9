"""Runs a server until it is told to stop: requests that run are finished, within a limit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from workflows.process.standard_input import call_at_eof
from workflows.service.http.app import make_app
from workflows.service.http.listening import listen, shown_address
from workflows.service.http.settings import ServerSettings
from workflows.service.http.status import OnStatus

_STOP_S = 30  # that running requests may take after a signal
_HEADERS = 32 << 10  # bytes


def serve(
    settings: ServerSettings,
    on_ready: Callable[[str], None],
    on_status: OnStatus | None = None,
    *,
    stops_at_eof: bool = False,
) -> None:
    """Serves until SIGINT or SIGTERM. on_ready: called with the address. on_status: when what it does has changed.

    stops_at_eof: the end of standard input stops it, too.

    Raises BundleError for a folder that holds no bundle, AddressError where the address cannot be had.
    """
    app = make_app(settings, on_status)
    config = uvicorn.Config(
        _without_traceback(app),
        log_level="warning",
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=_HEADERS,
        timeout_graceful_shutdown=_STOP_S,
        timeout_keep_alive=30,
        ssl_certfile=settings.certificate,
        ssl_keyfile=settings.key,
        lifespan="on",
        http="h11",
        loop="asyncio",
    )
    with listen(settings.host, settings.port) as listener:
        on_ready(shown_address(*listener.getsockname()[:2], encrypted=settings.certificate is not None))
        server = uvicorn.Server(config)
        if stops_at_eof:
            call_at_eof(partial(setattr, server, "should_exit", True))
        server.run(sockets=[listener])


def _without_traceback(app: ASGIApp) -> ASGIApp:
    """The same; of a request that a stop cancels after its time, uvicorn's log has a line without a traceback."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(asyncio.CancelledError):
            await app(scope, receive, send)

    return answer
