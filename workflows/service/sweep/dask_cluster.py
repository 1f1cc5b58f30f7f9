"""The steps of a sweep on the workers of a Dask scheduler; imported only where one is named.

    submit ──(RUNS, step as JSON)──▶ scheduler ──▶ run_on_worker ──step_runner──▶ [ step_process ] ──▶ result.json
    wait   ◀──"the step has ended"── its future;  the result itself is read from the shared folder

Nothing but names and small JSON travels through Dask. A result is a file, so it survives its worker; a step is a
process of its own, so it can be ended: a file in the shared folder asks for that, as Dask ends no running task.
"""

from __future__ import annotations

import json
import platform
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from distributed import Client, Future, KilledWorker

from workflows import __version__
from workflows.common.errors import Cancelled, ClusterError, JoineryError, RequestError, printable
from workflows.common.files import write_atomically
from workflows.measure.history import current_time
from workflows.measure.sweep_folder import SweepFolder
from workflows.service.sweep.executors import StepOutcome
from workflows.service.sweep.schedule import Lane, lane_of
from workflows.service.sweep.step_runner import Cancellation, is_locked, run_step
from workflows.wire.codec import dumps, read
from workflows.wire.events import Event, NoticeEvent
from workflows.wire.reports.sweep import StepResult, SweepStep

CONNECT_S = 15.0
_AHEAD = 2
"""Steps that are handed out for each thread that can run them."""
_LOOK_S = 2.0
"""Seconds between two looks at the cluster's workers."""
_MISSING_S = 60.0
"""Seconds without a worker for a step after which that is reported."""
RESULT_S = 30.0
"""Seconds in which a file that was written on another machine becomes visible here."""
_STOP_S = 20.0
STOP_LOOK_S = 0.5
"""Seconds between two looks of a step for the file that asks it to end."""
RunOnWorker = Callable[[str, str, str], str]


@dataclass(frozen=True)
class ClusterWorker:
    """A worker of the cluster. host: its machine's name or address."""

    address: str
    host: str
    threads: int
    tags: Mapping[str, float]

    def places(self, lane: Lane) -> int:
        """Steps of a lane that it can run at once; 0 where it lacks a tag."""
        return min([self.threads, *(int(self.tags.get(tag, 0.0) / amount) for tag, amount in lane.tags)])


def run_on_worker(runs: str, step: str, session: str) -> str:
    """Runs a step on a worker of the cluster; its result is in the folder `runs` then. Returns the step's id.

    Raises ClusterError on a worker, which may have come later than the sweep, that does not see this folder.
    """
    wanted = read(SweepStep, json.loads(step))
    if not _session_file(Path(runs), session).is_file():
        raise ClusterError(
            f"The worker on {platform.node()} does not see {runs}: all machines need the folder under this path."
        )
    try:
        run_step(Path(runs), wanted, stop_check(Path(runs), session))
    except Cancelled:
        return ""
    return wanted.id


def stop_check(runs: Path, session: str) -> Cancellation:
    """Whether the client asked the steps of its session to end; looks at the file twice a second."""
    path, looked, stopped = _stop_file(runs, session), 0.0, False

    def cancelled() -> bool:
        nonlocal looked, stopped
        if not stopped and time.monotonic() - looked > STOP_LOOK_S:
            looked, stopped = time.monotonic(), path.exists()
        return stopped

    return cancelled


def _session_file(runs: Path, session: str) -> Path:
    """A file that is there while a client runs: it shows a worker that it sees the folder."""
    return runs / f".session-{session}"


def _stop_file(runs: Path, session: str) -> Path:
    return runs / f".stop-{session}"


def describe_worker(token: str) -> dict[str, object]:
    """What a worker is: Joinery's version there, its machine, and whether it sees a file of the client."""
    return {"version": __version__, "machine": platform.node(), "sees": Path(token).is_file()}


