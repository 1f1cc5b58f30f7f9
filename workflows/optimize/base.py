"""The contract of a pass: requires, call, ensures; a refusal is a value with a reason, never an exception."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field

import onnx_ir as ir

from workflows.common.errors import JoineryError
from workflows.optimize.graph_checks import find_fault, graph_interface, infer_shapes, remove_unused


@dataclass(frozen=True)
class Refusal:
    """Why a pass left something unchanged, and the node concerned (empty for the whole graph)."""

    reason: str
    node: str = ""


def refusal_of(node: ir.Node, reason: str) -> Refusal | None:
    """Returns the refusal of a node; None without a reason."""
    return Refusal(reason, str(node.name)) if reason else None


@dataclass(frozen=True)
class PassResult:
    """The result of a pass: whether it changed the graph, and what it refused."""

    modified: bool
    refused: tuple[Refusal, ...] = ()


Rewrites = Iterator[Refusal | None]  # for each match of a pass: its refusal, or None if it was rewritten


class Pass:
    """A rewrite of a graph, in place. reshapes: the graph outputs whose shapes it may change."""

    name: str
    title: str
    reshapes: tuple[str, ...] = ()

    def requires(self, model: ir.Model) -> Refusal | None:
        """Returns why the pass cannot run on `model`, or None."""
        return None

    def call(self, model: ir.Model) -> PassResult:
        """Rewrites `model`: all matches of `_rewrites`, unless a pass works on the graph as a whole."""
        outcomes = list(self._rewrites(model))
        return PassResult(None in outcomes, tuple(one for one in outcomes if one is not None))

    def _rewrites(self, model: ir.Model) -> Rewrites:
        raise NotImplementedError

    def ensures(self, model: ir.Model) -> str:
        """Returns which postcondition does not hold, as a sentence; empty if all hold. See also `graph_checks`."""
        return ""


@dataclass(frozen=True)
class PassReport:
    """The report of one pass on one component, as `inspect` shows it."""

    name: str
    modified: bool
    nodes_before: int
    nodes_after: int
    refused: list[Refusal] = field(default_factory=list)
    seconds: float = 0.0

    def to_dict(self) -> dict[str, object]:
        """Returns the report as `inspect --json` prints it."""
        return asdict(self)


def run_passes(
    model: ir.Model, passes: Iterable[Pass], after: Callable[[PassReport, ir.Model], None] = lambda report, model: None
) -> list[PassReport]:
    """Runs `passes` in order on `model`, in place; `after` is called with the model after each of them.

    Raises JoineryError, with the names of the pass and those before it, if a pass violates its postcondition or leaves
    a graph with a fault (graph_checks).
    """
    reports: list[PassReport] = []
    infer_shapes(model)
    for a_pass in passes:
        before, began, ends = model.graph.num_nodes(), time.monotonic(), graph_interface(model, a_pass.reshapes)
        refusal = a_pass.requires(model)
        outcome = PassResult(False, (refusal,)) if refusal else a_pass.call(model)
        broken = a_pass.ensures(model) if refusal is None else ""
        if outcome.modified:
            remove_unused(model)
            broken = broken or find_fault(model, ends, a_pass.reshapes)
        if broken:
            ran = ", ".join(report.name for report in reports) or "nothing"
            raise JoineryError(f"The pass {a_pass.name} broke its promise: {broken} (after {ran}); switch it off.")
        seconds, nodes = round(time.monotonic() - began, 3), model.graph.num_nodes()
        report = PassReport(a_pass.name, outcome.modified, before, nodes, list(outcome.refused), seconds)
        reports.append(report)
        after(report, model)
    return reports
