"""The history of runs on this machine, in one SQLite file that several windows and command lines write at once.

    Run, steps ──add──▶ runs.db ──runs(…), steps(id)──▶ Run, RunStep;  remove(ids) ──▶ RunReports ──restore──▶ runs.db

A run is written in one transaction: a crash leaves it whole or absent. A damaged file, or one with other tables, is
renamed, and a new one started. SQLite's errors do not leave this module.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import fields
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args

from workflows.common.errors import HistoryError, JoineryError, RequestError, printable
from workflows.common.files import free_space_text, name_os_errors, special_file_kind
from workflows.common.paths import home, make_folder, make_private
from workflows.wire.codec import read
from workflows.wire.reports.runs import Figure, Kind, RunRecord, RunReport, RunStep

DATABASE_FILE = "runs.db"
_WAIT_S = 1.0  # for another writer, which takes milliseconds
_ERRORS = (sqlite3.Error, UnicodeDecodeError)  # the latter where it quotes a table's name that is not valid text
_DAMAGED = {  # the first byte of SQLite's codes; all others leave the file intact
    sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_SCHEMA,
    sqlite3.SQLITE_MISMATCH,
}  # fmt: skip
_COLUMNS = tuple(one.name for one in fields(RunRecord))
_STEP = tuple(one.name for one in fields(RunStep))
_KINDS, _FIGURES = frozenset(get_args(Kind)), frozenset({float, int, str, type(None)})
_MIGRATIONS = (  # from each version of the file to the next; PRAGMA user_version holds the version
    """
    CREATE TABLE runs(id TEXT PRIMARY KEY, kind TEXT NOT NULL, time TEXT NOT NULL, bundle TEXT NOT NULL,
        name TEXT NOT NULL, digest TEXT NOT NULL, precision TEXT NOT NULL, layout TEXT NOT NULL, provider TEXT NOT NULL,
        version TEXT NOT NULL, machine TEXT NOT NULL, figures TEXT NOT NULL) WITHOUT ROWID;
    CREATE INDEX runs_time ON runs(time);
    CREATE TABLE steps(run TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE, step INTEGER NOT NULL,
        phase TEXT NOT NULL, latency_ms REAL NOT NULL, used INTEGER NOT NULL, capacity INTEGER NOT NULL,
        PRIMARY KEY(run, step)) WITHOUT ROWID;
    """,
)


class RunHistory:
    """The runs in `path`, else in the person's own folder.

    All methods raise RequestError for a file of a newer Joinery, OSError, and HistoryError where the file is locked,
    the disk full, or the file damaged; a damaged one is then renamed, and the next call starts a new one. on_problem:
    receives a sentence where a damaged file was renamed, or some runs cannot be read.
    """

    def __init__(self, path: Path | None = None, on_problem: Callable[[str], None] = lambda _: None) -> None:
        self.path = path or home() / DATABASE_FILE
        self._told = on_problem

    def add(self, run: RunRecord, steps: Sequence[RunStep] = ()) -> None:
        """Saves a run. Raises HistoryError and OSError where it cannot be written."""
        self.restore([RunReport(run, list(steps))])

    def restore(self, reports: Iterable[RunReport]) -> None:
        """Saves all runs or none. Raises what `add` raises."""
        with self._open() as base, base:
            for report in reports:
                run = report.run
                values = [*(getattr(run, name) for name in _COLUMNS[:-1]), json.dumps(run.figures, sort_keys=True)]
                rows = [(run.id, *(getattr(step, name) for name in _STEP)) for step in report.steps]
                base.execute(f"INSERT INTO runs VALUES({_placeholders(len(values))})", values)
                base.executemany(f"INSERT INTO steps VALUES({_placeholders(len(_STEP) + 1)})", rows)

    def remove(self, idents: Iterable[str]) -> list[RunReport]:
        """Removes the runs with these complete ids and returns them, without those that no longer exist."""
        gone = list[RunReport]()
        query = f"SELECT {', '.join(_COLUMNS)} FROM runs WHERE id = ?"
        with self._open() as base, base:
            base.execute("BEGIN IMMEDIATE")  # no other process removes one between reading and removing
            for ident in idents:
                row = base.execute(query, (ident,)).fetchone()
                if row is not None:
                    gone.append(RunReport(_run(row), _steps(base, ident)))
                    base.execute("DELETE FROM runs WHERE id = ?", (ident,))
        return gone

    def runs(
        self,
        kind: str | None = None,
        bundle: str | None = None,
        last: int | None = None,
        digest: str | None = None,
        known: Mapping[str, RunRecord] = MappingProxyType({}),
    ) -> list[RunRecord]:
        """The runs, the newest first. bundle: a part of its folder or name. last: at most so many.

        known: runs by id that were read before; none ever changes. Unreadable runs are left out and reported.
        """
        where, values = ["1"], list[object]()
        if kind is not None:
            where, values = [*where, "kind = ?"], [*values, kind]
        if bundle is not None:
            where, values = [*where, "(instr(bundle, ?) OR instr(name, ?))"], [*values, bundle, bundle]
        if digest is not None:
            where, values = [*where, "digest = ?"], [*values, digest]
        query = f"SELECT {', '.join(_COLUMNS)} FROM runs WHERE {' AND '.join(where)} ORDER BY time DESC, id LIMIT ?"
        with self._open() as base:
            rows = base.execute(query, [*values, -1 if last is None else last]).fetchall()
        readable = list[RunRecord]()
        for row in rows:
            with suppress(HistoryError):
                readable.append(known.get(row[0]) or _run(row))
        if gone := len(rows) - len(readable):
            self._told(f"{gone} of the runs in {self.path} cannot be read, so they are left out.")
        return readable

    def find(self, ident: str) -> RunRecord:
        """The run whose id begins with `ident`. Raises RequestError where there is none, or several."""
        query = f"SELECT {', '.join(_COLUMNS)} FROM runs WHERE substr(id, 1, ?) = ? LIMIT 2"
        with self._open() as base:
            matches = [_run(row) for row in base.execute(query, (len(ident), ident))]
        if len(matches) != 1:
            how = "several runs whose ids begin" if matches else "no run whose id begins"
            raise RequestError(f"There is {how} with {printable(ident)!r}: `joinery runs list` shows them.")
        return matches[0]

    def steps(self, ident: str) -> list[RunStep]:
        with self._open() as base:
            return _steps(base, ident)

    def prune(self, keep: int | None = None, before: datetime | None = None) -> int:
        """Removes all but the newest `keep` runs, and those older than `before`; returns the number removed."""
        where, values = list[str](), list[object]()
        if keep is not None:
            where.append("id NOT IN (SELECT id FROM runs ORDER BY time DESC, id LIMIT ?)")
            values.append(keep)
        if before is not None:
            where.append("time < ?")
            values.append(_text(before))
        if not where:
            return 0
        with self._open() as base, base:
            return base.execute(f"DELETE FROM runs WHERE {' OR '.join(where)}", values).rowcount

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with name_os_errors(self.path), self._naming():
            make_folder(self.path.parent)
            if not special_file_kind(self.path):
                make_private(self.path)  # SQLite makes its log and index as private as the file
            try:
                base = self._connected()
            except _ERRORS as error:
                if not _is_damage(error):
                    raise
                text = "The history of runs could not be read and now lies in"
                self._told(f"{text} {self._set_aside()}: a new one begins.")
                base = self._connected()
            with closing(base):
                yield base

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """Turns SQLite's errors into HistoryError with the file and the free space, for SQLite hides a full disk."""
        try:
            yield
        except _ERRORS as error:
            if not _is_damage(error):
                raise HistoryError(f"{self.path}: {error}; {free_space_text(self.path)}") from error
            raise HistoryError(
                f"The history of runs in {self.path} is damaged ({printable(error)}) and now lies in "
                f"{self._set_aside()}: ask again, and a new one begins."
            ) from error

    def _connected(self) -> sqlite3.Connection:
        base = sqlite3.connect(self.path, timeout=_WAIT_S)
        base.text_factory = lambda text: text.decode("utf-8", "replace")
        try:
            _write_ahead(base)
            base.execute("PRAGMA synchronous = NORMAL")
            base.execute("PRAGMA foreign_keys = ON")
            self._migrate(base)
        except BaseException:
            base.close()
            raise
        return base

    def _migrate(self, base: sqlite3.Connection) -> None:
        if _version(base) == len(_MIGRATIONS):
            return
        base.execute("BEGIN IMMEDIATE")  # another process may migrate at the same time
        has = _version(base)
        if has > len(_MIGRATIONS):
            base.rollback()
            raise RequestError(f"{self.path} is of a newer Joinery: update this one, or move the file away.")
        for script in _MIGRATIONS[has:]:
            for statement in filter(None, map(str.strip, script.split(";"))):
                base.execute(statement)
        base.execute(f"PRAGMA user_version = {len(_MIGRATIONS)}")
        base.commit()

    def _set_aside(self) -> Path:
        """Renames the damaged file; returns its new path."""
        other = self.path.with_name(f"{self.path.stem}.damaged-{secrets.token_hex(4)}{self.path.suffix}")
        self.path.replace(other)
        with suppress(FileNotFoundError):  # commits that are not yet in the file itself
            self.path.with_name(f"{self.path.name}-wal").replace(other.with_name(f"{other.name}-wal"))
        self.path.with_name(f"{self.path.name}-shm").unlink(missing_ok=True)
        return other


