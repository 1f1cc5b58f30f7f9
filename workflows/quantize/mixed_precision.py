"""Runs several methods on one graph: the component's own, and those of the nodes that the recipe names.

the component's precision ──▶ every node that is not named
quantize.nodes, grouped by method and block size ──▶ that method, with all other nodes excluded
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import onnx_ir as ir

from workflows.optimize.base import PassResult, Refusal
from workflows.quantize.base import Method, Ranges
from workflows.quantize.compensated_rounding import CompensatedRounding
from workflows.quantize.grids import BlockFormat
from workflows.quantize.half_storage import HalfStorage
from workflows.quantize.int8_dynamic import Int8Dynamic
from workflows.quantize.linear_layers import LinearProduct
from workflows.quantize.weight_only import WeightOnly
from workflows.recipe import QuantizeSettings
from workflows.recipe.schema import NodePrecision


class MixedPrecision(Method):
    """`own` with the exceptions in `quantize.nodes`; None leaves all other nodes unquantized.

    rounding: of weights in int4 whose inputs were seen.
    """

    name = "mixed"
    title = "A method of its own for each node"

    def __init__(self, own: Method | None, rounding: CompensatedRounding | None = None) -> None:
        self._own = own
        if own is not None:
            self.name, self.title = own.name, own.title
        self._by_precision: dict[str, Method] = {
            "int4": WeightOnly(4, marked=True, rounding=rounding),
            "int8": WeightOnly(8, marked=True),
            "int8-dynamic": Int8Dynamic(),
            "fp16": HalfStorage(),
        }

    def requires(self, model: ir.Model, settings: QuantizeSettings) -> Refusal | None:
        """Returns what the component's own method requires."""
        return self._own.requires(model, settings) if self._own else None

    def formats(self, model: ir.Model, settings: QuantizeSettings) -> list[tuple[LinearProduct, BlockFormat]]:
        """Returns the products that `call` quantizes to int4, and how."""
        found: list[tuple[LinearProduct, BlockFormat]] = []
        for method, own, _ in self._parts(model, settings):
            if isinstance(method, WeightOnly) and method.bits == 4:
                found += method.formats(model, own)
        return found

    def call(self, model: ir.Model, settings: QuantizeSettings, ranges: Ranges | None) -> PassResult:
        modified, refused = False, list[Refusal]()
        for method, own, concerns in self._parts(model, settings):
            done = method.call(model, own, ranges)
            modified |= done.modified
            refused += [one for one in done.refused if concerns(one.node)]
        return PassResult(modified, tuple(refused))

    def _parts(
        self, model: ir.Model, settings: QuantizeSettings
    ) -> list[tuple[Method, QuantizeSettings, Callable[[str], bool]]]:
        """The methods to call, their settings, and of which nodes each one's refusals count."""
        here = {str(node.name) for node in model.graph.all_nodes()}
        named = {name: how for name, how in settings.nodes.items() if name in here}
        parts: list[tuple[Method, QuantizeSettings, Callable[[str], bool]]] = []
        if self._own is not None:
            rest = _settings_for(settings, [*settings.exclude, *named], settings.block_size)
            parts.append((self._own, rest, lambda node: node not in named))
        for how in dict.fromkeys(named.values()):
            nodes = frozenset(name for name, other in named.items() if other == how)
            parts.append(
                (self._by_precision[how.precision], _method_of(settings, how, here - nodes), nodes.__contains__)
            )
        return parts


def _method_of(settings: QuantizeSettings, how: NodePrecision, others: Iterable[str]) -> QuantizeSettings:
    """Returns the settings for named nodes, which may be the head or the token table."""
    own = _settings_for(settings, others, how.block_size)
    return own.model_copy(update={"head": None, "embedding": None, "fine_block_size": None})


def _settings_for(settings: QuantizeSettings, others: Iterable[str], size: int) -> QuantizeSettings:
    return settings.model_copy(update={"exclude": tuple(others), "nodes": {}, "block_size": size})
