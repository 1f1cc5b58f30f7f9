"""The first difference of two runs; `joinery diverge --json` prints it."""

from __future__ import annotations

from dataclasses import dataclass, field

from workflows.wire.reports.base import Report


@dataclass
class ComparedNode:
    """A node of B whose output A has too; `reference` is A's node, empty where A is given the value.

    depth: its place among those compared, from 1. max_abs_diff: the largest difference of the two runs there, and
    reference_max the largest value of A's. own_abs_diff: what is left of the difference where B's node is given A's
    values to read. tolerance: what rounding may make of that. Where a difference is None one side has NaN or infinity
    and the other has not; an own_abs_diff that was not judged is 0. parts: whether the node differs by itself.
    """

    component: str
    node: str
    op: str
    scope: str
    reference: str
    depth: int
    max_abs_diff: float | None
    reference_max: float
    own_abs_diff: float | None
    tolerance: float
    parts: bool


@dataclass
class DivergenceReport(Report):
    """first: the first node that differs, or None. curve: (depth, max_abs_diff), in the order of the run.

    nodes: all compared ones; notes: messages to the user, a sentence each.
    """

    prompt: str
    nodes_compared: int
    first: ComparedNode | None
    curve: list[tuple[int, float | None]]
    nodes: list[ComparedNode] = field(default_factory=list)
    prompt_ids: list[int] = field(default_factory=list)
    token_ids: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
