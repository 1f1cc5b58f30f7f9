"""The session of one segment, which stands in a Machine for that of the whole graph.

    Machine ──binds its arrays──▶ RecordedBinding ──those that the segment reads or gives──▶ onnxruntime's session
    StoredTensor of earlier segments, by step ────────────────────────────────────────────────▲   │ of the segment
                     ▲────────────────────────────── values that later segments read ─────────────┘

What the graph's other segments give stays unwritten in a pass, and nothing of the pass reads it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime as ort
from numpy.typing import NDArray

from workflows.common.tensors import Array, TensorSpec
from workflows.evaluation.segmentation import INLINE, GraphCut, GraphSegment
from workflows.graph.weights import Key, in_order, tensor_key
from workflows.runtime.loading.sessions import OpenSession, SessionPlan, open_session
from workflows.runtime.program.signature import FileSignature

_NOWHERE = 1 << 60  # the offset of weights that are fed from memory: whoever reads them from the file fails
# Operators whose weights onnxruntime does not look at while it optimizes a graph: they need no copy of its own.
_NOT_READ = {"MatMul", "Gemm", "Gather", "MoE"}
_LOOKUP = {"Gather"}  # which arranges no table anew and reads a few rows of it
_BFLOAT16 = int(onnx.TensorProto.BFLOAT16)


@dataclass(frozen=True)
class BoundMemory:
    """Memory of an input or output."""

    element: np.dtype[Any] | int
    shape: tuple[int, ...]
    address: int

    def write(self, stored: StoredTensor) -> None:
        """Writes a tensor of this type and shape."""
        ctypes.memmove(self.address, stored.data.ctypes.data, stored.numpy().nbytes)


@dataclass(frozen=True)
class StoredTensor:
    """A copy of a tensor. element: its type's number in ONNX. data: its bytes, one at least."""

    element: int
    shape: tuple[int, ...]
    data: NDArray[np.uint8]

    @classmethod
    def of_runtime(cls, value: ort.OrtValue) -> StoredTensor:
        """Copies an onnxruntime tensor."""
        size = value.tensor_size_in_bytes()
        data = np.empty(max(size, 1), np.uint8)
        ctypes.memmove(data.ctypes.data, value.data_ptr(), size)
        return cls(value.element_type(), tuple(value.shape()), data)

    @property
    def memory(self) -> BoundMemory:
        """The tensor's memory, which lives as long as the tensor."""
        return BoundMemory(self.element, self.shape, self.data.ctypes.data)

    def numpy(self) -> Array:
        """The numbers; those of bfloat16 as uint16."""
        dtype = np.dtype("uint16" if self.element == _BFLOAT16 else onnx.helper.tensor_dtype_to_np_dtype(self.element))
        count = int(np.prod(self.shape))
        return self.data[: count * dtype.itemsize].view(dtype).reshape(self.shape)


@dataclass
class RecordedBinding:
    """The memory that a Machine binds to a whole graph; None for outputs whose size it does not know.

    results: outputs of unknown size after a run. specs: of all outputs.
    """

    specs: tuple[TensorSpec, ...]
    inputs: dict[str, BoundMemory] = field(default_factory=dict)
    outputs: dict[str, BoundMemory | None] = field(default_factory=dict)
    results: dict[str, StoredTensor] = field(default_factory=dict)

    def bind_input(self, name: str, device: str, number: int, element: Any, shape: Sequence[int], address: int) -> None:
        """Records the memory of an input, as onnxruntime's IOBinding takes it."""
        self.inputs[name] = BoundMemory(element, tuple(shape), address)

    def bind_output(
        self,
        name: str,
        device: str,
        number: int = 0,
        element: Any = None,
        shape: Sequence[int] = (),
        address: int | None = None,
    ) -> None:
        """Records the memory of an output, as onnxruntime's IOBinding takes it."""
        self.outputs[name] = None if address is None else BoundMemory(element, tuple(shape), address)

    def get_outputs(self) -> list[StoredTensor]:
        """The outputs of unknown size, in the graph's order; ones of size 1 for those that no segment has given yet."""
        return [self.results.get(spec.name) or _empty(spec) for spec in self.specs]