class DaskCluster:
    """A client of a Dask scheduler. run: what a worker runs for each step."""

    def __init__(
        self,
        address: str,
        runs: Path,
        steps: Sequence[SweepStep],
        report: Callable[[Event], None] = lambda _: None,
        run: RunOnWorker = run_on_worker,
    ) -> None:
        """Raises ClusterError where no scheduler answers or its workers cannot be used, and RequestError for tags."""
        self._folder, self._report, self._run = SweepFolder(runs), report, run
        self._session = secrets.token_hex(4)
        self._steps = {step.id: step for step in steps}
        self._futures = dict[str, Future]()
        self._ended = SimpleQueue[Future]()
        self._looked = 0.0
        self._workers: list[ClusterWorker] = []
        self._missing_since = dict[Lane, float]()
        self._client = _connect(address)
        self._address = address
        try:
            self._check_workers()
            self._check_tags()
        except BaseException:
            self.close()
            raise

    def has_room(self, lane: Lane, running: Mapping[Lane, int]) -> bool:
        """Whether the cluster is connected and has not been handed twice what it can run."""
        if self._client.status != "running":
            return False
        places = sum(worker.places(lane) for worker in self._look())
        return running.get(lane, 0) < max(1, _AHEAD * places) and sum(running.values()) < _AHEAD * self._threads

    def submit(self, step: SweepStep) -> None:
        """Hands a step to the scheduler."""
        self._steps[step.id] = step
        future = self._client.submit(
            self._run,
            str(self._folder.path),
            dumps(step),
            self._session,
            key=f"{step.id}-{secrets.token_hex(4)}",
            resources=step.tags or None,
            pure=False,
        )
        self._futures[future.key] = future
        future.add_done_callback(self._ended.put)

    def wait(self, seconds: float) -> list[StepOutcome]:
        """The outcomes since the last call. Raises ClusterError where the scheduler is gone."""
        ended = list[Future]()
        try:
            ended.append(self._ended.get(timeout=seconds))
            while True:
                ended.append(self._ended.get_nowait())
        except Empty:
            pass
        if self._client.status not in ("running", "connecting"):
            raise ClusterError(
                f"The scheduler at {self._address} is gone: start it again with its workers, and run the same command, "
                "which goes on."
            )
        self._report_missing()
        return [self._outcome(future) for future in ended]

    def close(self) -> None:
        """Asks the workers to end what they run, and waits for that."""
        try:
            if self._futures and self._client.status == "running":
                stop = _stop_file(self._folder.path, self._session)
                write_atomically(stop, b"")
                self._client.cancel(list(self._futures.values()))  # what waits; what runs sees the file
                self._wait_for_end()
                stop.unlink(missing_ok=True)
        finally:
            _session_file(self._folder.path, self._session).unlink(missing_ok=True)
            self._client.close(timeout=5)

    def _wait_for_end(self) -> None:
        """Waits until no worker holds the lock of a step that was handed out."""
        until = time.monotonic() + _STOP_S
        time.sleep(2 * STOP_LOOK_S)  # a step that is just beginning sees the file as well
        pending = [self._folder.step(str(key).rpartition("-")[0]) for key in self._futures]
        while time.monotonic() < until and any(is_locked(one) for one in pending):
            time.sleep(0.2)

    def _outcome(self, future: Future) -> StepOutcome:
        """What a future says, which is forgotten then."""
        del self._futures[future.key]
        ident = str(future.key).rpartition("-")[0]
        status, error = future.status, future.exception(timeout=5) if future.status == "error" else None
        future.release()
        if error is not None:
            return StepOutcome(ident, self._failure(self._steps[ident], _reason(error)))
        return StepOutcome(ident, self._read_result(self._steps[ident]) if status == "finished" else None)

    def _read_result(self, step: SweepStep) -> StepResult:
        """The result in the shared folder, where it may appear a little later than Dask's answer."""
        until = time.monotonic() + RESULT_S
        while (result := self._folder.result(step)) is None and time.monotonic() < until:
            time.sleep(0.2)
        return result or self._failure(
            step,
            f"A worker ended this step, and its result did not appear within {RESULT_S:g} s: all machines need "
            f"{self._folder.path}.",
        )

    def _failure(self, step: SweepStep, reason: str) -> StepResult:
        result = StepResult(step.id, step.digest, "failed", current_time(), "", 0.0, reason)
        self._folder.write_result(result)
        return result

    # -- the workers -------------------------------------------------------------------------------------------

    @property
    def _threads(self) -> int:
        return max(1, sum(worker.threads for worker in self._workers))

    def _look(self) -> list[ClusterWorker]:
        """The workers, as the scheduler knew them lately."""
        if time.monotonic() - self._looked > _LOOK_S:
            self._looked = time.monotonic()
            known: dict[str, Any] = self._client.scheduler_info()["workers"]
            self._workers = [
                ClusterWorker(address, str(one["host"]), int(one["nthreads"]), dict(one.get("resources", {})))
                for address, one in known.items()
            ]
        return self._workers

    def _check_workers(self) -> None:
        """Raises ClusterError without workers, and for one that has no Joinery, another one, or another folder."""
        try:
            self._client.wait_for_workers(1, timeout=CONNECT_S)
        except TimeoutError:
            raise ClusterError(
                f"The scheduler at {self._address} has no workers: start some with `dask worker`."
            ) from None
        for other in self._folder.path.glob(_session_file(Path(), "*").name):
            other.unlink(missing_ok=True)  # of a client that was killed: this one holds the folder's lock
        token = _session_file(self._folder.path, self._session)
        write_atomically(token, b"")
        answers = self._client.run(describe_worker, str(token), on_error="return")
        for address, answer in answers.items():
            problem = _worker_problem(answer, self._folder.path)
            if problem:
                raise ClusterError(f"The worker {address} {problem}.")

    def _check_tags(self) -> None:
        """Raises RequestError for tags that no worker has: Dask would wait for one without a word."""
        for lane, step in {lane_of(step): step for step in reversed(self._steps.values())}.items():
            if any(worker.places(lane) for worker in self._look()):
                continue
            tags = ", ".join(f"{tag}={amount:g}" for tag, amount in lane.tags)
            offers = sorted({f"{tag}={amount:g}" for one in self._workers for tag, amount in one.tags.items()})
            raise RequestError(
                f"No worker has {tags}, which {step.id} needs: the workers offer {', '.join(offers) or 'no tags'}; "
                'start one with `dask worker --resources "TAG=N"`, or change the plan.'
            )

    def _report_missing(self) -> None:
        """Reports steps for which there has been no worker for a while."""
        now = time.monotonic()
        lanes = {lane_of(self._steps[str(key).rpartition("-")[0]]) for key in self._futures}
        missing = {lane for lane in lanes if not any(worker.places(lane) for worker in self._look())}
        self._missing_since = {lane: self._missing_since.get(lane, now) for lane in missing}
        for lane, since in self._missing_since.items():
            if now - since > _MISSING_S:
                self._missing_since[lane] = now + 10 * _MISSING_S  # said once in a while
                tags = ", ".join(f"{tag}={amount:g}" for tag, amount in lane.tags) or "no tags"
                message = f"Steps of the kind {lane.kind} wait for a worker with {tags}: there is none at the moment."
                self._report(NoticeEvent(code="workers", message=message))


def _reason(error: BaseException) -> str:
    """Why a worker could not run a step, as a sentence."""
    if isinstance(error, KilledWorker):
        return "The workers that ran this step died, one after the other: see their logs, and their memory."
    if isinstance(error, JoineryError):
        return printable(error, 600)
    return f"The worker could not run this step: {type(error).__name__}: {printable(error, 300).rstrip('.')}."


def _connect(address: str) -> Client:
    """A client. Raises ClusterError where no scheduler answers."""
    try:
        return Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        why = printable(error, 200).rstrip(".")
        raise ClusterError(f"No Dask scheduler answers at {printable(address)}: {why}.") from None


def _worker_problem(answer: object, runs: Path) -> str:
    """Why a worker cannot run steps, as a predicate; empty if it can."""
    if not isinstance(answer, dict):
        return (
            f"cannot import Joinery ({printable(answer, 200)}): install joinery[dask] there, and start it with "
            "`--preload joinery`"
        )
    if answer["version"] != __version__:
        return (
            f"has Joinery {printable(answer['version'])}, and this is {__version__}: install the same on all machines"
        )
    if not answer["sees"]:
        return f"on {printable(answer['machine'])} does not see {runs}: all machines need the folder under this path"
    return ""
