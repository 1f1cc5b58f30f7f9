"""One run of any graph on random inputs or on arrays of a file: what went in and what came out, in figures.

an .onnx file, an .npz of inputs ──the others random──▶ SingleGraph ──▶ statistics of each array, an .npz of outputs
"""

from __future__ import annotations

import time
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workflows.common.errors import RequestError, describe_os_error, printable
from workflows.common.files import atomic_target
from workflows.graph.tensor_statistics import describe_array
from workflows.runtime.loading.sessions import SessionPlan, open_session
from workflows.runtime.providers import device_named
from workflows.runtime.single_graph import Arrays, SingleGraph
from workflows.wire.reports.graphs import TrialReport
from workflows.wire.requests import TryGraph


def try_graph(request: TryGraph) -> TrialReport:
    """Runs the graph once, after a run that warms it up.

    Raises RequestError for a file of inputs that cannot be read, and what open_session and SingleGraph.run raise.
    """
    given = _read_arrays(Path(request.inputs)) if request.inputs else {}
    plan = SessionPlan("graph", Path(request.path), device_named(request.provider))
    with SingleGraph(open_session(plan)) as graph:
        names = {spec.name for spec in graph.inputs}
        example = graph.example(request.tokens, request.sizes | _sizes(graph, given))
        arrays = {name: array for name, array in example.items() if name not in given} | given
        graph.run(arrays)
        began = time.perf_counter()
        outputs = graph.run(arrays)
        seconds = time.perf_counter() - began
    if request.outputs:
        _write_arrays(Path(request.outputs), outputs)
    return TrialReport(
        inputs=[describe_array(name, arrays[name]) for name in example],
        outputs=[describe_array(name, array) for name, array in outputs.items()],
        random=sorted(names - given.keys()),
        ms=round(1000 * seconds, 3),
    )


def _sizes(graph: SingleGraph, given: Mapping[str, NDArray[np.generic]]) -> dict[str, int]:
    """The sizes of symbolic axes that the given arrays have: random ones must agree with them."""
    return {
        axis: size
        for spec in graph.inputs
        if spec.name in given and given[spec.name].ndim == len(spec.shape)
        for axis, size in zip(spec.shape, given[spec.name].shape, strict=True)
        if isinstance(axis, str) and axis != "?"
    }


def _read_arrays(path: Path) -> Arrays:
    try:
        stored = np.load(path, allow_pickle=False)
        if isinstance(stored, np.ndarray):
            raise RequestError(f"{printable(path)} holds one array without a name: save it with numpy.savez.")
        with stored:
            return {name: stored[name] for name in stored.files}
    except OSError as error:
        raise RequestError(describe_os_error(error)) from None
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise RequestError(
            f"{printable(path)} is no .npz file of numbers ({printable(error, 80)}): save the inputs with numpy.savez."
        ) from None


def _write_arrays(path: Path, arrays: Arrays) -> None:
    with atomic_target(path, sum(array.nbytes for array in arrays.values())) as draft, draft.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
