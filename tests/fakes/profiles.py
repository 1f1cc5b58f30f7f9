"""A profile of the fake decoder: its products take longest, most of all the last; one node is onnxruntime's own."""

from __future__ import annotations

from workflows.wire.reports.graphs import GraphReport
from workflows.wire.reports.profile import ComponentProfile, NodeTime, ProfileReport

CPU = "CPUExecutionProvider"
USUAL = {"MatMul": 90.0, "Softmax": 40.0, "Gather": 6.0}
"""Microseconds of a call, by operator; 2 of all others, and 500 of the last product."""


def report(graph: GraphReport, names: list[str]) -> ProfileReport:
    """Of a chunk and of 8 steps, which are ten times as quick."""
    phases = [(name, phase) for name in names for phase in ("prefill", "decode")]
    return ProfileReport("cpu", [_component(graph, name, phase) for name, phase in phases])


def _component(graph: GraphReport, component: str, phase: str) -> ComponentProfile:
    runs, pace = (3, 10) if phase == "prefill" else (8, 1)
    last = [node.name for node in graph.nodes if node.op == "MatMul"][-1]
    usual = [(one.name, one.name, one.op, 500.0 if one.name == last else USUAL.get(one.op, 2.0)) for one in graph.nodes]
    usual.append(("Reorder_0", "", "ReorderOutput", 12.0))
    total = sum(us for *_, us in usual)
    nodes = [
        NodeTime(name, own, op, CPU, runs, int(us * pace * runs), us * pace, us / total, 4096)
        for name, own, op, us in sorted(usual, key=lambda row: -row[3])
    ]
    return ComponentProfile(component, phase, runs, total * pace * 1.1, nodes)
