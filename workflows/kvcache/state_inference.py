"""The cache facts of a graph without metadata, inferred from its declared inputs and outputs.

seqlens_k                                          gqa: the graph writes in place
write_indices + nonpad_kv_seqlen, 3-D, a buffer    scatter: the graph writes in place
else                                               the host writes, whatever else it declares; a note says so
    a mask with a row for every query              any layout of the host
    a mask [1, columns], one row for all           right-aligned: the graph itself masks causally, by slot
    no mask, no position_ids, or cache_position    it takes the number of slots as the number of tokens
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workflows.common.errors import GraphError
from workflows.common.tensors import TensorSpec
from workflows.kvcache.cache_inputs import CACHE_POSITION, POSITIONS
from workflows.kvcache.geometry import MASK, GroupFacts, KeyJoin, StateFacts, StateTensor

_SCATTER = ("nonpad_kv_seqlen", "write_indices")


def infer_facts(state: Sequence[StateTensor], inputs: Sequence[TensorSpec]) -> StateFacts:
    """The facts of a graph without metadata. Raises GraphError, naming what is missing, where none can be inferred."""
    specs = {spec.name: spec for spec in inputs}
    group = GroupFacts("all", MASK, tuple(sorted({tensor.layer for tensor in state})), None)
    gives = {tensor.gives for tensor in state}
    if len(gives) != 1:
        raise GraphError(f"{state[0].present} and the graph's other present outputs have different contents.")
    if "seqlens_k" in specs:
        return StateFacts("gqa", (group,), joins="place")
    declared = [name for name in _SCATTER if name in specs]
    if len(declared) == 2 and len(state[0].shape) == 3 and gives == {"buffer"}:
        return StateFacts("scatter", (group,), joins="place")
    return _hosted(state[0], specs, group, _why_not_scatter(state[0], declared))


def _hosted(first: StateTensor, specs: Mapping[str, TensorSpec], group: GroupFacts, note: str) -> StateFacts:
    joins = _joins(first, specs)
    mask = specs.get(MASK)
    by_slots = joins != "place" and mask is not None and len(mask.shape) == 2
    blind = mask is None or POSITIONS not in specs or CACHE_POSITION in specs
    counts = joins == "append" and blind and first.capacity is None
    if joins == "append" and not counts and (mask is None or CACHE_POSITION in specs):
        why = f"no {MASK} to mark the used ones" if mask is None else f"takes {CACHE_POSITION} besides"
        raise GraphError(f"The graph has {first.capacity} slots and {why}: export it with a symbolic slot axis.")
    right = (by_slots or joins == "slide") and not counts
    return StateFacts("host", (group,), right_aligned=right, counts=counts, joins=joins, note=note)


def _joins(first: StateTensor, specs: Mapping[str, TensorSpec]) -> KeyJoin:
    """How the graph joins past and new keys: inferred from its present outputs and the width of its mask."""
    placed = "write_indices" in specs or CACHE_POSITION in specs
    mask = specs.get(MASK)
    as_wide = mask is not None and mask.shape[-1] == first.shape[first.slot_axis] != "?"
    if first.gives == "joined" or (first.gives == "rows" and not as_wide and (mask is not None or not placed)):
        return "append"
    if placed:
        return "place"
    if not as_wide or "nonpad_kv_seqlen" in specs:
        raise GraphError(
            f"{first.present} is written in place, but the graph has no input write_indices: export it again."
        )
    return "slide"


def _why_not_scatter(first: StateTensor, declared: Sequence[str]) -> str:
    """Why a graph that declares inputs of the scatter cache runs without that cache; empty where it declares none."""
    if not declared:
        return ""
    if len(declared) == 1:
        lacking = next(name for name in _SCATTER if name not in declared)
        reason = f"it declares {declared[0]} without {lacking}"
    elif len(first.shape) != 3:
        reason = f"{first.past} has {len(first.shape)} axes and the scatter cache has 3"
    else:
        reason = f"{first.present} is not the whole buffer"
    return f"The graph declares the scatter cache, but {reason}: it runs with the static cache."
