"""The history of runs: cells, tables and bytes of its file changed, then listed, shown, written out, gone on with."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path

from app.state.run_rows import run_row
from tests.faults.mutants.edits import change_bytes, change_json
from tests.faults.mutants.lines import RefusedError, line
from tests.workflows.interop.mutations import JUNK
from workflows.common.errors import JoineryError
from workflows.measure.history import DATABASE_FILE, RunHistory
from workflows.wire.reports.runs import RunRecord, RunStep

_FIGURES = {"decode_tokens_per_s": 12.5, "ttft_ms": 80.0, "bytes": 1 << 20, "seconds": 3.2, "top1_agreement": 0.99,
            "against": "b", "drafter": "ngram", "accept_rate": 0.4}  # fmt: skip
_CELLS = (b"\xff\xfe", "2026-13-45", "2026-01-01", "+99999-01-01T00:00:00", "[bold", "[/x]", "\x1b[31m")
_SHAPES = (
    "DROP TABLE steps", "DROP TABLE runs", "ALTER TABLE runs DROP COLUMN machine", "DROP INDEX runs_time",
    "ALTER TABLE runs RENAME COLUMN figures TO figure", "ALTER TABLE steps RENAME TO step",
    "ALTER TABLE runs ADD COLUMN more TEXT", "PRAGMA user_version = 0", "PRAGMA user_version = 2",
    "PRAGMA user_version = -1", "PRAGMA user_version = 99", "PRAGMA journal_mode = DELETE", "DELETE FROM runs",
    "CREATE TRIGGER t BEFORE INSERT ON runs BEGIN SELECT RAISE(ABORT, 'no'); END",
    "CREATE TABLE other AS SELECT * FROM runs", "PRAGMA application_id = 7",
)  # fmt: skip


def lay(root: Path) -> None:
    """Three runs with steps."""
    history = RunHistory(root / DATABASE_FILE)
    for number, kind in enumerate(("bench", "build", "eval")):
        run = RunRecord(f"{number}abc", kind, f"2026-01-0{number + 1}T00:00:00+00:00", "/b", "b", "0" * 16, "fp32",
                        "static",
                  "cpu", "1", "m", _FIGURES)  # fmt: skip
        history.add(run, [RunStep(step, "decode", 1.5, step, 99) for step in range(30)])
    with closing(sqlite3.connect(root / DATABASE_FILE)) as base:
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def change(root: Path, chances: random.Random) -> str:
    """A cell, the tables themselves, or bytes of the file."""
    path = root / DATABASE_FILE
    way = chances.random()
    if way < 0.4:
        data, told = change_bytes(path.read_bytes(), chances)
        path.write_bytes(data)
        if chances.random() < 0.1:
            (root / f"{DATABASE_FILE}-wal").write_bytes(chances.randbytes(4096))
            told += ", and a log of garbage"
        return told
    with closing(sqlite3.connect(path)) as base, base:
        if way < 0.55:
            told = chances.choice(_SHAPES)
            base.execute(told)
            return told
        return _change_cell(base, chances)


def _change_cell(base: sqlite3.Connection, chances: random.Random) -> str:
    table = chances.choice(("runs", "runs", "runs", "steps"))
    column = chances.choice([row[1] for row in base.execute(f"PRAGMA table_info({table})")])
    if column == "figures" or (table == "runs" and chances.random() < 0.4):
        column, (value, _) = "figures", change_json(dict(_FIGURES), chances)
        text = json.dumps(value)
        if chances.random() < 0.1:
            text = text[: chances.randrange(len(text))]
        junk: object = text
    else:
        junk = chances.choice((*JUNK, *_CELLS))
        if not isinstance(junk, str | bytes | float | int) or _is_wide(junk):
            junk = json.dumps(junk)[:4000]
    key = "id" if table == "runs" else "step"
    ident = chances.choice(base.execute(f"SELECT {key} FROM {table}").fetchall())[0]
    try:
        base.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (junk, ident))
    except (sqlite3.IntegrityError, UnicodeEncodeError):
        return "nothing: the tables do not take it"
    return f"{table}.{column} is {str(junk)[:40]!r}"


def _is_wide(value: object) -> bool:
    return isinstance(value, int) and abs(value) >= 1 << 63


def use(root: Path) -> list[str]:
    """As the command line and as the window do. A person who is told that it cannot be read keeps it."""
    os.environ["JOINERY_HOME"] = str(root)
    said = line("runs", "list") + line("runs", "list", "--json")
    try:
        found = RunHistory(root / DATABASE_FILE).runs()
        for run in found:
            run_row(run)
    except (OSError, JoineryError) as error:  # what the window says of it
        raise RefusedError(str(error)) from None
    for run in found:
        out = [("export", run.id, "--out", root / name) for name in ("r.html", "r.csv")]
        for arguments in (("show", run.id), ("show", run.id, "--json"), ("compare", run.id, run.id), *out):
            try:
                said += line("runs", *arguments)
            except RefusedError as error:
                said.append(str(error))
    _gone_on(root)
    return said + line("runs", "prune", "--keep", "1")


def _gone_on(root: Path) -> None:
    """One more is kept; or why not is said."""
    one = RunRecord(
        "ffff", "bench", "2026-02-01T00:00:00+00:00", "/b", "b", "0" * 16, "fp32", "static", "cpu", "1", "m", {}
    )
    try:
        RunHistory(root / DATABASE_FILE).add(one, [RunStep(0, "decode", 1.5, 0, 99)])
    except JoineryError as error:
        raise RefusedError(str(error)) from None
