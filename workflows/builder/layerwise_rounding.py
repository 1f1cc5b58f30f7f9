"""Rounds the weights of a decoder layer by layer, with the inputs that they have behind the layers already rounded.

    texts ──▶ segment i with its float weights ──inputs of its products──▶ second moments ──▶ rounded weights
                 ▲                                                                                 │
                 └── what segments before gave with rounded weights ◀── segment i once more ◀──────┘

One segment's weights and moments at a time are in memory, so a model of any size can be rounded so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime as ort
from numpy.typing import NDArray

from workflows.bundle.schema import Pipeline
from workflows.common import tensor_names
from workflows.common.files import try_remove
from workflows.common.tensors import Array
from workflows.evaluation.parity import comparison_machine
from workflows.evaluation.segment_session import PassWeights, SegmentedGraph, SegmentSession, ValueWatch
from workflows.evaluation.segments import Pass, SegmentedRunner, segment_passes
from workflows.graph.weights import load_saved_graph
from workflows.quantize.calibration.moments import MomentSum, Products, round_products, values_by_name
from workflows.quantize.calibration.ranges import WHOLE, add_observers
from workflows.quantize.compensated_rounding import CompensatedRounding
from workflows.runtime.execution.machine import Machine

_MOST_MOMENTS = 1 << 30  # bytes
_LONGEST = 256  # tokens of a text that a model without a cache is given
# inputs of a graph that reads a text → what they are of its ids [1,T]
_OF_TEXTS: dict[str, Callable[[NDArray[np.int64]], NDArray[np.int64]]] = {
    tensor_names.IDS: lambda ids: ids,
    "attention_mask": np.ones_like,
    "token_type_ids": np.zeros_like,
    tensor_names.POSITIONS: lambda ids: np.arange(ids.size)[None],
}
_CHUNK = 256  # tokens of a run; more are not faster
FindProducts = Callable[[str, ir.Model], Products]


class LayerwiseRounding(SegmentedRunner):
    """Rounds one composite. rounding: receives the weights. on_segment: see SegmentedRunner.run."""

    def __init__(
        self, pipeline: Pipeline, rounding: CompensatedRounding, on_segment: Callable[[int, int], None]
    ) -> None:
        super().__init__(pipeline)
        self._rounding, self._on_segment = rounding, on_segment

    def round(self, files: Mapping[str, Path], texts: Sequence[Sequence[int]], find: FindProducts) -> None:
        """Rounds what `find` returns for a component and its graph.

        files: component → its graph. texts: ids. Raises GraphError and JoineryError as SegmentedRunner.run.
        """
        components, program = self._components(files, load_saved_graph)
        products = {name: find(name, one.cut.model) for name, one in components.items()}
        passes = segment_passes(program, components)
        last = max(
            (n for n, active in enumerate(passes) if any(_of_pass(components, active, products).values())), default=-1
        )
        for number, active in enumerate(passes[: last + 1]):
            self._on_segment(number, len(passes))
            here = _of_pass(components, active, products)
            if any(here.values()):
                self._round_pass(components, active, texts, here)
            if number < last:
                self._feed(components, active, texts, {})
            for name, index in active.items():
                components[name].forget(index)

    def _round_pass(
        self,
        components: Mapping[str, SegmentedGraph],
        active: Pass,
        texts: Sequence[Sequence[int]],
        products: Mapping[str, Products],
    ) -> None:
        values = {name: values_by_name(of) for name, of in products.items()}
        sums = {name: {value: MomentSum() for value in of} for name, of in values.items()}
        watches = {name: ValueWatch(tuple(of), partial(_add, of)) for name, of in sums.items()}
        self._feed(components, active, texts, watches)
        for name, by_value in values.items():
            for value, readers in by_value.items():
                for weight, rounded in round_products(readers, sums[name][value], self._rounding).items():
                    components[name].cut.initializers[weight].const_value = ir.Tensor(rounded, name=weight)

    def _feed(
        self,
        components: Mapping[str, SegmentedGraph],
        active: Pass,
        texts: Sequence[Sequence[int]],
        watches: Mapping[str, ValueWatch],
    ) -> None:
        """Runs one pass over all texts. watches: by component, whose segment then gives nothing to later ones."""
        weights = PassWeights()
        sessions = {
            name: one.session(active.get(name), weights, True, watches.get(name)) for name, one in components.items()
        }
        machine = comparison_machine(self._pipeline, sessions, max(map(len, texts)))
        if machine.program.prefill.columns is None:
            machine.chunk = _CHUNK
        for text in texts:
            longest = machine.cache.longest or len(text)
            for start in range(0, len(text), longest):
                machine.cache.reset()
                self._read(machine, text[start : start + longest])
        machine.close()
        for opened in sessions.values():
            cast(SegmentSession, opened.session).close()
        weights.release()

    def _read(self, machine: Machine, ids: Sequence[int]) -> None:
        for fed, phase in machine.chunks(ids):
            rows = len(fed) if machine.program.runs[phase].gives_rows else 1  # the head is to see every token
            machine.step(fed, phase, rows=rows)


def _add(sums: Mapping[str, MomentSum], value: str, inputs: Array) -> None:
    sums[value].add(inputs)


def _of_pass(
    components: Mapping[str, SegmentedGraph], active: Pass, products: Mapping[str, Products]
) -> dict[str, Products]:
    """The products in the active segments, by component."""
    found: dict[str, Products] = {}
    for name, index in active.items():
        nodes = {node.name for node in components[name].cut.segments[index].nodes}
        found[name] = [one for one in products[name] if one[0].node.name in nodes]
    return found


def round_single_graph(
    files: Mapping[str, Path],
    products: Mapping[str, Products],
    texts: Sequence[Sequence[int]],
    rounding: CompensatedRounding,
    on_run: Callable[[int, int], None],
) -> None:
    """Rounds the weights of graphs without a cache with the inputs that they have in float32; see LayerwiseRounding.

    A graph that reads anything but a text has no products rounded. on_run: receives how many texts of how many.
    """
    for name, of in products.items():
        readers = values_by_name(of)
        for values in _limited(readers):
            sums = _moments_of_graph(files[name], values, texts, on_run)
            for value in values if sums else ():
                round_products(readers[value], sums[value], rounding)


def _limited(readers: Mapping[str, Products]) -> list[list[str]]:
    """The values in groups whose moments fit into memory together."""
    groups: list[list[str]] = []
    used = _MOST_MOMENTS
    for value, products in readers.items():
        size = 4 * products[0][0].inner ** 2
        if used + size > _MOST_MOMENTS:
            groups.append([])
            used = 0
        groups[-1].append(value)
        used += size
    return groups


def _moments_of_graph(
    file: Path, values: Sequence[str], texts: Sequence[Sequence[int]], on_run: Callable[[int, int], None]
) -> dict[str, MomentSum]:
    """The moments of values of a graph, whose weights lie beside it; empty for one that reads anything but a text."""
    model = onnx.load(file, load_external_data=False)
    add_observers(model, values, whole=True)
    graph = file.with_name(f"{file.stem}.observed.onnx")
    graph.write_bytes(model.SerializeToString())
    try:
        session = ort.InferenceSession(str(graph), providers=["CPUExecutionProvider"])
    finally:
        try_remove(graph)
    if not {one.name for one in session.get_inputs()} <= _OF_TEXTS.keys():
        return {}
    sums = {value: MomentSum() for value in values}
    outputs = [WHOLE % place for place in range(len(values))]
    for done, ids in enumerate(texts):
        on_run(done, len(texts))
        feeds = {one.name: _OF_TEXTS[one.name](np.array([ids[:_LONGEST]], np.int64)) for one in session.get_inputs()}
        for total, array in zip(sums.values(), session.run(outputs, feeds), strict=True):
            total.add(array)
    return sums
