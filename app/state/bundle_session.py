"""The open bundle: what it is, whether it can generate, and what went wrong.

    closed ──open──▶ opening ──ready──▶ ready ──generate──▶ generating ──done──▶ ready
                        │                 ▲                     │
                        └──error──▶ failed ◀──────worker died───┘      reopen() leads back to opening

A refused generation (for example a prompt that is too long) leaves the session ready; only a bundle that cannot be
opened and a worker that died make it failed. The conversation is no part of the session: a reopened session starts
with an empty cache, and the worker computes the prompt again.

    BundleSession ── SessionJob (open, generate) ── WorkerClient
                  └─ SessionCache (groups, rewind, save, load)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance

from app.jobs.job import Job
from app.jobs.worker_client import GRACE_MS, HARD_GRACE_MS, HARD_KILL_MS, KILL_MS, WorkerClient
from app.state.session_cache import SessionCache, SessionFailure
from workflows.wire.events import (
    CacheEvent,
    ChunkEvent,
    ErrorEvent,
    Event,
    GenerationDone,
    GroupView,
    NoticeEvent,
    PicturesEvent,
    ProgressEvent,
    ReadyEvent,
    SegmentEvent,
    SpeculationEvent,
    TokenEvent,
)
from workflows.wire.requests import Close, Generate, Open, Options, Request, SoundPrompt, Turn

__all__ = ["BundleSession", "SessionFailure", "State"]


class SessionJob(QObject):
    """One job at a time, beside one that was dropped: of that, only what the cache holds is reported until it ends.

    signals: emit the events of these types.
    """

    answered = Signal(object)  # ReadyEvent or GenerationDone
    failed = Signal(object)  # ErrorEvent

    def __init__(
        self, worker: WorkerClient, cache: SessionCache, signals: Mapping[type[Event], SignalInstance], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._worker, self._cache, self._signals = worker, cache, signals
        self._job: Job[ReadyEvent] | Job[GenerationDone] | None = None
        self._dropped: Job[ReadyEvent] | Job[GenerationDone] | None = None

    @property
    def running(self) -> bool:
        """Whether a job runs, other than a dropped one."""
        return self._job is not None

    @property
    def stopping(self) -> bool:
        """Whether the running job was cancelled, or a dropped one has not ended yet."""
        return self._dropped is not None or (self._job is not None and self._job.cancelled)

    def start(self, request: Request[ReadyEvent] | Request[GenerationDone]) -> None:
        """Sends a request to the worker and follows it."""
        job: Job[ReadyEvent | GenerationDone] = self._worker.request(request)
        self._job = job  # type: ignore[assignment]
        job.event.connect(lambda event: self._on_event(job, event))
        job.on_answer(lambda answer: self._on_end(job, self.answered, answer))
        job.on_error(lambda error: self._on_end(job, self.failed, error))

    def cancel(self) -> None:
        """Asks the running job to end; it still reports how it ended."""
        if self._job is not None:
            self._job.cancel()

    def drop(self) -> None:
        """Cancels the running job and reports nothing of it any more, except what the cache holds until it ends."""
        self._dropped, self._job = self._job, None
        if self._dropped is not None:
            self._dropped.cancel()

    def forget(self) -> None:
        """Ignores all jobs from now on."""
        self._job = self._dropped = None

    def _on_event(self, job: Job[object], event: Event) -> None:
        if isinstance(event, CacheEvent) and job in (self._job, self._dropped):
            self._cache.show(event.groups, "before" if job is self._dropped else None)
        elif isinstance(event, PicturesEvent) and job in (self._job, self._dropped):
            self._cache.announce_pictures(event.pictures)
        elif job is self._job:
            if isinstance(event, TokenEvent):
                self._cache.count_token()
            if type(event) in self._signals:
                self._signals[type(event)].emit(event)

    def _on_end(self, job: Job[object], signal: SignalInstance, outcome: object) -> None:
        """Emits the outcome of the running job; the end of a dropped one is not reported."""
        if job is self._dropped:
            self._dropped = None
        if job is self._job:
            self._job = None
            signal.emit(outcome)


State = Literal["closed", "opening", "ready", "generating", "failed"]


def placement_text(request: Open | None) -> str:
    """The provider of a bundle, and the components that run elsewhere, as --provider and --place spell it."""
    if request is None:
        return ""
    return ", ".join([request.provider, *(f"{name}={one}" for name, one in request.place.items())])


def runs_on_cpu(request: Open | None) -> bool:
    """Whether no component runs on another provider."""
    return request is None or {request.provider, *request.place.values()} == {"cpu"}


class BundleSession(QObject):
    """One open bundle in one worker process; `finished` or `failed` follows each `started`.

    Another bundle may be open than the window's current one, so its facts are read for a bundle by path (`ready_for`,
    `groups_for`, `state_for`); `AppContext.ready` is the report of the current one.
    """

    stateChanged = Signal(str)  # noqa: N815
    opened = Signal(object)  # ReadyEvent
    started = Signal()
    chunk = Signal(object)  # ChunkEvent
    token = Signal(object)  # TokenEvent
    segment = Signal(object)  # SegmentEvent, after the tokens of its text
    speculation = Signal(object)  # SpeculationEvent, after the tokens of its run
    notice = Signal(object)  # NoticeEvent
    progress = Signal(object)  # ProgressEvent, while a bundle opens
    memory = Signal(object)  # resident bytes of the worker; an int signal would overflow at 2 GiB
    finished = Signal(object)  # GenerationDone
    failed = Signal(object)  # SessionFailure

    def __init__(self, worker: WorkerClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self.state: State = "closed"
        """The state in the picture above; `stateChanged` follows it."""
        self.request: Open | None = None
        """What was opened last."""
        self._of_state: Open | None = None  # the request that the last emitted state belongs to
        self.error: SessionFailure | None = None
        """The last failure; None after the next success."""
        self._ready: ReadyEvent | None = None
        self._waiting: Generate | None = None
        self._ending = self._reopening = False
        self.cache = SessionCache(worker, lambda: self.state == "ready", self)
        signals: dict[type[Event], SignalInstance] = {
            ChunkEvent: self.chunk,
            TokenEvent: self.token,
            SegmentEvent: self.segment,
            SpeculationEvent: self.speculation,
            NoticeEvent: self.notice,
            ProgressEvent: self.progress,
        }
        self._job = SessionJob(worker, self.cache, signals, self)
        self._job.answered.connect(self._on_answer)
        self._job.failed.connect(self._on_error)
        worker.crashed.connect(self._on_crash)
        worker.memory.connect(self.memory.emit)

    @property
    def busy(self) -> bool:
        """Whether something is opening or generating."""
        return self.state in ("opening", "generating")

    @property
    def bundle(self) -> str:
        """The folder of the bundle that is open, opening or failed; empty when closed."""
        return self.request.bundle if self.request else ""

    def ready_for(self, bundle: str) -> ReadyEvent | None:
        """What the worker reported of `bundle`; None unless that is the one that is open."""
        return self._ready if bundle == self.bundle else None

    def groups_for(self, bundle: str) -> list[GroupView]:
        """The cache groups of the last CacheEvent; empty before the first, and where another bundle is open."""
        return self.cache.groups if bundle == self.bundle else []

    def state_for(self, bundle: str) -> State:
        """`state`, as far as `bundle` is concerned: "closed" where the session has another one."""
        return self.state if bundle == self.bundle else "closed"

    def open(
        self,
        bundle: str | Path,
        provider: str = "cpu",
        cache: str | None = None,
        capacity: int | None = None,
        place: Mapping[str, str] | None = None,
    ) -> None:
        """Opens a bundle in place of the open one; cancels a running generation. place: component → provider."""
        self._abandon()
        self.request = request = Open(str(bundle), provider, cache, capacity, place=dict(place or {}))
        usual, hard = (GRACE_MS, KILL_MS), (HARD_GRACE_MS, HARD_KILL_MS)
        self._worker.grace_ms, self._worker.kill_ms = usual if runs_on_cpu(request) else hard
        self._ready = None
        self.error = None
        self.cache.show([])
        self._set_state("opening")
        self._job.start(request)

    def reopen(self, *, provider: str = "") -> None:
        """Opens what was opened last, with all of it on `provider` where one is named; nothing before the first."""
        if self.request:
            r = self.request
            self.open(r.bundle, provider or r.provider, r.cache, r.capacity, {} if provider else r.place)

    def end(self, *, reopen: bool = False) -> None:
        """Kills a busy worker, as a hanging driver reads no message. reopen: kills any, and opens the bundle again."""
        if self.busy or reopen:
            self._ending, self._reopening = True, self._reopening or reopen
            self._worker.kill()

    def close(self) -> None:
        """Closes the bundle and forgets it."""
        was_open = self._ready is not None
        self._abandon()
        self.request = self._ready = self.error = None
        self.cache.show([])
        if was_open:
            self._worker.request(Close())
        self._set_state("closed")

    def generate(
        self,
        content: Sequence[Turn] | str | SoundPrompt,
        options: Options | None = None,
        *,
        tools: str = "",
        prefill: str = "",
    ) -> bool:
        """Starts one generation from messages, a plain prompt or a sound; waits for a bundle that is still opening.

        tools: a JSON list of tools for the model. prefill: the text that the reply to messages begins with.
        Returns False when nothing is open, or another generation is running.
        """
        if self.state not in ("opening", "ready") or self._waiting is not None:
            return False
        self._waiting = Generate(
            messages=None if isinstance(content, str | SoundPrompt) else tuple(content),
            sound=content if isinstance(content, SoundPrompt) else None,
            prompt=content if isinstance(content, str) else None,
            options=dict(options or {}),
            tools=tools,
            prefill=prefill,
        )
        if self.state == "ready":
            self._begin()
        return True

    def stop(self) -> None:
        """Asks the running generation to end; it ends with finish_reason `cancelled`."""
        if self.state == "generating" and self._job.running:
            self._job.cancel()
        elif self._waiting is not None:
            self._waiting = None
            self.failed.emit(SessionFailure("cancelled", self.tr("Stopped before the bundle was open.")))

    def drop(self) -> None:
        """Ends the running or waiting generation for a caller that ignores the rest of it.

        `failed` (kind `cancelled`) follows at once, and nothing more of it is emitted. The next generation may start
        right away: the worker runs it as soon as it has stopped the dropped one.
        """
        if self.state != "generating" or not self._job.running:
            self.stop()
            return
        self._job.drop()
        self._set_state("ready")
        self.failed.emit(SessionFailure("cancelled", self.tr("Stopped.")))

    def _begin(self) -> None:
        request, self._waiting = self._waiting, None
        assert request is not None
        self.error = None
        self.cache.begin_generation()
        self._set_state("generating")
        self.started.emit()
        self._job.start(request)

    def _abandon(self) -> None:
        """Cancels the running job and ignores what it still reports."""
        self.cache.abandon_job()
        running, self._waiting = self.state == "generating" or self._waiting is not None, None
        self._job.drop()
        self._job.forget()
        if running:
            self.failed.emit(SessionFailure("cancelled", self.tr("Another bundle was opened.")))

    def _on_answer(self, answer: ReadyEvent | GenerationDone) -> None:
        if isinstance(answer, ReadyEvent):
            self._ready = answer
        self._set_state("ready")
        if isinstance(answer, GenerationDone):
            self.finished.emit(answer)
            return
        self.opened.emit(answer)
        if self._waiting is not None:
            self._begin()

    def _on_error(self, error: ErrorEvent) -> None:
        self._fail(SessionFailure(error.kind, error.message, error.details), "ready" if self._ready else "failed")

    def _on_crash(self, message: str) -> None:
        forced = self._ending or self._job.stopping
        reopening, self._ending, self._reopening = self._reopening, False, False
        if self.state in ("closed", "failed"):
            return
        self._ready = None
        self._job.forget()
        self.cache.abandon_job()
        self.cache.show([])
        self._fail(SessionFailure("stopped" if forced else "crashed", message), "failed")
        if reopening:
            QTimer.singleShot(0, self, self.reopen)  # not from within the end of the old one

    def _fail(self, failure: SessionFailure, state: State) -> None:
        self.error = failure
        self._waiting = None
        self._set_state(state)
        self.failed.emit(failure)

    def _set_state(self, state: State) -> None:
        """Emits `stateChanged` for another state, and for the same one of another bundle or provider."""
        if (state, self.request) != (self.state, self._of_state):
            self.state, self._of_state = state, self.request
            self.stateChanged.emit(state)
