"""Runs several methods on one graph: the component's own, and those of the nodes that the recipe names.

the component's precision ──▶ every node that is not named
quantize.nodes, grouped by method and block size ──▶ that method, with all other nodes excluded
"""

from __future__ import annotations

from collections.abc import Iterable

import onnx_ir as ir

from workflows.optimize.base import PassResult, Refusal
from workflows.quantize.base import Method, Ranges
from workflows.quantize.half_storage import HalfStorage
from workflows.quantize.int8_dynamic import Int8Dynamic
from workflows.quantize.weight_only import FindSums, WeightOnly
from workflows.recipe import QuantizeSettings
from workflows.recipe.schema import NodePrecision


class MixedPrecision(Method):
    """`own` with the exceptions in `quantize.nodes`; None leaves all other nodes unquantized.

    moments: second moments of the weights' inputs, for nodes in int4.
    """

    name = "mixed"
    title = "A method of its own for each node"

    def __init__(self, own: Method | None, moments: FindSums | None = None) -> None:
        self._own = own
        self._by_precision: dict[str, Method] = {
            "int4": WeightOnly(4, marked=True, moments=moments),
            "int8": WeightOnly(8, marked=True),
            "int8-dynamic": Int8Dynamic(),
            "fp16": HalfStorage(),
        }

    def requires(self, model: ir.Model, settings: QuantizeSettings) -> Refusal | None:
        """Returns what the component's own method requires."""
        return self._own.requires(model, settings) if self._own else None

    def call(self, model: ir.Model, settings: QuantizeSettings, ranges: Ranges | None) -> PassResult:
        here = {str(node.name) for node in model.graph.all_nodes()}
        named = {name: how for name, how in settings.nodes.items() if name in here}
        modified, refused = False, list[Refusal]()
        if self._own is not None:
            rest = _settings_for(settings, [*settings.exclude, *named], settings.block_size)
            done = self._own.call(model, rest, ranges)
            modified, refused = done.modified, [one for one in done.refused if one.node not in named]
        for how in dict.fromkeys(named.values()):
            nodes = {name for name, other in named.items() if other == how}
            done = self._by_precision[how.precision].call(model, _method_of(settings, how, here - nodes), ranges)
            modified |= done.modified
            refused += [one for one in done.refused if one.node in nodes]
        return PassResult(modified, tuple(refused))


def _method_of(settings: QuantizeSettings, how: NodePrecision, others: Iterable[str]) -> QuantizeSettings:
    """Returns the settings for named nodes, which may be the head or the token table."""
    own = _settings_for(settings, others, how.block_size)
    return own.model_copy(update={"head": None, "embedding": None, "fine_block_size": None})


def _settings_for(settings: QuantizeSettings, others: Iterable[str], size: int) -> QuantizeSettings:
    return settings.model_copy(update={"exclude": tuple(others), "nodes": {}, "block_size": size})
