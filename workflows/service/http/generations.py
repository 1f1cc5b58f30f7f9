"""Chats and completions: whole, or as a stream of server-sent events."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import ExitStack, aclosing, closing

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from workflows.service.http.bodies import ChatBody, CompletionBody, Sampling, most_calls
from workflows.service.http.context import ServerContext, unless_left
from workflows.service.http.event_stream import chunk_lines, stream
from workflows.service.http.media_files import MediaFiles
from workflows.service.http.prompts import chat_request, completion_requests
from workflows.service.http.replies import (
    Chunk,
    Identity,
    ServedReply,
    chat_choice,
    chat_chunks,
    completion_choice,
    completion_chunks,
    usage,
)
from workflows.service.http.served_model import ServedModel
from workflows.wire.events import Event
from workflows.wire.requests import Generate

Chunks = Callable[[AsyncIterator[Event], ServedReply, int], AsyncIterator[Chunk]]


async def chat_completions(context: ServerContext, request: Request) -> Response:
    """POST /v1/chat/completions."""
    body = await context.body(request, ChatBody)
    model, deadline = context.model(body.model, "tokens"), context.deadline()
    identity = Identity("chat.completion", model.name)
    with ExitStack() as ends:
        files = ends.enter_context(closing(MediaFiles()))
        wanted = [chat_request(body, files, number) for number in range(body.n)]
        run = _Run(context, model, deadline, most_calls(body))
        if body.stream:

            def chunks(events: AsyncIterator[Event], reply: ServedReply, index: int) -> AsyncIterator[Chunk]:
                return chat_chunks(events, reply, index, body.logprobs)

            response = await stream(request, chunk_lines(run.chunks(wanted, chunks, identity, body)), files)
            ends.pop_all()  # the response removes the files
            return response
        replies = await unless_left(request, run.replies(wanted))
    choices = [chat_choice(reply, index, body.logprobs) for index, reply in enumerate(replies)]
    return JSONResponse(identity.object(choices, usage=usage(replies)))


async def completions(context: ServerContext, request: Request) -> Response:
    """POST /v1/completions."""
    body = await context.body(request, CompletionBody)
    model, deadline = context.model(body.model, "tokens"), context.deadline()
    identity, wanted = Identity("text_completion", model.name), completion_requests(body)
    before = [(one.prompt or "") if body.echo else "" for one in wanted]
    has_logprobs = body.logprobs is not None
    run = _Run(context, model, deadline)
    if body.stream:

        def chunks(events: AsyncIterator[Event], reply: ServedReply, index: int) -> AsyncIterator[Chunk]:
            return completion_chunks(events, reply, index, has_logprobs, before[index])

        return await stream(request, chunk_lines(run.chunks(wanted, chunks, identity, body)), MediaFiles())
    replies = await unless_left(request, run.replies(wanted))
    choices = [completion_choice(reply, index, has_logprobs, before[index]) for index, reply in enumerate(replies)]
    return JSONResponse(identity.object(choices, usage=usage(replies)))


class _Run:
    """The generations of one response, one after another. calls: how many calls of tools each may hold."""

    def __init__(self, context: ServerContext, model: ServedModel, deadline: float, calls: int | None = None) -> None:
        self._context, self._model, self._deadline, self._calls = context, model, deadline, calls

    async def replies(self, wanted: Sequence[Generate]) -> list[ServedReply]:
        """Whole replies."""
        made = []
        for one in wanted:
            reply = ServedReply(self._calls)
            async with aclosing(self._events(one)) as events:
                async for event in events:
                    reply.take(event)
            made.append(reply)
        return made

    async def chunks(
        self, wanted: Sequence[Generate], made: Chunks, identity: Identity, body: Sampling
    ) -> AsyncGenerator[Chunk]:
        """The chunks of all choices, and the usage where it was asked for."""
        replies = [ServedReply(self._calls) for _ in wanted]
        for index, one in enumerate(wanted):
            async with aclosing(self._events(one)) as events:
                async for choice in made(events, replies[index], index):
                    yield identity.object([choice], chunk=True)
        if body.stream_options is not None and body.stream_options.include_usage:
            yield identity.object([], chunk=True, usage=usage(replies))

    def _events(self, wanted: Generate) -> AsyncGenerator[Event]:
        return self._context.generation(self._model, wanted, self._deadline)
