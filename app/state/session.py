"""The open bundle: what it is, whether it can generate, what its cache holds, and what went wrong.

    closed ──open──▶ opening ──ready──▶ ready ──generate──▶ generating ──done──▶ ready
                        │                 ▲                     │
                        └──error──▶ failed ◀──────worker died───┘      reopen() leads back to opening

A refused generation (a prompt that is too long, say) leaves the session ready; only a bundle that cannot be
opened and a worker that died make it failed. The conversation is no part of it: a reopened session starts
with an empty cache and the worker computes the prompt anew.

Rewinding, saving and loading the cache are jobs beside these states, one at a time and only while it is ready; each
ends with `cacheDone` or `cacheFailed`, and a failure of theirs is none of the session.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QObject, Signal

from app.state.cache_history import CacheHistory, Moment
from workflows.wire.events import (
    CacheEvent,
    ChunkEvent,
    ErrorEvent,
    Event,
    GenerationDone,
    NoticeEvent,
    ProgressEvent,
    ReadyEvent,
    ResultEvent,
    TokenEvent,
)

if TYPE_CHECKING:
    from app.jobs.worker import Job, Worker

State = Literal["closed", "opening", "ready", "generating", "failed"]
CacheJob = Literal["", "rewind", "save_cache", "load_cache"]


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """What `open` was asked for: enough to ask again."""

    bundle: str
    provider: str = "cpu"
    cache: str | None = None
    capacity: int | None = None


@dataclass(frozen=True, slots=True)
class SessionFailure:
    """Why a session or one generation failed. `kind` is that of the ErrorEvent, or `crashed`."""

    kind: str
    message: str
    details: str = ""


class Session(QObject):
    """One open bundle in one worker process.

    `finished` and `failed` are the two ends of a generation; exactly one of them follows each `started`.
    """

    stateChanged = Signal(str)  # noqa: N815
    opened = Signal(object)  # ReadyEvent
    started = Signal()
    chunk = Signal(object)  # ChunkEvent
    token = Signal(object)  # TokenEvent
    notice = Signal(object)  # NoticeEvent
    progress = Signal(object)  # ProgressEvent, while a bundle opens
    cacheChanged = Signal(object)  # noqa: N815  list of groups, as in CacheEvent
    memory = Signal(object)  # resident bytes of the worker; an int signal would overflow at 2 GiB
    finished = Signal(object)  # GenerationDone
    failed = Signal(object)  # SessionFailure
    cacheJobChanged = Signal(str)  # noqa: N815  CacheJob; empty when none runs
    cacheDone = Signal(str, object)  # noqa: N815  which CacheJob, and its length or path
    cacheFailed = Signal(str, object)  # noqa: N815  which CacheJob, SessionFailure

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._state: State = "closed"
        self._request: OpenRequest | None = None
        self._ready: ReadyEvent | None = None
        self._groups: list[dict[str, Any]] = []
        self._error: SessionFailure | None = None
        self._job: Job | None = None
        self._waiting: dict[str, Any] | None = None
        self._cache_job: CacheJob = ""
        self._cache_work: Job | None = None
        self._step = 0
        self.history = CacheHistory()
        worker.crashed.connect(self._on_crash)
        worker.memory.connect(self.memory.emit)

    @property
    def state(self) -> State:
        """Where the session is in the picture above."""
        return self._state

    @property
    def busy(self) -> bool:
        """Whether something is opening or generating."""
        return self._state in ("opening", "generating")

    @property
    def request(self) -> OpenRequest | None:
        """What was last asked to be opened."""
        return self._request

    @property
    def bundle(self) -> str:
        """The folder of the bundle that is open, opening or failed; empty when closed."""
        return self._request.bundle if self._request else ""

    @property
    def ready(self) -> ReadyEvent | None:
        """What the worker said of the open bundle; None unless it is open."""
        return self._ready

    @property
    def groups(self) -> list[dict[str, Any]]:
        """The cache groups of the last CacheEvent; empty before the first."""
        return self._groups

    @property
    def error(self) -> SessionFailure | None:
        """The last failure; None after the next success."""
        return self._error

    @property
    def cache_job(self) -> CacheJob:
        """What is being done to the cache besides generating."""
        return self._cache_job

    def open(
        self, bundle: str | Path, provider: str = "cpu", cache: str | None = None, capacity: int | None = None
    ) -> None:
        """Opens a bundle in place of the one that is open; a running generation is cancelled."""
        self._abandon()
        self._request = OpenRequest(str(bundle), provider, cache, capacity)
        self._ready = None
        self._error = None
        self._set_groups([])
        self._set_state("opening")
        self._track(self._worker.request("open", bundle=str(bundle), provider=provider, cache=cache, capacity=capacity))

    def reopen(self) -> None:
        """Opens what was last open, after a crash; does nothing when nothing was."""
        if self._request:
            r = self._request
            self.open(r.bundle, r.provider, r.cache, r.capacity)

    def close(self) -> None:
        """Closes the bundle and forgets it."""
        was_open = self._ready is not None
        self._abandon()
        self._request = self._ready = self._error = None
        self._set_groups([])
        if was_open:
            self._worker.request("close")
        self._set_state("closed")

    def generate(
        self,
        content: list[dict[str, str]] | str,
        options: dict[str, Any] | None = None,
        *,
        tools: str = "",
        prefill: str = "",
    ) -> bool:
        """Starts one generation from messages or from a plain prompt; waits for a bundle that is still opening.

        tools: a JSON list that the model is told of. prefill: what the reply to messages begins with.
        False when nothing is open, or another generation is running.
        """
        if self._state not in ("opening", "ready") or self._waiting is not None:
            return False
        key = "prompt" if isinstance(content, str) else "messages"
        opening = {name: text for name, text in (("tools", tools), ("prefill", prefill)) if text}
        self._waiting = {key: content, "options": dict(options or {}), **opening}
        if self._state == "ready":
            self._begin()
        return True

    def stop(self) -> None:
        """Asks the running generation to end; it ends with finish_reason `cancelled`."""
        if self._state == "generating" and self._job is not None:
            self._job.cancel()
        elif self._waiting is not None:
            self._waiting = None
            self.failed.emit(SessionFailure("cancelled", self.tr("Stopped before the bundle was open.")))

    def rewind(self, length: int) -> bool:
        """Goes back to the first `length` tokens; False where the session is not ready for it."""
        return self._change_cache("rewind", length, {"length": length})

    def save_cache(self, path: str | Path) -> bool:
        """Saves what the cache holds to a file; False where the session is not ready for it."""
        return self._change_cache("save_cache", str(path), {"path": str(path)})

    def load_cache(self, path: str | Path) -> bool:
        """Takes the cache from a file; False where the session is not ready for it."""
        return self._change_cache("load_cache", str(path), {"path": str(path)})

    def _change_cache(self, name: CacheJob, subject: int | str, fields: dict[str, Any]) -> bool:
        if self._state != "ready" or self._cache_job:
            return False
        job = self._cache_work = self._worker.request(name, **fields)
        moment: Moment = "rewind" if name == "rewind" else "load"
        job.event.connect(lambda event: self._on_cache_event(job, event, moment))
        job.finished.connect(lambda event: self._on_cache_finished(job, event, subject))
        self._set_cache_job(name)
        return True

    def _on_cache_event(self, job: Job, event: Event, moment: Moment) -> None:
        if job is self._cache_work and isinstance(event, CacheEvent):
            self._set_groups(event.groups, moment)

    def _on_cache_finished(self, job: Job, event: Event, subject: int | str) -> None:
        if job is not self._cache_work:
            return
        name, self._cache_work = self._cache_job, None
        self._set_cache_job("")
        if isinstance(event, ResultEvent):
            self.cacheDone.emit(name, subject)
        elif isinstance(event, ErrorEvent):
            self.cacheFailed.emit(name, SessionFailure(event.kind, event.message, event.details))

    def _set_cache_job(self, name: CacheJob) -> None:
        if name != self._cache_job:
            self._cache_job = name
            self.cacheJobChanged.emit(name)

    def _begin(self) -> None:
        fields, self._waiting = self._waiting, None
        assert fields is not None
        self._error = None
        self._step = 0
        self.history.begin(self._groups)
        self._set_state("generating")
        self.started.emit()
        self._track(self._worker.request("generate", **fields))

    def _track(self, job: Job) -> None:
        self._job = job
        job.event.connect(lambda event: self._on_event(job, event))
        job.finished.connect(lambda event: self._on_finished(job, event))

    def _abandon(self) -> None:
        """Lets go of the running job; what it still says is not listened to."""
        self._cache_work = None
        self._set_cache_job("")
        job, self._job = self._job, None
        running, self._waiting = self._state == "generating" or self._waiting is not None, None
        if job is not None:
            job.cancel()
        if running:
            self.failed.emit(SessionFailure("cancelled", self.tr("Another bundle was opened.")))

    def _on_event(self, job: Job, event: Event) -> None:
        if job is not self._job:
            return
        if isinstance(event, TokenEvent):
            self._step += 1
            self.token.emit(event)
        elif isinstance(event, ChunkEvent):
            self.chunk.emit(event)
        elif isinstance(event, CacheEvent):
            self._set_groups(event.groups, "decode" if self._step else "prefill")
        elif isinstance(event, NoticeEvent):
            self.notice.emit(event)
        elif isinstance(event, ProgressEvent):
            self.progress.emit(event)

    def _on_finished(self, job: Job, event: Event) -> None:
        if job is not self._job:
            return
        self._job = None
        if isinstance(event, ReadyEvent):
            self._ready = event
            self._set_state("ready")
            self.opened.emit(event)
            if self._waiting is not None:
                self._begin()
        elif isinstance(event, GenerationDone):
            self._set_state("ready")
            self.finished.emit(event)
        elif isinstance(event, ErrorEvent):
            self._fail(SessionFailure(event.kind, event.message, event.details), "ready" if self._ready else "failed")

    def _on_crash(self, message: str) -> None:
        if self._state in ("closed", "failed"):
            return
        self._job = self._cache_work = self._ready = None
        self._set_cache_job("")
        self._set_groups([])
        self._fail(SessionFailure("crashed", message), "failed")

    def _fail(self, failure: SessionFailure, state: State) -> None:
        self._error = failure
        self._waiting = None
        self._set_state(state)
        self.failed.emit(failure)

    def _set_state(self, state: State) -> None:
        if state != self._state:
            self._state = state
            self.stateChanged.emit(state)

    def _set_groups(self, groups: list[dict[str, Any]], moment: Moment = "before") -> None:
        if groups:
            self.history.note(moment, self._step, groups)
        else:
            self.history.clear()
        if groups or self._groups:
            self._groups = groups
            self.cacheChanged.emit(groups)
