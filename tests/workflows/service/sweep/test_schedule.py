"""What may run next: needs, room, failures, and work per step that does not grow with their number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from workflows.service.sweep.executors import LocalPool
from workflows.service.sweep.schedule import Lane, StepSchedule, lane_of
from workflows.wire.reports.sweep import StepKind, SweepCounts, SweepStep


def step(ident: str, kind: StepKind = "build", needs: tuple[str, ...] = (), **tags: float) -> SweepStep:
    return SweepStep(ident, kind, ident, "d", "s", "r", "", "cpu", "local", {}, list(needs), tags)


def always(lane: Lane, running: Mapping[Lane, int]) -> bool:
    return True


def bundles(count: int) -> list[SweepStep]:
    """A build, an evaluation and a benchmark each."""
    return [
        one
        for n in range(count)
        for one in (step(f"{n}b"), step(f"{n}e", "eval", (f"{n}b",)), step(f"{n}m", "bench", (f"{n}b",)))
    ]


def test_a_step_comes_after_what_it_needs_and_in_the_plans_order() -> None:
    schedule = StepSchedule(bundles(2), {})
    order = []
    while (one := schedule.next_step(always)) is not None:
        order.append(one.id)
        schedule.finish(one.id, "done")
    assert order == ["0b", "0e", "0m", "1b", "1e", "1m"]
    assert not schedule.unfinished and schedule.counts == SweepCounts(6, 0, 0, 0, 0)


def test_a_failure_stops_what_needs_it_alone() -> None:
    steps = [*bundles(2), step("x", "eval", ("1b", "0b")), step("y", "bench", ("x",))]
    schedule = StepSchedule(steps, {})
    assert schedule.next_step(always) == steps[0]
    assert schedule.finish("0b", "failed") == ["0e", "0m", "x", "y"]
    assert schedule.counts == SweepCounts(0, 1, 4, 0, 3)
    order = []
    while (one := schedule.next_step(always)) is not None:
        order.append(one.id)
        schedule.finish(one.id, "done")
    assert order == ["1b", "1e", "1m"] and not schedule.unfinished
    assert schedule.blocked == {"0e": "0b", "0m": "0b", "x": "0b", "y": "0b"}


def test_what_ended_before_is_not_handed_out() -> None:
    schedule = StepSchedule(bundles(3), {"0b": "done", "0e": "done", "1b": "failed"})
    order = []
    while (one := schedule.next_step(always)) is not None:
        order.append(one.id)
        schedule.finish(one.id, "done")
    assert order == ["0m", "2b", "2e", "2m"]
    assert schedule.counts == SweepCounts(6, 1, 2, 0, 0)


def test_a_step_that_was_not_run_to_its_end_comes_again() -> None:
    schedule = StepSchedule(bundles(1), {})
    assert schedule.next_step(always) is not None and schedule.counts.running == 1
    schedule.put_back("0b")
    assert schedule.counts == SweepCounts(0, 0, 0, 0, 3)
    again = schedule.next_step(always)
    assert again is not None and again.id == "0b"


def test_lanes_are_of_a_kind_with_tags() -> None:
    assert lane_of(step("a", "bench", (), npu=1, big=2)) == Lane("bench", (("big", 2), ("npu", 1)))
    schedule = StepSchedule([step("a", npu=1), step("b")], {})
    one = schedule.next_step(lambda lane, _: not lane.tags)
    assert one is not None and one.id == "b", "one lane without room does not hold up another"


def started(pool: LocalPool, schedule: StepSchedule) -> list[str]:
    result = []
    while (one := schedule.next_step(pool.has_room)) is not None:
        result.append(one.id)
    return result


def test_the_local_rules(tmp_path: object) -> None:
    """Builds one at a time, evaluations beside them, a benchmark beside nothing."""
    pool = LocalPool(tmp_path, 3, builds=1)  # type: ignore[arg-type]
    try:
        schedule = StepSchedule(bundles(3), {})
        assert started(pool, schedule) == ["0b"]
        schedule.finish("0b", "done")
        assert started(pool, schedule) == ["0e", "1b"], "the benchmark 0m waits"
        schedule.finish("1b", "done")
        assert started(pool, schedule) == ["1e", "2b"]
        for ident in ("0e", "1e", "2b"):
            schedule.finish(ident, "done")
        assert started(pool, schedule) == ["0m"]
        schedule.finish("0m", "done")
        assert started(pool, schedule) == ["1m"]
        schedule.finish("1m", "done")
        assert started(pool, schedule) == ["2e"], "the plan's order again, where nothing runs"
    finally:
        pool.close()


@pytest.mark.parametrize("count", [8, 80, 800])
def test_the_work_per_step_is_constant(count: int) -> None:
    """Questions for room: at most one per lane for each step that starts, and one for each time that none may."""
    asked = 0

    def counted(lane: Lane, running: Mapping[Lane, int]) -> bool:
        nonlocal asked
        asked += 1
        return sum(running.values()) < 2

    schedule = StepSchedule([replace(one, tags={}) for one in bundles(count)], {})
    while schedule.unfinished:
        while schedule.next_step(counted) is not None:
            pass
        schedule.finish(next(iter(schedule.running)), "done")
    assert asked <= 2 * 3 * 3 * count
