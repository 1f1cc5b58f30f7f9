"""The folder where whole stages wait for the next one, and the clock and memory that each took."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from workflows.errors import Cancelled
from workflows.events import Event, StageEvent
from workflows.memory import peak_bytes

EVIDENCE = "evidence.json"
Report = Callable[[Event], None]


class Work:
    """The folder beside the target where whole stages wait for the next one."""

    def __init__(self, folder: Path, report: Report, cancelled: Callable[[], bool]) -> None:
        self.folder, self._report, self._cancelled = folder, report, cancelled

    def report(self, event: Event) -> None:
        """Passes the event on, and raises Cancelled where the person said stop."""
        self.check()
        self._report(event)

    def check(self) -> None:
        """Raises Cancelled where the person said stop."""
        if self._cancelled():
            raise Cancelled("The build was cancelled; the stages that are done are kept for the next try.")

    def stage(self, name: str, key: str, make: Callable[[Path], list[dict[str, Any]]]) -> Path:
        """The folder of the stage, made by `make(folder) -> evidence` unless an earlier build left it whole."""
        self.check()
        done = self.folder / f"{name}-{key[:16]}"
        if done.is_dir():
            self._report(StageEvent(stage=name, state="reused", note="an earlier build had finished it"))
            return done
        draft = self.folder / f"{name}.draft"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        with timed(self._report, name) as spent:
            evidence = make(draft)
        for entry in evidence:
            entry |= spent
        (draft / EVIDENCE).write_text(json.dumps(evidence, indent=1), "utf-8")
        draft.rename(done)
        return done

    def leave(self) -> None:
        """Removes drafts, and the folder itself where no stage is whole."""
        if not self.folder.is_dir():
            return
        for draft in self.folder.glob("*.draft"):
            shutil.rmtree(draft, ignore_errors=True)
        if not any(self.folder.iterdir()):
            self.folder.rmdir()


@contextmanager
def timed(report: Report, stage: str) -> Iterator[dict[str, Any]]:
    """Tells that a stage began and how it ended; the dict it gives is filled with `seconds` and `peak_mib`."""
    spent: dict[str, Any] = {}
    began = time.monotonic()
    report(StageEvent(stage=stage, state="started"))
    try:
        yield spent
    except BaseException as error:
        spent |= _spent(began)
        report(StageEvent(stage=stage, state="failed", note=str(error) or type(error).__name__, **spent))
        raise
    spent |= _spent(began)
    report(StageEvent(stage=stage, state="done", **spent))


def _spent(began: float) -> dict[str, float]:
    return {"seconds": round(time.monotonic() - began, 3), "peak_mib": round(peak_bytes() / 2**20, 1)}


def read_evidence(stage: Path) -> list[dict[str, Any]]:
    """What a whole stage noted, one entry a component."""
    evidence: list[dict[str, Any]] = json.loads((stage / EVIDENCE).read_text("utf-8"))
    return evidence
