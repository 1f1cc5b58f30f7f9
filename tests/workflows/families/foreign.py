"""Graphs as others export them, made of one of ours: the same weights behind another idea of the cache.

ours      mask [1,1,S,C+S] · keys = past ++ new · present = the new rows
theirs    mask [1,C+S] or [1,C], causal and windowed by the slots' order inside the graph · present = what they like
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

MASK, IDS, POSITIONS = "attention_mask", "input_ids", "position_ids"
WINDOWS = {MASK: None, "attention_mask_24": 24}  # the masks that our graphs take, and how far back they let one see
Axis = int | str


@dataclass(frozen=True)
class Form:
    """joins: append, slide or place, as workflows/kvcache/cache_inputs.py has them. present: rows, joined or buffer.

    drivers: which of write_indices and nonpad_kv_seqlen it declares. positions: whether it takes position_ids, else it
    counts past's slots. width, capacity: fixed axes. last: logits of the last column alone.
    """

    joins: str = "append"
    present: str = "rows"
    drivers: tuple[str, ...] = ()
    positions: bool = True
    width: int | None = None
    capacity: int | None = None
    last: bool = False


def foreign(source: Path, target: Path, form: Form) -> Path:
    """Our graph `source` (host-written, symbolic) in that form."""
    model = onnx.load(source)
    _Surgery(model, form).perform()
    onnx.checker.check_model(model)
    onnx.save(model, target)
    return target


class _Surgery:
    def __init__(self, model: Any, form: Form) -> None:
        self.model, self.graph, self.form = model, model.graph, form
        self.nodes: list[Any] = []
        self.width: Axis = form.width or "sequence"
        self.capacity: Axis = form.capacity or "past_sequence_length"
        self.inputs = {value.name: value for value in self.graph.input}
        self.past = [name for name in self.inputs if name.startswith("past_key_values.")]

    def perform(self) -> None:
        """Metadata gone, new inputs, the nodes between them and the old ones, new outputs."""
        del self.model.metadata_props[:]
        self._sizes()
        if not self.form.positions:
            self._count_positions()
        self._mask()
        for name in self.past:
            self._past(name)
        ends = [node for value in self.graph.output if (node := self._present(value)) is not None]
        self._declare()
        kept = list(self.graph.node)
        del self.graph.node[:]
        self.graph.node.extend([*self.nodes, *kept, *ends])
        del self.graph.value_info[:]

    def op(self, kind: str, *inputs: str, out: str = "", **attributes: Any) -> str:
        """A node of ours; the name of its output."""
        out = out or f"foreign_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [out], **attributes))
        return out

    def const(self, value: Any, dtype: Any = np.int64) -> str:
        """A constant."""
        name = f"foreign_const_{len(self.graph.initializer)}"
        self.graph.initializer.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def rename(self, old: str, new: str) -> None:
        """Whoever read `old` reads `new`."""
        for node in self.graph.node:
            for i, name in enumerate(node.input):
                if name == old:
                    node.input[i] = new

    def _sizes(self) -> None:
        self.s = self.op("Shape", IDS, start=1, end=2)  # [1]
        self.c = self.op("Shape", self.past[0], start=2, end=3)
        self.zero, self.end = self.const([0]), self.const([1 << 40])

    def _count_positions(self) -> None:
        counted = self.op("Add", self._range(self.s), self.c)
        counted = self.op("Unsqueeze", counted, self.const([0]))
        self.rename(POSITIONS, counted)

    def _range(self, size: str) -> str:
        scalar = self.op("Squeeze", size, self.const([0]))
        return self.op("Range", self.const(0), scalar, self.const(1))

    def _mask(self) -> None:
        if self.form.joins == "place":
            self._placed_mask()
            return
        kept = self.op("Sub", self.c, self.s) if self.form.joins == "slide" else self.c
        keys = self._range(self.op("Add", kept, self.s))
        query = self.op("Unsqueeze", self.op("Add", self._range(self.s), kept), self.const([1]))
        back = self.op("Sub", query, keys)  # [S, keys]
        for name, window in WINDOWS.items():
            if name in self.inputs:
                seen = self.op("Cast", MASK, to=TensorProto.BOOL)
                seen = self.op("And", seen, self.op("GreaterOrEqual", back, self.const(0)))
                if window is not None:
                    seen = self.op("And", seen, self.op("Less", back, self.const(window)))
                self._additive(name, seen)

    def _additive(self, name: str, seen: str) -> None:
        lowest = float(np.finfo(np.float32).min)
        mask = self.op("Where", seen, self.const(0, np.float32), self.const(lowest, np.float32))
        self.rename(name, self.op("Unsqueeze", mask, self.const([0, 1])))

    def _placed_mask(self) -> None:
        """Keys are still past ++ new inside; what the mask says of the new rows' slots goes to the new rows."""
        start, axis = "write_indices", self.const([3])
        end = self.op("Add", start, self.s)
        own = self.op("Slice", MASK, start, end, axis)
        before, after = self.op("Slice", MASK, self.zero, start, axis), self.op("Slice", MASK, end, self.end, axis)
        lowest = self.const(np.finfo(np.float32).min, np.float32)
        hidden = self.op("Expand", lowest, self.op("Shape", own))
        self.rename(MASK, self.op("Concat", before, hidden, after, own, axis=3))

    def _past(self, name: str) -> None:
        if self.form.joins == "slide":
            self.rename(name, self.op("Slice", name, self.s, self.end, self.const([2])))

    def _present(self, value: Any) -> Any:
        """The node that makes the output; None where it is as it was."""
        form = self.form
        if value.name == "logits":
            return self._last(value) if form.last else None
        past = value.name.replace("present", "past_key_values")
        if form.present == "rows":
            _set_axis(value, 2, self.width)
            return None
        rows = self._renamed_output(value.name)
        if form.joins == "place":
            axis, end = self.const([2]), self.op("Add", "write_indices", self.s)
            before = self.op("Slice", past, self.zero, "write_indices", axis)
            parts = [before, rows, self.op("Slice", past, end, self.end, axis)]
        else:
            slid = form.joins == "slide"
            parts = [self.op("Slice", past, self.s, self.end, self.const([2])) if slid else past, rows]
        _set_axis(value, 2, self.capacity if form.present == "buffer" else self._total)
        return helper.make_node("Concat", parts, [value.name], axis=2)

    def _last(self, value: Any) -> Any:
        logits = self._renamed_output("logits")
        _set_axis(value, 1, 1)
        return helper.make_node("Slice", [logits, self.const([-1]), self.end, self.const([1])], ["logits"])

    def _renamed_output(self, name: str) -> str:
        for node in self.graph.node:
            for i, out in enumerate(node.output):
                if out == name:
                    node.output[i] = f"{name}_inner"
        self.rename(name, f"{name}_inner")
        return f"{name}_inner"

    @property
    def _total(self) -> Axis:
        if isinstance(self.width, int) and isinstance(self.capacity, int):
            return self.width + self.capacity
        return f"{self.capacity} + {self.width}"

    def _declare(self) -> None:
        form, keys = self.form, self.capacity if self.form.joins != "append" else self._total
        dtype, shape = (
            (TensorProto.FLOAT, (1, 1, self.width, keys))
            if form.joins == "place"
            else (
                TensorProto.INT64,
                ("batch_size", keys),
            )
        )
        for value in list(self.graph.input):
            if value.name in WINDOWS or (value.name == POSITIONS and not form.positions):
                self.graph.input.remove(value)
            elif value.name in self.past:
                _set_axis(value, 2, self.capacity)
                _set_axis(value, 0, "batch_size")
            else:
                _set_axis(value, 1, self.width)
        self.graph.input.append(helper.make_tensor_value_info(MASK, dtype, shape))
        self.graph.input.extend(helper.make_tensor_value_info(name, TensorProto.INT64, (1,)) for name in form.drivers)


