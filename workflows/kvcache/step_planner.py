"""The inputs of one run, planned from the slot table: ids, positions, masks and lengths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workflows.common.errors import CapacityError, GraphError
from workflows.common.tensors import Array, TensorSpec
from workflows.kvcache.cache_inputs import IDS, POSITIONS, StepTokens, shape_of
from workflows.kvcache.geometry import MASK, GroupFacts, KeyJoin, StateFacts, StateTensor
from workflows.kvcache.layouts import Layout, Positions
from workflows.kvcache.slot_table import CacheGroup, SlotTable
from workflows.kvcache.token_blocks import TokenBlocks
from workflows.kvcache.token_tree import TokenTree, can_branch


class PositionMap(Protocol):
    """Position ids of more than one number per token; GridPositions is one."""

    def __call__(self, positions: Positions) -> NDArray[np.int64]:
        """[n] positions in the sequence → [3, n] position ids."""
        ...


@dataclass(frozen=True)
class Step:
    """The inputs of one run: N columns, of which the slice `real` are tokens and the rest padding.

    inputs, by what they are for:
        input_ids                     [1, N] int64
        position_ids                  [1, N] absolute, or [3, 1, N]
        one mask per group            [1, 1, N, keys]: 0 where the query of a row attends to the key of a column, the
                                      type's lowest finite value elsewhere; or [1, keys]: 1 for a visible key.
                                      Keys are allocated + N where the graph appends, else allocated
        cache_position                [N], slots
        seqlens_k, total_sequence_length, write_indices, nonpad_kv_seqlen   lengths, as the operators define them
    slots: [tokens] int64, where the rows go; below zero: nowhere. start: the position of the first token. parents: of
    tokens that branch, see token_tree.py; their rows go where the committed path puts them.
    """

    inputs: dict[str, Array]
    slots: Positions
    start: int
    tokens: int
    width: int
    real: slice
    parents: tuple[int, ...] | None = None


class StepPlanner:
    """What one graph can take in a run, and the inputs of that run.

    positions: how many positions the model has; None for no limit. mutual, joins, counts: see StateFacts. can_branch:
    whether the tokens of a run may form a tree. inputs: the graph's inputs that the cache feeds, by name. carries:
    whether state of fixed size goes with the cache. pad_left: padding comes before the tokens, for graphs that give the
    last column's logits alone.
    """

    def __init__(
        self,
        facts: StateFacts,
        inputs: Mapping[str, TensorSpec] | None,
        table: SlotTable,
        *,
        carries: bool,
        pad_left: bool,
    ) -> None:
        self._table, self._layout, self._capacity = table, table.layout, table.capacity
        self.inputs = dict(inputs if inputs is not None else default_cache_inputs(table.groups))
        self.positions, self.joins, self.counts = facts.positions, facts.joins, facts.counts
        self.mutual = facts.mutual
        self._masks = {group.mask: group for group in table.groups}
        self.can_branch = can_branch(facts, self.inputs, self._masks)
        self._carries, self._pad_left, self._in_place = carries, pad_left, self._layout.writer != "host"

    @property
    def longest(self) -> int | None:
        """The most tokens that a sequence can have: one a position of the model, and a slot unless the cache evicts.

        None for no limit.
        """
        ends = (self.positions, None if self._layout.evicts else self._capacity)
        return min((end for end in ends if end is not None), default=None)

    def fitting_tokens(self, start: int, wanted: int, width: int | None) -> int:
        """How many of `wanted` tokens one run can take that begins at position `start`, in `width` columns.

        width: None where the graph takes any. Reasons to take fewer, or none: a graph that writes in place, or joins
        keys in the buffer, needs slots for the padding as well; a mask of one row for all queries cannot slide a window
        between them; padding would enter carried state.
        """
        if self._carries and width is not None and wanted < width:
            return 0
        if self._layout.sinks and self._table.ring is not None:
            wanted = min(wanted, self._table.ring)
        if self.joins == "append" and not (self._layout.evicts and self._one_mask_row):
            return wanted
        room = self._capacity - start
        if width is None or self.joins == "append":
            return max(0, min(wanted, room))
        misplaced = self.joins == "place" and self._pad_left and wanted < width  # padding would take the tokens' slots
        return wanted if max(width, wanted) <= room and not misplaced else 0

    def check_tree(self, tree: TokenTree) -> None:
        """Raises GraphError for a tree that the graph cannot take, CapacityError for positions beyond the model's."""
        length = self._table.length
        if tree.parents is not None and not self.can_branch:
            raise GraphError(f"The tokens of a run cannot branch in this {self._layout.name} cache: feed a chain.")
        if self.positions is not None and length + tree.reach > self.positions:
            raise CapacityError(f"All {self.positions:,} positions of the model are used: start a new text.")

    def check_width(self, tokens: int, columns: int) -> None:
        """Raises GraphError where `tokens` in `columns` columns do not fit, see `fitting_tokens`."""
        length = self._table.length
        if (columns > 1 or self._in_place) and self.fitting_tokens(length, tokens, columns) < tokens:
            raise GraphError(
                f"{tokens:,} tokens in {columns:,} columns do not fit the cache of {self._capacity:,} after "
                f"{length:,}: feed one token a step."
            )

    def step(
        self,
        ids: Sequence[int],
        columns: int,
        tree: TokenTree,
        allocated: int,
        position_map: PositionMap | None,
        blocks: TokenBlocks | None,
    ) -> Step:
        """The step that feeds `ids` after the table's last token. allocated: slots of the buffers."""
        start, tokens = self._table.length, len(ids)
        order = np.arange(start, start + tokens, dtype=np.int64)
        slots, positions = self._layout.place(order, self._capacity, allocated), start + tree.depths
        real = slice(columns - tokens, columns) if self._pad_left else slice(0, tokens)
        position_ids = None if position_map is None else position_map(positions)
        ahead = None if blocks is None else blocks.ahead(positions)
        in_windows = blocks is not None and blocks.in_windows
        fed = StepTokens(
            ids, positions, slots, columns, real, self.joins, self._in_place, position_ids, tree.kin, ahead, in_windows
        )
        inputs = {name: self._input(fed, spec) for name, spec in self.inputs.items()}
        return Step(inputs, slots, start, tokens, columns, real, tree.parents)

    def shapes(self, width: int, allocated: int) -> dict[str, tuple[int, ...]]:
        """The shapes of the inputs of a step of `width` columns, by name."""
        keys = allocated + (width if self.joins == "append" else 0)
        return {name: shape_of(spec, width, keys) for name, spec in self.inputs.items()}

    @property
    def _one_mask_row(self) -> bool:
        """Whether a mask has one row for all queries."""
        return any(len(self.inputs[mask].shape) == 2 for mask in self._masks if mask in self.inputs)

    def _input(self, fed: StepTokens, spec: TensorSpec) -> Array:
        group = self._masks.get(spec.name)
        return fed.driver(spec) if group is None else fed.mask(spec, group.table, group)


def default_facts(state: Sequence[StateTensor], layout: Layout) -> StateFacts:
    """The facts of a graph that appends, or writes in place as the layout does, with one mask for all layers."""
    layers = tuple(sorted({tensor.layer for tensor in state}))
    joins: KeyJoin = "append" if layout.writer == "host" else "place"
    return StateFacts(layout.writer, (GroupFacts("all", MASK, layers, None),), joins=joins)


def default_cache_inputs(groups: Sequence[CacheGroup]) -> dict[str, TensorSpec]:
    """Ids, positions, and one mask per group with a row for every query."""
    named = {IDS: (1, "sequence"), POSITIONS: (1, "sequence")} | dict.fromkeys(
        (group.mask for group in groups), (1, 1, "sequence", "total")
    )
    types = {IDS: "int64", POSITIONS: "int64"}
    return {name: TensorSpec(name, shape, types.get(name, "float32")) for name, shape in named.items()}
