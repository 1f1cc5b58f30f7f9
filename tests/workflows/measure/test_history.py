"""The history of runs: what is kept, by whom, and that nothing is lost whatever ends, fails or writes beside it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.workflows.command_line import command
from workflows.common.errors import HistoryError, RequestError
from workflows.measure.history import RunHistory, new_id, whole_builds
from workflows.process.subprocesses import module_search_path
from workflows.wire.reports.runs import RunRecord, RunStep

RUN = RunRecord("a0", "generate", "2026-01-02T03:04:05.000+00:00", "/b/demo", "demo", "d1", "int4", "static", "cpu",
          "onnxruntime 1", "here", {"ttft_ms": 1.5, "finish_reason": "eos", "p50_ms": None})  # fmt: skip
STEPS = [RunStep(0, "prefill", 7.25, 5, 64), RunStep(1, "decode", 0.5, 6, 64)]
WRITER = """
import sys
from pathlib import Path
from dataclasses import replace
from tests.workflows.measure.test_history import RUN, STEPS
from workflows.measure.history import RunHistory
history, who = RunHistory(Path(sys.argv[1])), sys.argv[2]
for number in range(int(sys.argv[3])):
    history.add(replace(RUN, id=f"{who}-{number}"), STEPS * 1)
    print(number, flush=True)
