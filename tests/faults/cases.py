"""One fault, and what is left of it.

template ──copied──▶ root ──work, in a watched fork──▶ what it told ──▶ state? ──work again──▶ new? nothing else?
"""

from __future__ import annotations

import errno
import random
import re
import shutil
import sqlite3
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.faults.watch import FAULTS, KILL, Ended, Fault, Operation, can_meet, watched
from workflows.common.errors import JoineryError, describe_os_error

OLD, NEW = "old", "new"
_FOREIGN = "Traceback"
_DRAFT = re.compile(r"\.(.+)\.[0-9a-f]{8}-\d+-[0-9a-f]{8}\.tmp")
"""Of a file that is replaced whole; it is that file's name which says something to a person."""


@dataclass(frozen=True)
class Subject:
    """Something that changes files below a folder.

    lay: puts the old state there. work: makes the new one of it. state: OLD, NEW, or what is wrong. target: how a
    message names what was to be written, where it does not name the file itself.
    """

    kind: str
    lay: Callable[[Path], object]
    work: Callable[[Path], object]
    state: Callable[[Path], str]
    target: str


@dataclass(frozen=True)
class Verdict:
    """What came of one fault. named: whether the message names the file; None where nothing was to be said."""

    kind: str
    fault: Fault
    operation: Operation
    whole: bool
    needs_hand: bool
    named: bool | None
    note: str = ""

    def __str__(self) -> str:
        where = f"{self.kind}: {self.operation.name} {self.operation.path.name} {self.fault.name}"
        return f"{where}: whole={self.whole} hand={self.needs_hand} named={self.named} {self.note}"


def tried(subject: Subject, limit: int | None = None, seed: int = 0) -> Iterator[Verdict]:
    """The verdict on each operation and fault, or on `limit` of them, drawn by the seed."""
    with laid(subject) as bench:
        every = enumerate(bench.operations, 1)
        cases = [(at, fault) for at, one in every for fault in FAULTS if can_meet(fault, one)]
        if limit is not None and limit < len(cases):
            cases = sorted(random.Random(seed).sample(cases, limit), key=lambda case: case[0])
        for at, fault in cases:
            yield bench.judge(fault, at)


@contextmanager
def laid(subject: Subject) -> Iterator[Bench]:
    """The old state, and what a run without a fault makes of it."""
    with _folder() as base:
        template, root = base / "template", base / "plain"
        template.mkdir()
        _alone(lambda: subject.lay(template))
        shutil.copytree(template, root, symlinks=True)
        assert subject.state(root) == OLD, subject.state(root)
        ended = watched(lambda: _told(subject, root), root)
        state = subject.state(root)
        assert (ended.code, ended.told, state) == (0, "", NEW), (ended.code, ended.told, state)
        yield Bench(subject, base, ended.operations, _names(root))


@dataclass(frozen=True)
class Bench:
    """operations: of a run without a fault. after: the names that are there after it."""

    subject: Subject
    base: Path
    operations: list[Operation]
    after: set[str]

    def judge(self, fault: Fault, at: int) -> Verdict:
        """What comes of the fault, which the operation numbered `at` meets."""
        root = self._anew()
        ended = watched(lambda: _told(self.subject, root), root, fault, at)
        operation = ended.operations[at - 1] if len(ended.operations) >= at else Operation("none", root)
        return _judged(self.subject, root, self.after, ended, fault, operation)

    def judge_end(self, moment: str, work: Callable[[Path], object]) -> Verdict:
        """What comes of `work`, which does what the subject's does and ends itself; a Fault of its own if it did."""
        root = self._anew()
        ended = watched(lambda: str(work(root) or ""), root)
        fault = KILL if ended.code < 0 else Fault("came too late", errno.ETIME)
        return _judged(self.subject, root, self.after, ended, fault, Operation(moment, root))

    def _anew(self) -> Path:
        root = self.base / "case"
        shutil.rmtree(root, ignore_errors=True)
        return Path(shutil.copytree(self.base / "template", root, symlinks=True))


def _judged(subject: Subject, root: Path, after: set[str], ended: Ended, fault: Fault, operation: Operation) -> Verdict:
    state, notes = subject.state(root), list[str]()
    if state not in (OLD, NEW):
        notes.append(state)
    if ended.told == "" and ended.code == 0 and state != NEW:
        notes.append("nothing was said, and nothing done")
    wrong = _hand(subject, root, after)
    notes += [ended.told[-400:]] if ended.told.startswith(_FOREIGN) else []
    whole = state in (OLD, NEW) and not (ended.told == "" and ended.code == 0 and state != NEW)
    named = _is_named(ended.told, operation, subject, fault) if ended.told else None
    notes += [wrong] if wrong else []
    notes += [] if named is not False else [f"said: {ended.told[-300:]!r}"]
    return Verdict(subject.kind, fault, operation, whole, bool(wrong), named, "; ".join(notes))


def _hand(subject: Subject, root: Path, after: set[str]) -> str:
    """What keeps the next run from the new state, or what it leaves besides; empty where all is well."""
    ended = watched(lambda: _told(subject, root), root)
    if ended.told or ended.code:
        return f"the next run: {ended.told or ended.code}"
    if subject.state(root) != NEW:
        return f"after the next run: {subject.state(root)}"
    left = sorted(_names(root) - after)
    return f"left behind: {left}" if left else ""


def _told(subject: Subject, root: Path) -> str:
    """Does the work; what a person is told where it fails, in the command line's words."""
    try:
        return str(subject.work(root) or "")
    except JoineryError as error:
        return str(error)
    except OSError as error:
        return describe_os_error(error)
    except sqlite3.Error as error:
        return str(error)
    except Exception:  # noqa: BLE001 - the finding itself
        return traceback.format_exc()


def _is_named(told: str, operation: Operation, subject: Subject, fault: Fault) -> bool:
    """One sentence, with the file or the target, and on a full disk what is free."""
    draft = _DRAFT.fullmatch(operation.path.name)
    names = {draft[1] if draft else operation.path.name, subject.target}
    sentence = "\n" not in told and not told.startswith(_FOREIGN) and any(name in told for name in names)
    return sentence and (fault.code != errno.ENOSPC or "free" in told.replace("the free space", ""))


def _alone(work: Callable[[], object]) -> None:
    """In a fork of its own, so that no thread and no library of it stays in this process."""
    ended = watched(lambda: str(work() or "") and "", Path("/nowhere"))
    if ended.code:
        raise RuntimeError("the old state could not be laid")


def _names(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*")}


@contextmanager
def _folder() -> Iterator[Path]:
    """In memory, where there is such a disk: it knows links and exchanges of names as others do."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        yield Path(name)
