"""What a build needs is stated before anything is written, and what certainly does not fit is refused."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from workflows.builder import BuildRequest, build, requirements
from workflows.checkpoint import Checkpoint, open_checkpoint
from workflows.common import memory
from workflows.common.errors import RequestError
from workflows.recipe import Recipe, build_memory, resolve_recipe
from workflows.wire.events import Event, LogEvent, NoticeEvent, StageEvent

GB = 10**9


class Machine:
    """What is free, in bytes."""

    memory = swap = disk = 100 * GB


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Machine]:
    """A machine without earlier builds, whose free memory and disk a test sets."""
    free = Machine()

    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(build_memory, "STREAM_ABOVE", 1 << 60)
    for module in (requirements, requirements.build_estimate.__globals__):
        patched = module if isinstance(module, dict) else vars(module)
        monkeypatch.setitem(patched, "obtainable_bytes", lambda: free.memory + free.swap)
        monkeypatch.setitem(patched, "free_bytes", lambda: free.memory)
        monkeypatch.setitem(patched, "free_disk_bytes", lambda _: free.disk)
    yield free


def large(precision: str, **changes: Any) -> tuple[Checkpoint, Recipe]:
    """The demo with 8 billion parameters, as far as an estimate sees."""
    checkpoint = dataclasses.replace(open_checkpoint("demo:qwen3"), parameters=8 * GB)
    return checkpoint, resolve_recipe(open_checkpoint("demo:qwen3"), {"precision": precision, **changes})


def test_the_needs_are_stated_in_one_line(machine: Machine, tmp_path: Path) -> None:
    events: list[Event] = []
    estimate = requirements.state_requirements(*large("int4"), tmp_path / "out", events.append)
    (line,) = events
    assert isinstance(line, LogEvent) and line.level == "info"
    whole = (525 * 2**20 + 1.08 * 32 * GB) / GB
    assert f"about {whole:.1f} GB of memory (100.0 GB free)" in line.message
    disk = (estimate.disk_bytes + 64 * GB) / GB
    assert f"{disk:.1f} GB of disk beside {tmp_path / 'out'} (100.0 GB free;" in line.message
    assert line.message.endswith(f"and {estimate.seconds / 60:.0f} min.")


def test_a_streamed_build_needs_its_largest_tensor_and_layer(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_memory, "STREAM_ABOVE", 0)
    checkpoint, recipe = large("int4")
    estimate = requirements.state_requirements(checkpoint, recipe, tmp_path / "out", lambda _: None)
    layer = sum(one.elements for name, one in checkpoint.tensors.items() if name.startswith("model.layers.0."))
    largest = max(one.elements for one in checkpoint.tensors.values())
    inputs = checkpoint.tensors["model.layers.0.mlp.down_proj.weight"].shape[1]  # whose moments are factorized
    expected = 525 * 2**20 + 4 * (1.35 * largest + 2 * layer + 5 * inputs**2)
    assert estimate.streamed and estimate.memory_bytes == round(expected)
    nearest = requirements.state_requirements(*large("int8"), tmp_path / "out", lambda _: None)
    assert nearest.memory_bytes == round(expected - 20 * inputs**2)
    assert estimate.work_bytes < 0.2 * 4 * checkpoint.parameters
    calibrated = requirements.state_requirements(*large("w8a16"), tmp_path / "out", lambda _: None)
    assert calibrated.work_bytes > 4 * checkpoint.parameters


def test_what_may_not_suffice_is_a_notice(machine: Machine, tmp_path: Path) -> None:
    events: list[Event] = []
    machine.memory, machine.swap, machine.disk = 30 * GB, 0, 60 * GB
    estimate = requirements.state_requirements(*large("int4"), tmp_path / "out", events.append, searches=True)
    notices = [event.message for event in events if isinstance(event, NoticeEvent)]
    assert [("memory" in text, "disk" in text) for text in notices] == [(True, False), (False, True)]
    assert "30.0 GB are free" in notices[0] and "60.0 GB are free" in notices[1]
    assert events[0].message.endswith(", without the search.")  # type: ignore[attr-defined]
    requirements.require_memory(estimate)


@pytest.mark.parametrize(("free", "swap", "refused"), [(20, 0, True), (20, 8, False), (28, 0, False)])
def test_memory_is_refused_where_it_is_far_from_enough(
    machine: Machine, tmp_path: Path, free: int, swap: int, refused: bool
) -> None:
    """35.1 GB: with 27 at hand, swap included, it may work."""
    machine.memory, machine.swap = free * GB, swap * GB
    estimate = requirements.state_requirements(*large("int4"), tmp_path / "out", lambda _: None)
    assert estimate.memory_short is refused
    if refused:
        with pytest.raises(RequestError, match=r"needs about 35\.1 GB of memory and 20\.0 GB can be had"):
            requirements.require_memory(estimate)


def test_disk_is_refused_where_the_result_does_not_fit(machine: Machine, tmp_path: Path) -> None:
    machine.disk = 9 * GB
    with pytest.raises(RequestError) as refusal:
        requirements.require_disk(*large("fp32"), tmp_path / "out")
    assert str(refusal.value).startswith("The weights in fp32 need 32.0 GB of disk and 9.0 GB are free beside")
    assert "build with --precision int4 (5." in str(refusal.value) and "--ignore-estimate" in str(refusal.value)
    requirements.require_disk(*large("int4"), tmp_path / "out")
    machine.disk = 29 * GB  # nine tenths: an estimate is not exact
    requirements.require_disk(*large("fp32"), tmp_path / "out")
    machine.disk = 1 * GB
    with pytest.raises(RequestError, match="another disk, or build nevertheless"):
        requirements.require_disk(*large("int4"), tmp_path / "out")


def test_stages_of_an_earlier_build_count_as_free_disk(machine: Machine, tmp_path: Path) -> None:
    checkpoint = open_checkpoint("demo:qwen3")
    recipe = resolve_recipe(checkpoint, {})
    machine.disk = 100_000
    with pytest.raises(RequestError, match="of disk"):
        requirements.require_disk(checkpoint, recipe, tmp_path / "out")
    (tmp_path / ".out.build" / "optimize-0").mkdir(parents=True)
    (tmp_path / ".out.build" / "optimize-0" / "weights.data").write_bytes(bytes(4 * checkpoint.parameters))
    requirements.require_disk(checkpoint, recipe, tmp_path / "out")


def test_a_refused_build_writes_nothing_and_may_be_begun_nevertheless(
    machine: Machine, one_layer: Path, tmp_path: Path
) -> None:
    machine.memory = machine.swap = 1 << 20
    request = BuildRequest(str(one_layer), tmp_path / "out", {"capacity": 64})
    events: list[Event] = []
    with pytest.raises(RequestError, match="of memory"):
        build(request, events.append)
    assert not [*tmp_path.glob("*out*")]
    assert not any(isinstance(event, StageEvent) and event.stage == "export" for event in events)
    build(dataclasses.replace(request, ignore_estimate=True))
    # its export is in the stage cache now: another build of the checkpoint needs less
    again = dataclasses.replace(request, out=tmp_path / "again")
    build(again, events.append)
    assert any(isinstance(e, StageEvent) and (e.stage, e.state) == ("export", "reused") for e in events)


def test_the_demos_fit_here(tmp_path: Path) -> None:
    assert memory.obtainable_bytes() >= memory.free_bytes() > 0
