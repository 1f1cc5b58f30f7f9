"""The cache of stages: shared by content, bounded, and never believed without its manifest."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.builder.test_workspace import DAMAGE, Trap, below, forked, kill, make_stage, refuse
from workflows.builder.workspace import BuildWorkspace
from workflows.common.errors import Cancelled, RequestError
from workflows.common.files import link_or_copy
from workflows.common.locks import Lock
from workflows.common.stage_cache import DEFAULT_LIMIT, StageCache, read_limit, write_limit
from workflows.wire.events import Event, LogEvent, StageEvent

KEY, OTHER = "0" * 64, "1" * 64
NAME = f"export-{KEY[:16]}"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))


@pytest.fixture
def cache(tmp_path: Path) -> StageCache:
    return StageCache(tmp_path / "cache")


class Bench:
    """A work folder of its own over the cache, and what it says."""

    def __init__(self, folder: Path, cache: StageCache, cancelled: Callable[[], bool] = lambda: False) -> None:
        self.events: list[Event] = []
        self.made = 0
        self.work = BuildWorkspace(folder, self.events.append, cancelled, cache)

    def stage(self, key: str = KEY) -> Path:
        return self.work.stage("export", key, self._make)

    def _make(self, folder: Path) -> list[dict[str, Any]]:
        self.made += 1
        return make_stage(folder)

    @property
    def states(self) -> list[str]:
        return [event.state for event in self.events if isinstance(event, StageEvent)]

    @property
    def logs(self) -> list[str]:
        return [event.message for event in self.events if isinstance(event, LogEvent)]


def test_another_folder_takes_the_stage_over(tmp_path: Path, cache: StageCache) -> None:
    """Byte for byte, over the same file on the disk, and says so."""
    first, second = Bench(tmp_path / "a", cache), Bench(tmp_path / "b", cache)
    one, other = first.stage(), second.stage()
    assert (first.made, second.made) == (1, 0) and second.states == ["reused"]
    assert below(one) == below(other)
    assert (one / "weights.data").stat().st_ino == (other / "weights.data").stat().st_ino


def test_another_key_is_another_stage(tmp_path: Path, cache: StageCache) -> None:
    second = Bench(tmp_path / "b", cache)
    Bench(tmp_path / "a", cache).stage()
    second.stage(OTHER)
    assert second.made == 1 and len(cache.stages()) == 2


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_is_damaged_in_the_cache_is_made_anew(tmp_path: Path, cache: StageCache, damage: str) -> None:
    """A flipped byte among them; afterwards the cache holds the whole stage again."""
    whole = below(Bench(tmp_path / "a", cache).stage())
    (tmp_path / "a").rename(tmp_path / "gone")
    apart = tmp_path / "apart"  # the file in the cache alone, not the twin in the folder of the build
    (cache.folder / NAME).rename(apart)
    for path in [apart, *apart.rglob("*")]:
        target = cache.folder / NAME / path.relative_to(apart)
        target.mkdir() if path.is_dir() else target.write_bytes(path.read_bytes())
    DAMAGE[damage](cache.folder / NAME)
    second = Bench(tmp_path / "b", cache)
    assert below(second.stage()).keys() == whole.keys()
    assert second.made == 1
    third = Bench(tmp_path / "c", cache)
    assert (third.stage() / "weights.data").read_bytes() == bytes(range(256)) and third.made == 0


def test_a_bundle_shares_no_file_with_the_cache(tmp_path: Path, cache: StageCache) -> None:
    """Whoever writes into a bundle writes into nothing else; without a cache the file is linked."""
    bench = Bench(tmp_path / "a", cache)
    stage = bench.stage()
    bench.work.transfer_files({stage / "weights.data": tmp_path / "weights.data"})
    assert (tmp_path / "weights.data").stat().st_nlink == 1
    cache.clear()
    bench.work.transfer_files({stage / "graphs" / "decoder.zip": tmp_path / "decoder.zip"})
    assert (tmp_path / "decoder.zip").stat().st_ino == (stage / "graphs" / "decoder.zip").stat().st_ino


# -- two at once -----------------------------------------------------------------------------------------------


HOLDER = """
import sys
from pathlib import Path
from workflows.common.locks import Lock
lock = Lock(Path(sys.argv[1]))
lock.acquire()
print("held", flush=True)
sys.stdin.read(1)
"""


@pytest.fixture
def held(cache: StageCache) -> Iterator[subprocess.Popen[str]]:
    """Another process that makes the stage."""
    command = [sys.executable, "-c", HOLDER, str(cache.folder / f".{NAME}.lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_two_builds_at_once_make_a_stage_once(tmp_path: Path, cache: StageCache, held: subprocess.Popen[str]) -> None:
    """The second waits, says for whom, and takes what the first has made."""
    asked = 0

    def first_ends() -> bool:
        nonlocal asked
        asked += 1
        if asked == 4:  # by now the second waits
            Bench(tmp_path / "a", _Unlocked(cache.folder)).stage()
            held.kill()
        return False

    second = Bench(tmp_path / "b", cache, first_ends)
    second.stage()
    assert second.made == 0 and second.states == ["reused"]
    assert [log for log in second.logs if f"process {held.pid} on" in log and "waiting for it" in log]


class _Unlocked(StageCache):
    """Of the process that has the lock already."""

    @contextmanager
    def locked(self, *_: Any) -> Iterator[bool]:
        yield True


def test_who_waits_can_be_cancelled(tmp_path: Path, cache: StageCache, held: subprocess.Popen[str]) -> None:
    asked: list[int] = []
    bench = Bench(tmp_path / "b", cache, lambda: len(asked) > 3 or bool(asked.append(1)))
    with pytest.raises(Cancelled):
        bench.stage()
    assert bench.made == 0


# -- the limit -------------------------------------------------------------------------------------------------


def _aged(cache: StageCache, root: Path, *keys: str) -> int:
    """Stages that were used in this order; the bytes of one."""
    for age, key in enumerate(keys):
        stage = Bench(root / key[:4], cache).stage(key)
        os.utime(cache.folder / stage.name, (1000 + age, 1000 + age))
    return cache.stages()[0].bytes


def test_beyond_the_limit_what_was_used_longest_ago_goes(tmp_path: Path, cache: StageCache) -> None:
    """What was fetched lately counts as used."""
    size = _aged(cache, tmp_path, "a" * 64, "b" * 64, "c" * 64)
    Bench(tmp_path / "again", cache).stage("a" * 64)
    cache.trim(2 * size + size // 2)  # evidence writes seconds, of one digit more or less
    assert [one.name[-4:] for one in cache.stages()] == ["aaaa", "cccc"]
    write_limit(2 * size + size // 2)
    Bench(tmp_path / "d", cache).stage("d" * 64)
    assert [one.name[-4:] for one in cache.stages()] == ["dddd", "aaaa"]


def test_a_file_of_two_stages_counts_once(tmp_path: Path, cache: StageCache) -> None:
    """The weights of export and optimize are mostly one file."""
    one = Bench(tmp_path / "a", cache).stage()

    def linked(folder: Path) -> list[dict[str, Any]]:
        link_or_copy(one / "weights.data", folder / "weights.data")
        return [{"name": "optimize"}]

    before = cache.bytes
    BuildWorkspace(tmp_path / "a", lambda _: None, lambda: False, cache).stage("optimize", KEY, linked)
    added = cache.stages()[0].bytes
    assert cache.bytes == before + added - 256


def test_what_a_build_holds_stays(tmp_path: Path, cache: StageCache, held: subprocess.Popen[str]) -> None:
    Bench(tmp_path / "a", _Unlocked(cache.folder)).stage()
    assert cache.clear() == 0 and [one.name for one in cache.stages()] == [NAME]
    held.kill()
    held.wait()
    assert cache.clear() == 1 and cache.stages() == []


def test_a_limit_of_nothing_keeps_nothing(tmp_path: Path, cache: StageCache) -> None:
    write_limit(0)
    Bench(tmp_path / "a", cache).stage()
    assert not cache.folder.exists()


def test_the_limit_is_a_person_s_or_a_share_of_the_disk(tmp_path: Path, cache: StageCache) -> None:
    assert 0 < cache.limit <= DEFAULT_LIMIT
    write_limit(123)
    assert (read_limit(), cache.limit) == (123, 123)
    write_limit(None)
    assert read_limit() is None
    (tmp_path / "home" / "stage-cache.json").write_text('{"limit": "much"}')
    with pytest.raises(RequestError, match="joinery cache limit"):
        read_limit()


# -- what goes wrong ---------------------------------------------------------------------------------------------


def test_a_full_disk_costs_the_next_build_time(
    tmp_path: Path, cache: StageCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On another disk than the target, files are copied; what does not fit leaves nothing behind."""
    monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError(errno.EXDEV, "another disk")))
    monkeypatch.setattr(
        "workflows.common.files.shutil.copyfile",
        lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, "No space left")),
    )
    bench = Bench(tmp_path / "a", cache)
    stage = bench.stage()
    assert (stage / "weights.data").read_bytes() == bytes(range(256))
    assert bench.logs == [f"The stage {NAME} is not cached for other builds: No space left."]
    assert cache.stages() == [] and not [path for path in cache.folder.iterdir() if path.is_dir()]


