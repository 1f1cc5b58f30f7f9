"""Mutants by their numbers: each is made anew from its kind, a seed and its number, and tried in a fork.

sound files ──copied──▶ root ──changed──▶ a mutant ──used, in a bounded fork──▶ run │ refused │ a finding
"""

from __future__ import annotations

import gc
import os
import random
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import workflows
from tests.faults.mutants.bounded import CPU_S, Ended, bounded
from tests.faults.mutants.kinds import KINDS, Kind
from tests.faults.mutants.lines import DEBUG, RefusedError
from workflows.builder.warmup import warm_up as import_builders
from workflows.common.errors import JoineryError
from workflows.common.stage_cache import write_limit

HEAD = ("mutants of", "mutants", "run", "of them told", "refused", "findings", "most CPU s", "most MiB")
_RUN, _TOLD, _REFUSED = "run", "told", "refused"


@dataclass(frozen=True)
class Mutant:
    """One, how it was made, and what came of it. finding: empty where all is well."""

    kind: str
    number: int
    change: str
    outcome: str
    said: str
    finding: str
    cpu_s: float
    memory: int

    def __str__(self) -> str:
        return f"mutants: {self.kind} --number {self.number} ({self.change[:200]}): {self.finding[-1200:]}"


@dataclass(frozen=True)
class Row:
    """Of one kind; told: that ran, and had something said of it."""

    kind: str
    mutants: int
    run: int
    told: int
    refused: int
    findings: int
    cpu_s: float
    memory: int


def mutants(kind: Kind, numbers: Iterable[int], seed: int, base: Path) -> Iterator[Mutant]:
    """What came of each number. base: a folder of `place`, where kinds find what others have laid."""
    sound = base / f"{kind.lay.__module__.rpartition('.')[2]}-{kind.lay.__name__}"
    if not sound.exists():
        sound.mkdir()
        os.environ["JOINERY_HOME"] = str(base / "home")
        laid = bounded(lambda: str(kind.lay(sound) or "") and "")
        if laid.wrong:
            raise RuntimeError(f"The sound files of {kind.name} could not be laid: {laid.wrong}")
    plain = _used(kind, sound, base / "plain")
    if plain.wrong or not plain.told.startswith((_RUN, _TOLD)):
        raise RuntimeError(f"The sound files of {kind.name} do not run: {plain}")
    for number in numbers:
        yield _tried(kind, number, seed, sound, base / "root")


def _tried(kind: Kind, number: int, seed: int, sound: Path, root: Path) -> Mutant:
    chances = random.Random(f"{seed} {kind.name} {number}")
    shutil.copytree(sound, root)
    try:
        change = kind.change(root, chances)
        ended = _ended(kind, root)
    finally:
        shutil.rmtree(root)
    outcome, _, said = ended.told.partition(" ")
    printed = "Traceback" in ended.noise and DEBUG not in os.environ  # which asks for them
    wrong = ended.wrong or ("a traceback on stderr" if printed else "")
    if wrong and ended.noise:
        wrong = f"{ended.noise[-3000:]}\n{wrong}"
    return Mutant(kind.name, number, change, outcome, said, wrong, ended.cpu_s, ended.memory)


def _used(kind: Kind, sound: Path, root: Path) -> Ended:
    shutil.copytree(sound, root)
    try:
        return _ended(kind, root)
    finally:
        shutil.rmtree(root)


def _ended(kind: Kind, root: Path) -> Ended:
    def work() -> str:
        os.environ["JOINERY_HOME"] = str(root / "home")
        os.chdir(root)
        try:
            said = kind.use(root)
        except (RefusedError, JoineryError) as refusal:  # the latter of what the window's worker does
            return f"{_REFUSED} {refusal}"
        return f"{_TOLD} {' | '.join(said)}" if said else _RUN

    return bounded(work)


def row_of(kind: str, tried: Iterable[Mutant]) -> Row:
    """The figures of one kind."""
    every = list(tried)
    sound = [one for one in every if not one.finding]
    return Row(
        kind,
        len(every),
        sum(one.outcome in (_RUN, _TOLD) for one in sound),
        sum(one.outcome == _TOLD for one in sound),
        sum(one.outcome == _REFUSED for one in sound),
        len(every) - len(sound),
        round(max((one.cpu_s for one in every), default=0.0), 1),
        max((one.memory for one in every), default=0) >> 20,
    )


def named(word: str) -> list[Kind]:
    """The kinds whose title holds the word."""
    return [kind for kind in KINDS if word in title(kind)]


def title(kind: Kind) -> str:
    """What `--only` is held against."""
    return f"mutants: {kind.name}"


LM_EVAL_S = "workflows.evaluation.harness"
"""Imported by lm-eval, whose package is no part of this environment."""


def warm_up() -> None:
    """All that is ever imported, done before the first fork; in one thread, for others do not come along."""
    import torch

    for module in walk_packages(workflows.__path__, "workflows."):
        if not module.name.endswith("__main__") and module.name != LM_EVAL_S:
            import_module(module.name)
    import_module("numpy.ma")  # which percentiles import
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    write_limit(0)  # no build takes another's stages
    torch.set_num_threads(1)
    import_builders()
    gc.collect()
    gc.freeze()  # what is here stays shared with the forks


@contextmanager
def place() -> Iterator[Path]:
    """A folder in memory, where there is such a disk."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        yield Path(name)


__all__ = ["CPU_S", "DEBUG", "HEAD", "KINDS", "Kind", "Mutant", "Row", "mutants", "named", "place", "row_of", "title",
           "warm_up"]  # fmt: skip