"""


@pytest.fixture
def history(tmp_path: Path) -> RunHistory:
    return RunHistory(tmp_path / "home" / "runs.db")


def writer(path: Path, who: str, count: int) -> subprocess.Popen[str]:
    here = str(Path(__file__).parents[3])
    environment = os.environ | {"PYTHONPATH": module_search_path(here)}
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), who, str(count)], stdout=subprocess.PIPE, text=True, env=environment
    )


def test_a_run_comes_back_as_it_was(history: RunHistory) -> None:
    history.add(RUN, STEPS)
    assert history.runs() == [RUN] and history.steps("a0") == STEPS and history.find("a") == RUN
    assert RunHistory(history.path).runs() == [RUN]


def test_the_newest_is_first_and_what_is_requested_alone(history: RunHistory) -> None:
    for day, kind in ((1, "build"), (3, "eval"), (2, "bench")):
        when = f"2026-01-0{day}T00:00:00.000+00:00"
        history.add(replace(RUN, id=f"r{day}", kind=kind, time=when, bundle=f"/b/{day}"))
    assert [one.id for one in history.runs()] == ["r3", "r2", "r1"]
    assert [one.id for one in history.runs(last=2)] == ["r3", "r2"]
    assert [one.id for one in history.runs(kind="bench")] == ["r2"]
    assert [one.id for one in history.runs(bundle="b/1")] == ["r1"]
    assert history.runs(bundle="%") == []


def test_an_id_may_be_cut_short_where_it_is_the_only_one(history: RunHistory) -> None:
    for ident in ("ab1", "ab2"):
        history.add(replace(RUN, id=ident))
    assert history.find("ab1").id == "ab1"
    with pytest.raises(RequestError, match="several runs whose ids begin with 'ab'"):
        history.find("ab")
    with pytest.raises(RequestError, match="no run whose id begins with '%'"):
        history.find("%")


def test_old_runs_go_with_their_steps(history: RunHistory) -> None:
    for day in range(1, 6):
        history.add(replace(RUN, id=f"r{day}", time=f"2026-01-0{day}T00:00:00.000+00:00"), STEPS)
    assert history.prune(keep=4) == 1 and history.prune() == 0
    assert history.prune(before=datetime(2026, 1, 4, tzinfo=UTC)) == 2
    assert [one.id for one in history.runs()] == ["r5", "r4"] and history.steps("r3") == []
    with sqlite3.connect(history.path) as base:
        assert base.execute("SELECT count(*) FROM steps").fetchone() == (4,)


def test_what_was_removed_can_be_put_back(history: RunHistory) -> None:
    """With its steps; what another has removed meanwhile is left out."""
    for ident in ("a", "b", "c"):
        history.add(replace(RUN, id=ident), STEPS)
    gone = history.remove(["a", "gone", "c"])
    assert [one.run.id for one in gone] == ["a", "c"] and [one.id for one in history.runs()] == ["b"]
    assert history.steps("a") == []
    history.restore(gone)
    assert len(history.runs()) == 3 and history.steps("a") == STEPS


def test_runs_are_put_back_all_or_none(history: RunHistory) -> None:
    history.add(RUN, STEPS)
    (gone,) = history.remove([RUN.id])
    with pytest.raises(HistoryError, match="UNIQUE"):
        history.restore([gone, gone])
    assert history.runs() == []


def test_runs_of_one_digest(history: RunHistory) -> None:
    for ident, digest in (("a", "d1"), ("b", "d2")):
        history.add(replace(RUN, id=ident, digest=digest))
    assert [one.id for one in history.runs(digest="d2")] == ["b"]


def test_a_file_that_is_no_database_is_moved_aside(tmp_path: Path) -> None:
    said: list[str] = []
    history = RunHistory(tmp_path / "runs.db", said.append)
    history.path.write_bytes(b"no database, and longer than a header of SQLite's would ever be " * 9)
    assert history.runs() == []
    history.add(RUN)
    assert history.runs() == [RUN] and len(said) == 1
    (other,) = tmp_path.glob("runs.damaged-*.db")
    assert str(other) in said[0] and other.read_bytes().startswith(b"no database")


def test_a_newer_file_is_left_alone(history: RunHistory) -> None:
    history.add(RUN)
    with sqlite3.connect(history.path) as base:
        base.execute("PRAGMA user_version = 99")
    with pytest.raises(RequestError, match="is of a newer Joinery"):
        history.runs()
    assert not list(history.path.parent.glob("*damaged*"))


def test_several_write_at_once_and_nothing_is_lost(history: RunHistory) -> None:
    """They also begin at once, where there is no file yet."""
    writers = [writer(history.path, name, 100) for name in "abc"]
    assert [one.wait(120) for one in writers] == [0, 0, 0]
    for one in writers:
        assert one.stdout is not None
        one.stdout.close()
    assert len(history.runs()) == 300


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="processes there are ended in another way")
def test_killed_while_it_writes(history: RunHistory) -> None:
    """50 times: what it had said is there, the file is sound, and each run has its steps."""
    said = 0
    for number in range(50):
        one = writer(history.path, f"k{number}", 10_000)
        assert one.stdout is not None
        told = int(one.stdout.readline())
        time.sleep(0.01 * (number % 7))
        one.send_signal(signal.SIGKILL)
        one.wait()
        rest = one.stdout.read().split()
        one.stdout.close()
        said += (int(rest[-1]) if rest else told) + 1
        with sqlite3.connect(history.path) as base:
            assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        kept = history.runs()
        assert len(kept) >= said
        said = len(kept)  # one that was written and not said yet is there, too
    with sqlite3.connect(history.path) as base:
        odd = "SELECT id FROM runs WHERE (SELECT count(*) FROM steps WHERE run = id) != 2"
        assert base.execute(odd).fetchall() == []


@pytest.mark.slow
def test_a_thousand_runs_of_five_hundred_steps(history: RunHistory) -> None:
    """Each is found by itself, and the list does not read the steps."""
    steps = [RunStep(n, "decode", 0.5, n, 512) for n in range(500)]
    for number in range(1000):
        history.add(replace(RUN, id=new_id() + str(number), figures={"n": number}), steps)
    assert len({one.id for one in history.runs()}) == 1000
    found = history.runs(last=1)[0]
    assert history.steps(found.id) == steps and json.loads(json.dumps(found.figures)) == found.figures


def test_whole_builds_are_those_that_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path))
    assert whole_builds() == [] and not list(tmp_path.iterdir())
    history = RunHistory()
    for ident, kind, figures in (
        ("a", "build", {"export_s": 1.0}),
        ("b", "bench", {"export_s": 1.0}),
        ("c", "build", {"bundle_s": 1.0}),  # it went on from another's export
        ("d", "build", {"export_s": 2.0}),
    ):
        when = f"2026-01-0{ord(ident) - 96}"
        history.add(replace(RUN, id=ident, kind=kind, time=when, figures=figures))  # type: ignore[arg-type]
    assert [run.id for run in whole_builds()] == ["d", "a"]
    assert [run.id for run in whole_builds(last=1)] == ["d"]
    history.path.write_bytes(b"no database")
    assert whole_builds() == []


def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    """SQLite itself names no file, and does not tell a full disk apart: what is free is said."""
    (tmp_path / "runs.db").mkdir()
    with pytest.raises(HistoryError, match=r"runs\.db: unable to open database file; .* MiB are free"):
        RunHistory(tmp_path / "runs.db").add(RUN)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE runs SET figures = '{\"a\":'", "UPDATE runs SET figures = '[]'",
        "UPDATE runs SET figures = '{\"a\": [1]}'",
        "UPDATE runs SET time = 'noon'", "UPDATE runs SET time = '0001-01-01T00:00:00+14:00'",
        "UPDATE runs SET kind = 'x'", "UPDATE runs SET layout = x'fffe'",
    ],
)  # fmt: skip
def test_a_run_that_cannot_be_read_is_left_out_and_reported(tmp_path: Path, change: str) -> None:
    """The others are there; who asks for it by its name hears what is wrong with it."""
    told = list[str]()
    history = RunHistory(tmp_path / "runs.db", told.append)
    history.add(replace(RUN, id="bad"))
    with closing(sqlite3.connect(history.path)) as base, base:
        base.execute(change)
    history.add(RUN, STEPS)
    assert history.runs() == [RUN]
    assert told == [f"1 of the runs in {history.path} cannot be read, so they are left out."]
    with pytest.raises(HistoryError, match="The run 'bad' in the history cannot be read"):
        history.find("bad")


@pytest.mark.parametrize("latency", ["'soon'", "9e999", "-9e999"])
def test_steps_that_cannot_be_read_are_reported(history: RunHistory, latency: str) -> None:
    """Words, and what SQLite made of more digits than a float can have."""
    history.add(RUN, STEPS)
    with closing(sqlite3.connect(history.path)) as base, base:
        base.execute(f"UPDATE steps SET latency_ms = {latency}")
    with pytest.raises(HistoryError, match="steps of the run 'a0' in the history cannot be read"):
        history.steps("a0")


def test_text_that_is_no_unicode_hides_no_run(history: RunHistory) -> None:
    history.add(RUN)
    with closing(sqlite3.connect(history.path)) as base, base:
        base.execute("UPDATE runs SET name = CAST(x'ff61' AS TEXT)")
    assert [run.name for run in history.runs()] == ["\ufffda"]


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE runs DROP COLUMN machine", "PRAGMA user_version = -1",
        "UPDATE sqlite_schema SET sql = CAST(x'43524541544520ff' AS TEXT) WHERE name = 'runs'",
    ],
)  # fmt: skip
def test_tables_that_are_not_ours_are_moved_aside(tmp_path: Path, change: str) -> None:
    """At once where that is seen when the file is opened, else with the first thing that is asked."""
    history = RunHistory(tmp_path / "runs.db")
    history.add(RUN, STEPS)
    with closing(sqlite3.connect(history.path)) as base, base:
        base.execute("PRAGMA writable_schema = ON")
        base.execute(change)
    with suppress(HistoryError):
        history.runs()
    assert history.runs() == []
    [aside] = tmp_path.glob("runs.damaged-*.db")
    assert aside.stat().st_size > 0


def test_a_damaged_page_is_reported_and_moved_aside(tmp_path: Path) -> None:
    """What is damaged behind a sound head is met only by what is asked."""
    history = RunHistory(tmp_path / "runs.db")
    history.add(RUN, STEPS)
    with closing(sqlite3.connect(history.path)) as base, base:
        [page] = base.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'runs'").fetchone()
    data = bytearray(history.path.read_bytes())
    data[4096 * (page - 1) : 4096 * page] = b"\xff" * 4096
    history.path.write_bytes(data)
    with pytest.raises(HistoryError, match=r"runs\.db is damaged .* now lies in .*runs\.damaged-.*: ask again"):
        history.runs()
    assert history.runs() == []


def test_what_waits_in_the_log_is_moved_aside_with_the_file(tmp_path: Path) -> None:
    """A process that was killed leaves committed runs in the log beside the file, and they are in no other place."""
    history = RunHistory(tmp_path / "runs.db")
    with closing(sqlite3.connect(history.path, isolation_level=None)) as reader:
        history.add(RUN, STEPS)
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM runs").fetchall()  # which keeps the log from being put into the file
        history.add(replace(RUN, id="late"))
        killed = Path(shutil.copytree(tmp_path, tmp_path / "killed"))
    assert (killed / "runs.db-wal").stat().st_size
    RunHistory(killed / "runs.db")._set_aside()
    [aside] = killed.glob("runs.damaged-????????.db")
    assert {run.id for run in RunHistory(aside).runs()} == {"a0", "late"}


def test_figures_that_are_no_numbers_say_nothing(history: RunHistory) -> None:
    """A perplexity may overflow, and a file may hold what no float does; the run's other figures are there."""
    figures = {"perplexity": float("inf"), "kl_mean": float("nan"), "bytes": 10**400, "ttft_ms": 1.5, "against": "b"}
    history.add(replace(RUN, figures=figures))
    [found] = history.runs()
    assert found.figures == {"perplexity": None, "kl_mean": None, "bytes": None, "ttft_ms": 1.5, "against": "b"}


