"""Runs a bundle of one graph without a cache: arrays by name in, arrays by name out.

{input: array} ──check names, types, shapes──▶ onnxruntime ──▶ {output: array}
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from workflows.bundle import Bundle, read_bundle
from workflows.bundle.session_options import SessionOptions
from workflows.common.errors import BundleError, GraphError, JoineryError, RequestError, printable
from workflows.common.tensor_names import IDS
from workflows.common.tensors import TensorSpec
from workflows.runtime.loading.sessions import (
    ORT_ERRORS,
    OpenSession,
    Placement,
    SessionPlan,
    open_session,
    plan_sessions,
)
from workflows.runtime.providers import device_named
from workflows.wire.reports.devices import Device

_IMAGE_SIDE = 224  # pixels, where a graph takes pictures of any size
Arrays = dict[str, NDArray[np.generic]]


class SingleGraph:
    """An open bundle of the route `single`. inputs, outputs: as its graph declares them."""

    def __init__(self, opened: OpenSession) -> None:
        self._session: ort.InferenceSession | None = opened.session
        self.inputs, self.outputs = opened.inputs, opened.outputs

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Releases the session and its memory; a later run raises RequestError."""
        self._session = None

    def example(self, tokens: int, sizes: Mapping[str, int] | None = None) -> Arrays:
        """Seeded inputs of the declared shapes; symbolic axes are those of a text of `tokens` tokens or of a picture.

        Floating-point inputs are noise, masks are ones, and ids are 0 and 1, which every vocabulary has. sizes: of
        symbolic axes by name, in place of these; others have 1.
        """
        axes = {"height": _IMAGE_SIDE, "width": _IMAGE_SIDE, "sequence": tokens, **(sizes or {})}
        return {spec.name: _filled(spec, axes) for spec in self.inputs}

    def run(self, inputs: Mapping[str, NDArray[np.generic]]) -> Arrays:
        """The graph's outputs for `inputs`, which must have the declared names, element types and shapes.

        Raises RequestError for a missing or unknown name, and after close, GraphError for an array that does not fit,
        and JoineryError where onnxruntime fails.
        """
        if self._session is None:
            raise RequestError("The graph is closed: open the bundle again.")
        declared = {spec.name: spec for spec in self.inputs}
        names = ", ".join(declared)
        for name in inputs.keys() - declared.keys():
            raise RequestError(f"The graph has no input {printable(name)}: its inputs are {names}.")
        for name in declared.keys() - inputs.keys():
            raise RequestError(f"The input {name} is missing: the graph takes {names}.")
        sizes: dict[str, tuple[int, str]] = {}
        for name, spec in declared.items():
            _check(spec, np.asarray(inputs[name]), sizes)
        fed = {name: np.ascontiguousarray(inputs[name]) for name in declared}
        try:
            results = self._session.run(None, fed)
        except ORT_ERRORS as error:
            raise JoineryError(f"onnxruntime failed on these inputs: {printable(error, 200)}") from error
        return {spec.name: result for spec, result in zip(self.outputs, results, strict=True)}


def open_single(folder: str | Path, provider: str = "cpu") -> SingleGraph:
    """Opens a bundle of one graph. Raises BundleError for another kind of bundle, and what read_bundle raises."""
    return SingleGraph(open_session(single_opening(read_bundle(folder), device_named(provider))))


def single_opening(
    bundle: Bundle,
    device: Device,
    device_options: Mapping[str, str] | None = None,
    session_options: SessionOptions | None = None,
) -> SessionPlan:
    """The plan of a bundle's one graph; see plan_sessions. Raises BundleError for another kind of bundle."""
    bundle.pipeline.check(bundle.where)
    sessions = bundle.pipeline.pipeline.sessions
    if bundle.pipeline.route != "single" or len(sessions) != 1:
        raise BundleError(
            f"{bundle.folder} is a composite of the route {bundle.pipeline.route} ({', '.join(sessions)}), not one "
            "graph without a cache: run it with workflows.generate.open_engine."
        )
    (opening,) = plan_sessions(bundle, Placement(device, {}), device_options, session_options).values()
    return opening


def run_single(folder: str | Path, inputs: Mapping[str, NDArray[np.generic]]) -> Arrays:
    """One run of the bundle in `folder`; see SingleGraph.run. For several runs open it once with open_single."""
    with open_single(folder) as graph:
        return graph.run(inputs)


def _filled(spec: TensorSpec, axes: Mapping[str, int]) -> NDArray[np.generic]:
    shape = [axis if isinstance(axis, int) else axes.get(axis, 1) for axis in spec.shape]
    if spec.is_floating:
        return np.random.default_rng(0).standard_normal(shape).astype(spec.numpy_dtype)
    if spec.name == IDS:
        return (np.arange(math.prod(shape)) % 2).reshape(shape).astype(spec.numpy_dtype)
    return np.full(shape, int(spec.name != "token_type_ids"), spec.numpy_dtype)


def _check(spec: TensorSpec, array: NDArray[np.generic], sizes: dict[str, tuple[int, str]]) -> None:
    """Raises GraphError where an array does not fit. sizes: symbolic axis → (size, input that set it), filled here."""
    if array.dtype != spec.numpy_dtype:
        raise GraphError(f"{spec.name} is {array.dtype} and the graph takes {spec.dtype}: convert it first.")
    fits = (
        array.ndim == len(spec.shape)
        and array.size > 0
        and all(isinstance(axis, str) or axis == size for axis, size in zip(spec.shape, array.shape, strict=True))
    )
    if not fits:
        wanted = ", ".join(map(str, spec.shape))
        raise GraphError(f"{spec.name} has the shape {list(array.shape)} and the graph takes [{wanted}].")
    for axis, size in zip(spec.shape, array.shape, strict=True):
        if isinstance(axis, str) and axis != "?":
            first, other = sizes.setdefault(axis, (size, spec.name))
            if first != size:
                raise GraphError(f"{spec.name} has {size} in the axis {axis} and {other} has {first}: make them equal.")
