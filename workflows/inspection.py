"""What a bundle or an .onnx file holds, as `joinery inspect --json` prints it; and what a checkpoint would become."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from math import prod
from pathlib import Path
from typing import Any

from workflows.bundle import Bundle, Verification, read_bundle, verify_bundle
from workflows.bundle.read import PIPELINE
from workflows.errors import GraphError, RequestError, printable
from workflows.graphs import load_graph
from workflows.graphs.dtypes import bytes_of
from workflows.graphs.stages import read_evidence
from workflows.graphs.view import type_of
from workflows.kvcache import StateTensor, find_state
from workflows.kvcache.geometry import GroupFacts, StateFacts, patterns_of
from workflows.kvcache.infer import infer_facts
from workflows.kvcache.layouts import built_layout
from workflows.picture.composite import Composite, Layers
from workflows.picture.read import CROSS, alike, composite_of, composite_of_graph
from workflows.runtime.feeds import Program
from workflows.runtime.program import compile_program
from workflows.runtime.signature import FileSignature
from workflows.tensors import TensorSpec, item_bytes


def inspect_path(path: str | Path, component: str | None = None) -> dict[str, Any]:
    """The report on a bundle folder or an .onnx file; `component` keeps that one alone.

    Raises RequestError and its kinds where the path is neither, is damaged, or has no such component.
    """
    target = Path(path)
    if target.is_dir():
        report = _bundle_report(read_bundle(target))
    elif target.suffix == ".onnx" and target.is_file():
        report = _graph_report(target)
    else:
        raise RequestError(f"{target} is neither a bundle folder nor an .onnx file: check the path.")
    if component is None:
        return report
    names = [entry["name"] for entry in report["components"]]
    if component not in names:
        raise RequestError(f"{target} has no component {component!r}: it has {', '.join(names)}.")
    report["components"] = [entry for entry in report["components"] if entry["name"] == component]
    report["stages"] = [stage for stage in report["stages"] if stage["component"] == component]
    return report


def _bundle_report(bundle: Bundle) -> dict[str, Any]:
    facts, flow = bundle.pipeline.metadata, bundle.pipeline.pipeline
    graphs = {name: _graph(bundle.file(session.file)) for name, session in flow.sessions.items()}
    program = _check(bundle, graphs)
    composite = composite_of(bundle.pipeline, _signatures(graphs), program)
    components = [
        {"name": name, "file": session.file, "role": bundle.pipeline.role(name), **_public(graphs[name])}
        for name, session in flow.sessions.items()
    ]
    return {
        "model_type": facts.model_type,
        "task": facts.task,
        "family": facts.family,
        "route": bundle.pipeline.route,
        "components": components,
        "kv": _kv(bundle, program, composite),
        "composite": composite.to_dict(),
        "stages": read_evidence(bundle),
        "name": facts.name,
        "path": str(bundle.folder),
        "precision": facts.precision,
        "layout": facts.layout,
        "capacity": bundle.pipeline.capacity,
        "chunk": bundle.pipeline.chunk,
        "bytes": bundle.manifest.bytes,
        "metadata": facts.model_dump(mode="json"),
    }


def check_bundle(folder: str | Path, cancelled: Callable[[], bool] = lambda: False) -> Verification:
    """Every file against the manifest, and, where all are whole, the pipeline against the graphs.

    Raises BundleError where there is no manifest or the pipeline cannot be run, Cancelled on request.
    """
    verified = verify_bundle(folder, cancelled)
    if verified.ok:
        bundle = read_bundle(folder)
        files = {name: bundle.file(session.file) for name, session in bundle.pipeline.pipeline.sessions.items()}
        _check(bundle, {name: _graph(path) for name, path in files.items()})
    return verified


def _check(bundle: Bundle, graphs: Mapping[str, Mapping[str, Any]]) -> Program | None:
    """The program of a pipeline with a cache. Raises BundleError, with the JSON path, where its graphs do not fit."""
    where = str(bundle.folder / PIPELINE)
    if bundle.pipeline.pipeline.state.kv_cache is None:
        bundle.pipeline.check(where)
        return None
    return compile_program(bundle.pipeline, _signatures(graphs), where)


def _signatures(graphs: Mapping[str, Mapping[str, Any]]) -> dict[str, FileSignature]:
    return {name: _signature(graph) for name, graph in graphs.items()}


def _signature(graph: Mapping[str, Any]) -> FileSignature:
    return FileSignature(tuple(graph["_inputs"]), tuple(graph["_outputs"]), graph["_metadata_props"])


def _graph_report(path: Path) -> dict[str, Any]:
    graph = _graph(path)
    name, kv, metadata, signature = path.stem, [], graph["_metadata"], _signature(graph)
    composite = composite_of_graph(name, path.name, signature)
    try:
        if state := find_state(signature.inputs, signature.outputs, patterns_of(signature.inputs)):
            facts = StateFacts.of_metadata(signature.metadata) or infer_facts(state, signature.inputs)
            composite = composite_of_graph(name, path.name, signature, state, facts)
            kv = _groups(state, facts, "", None)
        kv += _cross(composite)
    except GraphError as error:  # a file of someone else's: what is odd about its cache is a finding, no failure
        metadata = {**metadata, "kv": str(error)}
    return {
        "model_type": "",
        "task": "",
        "family": "",
        "route": "single",
        "components": [{"name": name, "file": path.name, "role": "graph", **_public(graph)}],
        "kv": kv,
        "composite": composite.to_dict(),
        "stages": [],
        "name": name,
        "path": str(path),
        "precision": "",
        "layout": "",
        "capacity": None,
        "chunk": None,
        "bytes": path.stat().st_size,
        "metadata": metadata,
    }


def _public(graph: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in graph.items() if not key.startswith("_")}


def _graph(path: Path) -> dict[str, Any]:
    """Inputs, outputs and counts of one graph; weights are not read. Raises GraphError for a file that is no graph."""
    file = load_graph(path)
    model = file.proto
    weights = {tensor.name: bytes_of(tensor.data_type, tensor.dims) for tensor in model.graph.initializer}
    inputs = [_spec(value) for value in model.graph.input if value.name not in weights]
    outputs = [_spec(value) for value in model.graph.output]
    counts = Counter(f"{node.domain}.{node.op_type}" if node.domain else node.op_type for node in model.graph.node)
    return {
        "inputs": [spec.to_dict() for spec in inputs],
        "outputs": [spec.to_dict() for spec in outputs],
        "op_counts": dict(counts.most_common()),
        "opset": {entry.domain or "ai.onnx": entry.version for entry in model.opset_import},
        "bytes": sum(weights.values()),
        "warnings": list(file.warnings),
        "_inputs": inputs,
        "_outputs": outputs,
        "_metadata_props": {entry.key: entry.value for entry in model.metadata_props},
        "_metadata": {"producer": printable(f"{model.producer_name} {model.producer_version}".strip())}
        | ({"warnings": " ".join(file.warnings)} if file.warnings else {}),
    }


def _spec(value: Any) -> TensorSpec:
    dtype, shape = type_of(value)
    return TensorSpec(value.name, ("?",) if shape is None else tuple(shape), dtype or "unknown")


def _kv(bundle: Bundle, program: Program | None, composite: Composite) -> list[dict[str, Any]]:
    if program is None:
        return []
    layout, capacity = bundle.pipeline.metadata.layout, bundle.pipeline.capacity
    return _groups(program.state, program.facts, layout, capacity) + _cross(composite)


def _groups(
    state: tuple[StateTensor, ...], facts: StateFacts, built: str, capacity: int | None
) -> list[dict[str, Any]]:
    """A row for the layers of a group that have one shape; `built` is empty for a graph of no bundle."""
    layout = built_layout(built or {"host": "static"}.get(facts.writer, facts.writer), facts)
    limit = capacity if layout.evicts else None
    rows = [
        _group(tensors, group, layout.name, capacity, limit, facts.writer)
        for group in facts.groups
        for tensors in alike(tensor for tensor in state if tensor.layer in group.layers)
    ]
    return [row | {"note": facts.note} for row in rows]


def _group(
    tensors: list[StateTensor], group: GroupFacts, layout: str, capacity: int | None, limit: int | None, writer: str
) -> dict[str, Any]:
    first, slots = tensors[0], capacity or tensors[0].capacity
    each = sum(tensor.bytes_per_slot for tensor in tensors)
    return {
        "group": group.name,
        "layout": layout,
        "layers": list(dict.fromkeys(tensor.layer for tensor in tensors)),
        "capacity": slots,
        "window": min((size for size in (group.window, limit) if size), default=None),
        "shape": list(first.shape),
        "dtype": first.dtype,
        "bytes": slots * each if slots else None,
        "bytes_per_token": each,
        "writer": "host" if writer == "host" else "graph",
    }


def _cross(composite: Composite) -> list[dict[str, Any]]:
    """What is computed once and only read from then on: rows like those of a cache, a slot a token of the source."""
    return [_handed(state.name, one) for state in composite.states if state.frozen for one in state.layers]


def _handed(name: str, one: Layers) -> dict[str, Any]:
    first = one.tensors[0]
    slots = first.shape[-2] if len(first.shape) > 2 else None
    capacity = slots if isinstance(slots, int) else None
    row = 0
    for tensor in one.tensors:
        sizes = [size for axis, size in enumerate(tensor.shape) if axis not in (0, len(tensor.shape) - 2)]
        row += prod(size for size in sizes if isinstance(size, int)) * item_bytes(tensor.dtype)
    each = row * len(one.layers)
    return {
        "group": name,
        "layout": CROSS,
        "layers": list(one.layers),
        "capacity": capacity,
        "window": None,
        "shape": list(first.shape),
        "dtype": first.dtype,
        "bytes": capacity * each if capacity else None,
        "bytes_per_token": each,
        "writer": "encoder",
        "note": "",
    }
