"""The requests that run and the last that ended, as /status and the window show them; never what they say.

ServedModel.events ──follow──▶ the same events; their counts ──status──▶ ServerStatus
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from dataclasses import replace

from workflows.common.errors import JoineryError
from workflows.service.http.api_errors import ApiError, api_error
from workflows.service.http.served_model import ServedModel
from workflows.wire.events import FINAL_EVENTS, ChunkEvent, Event, GenerationDone, ResultEvent, TokenEvent
from workflows.wire.reports.embeddings import EmbedReport
from workflows.wire.reports.labels import LabelsReport
from workflows.wire.reports.server import (
    TIME_LIMIT,
    RequestKind,
    RequestState,
    ServedBundle,
    ServedRequest,
    ServerStatus,
)
from workflows.wire.requests import Embed, Generate, LabelTexts, Request

_ENDED = 50  # of the requests that ended, so many are listed


class RequestLog:
    """The requests of one server."""

    def __init__(self) -> None:
        self._began, self._number = time.monotonic(), 0
        self._open = dict[int, LoggedRequest]()
        self._ended = deque[ServedRequest](maxlen=_ENDED)
        self._ends = Counter[RequestState]()
        self._tokens = Counter[str]()
        self._capacities = dict[str, int]()

    async def follow(self, model: ServedModel, request: Request[object], deadline: float) -> AsyncGenerator[Event]:
        """The events of a request until the deadline, counted as they pass.

        Raises what ServedModel.events raises, and ApiError after the deadline; what runs is left then.
        """
        self._number += 1
        entry = self._open[self._number] = LoggedRequest(self._number, model.name, _kind(request))
        try:
            async with aclosing(_within(model.events(request, entry.enter), deadline)) as events:
                async for event in events:
                    self._take(entry, event)
                    yield event
        except (JoineryError, ApiError) as error:
            answer = error if isinstance(error, ApiError) else api_error(error)
            entry.end("failed", answer.code or str(answer.status))
            raise
        finally:
            entry.end("cancelled")  # unless it has ended
            del self._open[entry.report.number]
            self._ended.append(entry.report)
            self._ends[entry.report.state] += 1

    def _take(self, entry: LoggedRequest, event: Event) -> None:
        before = (entry.report.prompt_tokens, entry.report.cached_tokens, entry.report.tokens)
        entry.take(event)
        after = (entry.report.prompt_tokens, entry.report.cached_tokens, entry.report.tokens)
        for name, old, new in zip(("prompt", "cached", "made"), before, after, strict=True):
            self._tokens[name] += new - old
        if isinstance(event, ChunkEvent | TokenEvent):
            self._capacities[entry.report.model] = event.cache_capacity

    def status(self, models: Iterable[ServedModel]) -> ServerStatus:
        """Everything as it is now."""
        running = [entry.now() for entry in self._open.values()]
        return ServerStatus(
            uptime_s=time.monotonic() - self._began,
            bundles=[self._bundle(model) for model in models],
            requests=sorted((*self._ended, *running), key=lambda one: one.number),
            done=self._ends["done"],
            failed=self._ends["failed"],
            cancelled=self._ends["cancelled"],
            prompt_tokens=self._tokens["prompt"],
            cached_tokens=self._tokens["cached"],
            tokens=self._tokens["made"],
        )

    def _bundle(self, model: ServedModel) -> ServedBundle:
        used = sum(entry.cache_used for entry in self._open.values() if entry.report.model == model.name)
        slots = model.rows * self._capacities.get(model.name, 0)
        its = (model.name, model.gives, model.pid is not None, model.rows, model.waiting, model.running)
        return ServedBundle(*its, cache_used=used, cache_slots=slots, provider=model.provider)


class LoggedRequest:
    """A request that has not ended."""

    def __init__(self, number: int, model: str, kind: RequestKind) -> None:
        self.report = ServedRequest(number, model, kind, "waiting", 0.0)
        self.cache_used = 0
        self._began = time.monotonic()
        self._first = 0.0
        self._has_ended = False

    def enter(self, state: RequestState) -> None:
        """Its turn came, or its bundle is open."""
        self.report.state = state

    def take(self, event: Event) -> None:
        """Counts an event; the last one ends the request."""
        it = self.report
        if isinstance(event, ChunkEvent):
            if not it.prompt_tokens:
                it.cached_tokens = it.prompt_tokens = event.start
            it.prompt_tokens += event.tokens
            self.cache_used = event.cache_used
        elif isinstance(event, TokenEvent):
            it.tokens += 1
            self.cache_used = event.cache_used
            self._first = self._first or time.monotonic()
            if it.tokens > 1:
                it.tokens_per_s = (it.tokens - 1) / max(time.monotonic() - self._first, 1e-6)
        elif isinstance(event, GenerationDone):
            it.prompt_tokens, it.tokens = len(event.prompt_ids), len(event.token_ids)
            it.tokens_per_s = event.decode_tokens_per_s  # as the engine timed it: events may come together
        elif isinstance(event, ResultEvent) and isinstance(event.value, EmbedReport | LabelsReport):
            it.prompt_tokens = sum(event.value.tokens)
        if isinstance(event, FINAL_EVENTS):
            self.end("done")

    def end(self, state: RequestState, reason: str = "") -> None:
        """Ends it, unless it has ended."""
        if not self._has_ended:
            self.report = replace(self.now(), state=state, reason=reason)
            self._has_ended = True

    def now(self) -> ServedRequest:
        """It with its seconds so far."""
        return self.report if self._has_ended else replace(self.report, seconds=time.monotonic() - self._began)


async def _within(events: AsyncGenerator[Event], deadline: float) -> AsyncGenerator[Event]:
    """The events until the deadline."""
    try:
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    event = await anext(events)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise ApiError(503, "The request took longer than this server allows.", code=TIME_LIMIT) from None
            yield event
    finally:
        await events.aclose()


def _kind(request: Request[object]) -> RequestKind:
    if isinstance(request, Embed):
        return "embedding"
    if isinstance(request, LabelTexts):
        return "rerank"
    assert isinstance(request, Generate)  # the routes make no other
    if request.sound is not None:
        return "transcription"
    return "chat" if request.messages else "completion"
