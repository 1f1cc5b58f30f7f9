"""The sessions of one run, bound once: every input and output is memory that lives as long as the binding does.

    Run ──each input's Feed──▶ array: of another session, of the cache, of a driver (filled anew before each run)
                                 └──address──▶ onnxruntime reads and writes there

An output whose size nothing tells before it is there (the rows of a picture) is onnxruntime's own memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import onnxruntime as ort

from workflows.bundle.outline import Port
from workflows.common.errors import GraphError
from workflows.common.tensors import Array, TensorSpec
from workflows.runtime.device_memory import DeviceMemory
from workflows.runtime.loading.sessions import OpenSession
from workflows.runtime.program.program import InputSource, ProgramPhase

Arrays = Mapping[Port, Array]
Observer = Callable[[str, Mapping[str, Array]], None]
"""Told after each run of a session: its name, and copies of the outputs that nothing else takes."""


class Binding:
    """A run that is ready: `outputs` is what its sessions give, by (session, tensor), and `drivers` where they lie.

    shapes: of the drivers, by name. given: arrays that exist before, of inputs (the cache's past, what the encoder
    gave) and outputs (present). taken: outputs that this run or another needs. observer: gets what is neither given nor
    taken, sized by onnxruntime. memory: of providers that have their own, the cache's rows there.
    """

    def __init__(
        self,
        run: ProgramPhase,
        sessions: Mapping[str, OpenSession],
        shapes: Mapping[str, tuple[int, ...]],
        given: Arrays,
        taken: frozenset[Port],
        observer: Observer | None = None,
        memory: DeviceMemory | None = None,
    ) -> None:
        self.outputs: dict[Port, Array] = {}
        self._inputs: dict[Port, Array] = {}
        self.drivers: list[tuple[str, Array]] = []
        self._free: list[tuple[Port, ort.IOBinding, int]] = []
        self.generation = 0
        self._run, self._shapes, self._given = run, shapes, given
        self._taken, self._observer, self._rows = taken, observer, memory
        self._memory: list[Array] = []  # bindings hold addresses alone
        self._runs = [(sessions[name], self._bind(sessions[name])) for name in run.sessions]

    def run(self, inputs: Mapping[str, Array] | None, options: ort.RunOptions | None) -> None:
        """Runs every session once on the drivers `inputs`, None for what is there; `options` can end it half-way."""
        if inputs is not None:
            for name, array in self.drivers:
                array[...] = inputs[name]
        for opened, binding in self._runs:
            if self._rows is not None and opened.name in self._run.keepers:
                self._rows.to_provider(opened.provider)
            if opened.provider.copies_inputs:
                self._bind_inputs(opened, binding, changing=True)
            opened.session.run_with_iobinding(binding, options)
            if self._observer:
                self._tell(self._observer, opened, binding)
        for port, binding, place in self._free:
            self.outputs[port] = np.ascontiguousarray(binding.get_outputs()[place].numpy())

    @property
    def logits(self) -> Array:
        """[1, columns, V], or [1, 1, V] of the last column alone."""
        assert self._run.logits is not None  # only what reads a source has none
        return self.outputs[self._run.logits[0]]

    @property
    def logits_type(self) -> TensorSpec:
        """The logits' name and type."""
        assert self._run.logits is not None
        return self._run.logits[1]

    def _bind(self, opened: OpenSession) -> ort.IOBinding:
        binding = opened.session.io_binding()
        symbols: dict[str, int] = {}
        for spec in opened.inputs:
            array = self._array((opened.name, spec.name), spec)
            symbols |= {axis: size for axis, size in zip(spec.shape, array.shape, strict=True) if isinstance(axis, str)}
            self._inputs[opened.name, spec.name] = array
            self._address(array, spec)
        self._bind_inputs(opened, binding)
        rows = self._rows_of(opened)
        for place, spec in enumerate(opened.outputs):
            port, own = (opened.name, spec.name), opened.own_name(spec.name)
            needed = port in self._taken or port in self._given
            memory = self._output(port, spec, symbols) if needed or not self._observer else None
            if memory is None:
                binding.bind_output(own, "cpu")
                if needed:
                    self._free.append((port, binding, place))
                continue
            self.outputs[port] = memory
            if spec.name in rows:
                binding.bind_ortvalue_output(own, rows[spec.name])
            else:
                binding.bind_output(own, "cpu", 0, spec.element, memory.shape, self._address(memory, spec))
        return binding

    def _bind_inputs(self, opened: OpenSession, binding: ort.IOBinding, changing: bool = False) -> None:
        """Tells onnxruntime where the inputs lie; a provider with memory of its own copies what is there now.

        changing: those alone whose content is another in each run, but the cache's rows that lie there already.
        """
        rows = self._rows_of(opened)
        for spec in opened.inputs:
            port, name = (opened.name, spec.name), opened.own_name(spec.name)
            if changing and (spec.name in rows or self._is_constant(port)):
                continue
            if spec.name in rows:
                binding.bind_ortvalue_input(name, rows[spec.name])
                continue
            array = self._inputs[port]
            binding.bind_input(name, "cpu", 0, spec.element, array.shape, array.ctypes.data)

    def _rows_of(self, opened: OpenSession) -> Mapping[str, ort.OrtValue]:
        """By past and present, the cache's rows in the provider's own memory."""
        own = self._rows is not None and opened.provider.has_memory and opened.name in self._run.keepers
        return self._rows.values(opened.provider) if self._rows is not None and own else {}

    def _is_constant(self, port: Port) -> bool:
        """Whether an input stays what it is as long as this binding lives: what came with the prompt does."""
        feed = self._run.feeds[port]
        return feed.kind == "edge" and feed.source not in self.outputs

    def _array(self, port: Port, spec: TensorSpec) -> Array:
        """The memory that feeds an input."""
        feed = self._run.feeds[port]
        array = self._source(port, feed)
        shape = self._shapes[feed.name] if array is None else array.shape
        fixed = zip(spec.shape, shape, strict=False)
        if len(shape) != len(spec.shape) or any(isinstance(axis, int) and axis != size for axis, size in fixed):
            raise GraphError(f"The input {spec.name} is {list(spec.shape)}, and a step feeds {list(shape)}.")
        if array is None:
            array = np.zeros(shape, spec.numpy_dtype)
            self.drivers.append((feed.name, array))
        return array

    def _source(self, port: Port, feed: InputSource) -> Array | None:
        """What another session or the cache has for an input; None for a driver."""
        if feed.kind == "driver":
            return None
        known = feed.source if feed.kind == "edge" and feed.source is not None else port
        found = self.outputs.get(known, self._given.get(known))
        if found is None:
            raise GraphError(f"{'.'.join(known)} has a size that nothing tells before it runs: export it with a name.")
        return found

    def _output(self, port: Port, spec: TensorSpec, symbols: Mapping[str, int]) -> Array | None:
        """The memory that takes an output; None where its size is not known."""
        if port in self._given:
            return self._given[port]
        if any(isinstance(axis, str) and axis not in symbols for axis in spec.shape):
            return None
        return np.empty(spec.resolve(symbols), spec.numpy_dtype)

    def _address(self, array: Array, spec: TensorSpec) -> int:
        """Where onnxruntime reads or writes; the array is kept. Raises GraphError where it is of another type."""
        if array.dtype != spec.numpy_dtype or not array.flags.c_contiguous:
            raise GraphError(f"{spec.name} is {spec.dtype}, and {array.dtype} would be read or written there.")
        self._memory.append(array)
        return int(array.ctypes.data)

    def _tell(self, observer: Observer, opened: OpenSession, binding: ort.IOBinding) -> None:
        """Bound outputs come back in the order in which they were bound, which is the graph's."""
        found = zip(opened.outputs, binding.get_outputs(), strict=True)
        own = {spec.name: value for spec, value in found if (opened.name, spec.name) not in self.outputs}
        observer(opened.name, {name: value.numpy() for name, value in own.items()})


def bind_last(
    run: ProgramPhase, sessions: Mapping[str, OpenSession], given: Arrays, observer: Observer | None
) -> Binding:
    """What runs once after the last token, on outputs of the sessions before it; all that it gives is kept."""
    sources = {port: feed.source for port, feed in run.feeds.items() if feed.source is not None}
    arrays = {port: given[source] for port, source in sources.items() if source in given}
    feeds = {port: InputSource("given") if port in arrays else feed for port, feed in run.feeds.items()}
    outputs = {(name, spec.name) for name in run.sessions for spec in sessions[name].outputs}
    return Binding(ProgramPhase(run.sessions, feeds), sessions, {}, arrays, frozenset(outputs), observer)
