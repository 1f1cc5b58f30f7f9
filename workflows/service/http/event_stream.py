"""Server-sent events: lines that a generator makes, until a client has all of them or leaves."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from workflows.common.errors import JoineryError
from workflows.service.http.api_errors import ApiError, api_error
from workflows.service.http.context import unless_left
from workflows.service.http.media_files import MediaFiles

_NO_CACHE = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
Chunk = dict[str, object]


async def stream(request: Request, lines: AsyncGenerator[str], files: MediaFiles) -> Response:
    """A response of server-sent events. What fails before the first line is an error response of its own, and a client
    that leaves before it has no turn any more.
    """
    first = await unless_left(request, anext(lines))
    return _EventStream(first, lines, files)


async def chunk_lines(chunks: AsyncGenerator[Chunk]) -> AsyncGenerator[str]:
    """Chunks of chats and completions; an error after the first one is the last chunk."""
    has_begun = False
    try:
        async with aclosing(chunks):
            async for chunk in chunks:
                yield event_line(chunk)
                has_begun = True
    except (JoineryError, ApiError) as error:
        if not has_begun:
            raise
        yield event_line(stream_error(error).body)
    yield "data: [DONE]\n\n"


def event_line(content: Chunk, name: str = "") -> str:
    """One event. name: its kind, for streams that have several."""
    return (f"event: {name}\n" if name else "") + f"data: {json.dumps(content, ensure_ascii=False)}\n\n"


def stream_error(error: JoineryError | ApiError) -> ApiError:
    """What ends a stream, as an error of the API."""
    return error if isinstance(error, ApiError) else api_error(error)


async def _with_first(first: str, lines: AsyncGenerator[str]) -> AsyncGenerator[str]:
    yield first
    async for line in lines:
        yield line


class _EventStream(StreamingResponse):
    """Closes its generator, and removes the request's files, when the client has all of it or has left."""

    def __init__(self, first: str, lines: AsyncGenerator[str], files: MediaFiles) -> None:
        super().__init__(_with_first(first, lines), media_type="text/event-stream", headers=_NO_CACHE)
        self._lines, self._files = lines, files

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._files.close()
            await self._lines.aclose()
