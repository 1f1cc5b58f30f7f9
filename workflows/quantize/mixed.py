"""Several methods in one graph: the component's own, and for the nodes that the recipe names, theirs.

the component's precision ──▶ every node that is not named
quantize.nodes, those of one method and size of blocks together ──▶ that method, all others left alone
"""

from __future__ import annotations

from collections.abc import Iterable

import onnx_ir as ir

from workflows.optimize.base import Outcome, Refusal
from workflows.quantize.base import Method, Ranges
from workflows.quantize.dynamic import Int8Dynamic
from workflows.quantize.stored import Stored
from workflows.quantize.weight_only import WeightOnly
from workflows.recipe import Quantize
from workflows.recipe.schema import NodeMethod

_METHODS: dict[str, Method] = {
    "int4": WeightOnly(4, marked=True),
    "int8": WeightOnly(8, marked=True),
    "int8-dynamic": Int8Dynamic(),
    "fp16": Stored(),
}


class Mixed:
    """`own` with the exceptions of `quantize.nodes`; None keeps every node that is not named."""

    name = "mixed"
    title = "A method of its own for each node"
    needs_ranges = False
    retypes = False

    def __init__(self, own: Method | None) -> None:
        self._own = own

    def requires(self, model: ir.Model, settings: Quantize) -> Refusal | None:
        """What the component's own method requires."""
        return self._own.requires(model, settings) if self._own else None

    def call(self, model: ir.Model, settings: Quantize, ranges: Ranges | None) -> Outcome:
        """See Method."""
        here = {str(node.name) for node in model.graph.all_nodes()}
        named = {name: how for name, how in settings.nodes.items() if name in here}
        modified, refused = False, list[Refusal]()
        if self._own is not None:
            rest = _only(settings, [*settings.exclude, *named], settings.block_size)
            done = self._own.call(model, rest, ranges)
            modified, refused = done.modified, [one for one in done.refused if one.node not in named]
        for how in dict.fromkeys(named.values()):
            nodes = {name for name, other in named.items() if other == how}
            done = _METHODS[how.precision].call(model, _of(settings, how, here - nodes), ranges)
            modified |= done.modified
            refused += [one for one in done.refused if one.node in nodes]
        return Outcome(modified, tuple(refused))


def _of(settings: Quantize, how: NodeMethod, others: Iterable[str]) -> Quantize:
    """Whatever is named is taken, be it the head or the table of tokens."""
    found = _only(settings, others, how.block_size)
    return found.model_copy(update={"head": True, "embedding": True, "fine_block_size": None})


def _only(settings: Quantize, others: Iterable[str], size: int) -> Quantize:
    return settings.model_copy(update={"exclude": tuple(others), "nodes": {}, "block_size": size})
