"""Recorded runs of the history: builds, generations, measurements and evaluations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workflows.wire.reports.base import Report

Kind = Literal["build", "generate", "bench", "eval"]
Figure = float | int | str | None


@dataclass(frozen=True, slots=True)
class RunStep:
    """One token of a generation. latency_ms: from the token before, or from the start of the prompt."""

    step: int
    phase: str
    latency_ms: float
    used: int
    capacity: int


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run. time: UTC, ISO. bundle: its folder then; name: the model's. digest: of its graphs and weights.

    provider: with the components on other providers, and its package's version; of a build, its target.
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
    """The files of a written report, the requested one first."""

    files: list[str]
