"""The coverage and accuracy of a bundle on a provider."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.wire.reports.base import Report


@dataclass(frozen=True, slots=True)
class FallbackNode:
    """A node that runs on another provider. reason: the provider's message; may be empty."""

    node: str
    op: str
    reason: str


@dataclass(frozen=True, slots=True)
class OutputDifference:
    """The largest difference to the CPU provider in one run; None if the component has no such output."""

    logits_max_abs_diff: float | None
    kv_max_abs_diff: float | None


@dataclass(frozen=True, slots=True)
class ComponentPreflight:
    """One graph. prefill, step: the differences in a chunk's run and a token's run; None if the run does not use it."""

    name: str
    nodes: int
    on_provider: int
    elsewhere: list[FallbackNode]
    prefill: OutputDifference | None
    step: OutputDifference | None


@dataclass
class PreflightReport(Report):
    """usable: whether it runs with the CPU's results. reason: why not, or a message to the user."""

    provider: str
    components: list[ComponentPreflight]
    usable: bool
    reason: str
