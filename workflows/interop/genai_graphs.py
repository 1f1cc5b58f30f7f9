"""Adapts a graph to onnxruntime-genai's inputs by adding nodes at its inputs and outputs only.

    genai provides                           the graph takes
    attention_mask [1, total] integers ──▶   masks [1, 1, columns, total], seqlens_k, total_sequence_length
    (the past's slots where it has none)     and position_ids
    past [1, heads, before, size]            past, the same
    present [1, heads, total, size]    ◀──   the new tokens' rows, concatenated to past

A graph with genai's inputs and outputs already is left unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import onnx
from onnx import helper

from workflows.bundle.outline import Fault
from workflows.common import tensor_names
from workflows.common.tensors import TensorSpec
from workflows.interop.graph_ends import GraphEnds
from workflows.kvcache import StateTensor
from workflows.runtime.program.program import Program

TOTAL = "total_sequence_length"
_I64, _BOOL = onnx.TensorProto.INT64, onnx.TensorProto.BOOL
_WIDE = (tensor_names.IDS, tensor_names.EMBEDS, tensor_names.POSITIONS)  # inputs [1, columns, …]


def adaptation_faults(program: Program) -> Iterator[Fault]:
    """Yields faults that no added node can repair."""
    facts = program.facts
    if facts.writer == "scatter" or (facts.joins == "place" and facts.writer == "host"):
        yield Fault(
            "metadata.layout", ("genai does not support a cache written in place by index: build with cache=static")
        )
    for name, run in (("prefill", program.prefill), ("decode", program.decode)):
        if run.columns is not None:
            message = (
                f"its graphs take {run.columns} tokens per run, and genai needs any number: build with graphs=single"
            )
            yield Fault(f"pipeline.flow ({name})", message)
    if any(group.chunked for group in facts.groups):
        message = "genai gives a mask of all tokens, and this model's layers attend within chunks: no node can add them"
        yield Fault("pipeline.state.kv_cache", message)
    fixed = next((tensor for tensor in program.state if tensor.capacity is not None), None)
    if fixed is not None:
        message = f"{fixed.past} has {fixed.capacity} slots, and genai's cache grows: build with graphs=single"
        yield Fault("pipeline.state.kv_cache", message)


def adapt_graph(model: onnx.ModelProto, session: str, program: Program) -> onnx.ModelProto | None:
    """A copy of a session's graph, without external data, that genai can feed; None where no change is needed."""
    ends = StepEnds(model)
    feed_step(ends, session, program)
    return ends.model() if ends.changed else None


def feed_step(ends: StepEnds, session: str, program: Program) -> None:
    """Adapts the masks, lengths, positions and cache of a session that runs at each step."""
    session_feeds = {port[1]: feed for port, feed in program.decode.feeds.items() if port[0] == session}
    specs, facts = ends.specs, program.facts
    for group in facts.groups:
        spec = specs.get(group.mask)
        if spec is not None and len(spec.shape) == 4:
            ends.mask(spec, group.window)
    for name in (tensor_names.SEQLENS, tensor_names.TOTAL_LENGTH):
        if name in specs and name in session_feeds and session_feeds[name].kind == "driver":
            ends.length(specs[name])
    if (facts.left_aligned or not ends.masked) and tensor_names.POSITIONS in specs:
        ends.positions(specs[tensor_names.POSITIONS])
    for tensor in program.cache_tensors.get(session, ()):
        if facts.writer == "host" and tensor.gives == "rows":
            ends.join(tensor)
        if ends.changed:
            ends.grow(tensor)