def test_a_locked_history_is_reported_within_two_seconds(history: RunHistory) -> None:
    """Another process holds the file, to write or alone; the holder's work is whole, and ours says why it stops."""
    history.add(RUN)
    for mode in ("IMMEDIATE", "EXCLUSIVE"):
        code = (
            f"import sqlite3; base = sqlite3.connect({str(history.path)!r}, isolation_level=None); "
            f"base.execute('BEGIN {mode}'); print('held', flush=True); input()"
        )
        with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            assert holder.stdin and holder.stdout and holder.stdout.readline() == b"held\n"
            for attempt in range(3):  # a busy machine may be late once, and a longer wait is late each time
                began = time.monotonic()
                with pytest.raises(HistoryError, match=r"runs\.db: database is locked"):
                    history.add(replace(RUN, id="b0"))
                if time.monotonic() - began < 2:
                    break
                assert attempt < 2
            holder.stdin.close()
    assert history.runs() == [RUN]


def test_a_command_waits_a_second_for_a_locked_history(demo_bundle: Path, tmp_path: Path) -> None:
    """The reply comes, and then a notice."""
    environment = os.environ | {"JOINERY_HOME": str(tmp_path)}
    line = command("generate", demo_bundle, "--prompt", "8*7=")
    began = time.monotonic()
    subprocess.run(line, capture_output=True, check=True, env=environment)
    plain = time.monotonic() - began
    with closing(sqlite3.connect(tmp_path / "runs.db", isolation_level=None)) as base:
        base.execute("BEGIN IMMEDIATE")
        for attempt in range(3):  # as above
            began = time.monotonic()
            done = subprocess.run(line, capture_output=True, check=True, env=environment, text=True)
            if time.monotonic() - began < plain + 4:
                break
            assert attempt < 2
    assert "56" in done.stdout
    assert done.stderr.startswith("joinery: The run could not be kept in the history:") and "locked" in done.stderr
