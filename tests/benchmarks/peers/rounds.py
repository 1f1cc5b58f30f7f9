"""Rounds of visits: engines take turns, and every sample is kept in the work folder at once."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Self

from tests.benchmarks.peers.rows import Figures


@dataclass
class Log:
    """What was measured: row → engine → samples; and why an engine has none.

    others: visit → engine → the share of the cores that other processes had, a sample each; -1 where nobody looked.
    versions: engine → package → version.
    """

    rows: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    failed: dict[str, dict[str, str]] = field(default_factory=dict)
    others: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    versions: dict[str, dict[str, str]] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> Self:
        """What an earlier run left there; an empty one where none was."""
        return cls(**json.loads(file.read_text("utf-8"))) if file.exists() else cls()

    def write(self, file: Path) -> None:
        """Keeps all of it, whole or not at all."""
        part = file.with_suffix(".part")
        part.write_text(json.dumps(asdict(self), indent=1), "utf-8")
        part.replace(file)

    def add(self, name: str, engine: str, samples: dict[str, float], others: float) -> None:
        """A visit's samples; a failure that an earlier run had is forgotten."""
        for row, value in samples.items():
            self.rows.setdefault(row, {}).setdefault(engine, []).append(value)
        self.others.setdefault(name, {}).setdefault(engine, []).append(others)
        self.failed.get(name, {}).pop(engine, None)

    def fail(self, name: str, engine: str, reason: str) -> None:
        """Why a visit gave nothing."""
        self.failed.setdefault(name, {})[engine] = reason

    def rounds(self, name: str, engine: str) -> int:
        """How many visits of that name gave samples."""
        return len(self.others.get(name, {}).get(engine, []))

    def medians(self) -> Figures:
        """Row → engine → the median of its samples."""
        return {row: {e: statistics.median(s) for e, s in of.items()} for row, of in self.rows.items()}


def turns(
    names: Iterable[str], engines: Sequence[str], rounds: int, done: Callable[[str, str], int]
) -> Iterator[tuple[str, str]]:
    """(visit, engine) in the order they are made: all engines in a round, each round beginning with the next one.

    done: how many rounds a visit of an engine has already; it is asked again before each.
    """
    for name in names:
        for number in range(rounds):
            first = number % len(engines)
            for engine in (*engines[first:], *engines[:first]):
                if done(name, engine) <= number:
                    yield name, engine
