"""Graphs that are looked at without a process: what a worker would answer is answered at once."""

from __future__ import annotations

from app.state.graph_model import GraphModel
from tests.app.test_session import StubWorker
from workflows.wire.reports.graphs import DiffReport, GraphReport


def answer(model: GraphModel, report: GraphReport | DiffReport) -> None:
    """The worker's answer to what the model asked last; laid out when this returns, where slices are long."""
    worker = model.loader.worker
    assert isinstance(worker, StubWorker)
    worker.jobs[-1].answered.emit(report)


def model_of(report: GraphReport, folds: bool = False) -> GraphModel:
    """A model that looks at the graph of a report."""
    model = GraphModel(StubWorker())  # type: ignore[arg-type]
    model.folds = folds
    model.open(report.path, report.component)
    answer(model, report)
    return model


def node_of(model: GraphModel, op: str, scope: str = "") -> int:
    """The first node of an operator, in a scope where one is named."""
    assert model.graph is not None
    return next(n.index for n in model.graph.nodes if n.op == op and scope in ("", n.scope))
