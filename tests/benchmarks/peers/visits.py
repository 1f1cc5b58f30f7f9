"""What is asked of an engine in one visit: it opens a model, does the visit's work, and its samples belong to rows.

A visit has a process of its own, so that none sees the memory that another one left, and engines take turns: every
engine is visited once in a round.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.benchmarks.peers.environments import PEERS
from tests.benchmarks.peers.models import Models, Precision, Source
from tests.benchmarks.peers.processes import Child, Others

Samples = dict[str, float]
SETTLING = 4  # tokens of a run that are not counted
DEMO_IDS = 1024


class Session:
    """An open engine, as a visit asks it. tokens: how many a run decodes.

    quantile: which of a run's steps stands for it: 0.5 is the median, a lower one is of the steps that other processes
    disturbed least.
    """

    def __init__(self, child: Child, tokens: int, quantile: float) -> None:
        self.child, self.tokens, self._quantile = child, tokens, quantile

    def run(self, ids: list[int], new: int | None = None) -> tuple[float, float]:
        """Milliseconds of the prompt, and of a step of the `new` ones after it, the first of them left out."""
        tokens = new or self.tokens
        times = self.child.ask(do="run", ids=ids, new=tokens, ends=None)["ms"]
        return times[0], float(np.quantile(times[min(SETTLING, len(times) - 1) :], self._quantile))

    def resident(self) -> float:
        """Bytes in memory now."""
        return float(self.child.ask(do="resident")["bytes"])


@dataclass(frozen=True)
class Visit:
    """The model that is opened, and what is done. tokens: that a run decodes; quick: in a quick run.

    capacity: tokens that the engine is to have room for; some take memory for all of them at once.
    """

    source: Source
    precision: Precision
    work: Callable[[Session], Samples]
    tokens: int
    quick: int
    capacity: int


@dataclass(frozen=True)
class Seen:
    """A visit's samples, the share of the cores that others had meanwhile (or UNSEEN), and the engine's versions.

    missing: why it has none for the other rows of the visit.
    """

    samples: Samples
    others: float
    versions: dict[str, str]
    missing: str = ""


def prompt(length: int, size: int = 151_936, seed: int = 0) -> list[int]:
    """The same tokens for every engine; of another seed others, where an engine keeps what it knows of a prompt."""
    return np.random.default_rng(seed).integers(3, size, length).tolist()  # type: ignore[no-any-return]


def short(session: Session) -> Samples:
    """Decode fresh and after a long prompt, short prefills, memory."""
    _, decode = session.run(prompt(64))
    found = {"decode": decode, "resident_64": session.resident()}
    found["prefill_64"] = statistics.median(session.run(prompt(64, seed=seed), 2)[0] for seed in (1, 2, 3))
    found["prefill_512"], _ = session.run(prompt(512, seed=4), 2)
    found["resident_512"] = session.resident()
    _, found["decode_again"] = session.run(prompt(64))
    return found


def long(session: Session) -> Samples:
    """A prompt of 2,048 and the steps after it."""
    prefill, step = session.run(prompt(2_048))
    return {"prefill_2048": prefill, "step_2048": step}


def full(session: Session) -> Samples:
    """Steps after 8,000 tokens."""
    return {"step_8000": session.run(prompt(8_000))[1]}


def longest(session: Session) -> Samples:
    """Steps after 32,000 tokens, which take minutes to read."""
    return {"step_32000": session.run(prompt(32_000))[1]}


def fp32(session: Session) -> Samples:
    """Decode in fp32."""
    return {"decode_fp32": session.run(prompt(16))[1]}


def fp32_by_roofline(session: Session) -> Samples:
    """The same, with what memory would allow at that moment; of Joinery alone, which measures it."""
    before, found, after = session.child.ask(do="extras"), fp32(session), session.child.ask(do="extras")
    bandwidth = max(before["bandwidth"], after["bandwidth"])
    ideal = 1000 * before["weight_bytes"] / bandwidth
    return found | {"roofline": ideal / found["decode_fp32"]}


def demo(session: Session) -> Samples:
    """The trained demo, where the loop around the graph counts."""
    session.run(prompt(16, DEMO_IDS), 32)
    return {"demo": session.run(prompt(16, DEMO_IDS))[1]}


def demo_int4(session: Session) -> Samples:
    """The same in int4."""
    return {"demo_int4": demo(session)["demo"]}


VISITS = {
    "demo": Visit("demo", "fp32", demo, 300, 60, 512),
    "demo_int4": Visit("demo", "int4", demo_int4, 300, 60, 512),
    "short": Visit("shape", "int4", short, 40, 10, 4_096),
    "fp32": Visit("shape", "fp32", fp32, 24, 8, 4_096),
    "long": Visit("shape", "int4", long, 20, 8, 4_096),
    "full": Visit("shape", "int4", full, 16, 8, 8_704),
    "longest": Visit("shape", "int4", longest, 16, 8, 32_768),
}
"""By name, the cheap ones first."""


def visit(name: str, engine: str, models: Models, log: Path, quick: bool, quantile: float) -> Seen:
    """One visit. Raises PeerError where the engine cannot be had or fails."""
    wanted = VISITS[name]
    built = models.built(engine, wanted.source, wanted.precision)
    work = fp32_by_roofline if (name, engine) == ("fp32", "joinery") else wanted.work
    with Child(models.environment(engine), PEERS[engine].program, log) as child:
        opened = child.ask(do="open", folder=str(built.folder), capacity=wanted.capacity)
        others = Others(child)
        others.begin()
        samples = work(Session(child, wanted.quick if quick else wanted.tokens, quantile))
        return Seen(samples, others.share(), opened["versions"])
