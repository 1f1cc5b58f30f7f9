"""The sessions of one run, bound once: every input and output is memory that lives as long as the binding.

    ProgramPhase ──each InputSource──▶ array: of another session, of the cache, of a driver (filled before each run)
                                         └──address──▶ onnxruntime reads and writes there

An output whose size is unknown before the run (the rows of a picture) is onnxruntime's own memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import onnxruntime as ort

from workflows.bundle.outline import Port
from workflows.common.errors import GraphError
from workflows.common.tensors import Array, TensorSpec
from workflows.runtime.execution.device_memory import DeviceMemory
from workflows.runtime.loading.sessions import OpenSession
from workflows.runtime.program.program import InputSource, ProgramPhase

Arrays = Mapping[Port, Array]
Observer = Callable[[str, Mapping[str, Array]], None]
"""Called after each run of a session with its name and copies of the outputs that nothing else takes."""


class Binding:
    """A run whose sessions are bound. outputs: by (session, tensor). drivers: the cache inputs' arrays, by name.

    shapes: of the drivers, by name. given: arrays that exist before, of inputs (the cache's past, encoder outputs) and
    outputs (present). taken: outputs that this run or another needs. observer: receives all other outputs, sized by
    onnxruntime. memory: the cache's rows in a provider's own memory.
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
        self._unsized: list[tuple[ort.IOBinding, str]] = []  # outputs that onnxruntime allocates in each run
        self.generation = (0, 0)  # of the cache's buffers, and of the adapter's factors
        self._run, self._shapes, self._given = run, shapes, given
        self._taken, self._observer, self._device_rows = taken, observer, memory
        self._memory: list[Array] = []  # keeps the arrays alive, for bindings hold only addresses
        self._runs = [(sessions[name], self._bind(sessions[name])) for name in run.sessions]

    def run(self, inputs: Mapping[str, Array] | None, options: ort.RunOptions | None) -> None:
        """Runs every session once on the drivers `inputs`; None for what they hold. `options` can end it early."""
        if inputs is not None:
            for name, array in self.drivers:
                array[...] = inputs[name]
        for binding, name in self._unsized:  # else onnxruntime takes the memory of the run before, of its size
            binding.bind_output(name, "cpu")
        for opened, binding in self._runs:
            if self._device_rows is not None and opened.name in self._run.keepers:
                self._device_rows.to_provider(opened.provider)
            if opened.provider.copies_inputs:
                self._bind_inputs(opened, binding, changing=True)
            opened.session.run_with_iobinding(binding, options)
            if self._observer:
                self._observe(self._observer, opened, binding)
        for port, binding, place in self._free:
            self.outputs[port] = np.ascontiguousarray(binding.get_outputs()[place].numpy())

    @property
    def logits(self) -> Array:
        """[1, columns, V], or [1, 1, V] of the last column alone."""
        assert self._run.logits is not None  # only runs that read a source give none
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
                self._unsized.append((binding, own))
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
        """Binds the inputs' addresses; a provider with memory of its own copies their content now.

        changing: only the inputs whose content changes between runs, without the cache's rows in device memory.
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
        """The cache's rows in the provider's own memory, by past and present name."""
        if self._device_rows is None or not opened.provider.has_memory or opened.name not in self._run.keepers:
            return {}
        return self._device_rows.values(opened.provider)

    def _is_constant(self, port: Port) -> bool:
        """Whether an input's content stays the same while this binding lives, as that of encoder outputs does."""
        feed = self._run.feeds[port]
        return feed.kind == "adapter" or (feed.kind == "edge" and feed.source not in self.outputs)

    def _array(self, port: Port, spec: TensorSpec) -> Array:
        """The memory of an input."""
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
        """The array of another session, of the cache or of an adapter that feeds an input; None for a driver."""
        if feed.kind == "driver":
            return None
        source = feed.source if feed.kind == "edge" and feed.source is not None else port
        array = self.outputs.get(source, self._given.get(source))
        if array is None:
            raise GraphError(f"{'.'.join(source)} has an axis of unknown size: export it with a named axis.")
        return array

    def _output(self, port: Port, spec: TensorSpec, symbols: Mapping[str, int]) -> Array | None:
        """The memory of an output; None where its size is unknown."""
        if port in self._given:
            return self._given[port]
        if any(isinstance(axis, str) and axis not in symbols for axis in spec.shape):
            return None
        return np.empty(spec.resolve(symbols), spec.numpy_dtype)

    def _address(self, array: Array, spec: TensorSpec) -> int:
        """The array's address; keeps the array alive. Raises GraphError where its type is not the tensor's."""
        if array.dtype != spec.numpy_dtype or not array.flags.c_contiguous:
            raise GraphError(f"{spec.name} is {spec.dtype}, and {array.dtype} would be read or written there.")
        self._memory.append(array)
        return int(array.ctypes.data)

    def _observe(self, observer: Observer, opened: OpenSession, binding: ort.IOBinding) -> None:
        """Passes on unbound outputs; onnxruntime returns outputs in the order in which they were bound, the graph's."""
        outputs = zip(opened.outputs, binding.get_outputs(), strict=True)
        own = {spec.name: value for spec, value in outputs if (opened.name, spec.name) not in self.outputs}
        observer(opened.name, {name: value.numpy() for name, value in own.items()})


def bind_last(
    run: ProgramPhase, sessions: Mapping[str, OpenSession], inputs: Arrays, observer: Observer | None
) -> Binding:
    """The binding of the final sessions, on outputs of the sessions before; all their outputs are kept."""
    sources = {port: feed.source for port, feed in run.feeds.items() if feed.source is not None}
    arrays = {port: inputs[source] for port, source in sources.items() if source in inputs}
    feeds = {port: InputSource("given") if port in arrays else feed for port, feed in run.feeds.items()}
    outputs = {(name, spec.name) for name in run.sessions for spec in sessions[name].outputs}
    return Binding(ProgramPhase(run.sessions, feeds), sessions, {}, arrays, frozenset(outputs), observer)
