"""A bundle behind the server: opened with its first request, closed when unused.

request ──wait for its turn──▶ worker, started and opened if needed ──events──▶ the next one's turn

As many requests have their turn at once as the bundle has rows: one, unless it was built with `batch`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

from workflows.bundle import read_bundle
from workflows.common.errors import JoineryError
from workflows.service.http.served_worker import ServedWorker, WorkerJob
from workflows.service.http.settings import ServerSettings
from workflows.wire.events import Event, ReadyEvent
from workflows.wire.requests import Generate, Open, Request

_GRACE_S = 5.0  # that a cancelled job may take to end
_TASKS = {"feature-extraction": "vectors", "text-classification": "scores", "text-ranking": "scores"}


class QueueFullError(JoineryError):
    """As many requests wait as may."""


class ServedModel:
    """One bundle. ready: what it can do, once it was opened. created: when it was served first, in Unix seconds."""

    def __init__(self, name: str, folder: Path, settings: ServerSettings) -> None:
        self.name, self.folder, self.created = name, folder.resolve(), int(time.time())
        pipeline = read_bundle(self.folder).pipeline
        self.gives = _TASKS.get(pipeline.metadata.task or "", "tokens")
        self.rows = min(settings.rows or pipeline.metadata.batch, pipeline.metadata.batch)
        self.ready: ReadyEvent | None = None
        self.waiting = self.running = 0
        self._settings = settings
        self._client: ServedWorker | None = None
        self._turns, self._opening = asyncio.Semaphore(self.rows), asyncio.Lock()
        self._settling = set[asyncio.Task[None]]()
        self._used_at = time.monotonic()

    @property
    def pid(self) -> int | None:
        """The process that has it open; None for none."""
        return self._client.pid if self._client is not None and self._client.runs else None

    async def events(self, request: Request[object]) -> AsyncIterator[Event]:
        """The events of a request when its turn comes; one that is left is cancelled before the next one's turn.

        Raises QueueFullError, WorkerLostError, and the worker's errors.
        """
        await self._begin()
        job: WorkerJob | None = None
        try:
            client = await self._open(isinstance(request, Generate))
            job = client.submit(request)
            async for event in job.events():
                yield event
        finally:
            self._end(job)

    async def open(self) -> ReadyEvent | None:
        """Opens it in its turn, if it is not. None for one that generates no tokens."""
        await self._begin()
        try:
            await self._open(generates=self.gives == "tokens")
            return self.ready
        finally:
            self._end(None)

    async def close_if_unused(self) -> None:
        """Ends the worker of a bundle that was not asked for as long as the settings say."""
        if self._settings.idle_s and self.pid and not self.running and self._unused_s() > self._settings.idle_s:
            await self.close()

    async def close(self) -> None:
        """Ends the worker."""
        client, self._client, self.ready = self._client, None, None
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

    def _end(self, job: WorkerJob | None) -> None:
        """Gives the turn away, after the job's end where it was left."""
        self._used_at = time.monotonic()
        if job is None or job.ended.is_set():
            self._give_turn()
            return
        job.cancel()
        task = asyncio.create_task(self._settle(job))
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)

    async def _settle(self, job: WorkerJob) -> None:
        try:
            async with asyncio.timeout(_GRACE_S):
                await job.ended.wait()
        except TimeoutError:
            await self.close()
        finally:
            self._give_turn()

    def _give_turn(self) -> None:
        self.running -= 1
        self._turns.release()

    async def _open(self, generates: bool) -> ServedWorker:
        """The running worker, with the bundle open where it generates."""
        async with self._opening:
            if self._client is None or not self._client.runs:
                self.ready = None
                self._client = await ServedWorker.start(self.name)
            if generates and self.ready is None:
                its = self._settings
                request = Open(str(self.folder), provider=its.provider, capacity=its.capacity, rows=self.rows)
                async for event in self._client.submit(request).events():
                    if isinstance(event, ReadyEvent):
                        self.ready = event
            return self._client
