"""A build that is killed at random and started again until it was killed often enough, then runs to its end."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from tests.benchmarks.sizes.runs import Result


class Attempt(Protocol):
    """A build that may be started again: where it was killed, its next start finds what it left."""

    def start(self, kill_after: float | None) -> Result:
        """Runs until the end or the kill."""

    def digest(self) -> str:
        """The SHA-256 of the weights of a build that has ended."""

    def parts(self) -> int:
        """The number of single tensors that lie in the work folder."""

    def remove(self) -> None:
        """Removes all that the build has written."""


@dataclass
class Kills:
    """What became of it. killed: stage → kills in it; reused: stage → starts that took it from an earlier one.

    tensors: of each kill, the tensors that the next start found. digests: of every build that came to an end.
    """

    killed: Counter[str] = field(default_factory=Counter)
    reused: Counter[str] = field(default_factory=Counter)
    tensors: list[int] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    seconds: float = 0.0


def kill_again(
    attempt: Attempt, times: int, seconds: float, seed: int = 0, report: Callable[[str], None] = print
) -> Kills:
    """Kills the build `times` times, each time after 0 to `seconds` seconds; then it runs to its end.

    A build that ends before its kill is counted with its digest, and the next one begins from nothing.
    """
    chance, seen = random.Random(seed), Kills()
    while True:
        last = seen.killed.total() >= times
        after = None if last else chance.uniform(0, seconds)
        result = attempt.start(after)
        seen.seconds += result.seconds
        seen.reused.update(result.reused)
        if result.killed is not None:
            seen.killed[result.killed or "start"] += 1
            seen.tensors.append(attempt.parts())
            report(f"killed after {result.seconds:.1f} s in {result.killed or 'start'}, {seen.tensors[-1]} tensors lie")
            continue
        seen.digests.append(attempt.digest())
        report(f"came to its end in {result.seconds:.1f} s, reused {', '.join(result.reused) or 'nothing'}")
        attempt.remove()
        if last:
            return seen
