"""A bundle behind the server: opened with its first request, closed when unused.

request ──wait for its turn──▶ worker, started and opened if needed ──events──▶ the next one's turn

As many requests have their turn at once as the bundle has rows: one, unless it was built with `batch`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from pathlib import Path
from typing import NamedTuple

from workflows.bundle import read_bundle
from workflows.bundle.schema import Pipeline
from workflows.common.errors import JoineryError, RequestError
from workflows.service.http.served_worker import ServedWorker, WorkerJob
from workflows.service.http.settings import ServerSettings
from workflows.wire.events import Event
from workflows.wire.reports.server import RequestState
from workflows.wire.requests import Open, Request

_GRACE_S = 5.0  # that a cancelled job may take to end
_TASKS = {"feature-extraction": "vectors", "text-classification": "scores"}


class OwnSampling(NamedTuple):
    """How a bundle draws tokens where a request leaves it out; temperature 0 is greedy."""

    temperature: float
    top_p: float


class QueueFullError(JoineryError):
    """As many requests wait as may."""


class ServedModel:
    """One bundle. created: when it was served first, in Unix seconds.

    Raises BundleError for a folder without one, RequestError for one that no route is for.
    """

    def __init__(self, name: str, folder: Path, settings: ServerSettings) -> None:
        self.name, self.folder, self.created = name, folder.resolve(), int(time.time())
        pipeline = read_bundle(self.folder).pipeline
        self.gives, self.own_sampling = _gives(name, pipeline), _own_sampling(pipeline)
        self.rows = min(settings.rows or pipeline.metadata.batch, pipeline.metadata.batch)
        self.waiting = self.running = 0
        self._settings = settings
        self._client: ServedWorker | None = None
        self._turns = asyncio.Semaphore(self.rows)
        self._opening: asyncio.Task[ServedWorker] | None = None
        self._settling = set[asyncio.Task[None]]()
        self._used_at = time.monotonic()

    @property
    def provider(self) -> str:
        """The execution provider that runs it."""
        return self._settings.provider

    @property
    def pid(self) -> int | None:
        """The process that has it open; None for none."""
        return self._client.pid if self._client is not None and self._client.runs else None

    async def events(
        self, request: Request[object], on_state: Callable[[RequestState], None] = lambda _: None
    ) -> AsyncGenerator[Event]:
        """The events of a request when its turn comes; one that is left is cancelled before the next one's turn.

        on_state: called with `opening` at its turn, and with `running` once the bundle is open. The turn ends with the
        job, also where its events are not read yet. Raises QueueFullError, WorkerLostError, UnreadError, and the
        worker's errors.
        """
        await self._begin()
        job: WorkerJob | None = None
        try:
            on_state("opening")
            worker = await self._open()
            on_state("running")
            job = worker.submit(request, lambda: self.waiting > 0)
            self._keep(self._give_turn_after(job))
            async for event in job.events():
                yield event
        finally:
            if job is None:
                self._give_turn()
            elif not job.ended.is_set():
                job.cancel()
                self._keep(self._end_in_time(job))

    async def close_if_unused(self) -> None:
        """Ends the worker of a bundle that was not asked for as long as the settings say."""
        if self._settings.idle_s and self.pid and not self.running and self._unused_s() > self._settings.idle_s:
            await self.close()

    async def close(self) -> None:
        """Ends the worker."""
        client, self._client, self._opening = self._client, None, None
        if client is not None:
            await client.stop()

    def _unused_s(self) -> float:
        return time.monotonic() - self._used_at

    async def _begin(self) -> None:
        if self._turns.locked() and self.waiting >= self._settings.queue:
            raise QueueFullError(f"{self.waiting} requests wait for {self.name} already: try again later.")
        self.waiting += 1
        try:
            await self._turns.acquire()
            self.running += 1
        finally:
            self.waiting -= 1

    def _keep(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)

    async def _give_turn_after(self, job: WorkerJob) -> None:
        await job.ended.wait()
        self._give_turn()

    async def _end_in_time(self, job: WorkerJob) -> None:
        """Ends the worker of a cancelled job that goes on."""
        try:
            async with asyncio.timeout(_GRACE_S):
                await job.ended.wait()
        except TimeoutError:
            await self.close()

    def _give_turn(self) -> None:
        self._used_at = time.monotonic()
        self.running -= 1
        self._turns.release()

    async def _open(self) -> ServedWorker:
        """The running worker, with the bundle open. All that wait share one start, which goes on where they leave."""
        if self._opening is None or (self._opening.done() and not self._is_open(self._opening)):
            self._opening = asyncio.create_task(self._start())
        return await asyncio.shield(self._opening)

    @staticmethod
    def _is_open(opening: asyncio.Task[ServedWorker]) -> bool:
        return not opening.cancelled() and opening.exception() is None and opening.result().runs

    async def _start(self) -> ServedWorker:
        """A worker; one of a bundle that generates tokens has it open. Raises the worker's errors."""
        if self._client is None or not self._client.runs:
            self._client = await ServedWorker.start(self.name)
        client, its = self._client, self._settings
        if self.gives == "tokens":
            request = Open(str(self.folder), provider=its.provider, capacity=its.capacity, rows=self.rows)
            async for _ in client.submit(request).events():
                pass
        return client


def _own_sampling(pipeline: Pipeline) -> OwnSampling:
    """By the bundle's chain of logits processors, as a generation without options runs it."""
    values = {op.op: op.value for op in (pipeline.generation and pipeline.generation.logits) or ()}
    heat = values.get("temperature", 1.0) if "sample" in values else 0.0
    return OwnSampling(heat or 0.0, values.get("top_p") or 1.0)


def _gives(name: str, pipeline: Pipeline) -> str:
    """What its routes answer with: tokens, or the vectors or scores of a single graph."""
    if pipeline.route != "single":
        return "tokens"
    if (gives := _TASKS.get(pipeline.metadata.task)) is None:
        task = pipeline.metadata.task or "no task"
        raise RequestError(f"{name} is a single graph for {task}, which no route of the server is for: leave it out.")
    return gives
