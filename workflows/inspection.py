"""What a bundle or an .onnx file holds, as `joinery inspect --json` prints it; and what a checkpoint would become."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from workflows.bundle import Bundle, Verification, read_bundle, verify_bundle
from workflows.bundle.read import PIPELINE
from workflows.errors import BundleError, GraphError, RequestError, printable
from workflows.graphs import load_graph
from workflows.graphs.dtypes import bytes_of
from workflows.graphs.stages import read_evidence
from workflows.graphs.view import type_of
from workflows.kvcache import StateTensor, find_state
from workflows.kvcache.geometry import GroupFacts, StateFacts, StatePatterns, patterns_of
from workflows.kvcache.infer import infer_facts
from workflows.kvcache.layouts import built_layout
from workflows.runtime.program import compile_program
from workflows.runtime.signature import FileSignature
from workflows.tensors import TensorSpec


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
    _check(bundle, graphs)
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
        "kv": _kv(bundle, graphs),
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


def _check(bundle: Bundle, graphs: Mapping[str, Mapping[str, Any]]) -> None:
    """Raises BundleError, with the JSON path, for a pipeline that its graphs do not fit: see compile_program."""
    where = str(bundle.folder / PIPELINE)
    if bundle.pipeline.pipeline.state.kv_cache is None:
        bundle.pipeline.check(where)
        return
    signatures = {
        name: FileSignature(tuple(graph["_inputs"]), tuple(graph["_outputs"]), graph["_metadata_props"])
        for name, graph in graphs.items()
    }
    compile_program(bundle.pipeline, signatures, where)


def _graph_report(path: Path) -> dict[str, Any]:
    graph = _graph(path)
    name, kv, metadata = path.stem, [], graph["_metadata"]
    try:
        if state := find_state(graph["_inputs"], graph["_outputs"], patterns_of(graph["_inputs"])):
            kv = _groups(state, graph, "", None)
    except GraphError as error:  # a file of someone else's: what is odd about its cache is a finding, no failure
        metadata = {**metadata, "kv": str(error)}
    return {
        "model_type": "",
        "task": "",
        "family": "",
        "route": "single",
        "components": [{"name": name, "file": path.name, "role": "graph", **_public(graph)}],
        "kv": kv,
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


def _kv(bundle: Bundle, graphs: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    kv = bundle.pipeline.pipeline.state.kv_cache
    if kv is None:
        return []
    patterns = StatePatterns(
        kv.past_key_pattern, kv.past_value_pattern, kv.present_key_pattern, kv.present_value_pattern
    )
    found = [(find_state(g["_inputs"], g["_outputs"], patterns), g) for g in graphs.values()]
    state, graph = next(((state, graph) for state, graph in found if state), ((), {}))
    if not state:
        raise BundleError(f"{bundle.folder} declares a KV cache and none of its graphs has one.")
    return _groups(state, graph, bundle.pipeline.metadata.layout, bundle.pipeline.capacity)


def _groups(
    state: tuple[StateTensor, ...], graph: Mapping[str, Any], built: str, capacity: int | None
) -> list[dict[str, Any]]:
    """One row a group of like layers, as the graph notes them; `built` is empty for a graph of no bundle."""
    facts = StateFacts.of_metadata(graph["_metadata_props"]) or infer_facts(state, graph["_inputs"])
    layout = built_layout(built or {"host": "static"}.get(facts.writer, facts.writer), facts)
    limit = capacity if layout.evicts else None
    rows = [
        _group([t for t in state if t.layer in group.layers], group, layout.name, capacity, limit, facts.writer)
        for group in facts.groups
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
        "layers": list(group.layers),
        "capacity": slots,
        "window": min((size for size in (group.window, limit) if size), default=None),
        "shape": list(first.shape),
        "dtype": first.dtype,
        "bytes": slots * each if slots else None,
        "bytes_per_token": each,
        "writer": "host" if writer == "host" else "graph",
    }
