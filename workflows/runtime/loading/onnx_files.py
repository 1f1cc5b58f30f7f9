"""Opens separate .onnx files as a composite, without a bundle or a description of its structure.

    {"encoder": a.onnx, "decoder": b.onnx} ──their inputs and outputs──infer_pipeline──▶ Pipeline ──▶ Machine

The role of each graph is inferred from its inputs and outputs (see graph_roles.py). Graphs that must be changed first,
as optimum's decoders in two halves, need `joinery assemble`, which makes a bundle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from workflows.common.errors import GraphError, RequestError, printable
from workflows.runtime.loading.machines import make_machine
from workflows.runtime.loading.session_plan import SessionPlan
from workflows.runtime.loading.sessions import OpenSession, open_session
from workflows.runtime.machine import Machine
from workflows.runtime.program.pipeline_inference import infer_pipeline
from workflows.runtime.providers import device_named


def open_onnx(
    components: Mapping[str, str | Path],
    pipeline: Mapping[str, Any] | None = None,
    *,
    provider: str = "cpu",
    cache: str | None = None,
    capacity: int | None = None,
) -> Machine:
    """Opens the graphs of `components`, name → file, around one cache; the caller chooses the names.

    pipeline: top-level keys of a pipeline.json that win over inferred ones. Raises RequestError where a file is
    missing, and GraphError, with everything that is missing, for graphs that form no composite.
    """
    if not components:
        raise RequestError("No graph was given: give at least one, name → file.")
    device = device_named(provider)
    opened: dict[Path, OpenSession] = {}
    sessions: dict[str, OpenSession] = {}
    for name, file in components.items():
        path = Path(file)
        if not path.is_file():
            raise RequestError(f"The {printable(name)} {printable(path)} is not a file: give the path of its graph.")
        if path not in opened:
            opened[path] = open_session(SessionPlan(name, path, device))
        sessions[name] = replace(opened[path], name=name)
    inferred = infer_pipeline(sessions, {name: f"{name}.onnx" for name in sessions}, pipeline)
    if inferred.pipeline is None or inferred.lacks:
        raise GraphError(" ".join(inferred.lacks))
    return make_machine(inferred.pipeline, sessions, device, cache=cache, capacity=capacity)
