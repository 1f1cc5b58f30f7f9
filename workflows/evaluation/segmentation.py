"""Cuts a graph with a KV cache into segments, one per layer, that run one after another.

    nodes ──earliest segment where each can run: a layer's begins with the first node that touches its cache──▶ ranks
    ranks ──the head apart, what only constants determine beside its readers──▶ GraphSegments

    segment 0   the embedding, positions and masks, and the first layer up to its cache
    segment i   the attention of layer i, its MLP, and the next layer up to its cache
    the last    the matrix that gives the logits, and what follows it

A segment reads inputs of the graph and values of earlier segments, whichever they are: optimizer passes join nodes
across the end of a layer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

import onnx
import onnx_ir as ir

from workflows.graph.subgraphs import values_read

INLINE = 4096  # bytes up to which a weight is no matrix that is worth a segment of its own
_RANDOM = "Random"  # prefix of the operators that have no inputs, and are no constants


@dataclass(frozen=True)
class GraphSegment:
    """A part of a graph.

    nodes: in the graph's order. reads: the graph's inputs and the values of earlier segments that they take. gives: the
    graph's outputs and the values for later segments that they make. weights: the initializers that they take.
    states: the numbers of the cache tensors' layers.
    """

    nodes: tuple[onnx.NodeProto, ...]
    reads: tuple[str, ...]
    gives: tuple[str, ...]
    weights: tuple[str, ...]
    states: frozenset[int]

    def operators_reading(self, name: str) -> set[str]:
        """The operators that read a value."""
        return {node.op_type for node in self.nodes if name in values_read(node)}


class GraphCut:
    """A model without its weights, and its segments.

    states: past inputs and present outputs → their layer, in the order in which layers run.
    """

    def __init__(self, model: ir.Model, states: Mapping[str, int]) -> None:
        self.model = model
        self.values = dict(_values(model.graph))
        self.initializers = model.graph.initializers
        self.inputs = [str(value.name) for value in model.graph.inputs]
        self.outputs = [str(value.name) for value in model.graph.outputs]
        self._nodes = [ir.serde.serialize_node(node) for node in model.graph]
        self._read = [{name for name in values_read(node) if name} for node in self._nodes]
        self._makers = {name: i for i, node in enumerate(self._nodes) for name in node.output if name}
        self._readers: dict[str, list[int]] = {}
        for i, names in enumerate(self._read):
            for name in names:
                self._readers.setdefault(name, []).append(i)
        self._constant = self._constant_nodes()
        numbers = {layer: number for number, layer in enumerate(sorted(set(states.values())), 1)}
        self._states = {name: numbers[layer] for name, layer in states.items()}
        self._layers = {number: layer for layer, number in numbers.items()}
        self.segments = self._segments(self._ranks())

    def _constant_nodes(self) -> frozenset[int]:
        """The nodes that only initializers determine, as the dequantizing of a weight: each segment runs its own."""
        fixed = self.initializers.keys() - {*self.inputs}
        found: set[int] = set()
        for i, node in enumerate(self._nodes):
            if self._read[i] <= fixed and not node.op_type.startswith(_RANDOM) and not {*node.output} & {*self.outputs}:
                found.add(i)
                fixed = fixed | {*node.output}
        return frozenset(found)

    def _touched(self, i: int) -> list[int]:
        """The numbers of the states that a node reads or makes."""
        return [self._states[name] for name in (*self._read[i], *self._nodes[i].output) if name in self._states]

    def _ranks(self) -> dict[int, int]:
        """Node → segment, for those that are no constants."""
        ranks: dict[int, int] = {}
        spans: dict[int, list[int]] = {}  # ranks that touch one layer's cache, which must stay together
        for i in range(len(self._nodes)):
            if i in self._constant:
                continue
            before = (ranks[self._makers[name]] for name in self._read[i] if self._makers.get(name) in ranks)
            touched = self._touched(i)
            ranks[i] = max((0, *before, *touched))
            for number in touched:
                spans.setdefault(number, []).append(ranks[i])
        joined = {rank for span in spans.values() for rank in range(min(span) + 1, max(span) + 1)}
        starts = sorted({*ranks.values()} - joined)
        places = {rank: sum(start <= rank for start in starts) for rank in {*ranks.values()}}
        ranks = {i: places[rank] for i, rank in ranks.items()}
        return ranks | dict.fromkeys(self._head(), len(starts) + 1) if self._states else dict.fromkeys(ranks, 0)

    def _head(self) -> Iterator[int]:
        """The last matrix product before an output that is no state, and all nodes after it."""
        head: set[int] = set()
        for i in reversed(range(len(self._nodes))):
            names = {*self._nodes[i].output}
            readers = {reader for name in names for reader in self._readers.get(name, ())}
            ends = bool(names & {*self.outputs})
            if i in self._constant or self._touched(i) or not (ends or readers):
                continue
            if readers <= head and not any(self._has_matrix(reader) for reader in readers):
                head.add(i)
                yield i

    def _has_matrix(self, i: int) -> bool:
        """Whether a node takes a large matrix, as it is or computed of constants."""
        for name in self._read[i]:
            tensor = self.initializers[name].const_value if name in self.initializers else None
            if tensor is not None and len(tensor.shape) > 1 and tensor.nbytes > INLINE:
                return True
            if (maker := self._makers.get(name)) in self._constant and maker is not None and self._has_matrix(maker):
                return True
        return False

    def _segments(self, ranks: Mapping[int, int]) -> tuple[GraphSegment, ...]:
        last: dict[str, int] = {}  # value → the last segment that reads it
        for i, rank in ranks.items():
            for name in self._read[i]:
                last[name] = max(last.get(name, 0), rank)
        return tuple(self._segment(rank, ranks, last) for rank in sorted({*ranks.values()}))

    def _segment(self, rank: int, ranks: Mapping[int, int], last: Mapping[str, int]) -> GraphSegment:
        own = {i for i, other in ranks.items() if other == rank}
        members = sorted(own | self._constants_of(own))
        made = {name for i in members for name in self._nodes[i].output}
        read = dict.fromkeys(name for i in members for name in sorted(self._read[i]) if name not in made)
        outputs = {*self.outputs}
        return GraphSegment(
            tuple(self._nodes[i] for i in members),
            tuple(name for name in read if name not in self.initializers or name in self.inputs),
            tuple(
                name
                for i in members
                if i in own
                for name in self._nodes[i].output
                if name and (name in outputs or last.get(name, rank) > rank)
            ),
            tuple(name for name in read if name in self.initializers),
            frozenset(self._layers[number] for i in own for number in self._touched(i)),
        )

    def _constants_of(self, nodes: Set[int]) -> set[int]:
        """The constant nodes that `nodes` need."""
        needed: set[int] = set()
        waiting = [*nodes]
        while waiting:
            makers = {self._makers[name] for name in self._read[waiting.pop()] if name in self._makers}
            fresh = (makers & self._constant) - needed
            needed |= fresh
            waiting += fresh
        return needed

    def watched(self, segment: GraphSegment, values: Sequence[str]) -> GraphSegment:
        """The segment with those of `values` that it makes, in place of all that it gives but rows of the cache."""
        made = {name for node in segment.nodes for name in node.output}
        states = [name for name in segment.gives if name in self._states]
        return replace(segment, gives=tuple(dict.fromkeys([*states, *(name for name in values if name in made)])))

    # -- a segment as a model ----------------------------------------------------------------------------------

    def proto(
        self, segment: GraphSegment, weights: Sequence[onnx.TensorProto], inputs: Sequence[onnx.ValueInfoProto]
    ) -> onnx.ModelProto:
        """The segment as a model of its own, with `weights`, and `inputs` for what it reads."""
        graph = onnx.GraphProto(name="segment", node=segment.nodes, input=inputs, initializer=weights)
        graph.output.extend(self.described(name) or onnx.ValueInfoProto(name=name) for name in segment.gives)
        names = {name for node in segment.nodes for name in node.output} - {*segment.gives}
        graph.value_info.extend(info for name in sorted(names) if (info := self.described(name)) is not None)
        imports = [onnx.OperatorSetIdProto(domain=key, version=n) for key, n in self.model.opset_imports.items()]
        functions = [ir.serde.serialize_function(function) for function in self.model.functions.values()]
        version = self.model.ir_version
        return onnx.ModelProto(graph=graph, opset_import=imports, ir_version=version, functions=functions)

    def described(self, name: str) -> onnx.ValueInfoProto | None:
        """The value's type and shape; None where the graph does not state both."""
        value = self.values.get(name)
        if value is None or value.type is None or value.shape is None:
            return None
        return ir.serde.serialize_value(value)


def _values(graph: ir.Graph) -> Iterator[tuple[str, ir.Value]]:
    """The graph's values by name."""
    for value in (*graph.inputs, *graph.initializers.values(), *(one for node in graph for one in node.outputs)):
        if value.name:
            yield value.name, value