class StepEnds(GraphEnds):
    """The ends of a graph that runs at each step.

    past: a tensor of the cache that tells how many tokens were before the step; None where attention_mask does.
    blocks: the placeholder whose runs attend to each other in both directions; None where none do.
    """

    def __init__(self, model: onnx.ModelProto, past: StateTensor | None = None, blocks: int | None = None) -> None:
        super().__init__(model)
        self._past, self._blocks = past, blocks
        self._columns = next((name for name in self.specs if name in _WIDE), "")

    @property
    def masked(self) -> bool:
        """Whether the graph takes genai's attention_mask."""
        return self._past is None

    def mask(self, spec: TensorSpec, window: int | None) -> None:
        """Computes a causal mask [1, 1, columns, total]; spec: of the graph's mask input."""
        seen = self._node("LessOrEqual", self._keys(), self._queries())
        if window is not None:
            back = self._node("Sub", self._queries(), self._keys())
            seen = self._node("And", seen, self._node("Less", back, self._scalar(window)))
        if self._blocks is not None:
            seen = self._node("Or", seen, self._same_block(self._blocks))
        if self.masked:
            seen = self._node("And", seen, self._node("Cast", tensor_names.MASK, to=_BOOL))
        wide = self._node("Unsqueeze", seen, self._numbers(0, 1))
        zero = self._constant(np.array(0, np.float32))
        self._replace(spec.name, self._cast(self._node("Where", wide, zero, self._lowest(spec)), spec))

    def length(self, spec: TensorSpec) -> None:
        """Computes the number of tokens after the step, minus one for seqlens_k."""
        less = int(spec.name == tensor_names.SEQLENS)
        count = self._node("Sub", self._total(), self._numbers(1)) if less else self._total()
        self._replace(spec.name, self._cast(self._node("Reshape", count, self._numbers(*[1] * len(spec.shape))), spec))

    def positions(self, spec: TensorSpec) -> None:
        """Computes the positions of the step's tokens."""
        self._replace(spec.name, self._cast(self._node("Reshape", self._queries(), self._numbers(1, -1)), spec))

    def join(self, tensor: StateTensor) -> None:
        """Concatenates past and the new rows to present."""
        rows = self._renamed(tensor.present)
        self._after.append(helper.make_node("Concat", [tensor.past, rows], [tensor.present], axis=tensor.slot_axis))

    def grow(self, tensor: StateTensor) -> None:
        """Names the slot axes: past has the slots before the step, present those after it."""
        for value in (*self._graph.output, *self._graph.input):
            if value.name in (tensor.present, tensor.past):
                axis = value.type.tensor_type.shape.dim[tensor.slot_axis]
                axis.dim_param = TOTAL if value.name == tensor.present else "past_sequence_length"

    def suppress(self, tokens: Sequence[int], first: Sequence[int] = ()) -> None:
        """Logits that never choose `tokens`, and none of `first` right behind a prompt: with `past` alone."""
        if not tokens and not first:
            return
        spec = self.outputs[tensor_names.LOGITS]
        count, rows = int(spec.shape[-1]), self._renamed(spec.name)
        barred = self._barred(count, tokens)
        if first and self._past is not None:
            start = self._node("Equal", self._before_step(self._past), self._numbers(0))
            barred = self._node("Or", barred, self._node("And", start, self._barred(count, first)))
        lowest = self._cast(self._lowest(spec), spec)
        self._after.append(helper.make_node("Where", [barred, lowest, rows], [spec.name]))

    def _barred(self, count: int, tokens: Sequence[int]) -> str:
        """[V]: whether each token is among these."""
        barred = np.zeros(count, np.bool_)
        barred[list(tokens)] = True
        return self._constant(barred)

    def model(self) -> onnx.ModelProto:
        """The changed copy, which takes genai's mask where a node reads it."""
        self._graph.input.extend(self._missing_mask())
        return super().model()

    def _missing_mask(self) -> list[onnx.ValueInfoProto]:
        own = {value.name for value in self._graph.input} - self._replaced
        if tensor_names.MASK in own or not any(tensor_names.MASK in node.input for node in self._before):
            return []
        for value in [value for value in self._graph.input if value.name == tensor_names.MASK]:
            self._graph.input.remove(value)  # one of another shape
        self._replaced.discard(tensor_names.MASK)
        return [helper.make_tensor_value_info(tensor_names.MASK, _I64, [1, TOTAL])]

    def _total(self) -> str:
        """[1]: the number of tokens after the step."""
        if self._past is None:
            return self._node("Shape", tensor_names.MASK, start=1, end=2)
        return self._node("Add", self._before_step(self._past), self._node("Shape", self._columns, start=1, end=2))

    def _before_step(self, past: StateTensor) -> str:
        """[1]: the number of slots of the past."""
        return self._node("Shape", past.past, start=past.slot_axis, end=past.slot_axis + 1)

    def _same_block(self, token: int) -> str:
        """[columns, total]: whether both are places of one run of `token` in this step."""
        placed = self._node("Cast", self._node("Equal", tensor_names.IDS, self._scalar(token)), to=_I64)  # [1, columns]
        shifted = self._node("Pad", placed, self._numbers(0, 1, 0, -1))
        first = self._node("Cast", self._node("Greater", placed, shifted), to=_I64)
        block = self._node("Mul", self._node("CumSum", first, self._scalar(1)), placed)
        start = self._node("Sub", self._total(), self._node("Shape", self._columns, start=1, end=2))
        widths = self._node("Concat", self._numbers(0), start, self._numbers(0, 0), axis=0)
        keys = self._node("Pad", block, widths)  # [1, total]
        queries = self._node("Transpose", block)  # [columns, 1]
        inside = self._node("Greater", queries, self._scalar(0))
        return self._node("And", self._node("Equal", queries, keys), inside)

    def _bounds(self) -> tuple[str, str]:
        """Scalars: the step's first and last position + 1."""
        start = self._node("Sub", self._total(), self._node("Shape", self._columns, start=1, end=2))
        return self._node("Squeeze", start), self._node("Squeeze", self._total())

    def _queries(self) -> str:
        """[columns, 1]."""
        return self._node("Unsqueeze", self._node("Range", *self._bounds(), self._scalar(1)), self._numbers(1))

    def _keys(self) -> str:
        """[1, total]."""
        every = self._node("Range", self._scalar(0), self._bounds()[1], self._scalar(1))
        return self._node("Unsqueeze", every, self._numbers(0))