def test_a_folder_that_cannot_be_used_is_none(tmp_path: Path) -> None:
    """A file is where the cache would be: the build does without."""
    (tmp_path / "cache").write_text("")
    bench = Bench(tmp_path / "a", StageCache(tmp_path / "cache"))
    bench.stage()
    assert bench.made == 1 and bench.states == ["started", "done"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the process that is killed is a fork of this one")
@pytest.mark.parametrize("act", [kill, refuse])
def test_after_a_crash_anywhere_the_cache_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]
) -> None:
    """At each change of the file system; the next build needs no hand, and nothing half-way stays."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    count = 0
    for count in range(1, 200):
        root = tmp_path / str(count)
        cache, trap = StageCache(root / "cache"), Trap(count, act)

        def work(root: Path = root, cache: StageCache = cache, trap: Trap = trap) -> None:
            trap.set()
            Bench(root / "a", cache).stage()

        ended = forked(trap, work)
        bench = Bench(root / "a", cache)
        bench.work.remove_leftovers()
        whole = below(bench.stage())
        other = Bench(root / "b", cache)
        assert below(other.stage()) == whole and other.made == 0, f"at operation {count}"
        cache.trim(1 << 40)
        assert [path.name for path in cache.folder.iterdir()] == [NAME], f"at operation {count}"
        if ended == 0:
            break
    assert 15 < count < 199


def test_locks_are_those_of_the_names(cache: StageCache, tmp_path: Path) -> None:
    """While a stage is made its lock is there, and afterwards gone."""
    seen: list[bool] = []

    def make(folder: Path) -> list[dict[str, Any]]:
        seen.append((cache.folder / f".{NAME}.lock").exists())
        return make_stage(folder)

    BuildWorkspace(tmp_path / "a", lambda _: None, lambda: False, cache).stage("export", KEY, make)
    assert seen == [True] and not (cache.folder / f".{NAME}.lock").exists()
    Lock(cache.folder / f".{NAME}.lock").acquire()
