"""Which nodes of a session its provider has: read from the session, for a provider that took none is listed as well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import onnxruntime as ort

from workflows.wire.reports.preflight import FallbackNode

RECORD_ASSIGNMENT = "session.record_ep_graph_assignment_info"  # without it a session does not know


@dataclass(frozen=True)
class Assignment:
    """nodes: after onnxruntime's fusions. left: those that another provider has."""

    nodes: int
    left: tuple[FallbackNode, ...]

    @property
    def taken(self) -> int:
        """How many nodes the provider has."""
        return self.nodes - len(self.left)


def assignment_of(session: ort.InferenceSession, provider: str) -> Assignment:
    """provider: onnxruntime's name. The session was opened with RECORD."""
    parts = [(part.ep_name, node) for part in session.get_provider_graph_assignment_info() for node in part.get_nodes()]
    left = [
        FallbackNode(str(node.name), f"{node.domain}.{node.op_type}".lstrip("."), "")
        for owner, node in parts
        if owner != provider
    ]
    return Assignment(len(parts), tuple(left))


def placement_note(found: Mapping[str, Assignment], title: str) -> str:
    """What a person should know of nodes that the provider does not have; empty where it has all."""
    left = {name: len(one.left) for name, one in found.items() if one.left}
    if not left:
        return ""
    told = ", ".join(f"{count} of {found[name].nodes} nodes of {name}" for name, count in left.items())
    return f"{title} leaves {told} to the CPU provider; `joinery preflight` says which, and why."
