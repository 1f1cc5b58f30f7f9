"""What there is for a process in a control group, of either version, where that is less than the machine has; what of
its own a process looks through.
"""

from __future__ import annotations

import gc
from pathlib import Path
from types import SimpleNamespace

import pytest

from workflows.common import memory
from workflows.common.control_groups import control_group_folders
from workflows.common.memory import gc_paused
from workflows.process import sandbox

GIB = 1 << 30
MACHINE, SWAP, FREE = 16 * GIB, 2 * GIB, 10 * GIB


@pytest.fixture
def mounted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the groups are; this process is in `/a/b` of the one version, and in `/c` of the other."""
    named = "7:cpu,memory:/c\n3:pids:/\n1:name=systemd:/\n0::/a/b\n"
    monkeypatch.setattr(
        memory, "control_groups", lambda name: list(control_group_folders(name, named, tmp_path / "mounted"))
    )
    monkeypatch.setattr(memory.psutil, "virtual_memory", lambda: SimpleNamespace(total=MACHINE, available=FREE))
    monkeypatch.setattr(memory.psutil, "swap_memory", lambda: SimpleNamespace(total=SWAP, free=SWAP // 2))
    monkeypatch.setattr(memory.sys, "platform", "linux")
    return tmp_path / "mounted"


def said(group: Path, **files: int | str) -> None:
    group.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (group / name.replace("__", ".")).write_text(f"{content}\n", "utf-8")


def test_without_a_group_there_is_the_machine(mounted: Path) -> None:
    """Nor where the groups say that they have no limit, in the words of either version."""
    for _ in range(2):
        assert (memory.total_bytes(), memory.total_bytes(swap=True)) == (MACHINE, MACHINE + SWAP)
        assert memory.free_bytes() == FREE
        said(mounted / "a" / "b", memory__max="max", memory__swap__max="max", memory__current=GIB)
        said(mounted / "memory" / "c", memory__limit_in_bytes=9223372036854771712, memory__usage_in_bytes=GIB)


@pytest.mark.parametrize("group", ["a/b", "a", "."])
def test_version_2(mounted: Path, group: str) -> None:
    """The group's own, that of one above it, and within a container that sees its own as the root."""
    said(mounted / group, memory__max=4 * GIB, memory__swap__max=GIB, memory__current=3 * GIB)
    assert (memory.total_bytes(), memory.total_bytes(swap=True)) == (4 * GIB, 5 * GIB)
    assert memory.free_bytes() == GIB
    said(mounted / group, memory__stat=f"anon 5\ninactive_file {2 * GIB}")
    assert memory.free_bytes() == 3 * GIB
    said(mounted / group, memory__swap__max="max")
    assert memory.total_bytes(swap=True) == 6 * GIB


def test_at_most_swap_and_the_pages_of_files_can_be_freed_too(mounted: Path) -> None:
    assert memory.obtainable_bytes() == FREE + GIB  # of the swap, what is free
    said(mounted / "a" / "b", memory__max=4 * GIB, memory__swap__max=GIB // 2, memory__current=3 * GIB)
    assert memory.obtainable_bytes() == GIB + GIB // 2
    said(mounted / "a" / "b", memory__stat=f"active_file {GIB}\ninactive_file {GIB}")
    assert (memory.free_bytes(), memory.obtainable_bytes()) == (2 * GIB, 3 * GIB + GIB // 2)


@pytest.mark.parametrize("group", ["c", "."])
def test_version_1(mounted: Path, group: str) -> None:
    """There memory and swap are bounded together."""
    said(mounted / "memory" / group, memory__limit_in_bytes=4 * GIB, memory__usage_in_bytes=GIB)
    assert (memory.total_bytes(), memory.total_bytes(swap=True)) == (4 * GIB, 6 * GIB)
    said(mounted / "memory" / group, memory__memsw__limit_in_bytes=4 * GIB)
    assert memory.total_bytes(swap=True) == 4 * GIB
    assert memory.free_bytes() == 3 * GIB


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_swap_grows_where_the_system_enlarges_it(mounted: Path, monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    monkeypatch.setattr(memory.sys, "platform", platform)
    assert (memory.free_bytes(), memory.obtainable_bytes()) == (FREE, MACHINE)


def test_the_least_counts(mounted: Path) -> None:
    said(mounted / "a", memory__max=8 * GIB, memory__current=8 * GIB + 5)
    said(mounted / "a" / "b", memory__max=64 * GIB, memory__current=0)
    said(mounted / "memory" / "c", memory__limit_in_bytes=12 * GIB, memory__usage_in_bytes=0)
    assert memory.total_bytes() == 8 * GIB
    assert memory.free_bytes() == 0


def test_a_process_is_bounded_by_it(mounted: Path) -> None:
    said(mounted / "a" / "b", memory__max=4 * GIB, memory__swap__max=0)
    assert sandbox.memory_limit() == 4 * GIB
    assert sandbox.memory_limit(mapped=5) == 4 * GIB + 5


@pytest.mark.parametrize("collected", [True, False])
def test_what_is_made_to_stay_is_not_looked_through(collected: bool) -> None:
    """Nor is anything else meanwhile; the collector is afterwards what it was, also after an error."""
    before = gc.get_freeze_count()
    if not collected:
        gc.disable()
    try:
        with pytest.raises(ZeroDivisionError), gc_paused():
            assert not gc.isenabled()
            kept = [[number] for number in range(10_000)]
            raise ZeroDivisionError
        assert gc.isenabled() is collected
        assert gc.get_freeze_count() >= before + len(kept)
    finally:
        gc.unfreeze()
        gc.enable()
