"""A whole build with --force over another bundle, killed at a random moment of one of its stages.

    plain build ──how long each stage takes──▶ a stage and a share of it, by the seed ──the system's alarm──▶ cases.py

The moments lie anywhere, between two operations too; the tracing, which takes the longest, is done anew where the
moment is one of its own.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.faults.cases import Subject, Verdict, laid
from tests.faults.real import OUT, Asked, Report, keep_export, state_of
from tests.faults.watch import KILL
from tests.workflows.conftest import make_qwen3
from workflows.builder import BuildRequest
from workflows.builder import build as run_build
from workflows.builder.warmup import warm_up
from workflows.wire.events import Event, StageEvent

_SIZES = {"vocab_size": 512, "hidden_size": 32, "intermediate_size": 32, "head_dim": 16, "num_attention_heads": 2,
          "num_key_value_heads": 1, "num_hidden_layers": 1, "max_position_embeddings": 256}  # fmt: skip
STAGES = ("export", "optimize", "quantize", "bundle")
_TIMES = "times"
_TRIED = 3  # moments for each kill at most


def at_moments(count: int, seed: int) -> Iterator[Verdict]:
    """The verdict on each moment until so many builds were killed; on a busy machine some come after the end."""
    warm_up()  # before the forks, each of which would take seconds for it
    with laid(MOMENTS) as bench:
        took = dict(line.split() for line in (bench.base / "plain" / _TIMES).read_text("utf-8").splitlines())
        killed = 0
        for number in range(_TRIED * count):
            if killed == count:
                return
            chances = random.Random(f"{seed} {number}")
            stage = chances.choice(STAGES)
            share = chances.random()
            work = partial(_build_until, stage=stage, seconds=share * float(took[stage]))
            verdict = bench.judge_end(f"{share:.0%} of {stage}", work)
            killed += verdict.fault is KILL
            yield verdict


def _lay(root: Path) -> None:
    make_qwen3(root / "checkpoint", **_SIZES)
    _build(root, "fp32")
    shutil.rmtree(root / "home")  # with the stages that both precisions share
    keep_export(root, lambda report, cancelled: _build(root, "int4", report, cancelled))


def _build(root: Path, precision: str, report: Report = lambda _: None, cancelled: Asked = lambda: False) -> None:
    os.environ["JOINERY_HOME"] = str(root / "home")  # of this fork, so that no other case has its stages
    options = {"precision": precision, "capacity": 64}
    run_build(BuildRequest(str(root / "checkpoint"), root / OUT, options, force=True), report, cancelled)


def _timed(root: Path) -> None:
    """How long each stage took is left beside the bundle."""
    began, took = dict[str, float](), dict[str, float]()

    def hear(event: Event) -> None:
        if isinstance(event, StageEvent):
            began.setdefault(event.stage, time.perf_counter())
            took[event.stage] = time.perf_counter() - began[event.stage]

    _build(root, "int4", hear)
    (root / _TIMES).write_text("".join(f"{stage} {took[stage]}\n" for stage in STAGES), "utf-8")


def _build_until(root: Path, stage: str, seconds: float) -> None:
    """Ended by the system so long after the stage's beginning; what is quicker today is built to its end."""

    def hear(event: Event) -> None:
        if isinstance(event, StageEvent) and (event.stage, event.state) == (stage, "started"):
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6))

    if stage != "export":
        (root / "kept").rename(root / f".{OUT}.build")
    _build(root, "int4", hear)
    signal.setitimer(signal.ITIMER_REAL, 0)
    (root / _TIMES).touch()


MOMENTS = Subject("build at random moments", _lay, _timed, state_of, OUT)
