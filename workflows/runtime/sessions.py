"""onnxruntime sessions: opened once, without a silent fallback, and their inputs and outputs as specs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import onnxruntime as ort
import psutil
from onnxruntime.capi.onnxruntime_pybind11_state import (  # type: ignore[import-untyped,unused-ignore]
    Fail,
    InvalidArgument,
    InvalidGraph,
    InvalidProtobuf,
    NoSuchFile,
    NotImplemented,
    RuntimeException,
)

from workflows.errors import DeviceError, GraphError, printable
from workflows.tensors import TensorSpec
from workflows.wire.reports.devices import Device

ORT_ERRORS = (
    Fail,
    InvalidArgument,
    InvalidGraph,
    InvalidProtobuf,
    NoSuchFile,
    NotImplemented,
    RuntimeException,
    RuntimeError,
)
_WEIGHTS = "session.model_external_initializers_file_folder_path"  # for a graph that comes as bytes


@dataclass(frozen=True)
class OpenSession:
    """A session and what its graph says of itself."""

    name: str
    session: ort.InferenceSession
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    metadata: Mapping[str, str]


def open_session(
    name: str,
    path: Path,
    device: Device,
    options: Mapping[str, str],
    *,
    mapped: bool = False,
    graph: bytes | None = None,
    emulated: bool = False,
) -> OpenSession:
    """Opens the graph at `path` on `device`.

    options: provider options. mapped: the weights stay in their file's pages, which sessions share, and are not laid
    out anew for speed. graph: a serialized one in place of the file's, whose weights lie beside it. emulated: numbers
    are put on the graph's grids, and computed with in floating point. Raises GraphError
    for a file that onnxruntime cannot take and DeviceError for an option that the provider does not have.
    """
    if options and device.name == "cpu":
        raise DeviceError(f"The cpu provider takes no device options, and {printable(next(iter(options)))} was given.")
    settings = ort.SessionOptions()
    settings.log_severity_level = 4  # what fails is raised, and told once
    settings.intra_op_num_threads = psutil.cpu_count(logical=False) or 1
    settings.add_session_config_entry("session.intra_op.allow_spinning", "1")
    if mapped:
        settings.add_session_config_entry("session.disable_prepacking", "1")
    if emulated:
        settings.add_session_config_entry("session.disable_quant_qdq", "1")
    if graph is not None:
        settings.add_session_config_entry(_WEIGHTS, str(path.parent))
    try:
        session = ort.InferenceSession(
            path if graph is None else graph,
            settings,
            providers=[(device.provider, dict(options))],
            enable_fallback=False,
        )
    except ORT_ERRORS as error:
        raise GraphError(f"onnxruntime cannot open {path.name}: {printable(error, 200)}") from error
    return OpenSession(
        name,
        session,
        tuple(TensorSpec.of_runtime(arg.name, arg.shape, arg.type) for arg in session.get_inputs()),
        tuple(TensorSpec.of_runtime(arg.name, arg.shape, arg.type) for arg in session.get_outputs()),
        dict(session.get_modelmeta().custom_metadata_map),
    )
