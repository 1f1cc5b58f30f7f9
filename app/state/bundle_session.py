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

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, QTimer, Signal

from app.state.cache_history import CacheHistory, Moment
from app.state.cache_jobs import CacheJob, CacheJobs
from app.state.session_failure import SessionFailure
from workflows.wire.events import (
    CacheEvent,
    ChunkEvent,
    ErrorEvent,
    Event,
    GenerationDone,
    GroupView,
    NoticeEvent,
    ProgressEvent,
    ReadyEvent,
    SpeculationEvent,
    TokenEvent,
)
from workflows.wire.requests import Close, Generate, LoadCache, Open, Options, Rewind, SaveCache, Turn

if TYPE_CHECKING:
    from app.jobs.job import Job

from app.jobs.worker_client import GRACE_MS, HARD_GRACE_MS, HARD_KILL_MS, KILL_MS, WorkerClient

__all__ = ["BundleSession", "CacheJob", "SessionFailure", "State"]

State = Literal["closed", "opening", "ready", "generating", "failed"]


class BundleSession(QObject):
    """One open bundle in one worker process.

    It may have another bundle than the one that is current in the window, so its facts are read for a bundle by name
    (`ready_for`, `groups_for`, `state_for`); `AppContext.ready` is what is open of the current one.

    `finished` and `failed` are the two ends of a generation; exactly one of them follows each `started`.
    """

    stateChanged = Signal(str)  # noqa: N815
    opened = Signal(object)  # ReadyEvent
    started = Signal()
    chunk = Signal(object)  # ChunkEvent
    token = Signal(object)  # TokenEvent
    speculation = Signal(object)  # SpeculationEvent, after the tokens of its run
    notice = Signal(object)  # NoticeEvent
    progress = Signal(object)  # ProgressEvent, while a bundle opens
    cacheChanged = Signal(object)  # noqa: N815  list of groups, as in CacheEvent
    memory = Signal(object)  # resident bytes of the worker; an int signal would overflow at 2 GiB
    finished = Signal(object)  # GenerationDone
    failed = Signal(object)  # SessionFailure
    cacheJobChanged = Signal(str)  # noqa: N815  CacheJob; empty when none runs
    cacheDone = Signal(str, object)  # noqa: N815  which CacheJob, and its length or path
    cacheFailed = Signal(str, object)  # noqa: N815  which CacheJob, SessionFailure

    def __init__(self, worker: WorkerClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._state: State = "closed"
        self._request: Open | None = None
        self._ready: ReadyEvent | None = None
        self._groups: list[GroupView] = []
        self._error: SessionFailure | None = None
        self._job: Job[ReadyEvent] | Job[GenerationDone] | None = None
        self._waiting: Generate | None = None
        self._dropped: Job[ReadyEvent] | Job[GenerationDone] | None = None
        self._step = 0
        self._ending = self._again = False
        self.history = CacheHistory()
        self._cache_work = CacheJobs(worker, self)
        self._cache_work.pictured.connect(self._set_groups)
        self._cache_work.changed.connect(self.cacheJobChanged)
        self._cache_work.done.connect(self.cacheDone)
        self._cache_work.failed.connect(self.cacheFailed)
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
    def request(self) -> Open | None:
        """What was last asked to be opened."""
        return self._request

    @property
    def bundle(self) -> str:
        """The folder of the bundle that is open, opening or failed; empty when closed."""
        return self._request.bundle if self._request else ""

    def ready_for(self, bundle: str) -> ReadyEvent | None:
        """What the worker reported of `bundle`; None unless that is the one that is open."""
        return self._ready if bundle == self.bundle else None

    def groups_for(self, bundle: str) -> list[GroupView]:
        """The cache groups of the last CacheEvent; empty before the first, and where another bundle is open."""
        return self._groups if bundle == self.bundle else []

    def state_for(self, bundle: str) -> State:
        """`state`, as far as `bundle` is concerned: "closed" where the session has another one."""
        return self._state if bundle == self.bundle else "closed"

    @property
    def error(self) -> SessionFailure | None:
        """The last failure; None after the next success."""
        return self._error

    @property
    def cache_job(self) -> CacheJob:
        """What is being done to the cache besides generating."""
        return self._cache_work.name

    @property
    def where(self) -> str:
        """The provider of all, and the components that are elsewhere, as --provider and --place say it."""
        asked = self._request
        return ", ".join([asked.provider, *(f"{name}={one}" for name, one in asked.place.items())]) if asked else ""

    @property
    def on_cpu(self) -> bool:
        """Whether nothing of it is on another provider."""
        asked = self._request
        return asked is None or {asked.provider, *asked.place.values()} == {"cpu"}

    def open(
        self,
        bundle: str | Path,
        provider: str = "cpu",
        cache: str | None = None,
        capacity: int | None = None,
        place: Mapping[str, str] | None = None,
    ) -> None:
        """Opens a bundle in place of the one that is open; a running generation is cancelled.

        place: component → the provider that it has instead.
        """
        self._abandon()
        self._request = request = Open(str(bundle), provider, cache, capacity, place=dict(place or {}))
        usual, hard = (GRACE_MS, KILL_MS), (HARD_GRACE_MS, HARD_KILL_MS)
        self._worker.grace_ms, self._worker.kill_ms = usual if self.on_cpu else hard
        self._ready = None
        self._error = None
        self._set_groups([])
        self._set_state("opening")
        job = self._worker.request(request)
        job.on_answer(lambda ready: self._on_ready(job, ready))
        self._track(job)

    def reopen(self) -> None:
        """Opens what was last open, after a crash; does nothing when nothing was."""
        if self._request:
            r = self._request
            self.open(r.bundle, r.provider, r.cache, r.capacity, r.place)

    def move(self, provider: str) -> None:
        """Opens what was last open with all of it on another provider."""
        if self._request:
            self.open(self._request.bundle, provider, self._request.cache, self._request.capacity)

    def end(self) -> None:
        """Ends the worker, whatever it does: a driver that loads or hangs hears no message."""
        if self.busy:
            self._ending = True
            self._worker.kill()

    def restart(self) -> None:
        """Ends the worker, whatever it does, and opens the bundle anew."""
        self._ending = self._again = True
        self._worker.kill()

    def close(self) -> None:
        """Closes the bundle and forgets it."""
        was_open = self._ready is not None
        self._abandon()
        self._request = self._ready = self._error = None
        self._set_groups([])
        if was_open:
            self._worker.request(Close())
        self._set_state("closed")

    def generate(
        self,
        content: Sequence[Turn] | str,
        options: Options | None = None,
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
        self._waiting = Generate(
            messages=None if isinstance(content, str) else tuple(content),
            prompt=content if isinstance(content, str) else None,
            options=dict(options or {}),
            tools=tools,
            prefill=prefill,
        )
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

    def drop(self) -> None:
        """Ends the running or waiting generation for its caller, who is not interested in the rest of it.

        `failed` (kind `cancelled`) follows at once, and nothing more of it is emitted. The next generation may start
        right away: the worker takes it up as soon as it has stopped the dropped one.
        """
        job = self._job
        if self._state != "generating" or job is None:
            self.stop()
            return
        self._dropped, self._job = job, None
        job.cancel()
        self._set_state("ready")
        self.failed.emit(SessionFailure("cancelled", self.tr("Stopped.")))

    def rewind(self, length: int) -> bool:
        """Goes back to the first `length` tokens; False where the session is not ready for it."""
        return self._state == "ready" and self._cache_work.begin("rewind", length, Rewind(length))

    def save_cache(self, path: str | Path) -> bool:
        """Saves what the cache holds to a file; False where the session is not ready for it."""
        return self._state == "ready" and self._cache_work.begin("save_cache", str(path), SaveCache(str(path)))

    def load_cache(self, path: str | Path) -> bool:
        """Takes the cache from a file; False where the session is not ready for it."""
        return self._state == "ready" and self._cache_work.begin("load_cache", str(path), LoadCache(str(path)))

    def _begin(self) -> None:
        request, self._waiting = self._waiting, None
        assert request is not None
        self._error = None
        self._step = 0
        self.history.begin(self._groups)
        self._set_state("generating")
        self.started.emit()
        job = self._worker.request(request)
        job.on_answer(lambda done: self._on_done(job, done))
        self._track(job)

    def _track(self, job: Job[ReadyEvent] | Job[GenerationDone]) -> None:
        self._job = job
        job.event.connect(lambda event: self._on_event(job, event))
        job.on_error(lambda error: self._on_error(job, error))

    def _abandon(self) -> None:
        """Lets go of the running job; what it still says is not listened to."""
        self._cache_work.abandon()
        job, self._job, self._dropped = self._job, None, None
        running, self._waiting = self._state == "generating" or self._waiting is not None, None
        if job is not None:
            job.cancel()
        if running:
            self.failed.emit(SessionFailure("cancelled", self.tr("Another bundle was opened.")))

    def _on_event(self, job: Job[object], event: Event) -> None:
        if job is self._dropped and isinstance(event, CacheEvent):
            self._set_groups(event.groups, "before")
        if job is not self._job:
            return
        if isinstance(event, TokenEvent):
            self._step += 1
            self.token.emit(event)
        elif isinstance(event, SpeculationEvent):
            self.speculation.emit(event)
        elif isinstance(event, ChunkEvent):
            self.chunk.emit(event)
        elif isinstance(event, CacheEvent):
            self._set_groups(event.groups, "decode" if self._step else "prefill")
        elif isinstance(event, NoticeEvent):
            self.notice.emit(event)
        elif isinstance(event, ProgressEvent):
            self.progress.emit(event)

    def _on_ready(self, job: Job[ReadyEvent], ready: ReadyEvent) -> None:
        if job is not self._job:
            return
        self._job = None
        self._ready = ready
        self._set_state("ready")
        self.opened.emit(ready)
        if self._waiting is not None:
            self._begin()

    def _on_done(self, job: Job[GenerationDone], done: GenerationDone) -> None:
        if not self._ends(job):
            return
        self._job = None
        self._set_state("ready")
        self.finished.emit(done)

    def _ends(self, job: Job[object]) -> bool:
        """Whether the job that is followed ended; the end of a dropped one is noted and not reported."""
        if job is self._dropped:
            self._dropped = None
        return job is self._job

    def _on_error(self, job: Job[object], error: ErrorEvent) -> None:
        if not self._ends(job):
            return
        self._job = None
        self._fail(SessionFailure(error.kind, error.message, error.details), "ready" if self._ready else "failed")

    def _on_crash(self, message: str) -> None:
        forced = self._ending or self._dropped is not None or (self._job is not None and self._job.cancelled)
        again, self._ending, self._again = self._again, False, False
        if self._state in ("closed", "failed"):
            return
        self._job = self._ready = self._dropped = None
        self._cache_work.abandon()
        self._set_groups([])
        self._fail(SessionFailure("stopped" if forced else "crashed", message), "failed")
        if again:
            QTimer.singleShot(0, self, self.reopen)  # not from within the end of the old one

    def _fail(self, failure: SessionFailure, state: State) -> None:
        self._error = failure
        self._waiting = None
        self._set_state(state)
        self.failed.emit(failure)

    def _set_state(self, state: State) -> None:
        if state != self._state:
            self._state = state
            self.stateChanged.emit(state)

    def _set_groups(self, groups: list[GroupView], moment: Moment = "before") -> None:
        if groups:
            self.history.note(moment, self._step, groups)
        else:
            self.history.clear()
        if groups or self._groups:
            self._groups = groups
            self.cacheChanged.emit(groups)