class PassWeights:
    """The large weights of one pass, each once."""

    def __init__(self) -> None:
        self._values: dict[Key, ort.OrtValue] = {}
        self._tensors: list[ir.TensorProtocol] = []

    def value(self, tensor: ir.TensorProtocol) -> ort.OrtValue:
        """The tensor as onnxruntime's, over the same memory."""
        key = tensor_key(tensor)
        if key not in self._values:
            self._tensors.append(tensor)
            array = in_order(tensor.numpy())
            if array.dtype.kind == "V":  # numpy knows no such numbers, as bfloat16
                array = array.view(f"u{array.itemsize}")
            self._values[key] = ort.OrtValue.ortvalue_from_numpy_with_onnx_type(array, int(tensor.dtype))
        return self._values[key]

    def release(self) -> None:
        """Frees the weights; no session may use them any more."""
        self._values.clear()
        for tensor in self._tensors:
            _release(tensor)
        self._tensors.clear()


@dataclass(frozen=True)
class ValueWatch:
    """Values of a segment, and what receives each of them after each run."""

    values: tuple[str, ...]
    receive: Callable[[str, Array], None]


@dataclass
class SegmentedGraph:
    """A graph of the composite, and the values that its finished segments gave, by step.

    plan: how its sessions are opened. optional: inputs with a default. shared: its outputs that other components read.
    """

    plan: SessionPlan
    cut: GraphCut
    signature: FileSignature
    optional: tuple[TensorSpec, ...]
    shared: frozenset[str]
    emulated: bool
    stored: list[dict[str, StoredTensor]] = field(default_factory=list)

    def session(
        self, index: int | None, weights: PassWeights, mapped: bool, watch: ValueWatch | None = None
    ) -> OpenSession:
        """A session that runs the segment `index` alone, for one pass; None for none. mapped: see open_session.

        watch: receives values of the segment, which then gives the cache's rows alone besides.
        """
        session = cast(ort.InferenceSession, SegmentSession(self, index, weights, mapped, watch))
        own = self.signature
        return OpenSession(self.plan.name, session, own.inputs, own.outputs, own.metadata, optional=self.optional)

    def states(self, index: int) -> frozenset[int]:
        """The layers whose cache the segment `index` reads and writes."""
        return self.cut.segments[index].states

    def step(self, number: int) -> dict[str, StoredTensor]:
        """The stored values of a step."""
        if number == len(self.stored):
            self.stored.append({})
        return self.stored[number]

    def needed_after(self, index: int) -> frozenset[str]:
        """The values that are read after the segment `index`: by later ones, or by other components."""
        return self.shared.union(*(segment.reads for segment in self.cut.segments[index + 1 :]))

    def forget(self, index: int) -> None:
        """Drops the values that nothing reads after the segment `index`."""
        needed = self.needed_after(index)
        self.stored = [{name: one for name, one in values.items() if name in needed} for values in self.stored]


class SegmentSession:
    """Stands in a Machine for the session of a whole graph, and runs one segment of it, opened at its first run."""

    def __init__(
        self,
        component: SegmentedGraph,
        index: int | None,
        weights: PassWeights,
        mapped: bool,
        watch: ValueWatch | None = None,
    ) -> None:
        self._component, self._index, self._weights, self._mapped = component, index, weights, mapped
        self._watch = watch
        self._segment = None if index is None else component.cut.segments[index]
        if watch is not None and self._segment is not None:
            self._segment = component.cut.watched(self._segment, watch.values)
        self._session: ort.InferenceSession | None = None
        self._runs = 0

    def io_binding(self) -> RecordedBinding:
        """A binding as onnxruntime's, which records."""
        return RecordedBinding(self._component.signature.outputs)

    def run_with_iobinding(self, binding: RecordedBinding, options: ort.RunOptions | None = None) -> None:
        """Runs the segment, and writes those outputs of earlier segments that other components read."""
        component = self._component
        stored = component.step(self._runs)
        self._runs += 1
        for name in component.shared & stored.keys():
            if (memory := binding.outputs.get(name)) is not None:
                memory.write(stored[name])
            else:
                binding.results[name] = stored[name]
        segment = self._segment
        if segment is None or self._index is None:
            return
        if self._watch is not None and not segment.gives:  # what the watch receives is stored
            self._report(self._watch, {}, stored)
            return
        if self._session is None:
            self._session = self._open(segment, stored)
        run = _bind(self._session, segment, binding, stored)
        self._session.run_with_iobinding(run, options)
        if self._watch is not None:
            self._report(self._watch, dict(zip(segment.gives, run.get_outputs(), strict=True)), stored)
            return
        needed = component.needed_after(self._index)
        for name, value in zip(segment.gives, run.get_outputs(), strict=True):
            if name in needed:
                stored[name] = StoredTensor.of_runtime(value)
            if binding.outputs.get(name, True) is None:
                binding.results[name] = StoredTensor.of_runtime(value)

    def _report(self, watch: ValueWatch, made: Mapping[str, ort.OrtValue], stored: Mapping[str, StoredTensor]) -> None:
        """Gives the watched values of a run to the watch; those of earlier segments are stored."""
        for name in watch.values:
            if name in made:
                watch.receive(name, StoredTensor.of_runtime(made[name]).numpy())
            elif name in stored:
                watch.receive(name, stored[name].numpy())

    def close(self) -> None:
        """Closes the segment's session."""
        self._session = None

    def _open(self, segment: GraphSegment, stored: Mapping[str, StoredTensor]) -> ort.InferenceSession:
        cut, path, mapped = self._component.cut, self._component.plan.path, self._mapped or self._is_plain(segment)
        copied, shared = PassWeights(), dict[str, ort.OrtValue]()
        others = dict[str, ort.OrtValue]()
        tensors = []
        for name in segment.weights:
            tensor = cut.initializers[name].const_value
            assert tensor is not None
            if tensor.nbytes <= INLINE or tensor.dtype.bitwidth < 8:
                tensors.append(_inline(name, tensor))
                continue
            tensors.append(_stand_in(name, tensor, path))
            readers = segment.operators_reading(name)
            if readers == _LOOKUP or (mapped and tensor.dtype == ir.DataType.FLOAT and readers <= _NOT_READ):
                shared[name] = self._weights.value(tensor)
            else:
                others[name] = copied.value(tensor)
        inputs = [cut.described(name) or _described(name, stored[name]) for name in segment.reads]
        opened = open_session(
            self._component.plan, mapped=mapped, graph=cut.proto(segment, tensors, inputs).SerializeToString(),
            emulated=self._component.emulated, weights=others, shared_weights=shared,
        )  # fmt: skip
        others.clear()
        copied.release()
        return opened.session

    def _is_plain(self, segment: GraphSegment) -> bool:
        """Whether all its large weights are float32, which kernels compute with alike, mapped or not."""
        tensors = [self._component.cut.initializers[name].const_value for name in segment.weights]
        return all(one is not None and (one.nbytes <= INLINE or one.dtype == ir.DataType.FLOAT) for one in tensors)