def _write_ahead(base: sqlite3.Connection) -> None:
    """Gives the file a write-ahead log. Asks again: SQLite refuses at once where two connections switch a new file."""
    until = time.monotonic() + _WAIT_S
    while True:
        try:
            base.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
        time.sleep(0.01)


def whole_builds(last: int = 200) -> list[RunRecord]:
    """The last complete builds of this machine, the newest first; those that resumed earlier stages do not count.

    Empty where there are none, or the history cannot be read.
    """
    history = RunHistory()
    if not history.path.is_file():
        return []
    try:
        return [run for run in history.runs("build", last=last) if "export_s" in run.figures]
    except (OSError, JoineryError):
        return []


def new_id() -> str:
    return secrets.token_hex(4)


def short_digest(digest: str) -> str:
    """A bundle's digest as runs store it."""
    return hashlib.sha256(digest.encode()).hexdigest()[:16]


def current_time() -> str:
    """The current time as runs store it: two runs of one command end within a millisecond."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _text(when: datetime) -> str:
    return when.astimezone(UTC).isoformat(timespec="milliseconds")


def _run(row: Sequence[Any]) -> RunRecord:
    """The run in a row of the file. Raises HistoryError for a malformed row."""
    *others, text = row
    try:
        figures = json.loads(str(text))
        if not _has_the_types(others, figures):  # a check of its own, as 10,000 rows by `read` take half a second
            read(RunRecord, dict(zip(_COLUMNS, (*others, figures), strict=True)))  # raises, and says what is wrong
        finite = {name: _finite_figure(value) for name, value in figures.items()}
        run = RunRecord(**dict(zip(_COLUMNS, (*others, finite), strict=True)))
        datetime.fromisoformat(run.time).astimezone()  # raises for an impossible year
    except (ValueError, OverflowError, RecursionError) as error:
        raise HistoryError(f"The run {printable(row[0], 40)!r} in the history cannot be read: {error}.") from None
    return run


def _has_the_types(others: Sequence[object], figures: object) -> bool:
    """Whether a row holds the texts of a RunRecord, a known kind, and figures."""
    texts = all(type(one) is str for one in others) and others[_COLUMNS.index("kind")] in _KINDS
    return texts and type(figures) is dict and all(type(one) in _FIGURES for one in figures.values())


def _finite_figure(value: Figure) -> Figure:
    """A float; None for a number that is infinite, NaN or beyond a float, for charts and sums cannot use it."""
    if value is None or isinstance(value, str):
        return value
    try:
        return float(value) if isfinite(value) else None
    except OverflowError:
        return None


def _steps(base: sqlite3.Connection, ident: str) -> list[RunStep]:
    """The steps of a run. Raises HistoryError for malformed rows."""
    query = f"SELECT {', '.join(_STEP)} FROM steps WHERE run = ? ORDER BY step"
    try:
        steps = [read(RunStep, dict(zip(_STEP, row, strict=True))) for row in base.execute(query, (ident,))]
    except ValueError as error:
        raise HistoryError(f"The steps of the run {ident!r} in the history cannot be read: {error}.") from None
    endless = next((one.step for one in steps if not isfinite(one.latency_ms)), None)
    if endless is not None:
        raise HistoryError(f"The steps of the run {ident!r} in the history cannot be read: step {endless} has no time.")
    return steps


def _is_damage(error: Exception) -> bool:
    """Whether an error means a damaged file; a lock, a full disk and a failing disk do not."""
    code = error.sqlite_errorcode if isinstance(error, sqlite3.DatabaseError) else sqlite3.SQLITE_CORRUPT
    return code & 0xFF in _DAMAGED


def _placeholders(count: int) -> str:
    return ", ".join("?" * count)


def _version(base: sqlite3.Connection) -> int:
    return int(base.execute("PRAGMA user_version").fetchone()[0])
