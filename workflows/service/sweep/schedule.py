"""Which step of a sweep may run next: plain bookkeeping, whose work per step does not grow with their number.

steps, results ──▶ StepSchedule ──next_step(has_room)──▶ a step ──finish(id, state)──▶ others become ready, or blocked
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from workflows.wire.reports.sweep import StepKind, StepState, SweepCounts, SweepStep


class Lane(NamedTuple):
    """Steps that may run in the same places: of one kind, with the same tags."""

    kind: StepKind
    tags: tuple[tuple[str, float], ...] = ()


HasRoom = Callable[[Lane, Mapping[Lane, int]], bool]
"""Whether one more step of a lane may start, beside the running ones of each lane."""


def lane_of(step: SweepStep) -> Lane:
    return Lane(step.kind, tuple(sorted(step.tags.items())))


class StepSchedule:
    """The steps of a plan, and how far they are. `blocked`: step → the failed step that it needs."""

    def __init__(self, steps: Iterable[SweepStep], ended: Mapping[str, StepState]) -> None:
        """ended: the steps that have a result already."""
        self.steps = {step.id: step for step in steps}
        self._order = {ident: index for index, ident in enumerate(self.steps)}
        self._missing = {step.id: len(step.needs) for step in self.steps.values()}
        self._dependents = defaultdict[str, list[str]](list)
        for step in self.steps.values():
            for needed in step.needs:
                self._dependents[needed].append(step.id)
        self._ready = defaultdict[Lane, list[tuple[int, str]]](list)
        self.ended = dict(ended)
        self.running = dict[str, Lane]()
        self.running_in = Counter[Lane]()
        self.blocked = dict[str, str]()
        for ident, missing in self._missing.items():
            if missing == 0 and ident not in self.ended:
                self._push(ident)
        for ident, state in ended.items():
            self._release(ident, state)
        self._counts = Counter(self.ended.values())

    @property
    def unfinished(self) -> bool:
        """Whether a step runs or may run."""
        return len(self.ended) + len(self.blocked) < len(self.steps)

    @property
    def counts(self) -> SweepCounts:
        done, failed = self._counts["done"], self._counts["failed"]
        blocked, running = len(self.blocked), len(self.running)
        return SweepCounts(done, failed, blocked, running, len(self.steps) - done - failed - blocked - running)

    def next_step(self, has_room: HasRoom) -> SweepStep | None:
        """The first step of the plan that is ready and has room, which counts as running now; None if there is none."""
        open_lanes = (lane for lane, ready in self._ready.items() if ready and has_room(lane, self.running_in))
        lane = min(open_lanes, key=lambda one: self._ready[one][0], default=None)
        if lane is None:
            return None
        _, ident = heapq.heappop(self._ready[lane])
        self.running[ident] = lane
        self.running_in[lane] += 1
        return self.steps[ident]

    def finish(self, ident: str, state: StepState) -> list[str]:
        """Records the end of a running step; returns the steps that it blocks."""
        self._stop(ident)
        self.ended[ident] = state
        self._counts[state] += 1
        return self._release(ident, state)

    def put_back(self, ident: str) -> None:
        """Makes a running step ready again: it was not run to its end."""
        self._stop(ident)
        self._push(ident)

    def _stop(self, ident: str) -> None:
        self.running_in[self.running.pop(ident)] -= 1

    def _push(self, ident: str) -> None:
        heapq.heappush(self._ready[lane_of(self.steps[ident])], (self._order[ident], ident))

    def _release(self, ident: str, state: StepState) -> list[str]:
        """Makes the dependents of a step ready, or blocks them and all that need them."""
        blocked = list[str]()
        if state == "done":
            for one in self._dependents[ident]:
                self._missing[one] -= 1
                if self._missing[one] == 0 and one not in self.ended and one not in self.blocked:
                    self._push(one)
            return blocked
        pending = list(self._dependents[ident])
        while pending:
            one = pending.pop()
            if one not in self.blocked and one not in self.ended:
                self.blocked[one] = ident
                blocked.append(one)
                pending += self._dependents[one]
        return sorted(blocked, key=self._order.__getitem__)