def _set_axis(value: Any, axis: int, size: Axis) -> None:
    dim = value.type.tensor_type.shape.dim[axis]
    dim.Clear()
    if isinstance(size, int):
        dim.dim_value = size
    else:
        dim.dim_param = size


def in_type(source: Path, target: Path, dtype: int) -> Path:
    """Our graph with keys, values and masks of another floating type at its edges; inside it computes as before."""
    model = onnx.load(source)
    graph, before, after = model.graph, [], []
    for value in [*graph.input, *graph.output]:
        kind = value.type.tensor_type
        if kind.elem_type != TensorProto.FLOAT or value.name == "logits":
            continue
        kind.elem_type, inner = dtype, f"{value.name}_float"
        if value.name.startswith("present"):
            _rewire(graph.node, "output", value.name, inner)
            _rewire(graph.node, "input", value.name, inner)
            after.append(helper.make_node("Cast", [inner], [value.name], to=dtype))
        else:
            _rewire(graph.node, "input", value.name, inner)
            before.append(helper.make_node("Cast", [value.name], [inner], to=TensorProto.FLOAT))
    nodes = [*before, *graph.node, *after]
    del graph.node[:], graph.value_info[:]
    graph.node.extend(nodes)
    onnx.save(model, target)
    return target


def _rewire(nodes: Sequence[Any], side: str, old: str, new: str) -> None:
    for node in nodes:
        names = getattr(node, side)
        for i, name in enumerate(names):
            if name == old:
                names[i] = new
