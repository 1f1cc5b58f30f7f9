"""What Joinery keeps for itself is for its owner alone; what it writes for the user has the user's umask."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from workflows.cli.line_input import terminal_reader
from workflows.common.paths import make_private
from workflows.common.plugins import _write
from workflows.common.stage_cache import write_limit
from workflows.inspection.graph_excerpt import write_excerpt
from workflows.inspection.opened_graph import GraphLocation, open_graph
from workflows.measure.history import DATABASE_FILE, RunHistory

pytestmark = pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that is not there yet, and the umask that most systems have."""
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    before = os.umask(0o022)
    yield tmp_path / "home"
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    """The permissions of a folder and of all that is in it, but for the stages that bundles share."""
    found = [folder, *(path for path in folder.rglob("*") if "stages" not in path.relative_to(folder).parts[:-1])]
    return {str(path.relative_to(folder)): stat.S_IMODE(path.stat().st_mode) for path in found}


def opened_to_others(folder: Path) -> dict[str, str]:
    return {name: oct(mode) for name, mode in modes(folder).items() if mode & 0o077}


def joinery(*arguments: object) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "workflows", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, encoding="utf-8", timeout=240, check=True)


def test_a_session_of_commands_writes_nothing_for_others(home: Path, demo_bundle: Path, tmp_path: Path) -> None:
    """A generation and a measurement while another keeps the history open, an excerpt, plugins, a line of a chat."""
    joinery("generate", demo_bundle, "--prompt", "8*7=", "--max-new-tokens", 2)
    with closing(sqlite3.connect(home / DATABASE_FILE)) as reader:
        reader.execute("SELECT * FROM runs").fetchall()
        joinery("bench", demo_bundle, "--repeats", 1, "--prompt-tokens", 4, "--new-tokens", 2)
        joinery("report", demo_bundle, "--out", tmp_path / "report.html")
        joinery("runs", "list")
        write_limit(1 << 20)
        _write({"some-plugin": "1.0"})
        write_excerpt(open_graph(GraphLocation(demo_bundle)))
        terminal_reader()
        assert {"runs.db", "runs.db-wal", "runs.db-shm", "chat-history", "plugins.json"} <= modes(home).keys()
        assert opened_to_others(home) == {}
    assert stat.S_IMODE((tmp_path / "report.html").stat().st_mode) == 0o644


@pytest.mark.slow
def test_a_build_keeps_its_stages_where_nobody_looks(home: Path, tmp_path: Path) -> None:
    """The bundle, whose files the cache shares, has the user's permissions; the cache's folders are closed."""
    joinery("build", "demo:qwen3", "--out", tmp_path / "b", "--cache", "static")
    assert opened_to_others(home) == {}
    assert (home / "cache" / "stages").is_dir() and modes(home)["cache"] == 0o700
    files = {mode for name, mode in modes(tmp_path / "b").items() if (tmp_path / "b" / name).is_file()}
    assert files == {0o644} and modes(tmp_path / "b")["."] == 0o755


def test_a_home_of_an_earlier_version_is_made_private(home: Path) -> None:
    """When it is opened; but for the files that bundles share."""
    for name in ("runs.txt", "chats/a.chat.json", "cache/old", "cache/stages/s/weights.data", "bundles/b/decoder.onnx"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("")
    RunHistory().runs()
    assert {name for name, _ in opened_to_others(home).items() if (home / name).is_file()} == {"bundles/b/decoder.onnx"}
    assert modes(home)["."] == 0o700 and modes(home)["chats"] == modes(home)["cache"] == 0o700
    assert stat.S_IMODE((home / "cache/stages/s/weights.data").stat().st_mode) == 0o644


def test_a_history_that_others_could_read_is_closed(tmp_path: Path) -> None:
    """Wherever it lies."""
    path = tmp_path / "elsewhere" / DATABASE_FILE
    path.parent.mkdir()
    path.touch(0o644)
    RunHistory(path).runs()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


WRITE = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('CREATE TABLE b (c)')"


def test_a_lock_on_a_file_outlives_what_makes_it_private(tmp_path: Path) -> None:
    """POSIX: a process that closes a file loses its locks on it, and two write to one database at once."""
    path = tmp_path / "runs.db"
    make_private(path)
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE a (b)")
    base.execute("BEGIN EXCLUSIVE")
    make_private(path)
    done = subprocess.run([sys.executable, "-c", WRITE, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "database is locked" in done.stderr
    base.close()


def test_a_file_system_without_hard_links_serves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    make_private(tmp_path / "a")
    make_private(tmp_path / "a")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600 and list(tmp_path.iterdir()) == [tmp_path / "a"]