def _bind(
    session: ort.InferenceSession, segment: GraphSegment, binding: RecordedBinding, stored: Mapping[str, StoredTensor]
) -> ort.IOBinding:
    """Binds a segment's session to the memory that the Machine bound, and to stored values."""
    run = session.io_binding()
    for name in segment.reads:
        memory = binding.inputs.get(name)
        if memory is None and name in stored:
            memory = stored[name].memory
        if memory is not None:  # else the input has a default
            run.bind_input(name, "cpu", 0, memory.element, memory.shape, memory.address)
    for name in segment.gives:
        if (memory := binding.outputs.get(name)) is not None:
            run.bind_output(name, "cpu", 0, memory.element, memory.shape, memory.address)
        else:
            run.bind_output(name, "cpu")
    return run


def _release(tensor: ir.TensorProtocol) -> None:
    """Frees a tensor's memory where it can read or compute it again."""
    if (release := getattr(tensor, "release", None)) is not None:
        release()


def _inline(name: str, tensor: ir.TensorProtocol) -> onnx.TensorProto:
    """A tensor with its numbers."""
    copy = ir.serde.serialize_tensor(ir.Tensor(tensor.numpy(), dtype=tensor.dtype, name=name))
    _release(tensor)
    return copy


def _stand_in(name: str, tensor: ir.TensorProtocol, path: Path) -> onnx.TensorProto:
    """A tensor that onnxruntime must be given; its place is in the graph's file, for that must exist, and beyond it."""
    place = {"location": path.name, "offset": str(_NOWHERE), "length": str(tensor.nbytes)}
    return onnx.TensorProto(
        name=name,
        dims=[int(axis) for axis in tensor.shape.numpy()],
        data_type=int(tensor.dtype),
        data_location=onnx.TensorProto.EXTERNAL,
        external_data=[onnx.StringStringEntryProto(key=key, value=text) for key, text in place.items()],
    )


def _described(name: str, stored: StoredTensor) -> onnx.ValueInfoProto:
    """The type of a value, and how many axes it has."""
    return onnx.helper.make_tensor_value_info(name, stored.element, [None] * len(stored.shape))


def _empty(spec: TensorSpec) -> StoredTensor:
    """Zeros of the type, with axes of 1 for those of unknown size."""
    shape = tuple(axis if isinstance(axis, int) else 1 for axis in spec.shape)
    element = _BFLOAT16 if spec.dtype == "bfloat16" else onnx.helper.np_dtype_to_tensor_dtype(spec.numpy_dtype)
    return StoredTensor(element, shape, np.zeros(int(np.prod(shape)) * spec.numpy_dtype.itemsize, np.uint8))
