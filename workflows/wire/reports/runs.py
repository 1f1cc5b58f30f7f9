"""Runs that were kept: what was built, generated, measured and evaluated, with whose figures they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workflows.wire.reports.base import Report

Kind = Literal["build", "generate", "bench", "eval"]
Figure = float | int | str | None


@dataclass(frozen=True, slots=True)
class RunStep:
    """One token of a generation. latency_ms: from the token before, of the first from the start of the prompt."""

    step: int
    phase: str
    latency_ms: float
    used: int
    capacity: int


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run. time: UTC, ISO. bundle: its folder then; name: the model's. digest: of its graphs and weights.

    provider: with who ran elsewhere, and the version of its package; of a build, its target. machine: where it ran.
    figures: by name, with the unit at its end (`ttft_ms`, `decode_tokens_per_s`, `bytes`).
    """

    id: str
    kind: Kind
    time: str
    bundle: str
    name: str
    digest: str
    precision: str
    layout: str
    provider: str
    version: str
    machine: str
    figures: dict[str, Figure]


@dataclass
class RunReport(Report):
    """A run with its steps."""

    run: RunRecord
    steps: list[RunStep]


@dataclass
class WrittenReport(Report):
    """The files that a report was written to, the one that was asked for first."""

    files: list[str]
