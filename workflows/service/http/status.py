"""What the server does now: for /status, and for a program that started the server and follows it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response

from workflows.service.http.context import ServerContext
from workflows.wire.codec import dumps
from workflows.wire.reports.server import ServerStatus

OnStatus = Callable[[ServerStatus], None]
_REPORT_S = 0.5  # between reports


async def show_status(context: ServerContext, _request: Request) -> Response:
    """GET /status: a ServerStatus."""
    return Response(dumps(context.status(), named=True), media_type="application/json")


async def report_status(context: ServerContext, on_status: OnStatus) -> None:
    """Calls `on_status` at the start and after every change, twice a second at most, and when it is cancelled."""
    before: ServerStatus | None = None
    try:
        while True:
            status = context.status()
            if before is None or replace(status, uptime_s=before.uptime_s) != before:
                before = status
                await asyncio.to_thread(on_status, status)  # a reader that is slow holds no request
            await asyncio.sleep(_REPORT_S)
    finally:
        on_status(context.status())
