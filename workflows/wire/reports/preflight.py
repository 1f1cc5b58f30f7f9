"""How fully and how rightly a bundle would run on a provider, by node."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.wire.reports.base import Report


@dataclass(frozen=True, slots=True)
class FallbackNode:
    """A node that the provider does not take. reason: its own words, empty where it gives none."""

    node: str
    op: str
    reason: str


@dataclass(frozen=True, slots=True)
class OutputDifference:
    """The largest difference to the CPU provider in one run; None where the component gives none of it."""

    logits_max_abs_diff: float | None
    kv_max_abs_diff: float | None


@dataclass(frozen=True, slots=True)
class ComponentPreflight:
    """One graph. prefill, step: of the run of a chunk and of one token, None where it takes no part in it."""

    name: str
    nodes: int
    on_provider: int
    elsewhere: list[FallbackNode]
    prefill: OutputDifference | None
    step: OutputDifference | None


@dataclass
class PreflightReport(Report):
    """usable: whether it runs, and gives what the CPU gives. reason: why not, or what is to be known."""

    provider: str
    components: list[ComponentPreflight]
    usable: bool
    reason: str
