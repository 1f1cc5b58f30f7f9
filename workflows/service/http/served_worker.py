"""A worker process that an event loop asks: requests out as JSON lines, events in.

request ──submit──▶ WorkerJob ──events──▶ ChunkEvent, TokenEvent … the answer
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from itertools import count

from workflows.common.errors import JoineryError, error_of_kind
from workflows.process.subprocesses import module_search_path, own_group, python_command
from workflows.wire.events import FINAL_EVENTS, ErrorEvent, Event, parse
from workflows.wire.request_lines import to_line
from workflows.wire.requests import Cancel, Request

_GUARD, _WORKER = "workflows.process.guard", "workflows.service.worker"
_MOST_UNREAD = 1024  # events of a job, some KB each
_STALLED_S = 1.0  # without a read, beyond what the system's buffers hold, while others wait
_LONGEST_LINE = 1 << 28  # bytes: vectors of many texts


class WorkerLostError(JoineryError):
    """The worker process ended before it answered."""


class UnreadError(JoineryError):
    """A client read so slowly that its reply was cancelled."""


class WorkerJob:
    """A request that a worker has. ended: set with its last event, or with the worker's end.

    is_awaited: whether others wait for its end; then a reader that stalls loses it.
    """

    def __init__(self, client: ServedWorker, ident: int, answer: type, is_awaited: Callable[[], bool]) -> None:
        self._client, self._ident, self._answer, self._is_awaited = client, ident, answer, is_awaited
        self._events: asyncio.Queue[Event | JoineryError] = asyncio.Queue()
        self._read_at = 0.0  # when the newest event was read; where none was unread, when the next one came
        self._unread = ""
        self.ended = asyncio.Event()

    async def events(self) -> AsyncIterator[Event]:
        """The events, the answer last. Raises the worker's JoineryError, WorkerLostError and UnreadError."""
        while True:
            event = await self._events.get()
            self._read_at = time.monotonic()
            if isinstance(event, JoineryError):
                raise event
            if isinstance(event, ErrorEvent):
                raise error_of_kind(event.kind, event.message, JoineryError)
            yield event
            if isinstance(event, FINAL_EVENTS):
                return

    def cancel(self) -> None:
        """Asks the worker to stop."""
        self._client.send(0, Cancel(target=self._ident))

    def receive(self, payload: object) -> None:
        """Takes an event as the worker wrote it; cancels a job of which too many are unread."""
        event = parse(payload, self._answer)
        is_last = isinstance(event, FINAL_EVENTS)
        if not self._unread and (why := self._unread_reason()):
            self._unread = why
            self.cancel()
        if not self._unread:
            self._events.put_nowait(event)
        elif is_last:
            self._events.put_nowait(UnreadError(f"{self._unread}: the reply was cancelled."))
        if is_last:
            self.ended.set()

    def _unread_reason(self) -> str:
        """Why its reader is too slow to go on; empty where it is not."""
        if self._events.empty():
            self._read_at = time.monotonic()
        if self._events.qsize() >= _MOST_UNREAD:
            return f"{_MOST_UNREAD:,} tokens were not read"
        if time.monotonic() - self._read_at > _STALLED_S and self._is_awaited():
            return f"Nothing was read for {_STALLED_S:g} s while others wait"
        return ""

    def lose(self, why: WorkerLostError) -> None:
        """Ends it without an answer."""
        self._events.put_nowait(why)
        self.ended.set()


class ServedWorker:
    """A running worker."""

    def __init__(self, process: asyncio.subprocess.Process, name: str) -> None:
        self._process, self._name = process, name
        self._ids, self._jobs = count(1), dict[int, WorkerJob]()
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, name: str) -> ServedWorker:
        """Starts a process. name: of the bundle, for messages. It does not outlive this one."""
        own = {"PYTHONPATH": module_search_path(os.environ.get("PYTHONPATH", ""))}
        process = await asyncio.create_subprocess_exec(
            *python_command(_GUARD), str(os.getpid()), _WORKER,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env=os.environ | own, limit=_LONGEST_LINE,
            **own_group(),
        )  # fmt: skip
        return cls(process, name)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def runs(self) -> bool:
        """Whether the process has not ended."""
        return not self._reading.done()

    def submit(self, request: Request[object], is_awaited: Callable[[], bool] = lambda: False) -> WorkerJob:
        """Hands a request over. is_awaited: as of the job. Raises WorkerLostError where the process has ended."""
        if not self.runs:
            raise self._lost()
        ident = next(self._ids)
        job = self._jobs[ident] = WorkerJob(self, ident, request.answer, is_awaited)
        self.send(ident, request)
        return job

    def send(self, ident: int, request: Request[object]) -> None:
        """Writes a request; one to a process that has ended is dropped, for its end is told by `_read`."""
        assert self._process.stdin is not None
        with suppress(OSError, RuntimeError):
            self._process.stdin.write((to_line(ident, request) + "\n").encode())

    async def stop(self) -> None:
        """Kills the process group, and waits for its end."""
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()
        await self._reading

    async def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            while line := await self._process.stdout.readline():
                payload = json.loads(line)
                if (job := self._jobs.get(payload["job"])) is not None:
                    job.receive(payload)
                    if job.ended.is_set():
                        del self._jobs[payload["job"]]
        finally:
            for job in self._jobs.values():
                job.lose(self._lost())
            self._jobs.clear()

    def _lost(self) -> WorkerLostError:
        return WorkerLostError(f"The process that runs {self._name} has ended: send the request again.")
