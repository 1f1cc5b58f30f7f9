"""A cut as the flow of a pipeline file: which sessions run when, what feeds what, and the state that they share."""

from __future__ import annotations

from collections.abc import Mapping

from workflows.bundle.schema import CrossState, Edge, Flow, FlowStage, KVState, Session, State
from workflows.recipe.cut import Cut


def flow_of(cut: Cut, sessions: Mapping[str, Session], cache: KVState | None) -> Flow:
    """The flow of `cut`. sessions: by the part's name. cache: how the parts name the tensors of the cache."""
    return Flow(
        sessions={name: sessions[name] for name in cut.names},
        flow=[FlowStage(run=name, when=when) for name, when in cut.stages],
        dataflow=[Edge(source=f"{e.giver}.{e.tensor}", target=f"{e.taker}.{e.tensor}") for e in cut.edges],
        state=State(kv_cache=cache, cross_cache=CrossState(source=cut.source) if cut.source else None),
    )
