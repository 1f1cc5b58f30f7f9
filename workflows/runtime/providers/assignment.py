"""The nodes of a session that its provider runs, read from the session: a provider that runs none is also listed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import onnxruntime as ort

from workflows.wire.reports.preflight import FallbackNode

RECORD_ASSIGNMENT = "session.record_ep_graph_assignment_info"  # without it a session keeps no assignment


@dataclass(frozen=True)
class Assignment:
    """nodes: the number after onnxruntime's fusions. left: the nodes that another provider runs."""

    nodes: int
    left: tuple[FallbackNode, ...]

    @property
    def assigned(self) -> int:
        """How many nodes the provider runs."""
        return self.nodes - len(self.left)


def assignment_of(session: ort.InferenceSession, provider: str) -> Assignment:
    """The assignment of a session opened with RECORD_ASSIGNMENT. provider: onnxruntime's name."""
    parts = [(part.ep_name, node) for part in session.get_provider_graph_assignment_info() for node in part.get_nodes()]
    left = [
        FallbackNode(str(node.name), f"{node.domain}.{node.op_type}".lstrip("."), "")
        for owner, node in parts
        if owner != provider
    ]
    return Assignment(len(parts), tuple(left))


def placement_note(assignments: Mapping[str, Assignment], title: str) -> str:
    """A sentence about nodes that the provider does not run; empty where it runs all."""
    left = {name: len(one.left) for name, one in assignments.items() if one.left}
    if not left:
        return ""
    counts = ", ".join(f"{count} of {assignments[name].nodes} nodes of {name}" for name, count in left.items())
    return f"{title} leaves {counts} to the CPU provider; `joinery preflight` lists them with reasons."
