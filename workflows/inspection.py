"""What a bundle or an .onnx file holds, as `joinery inspect --json` prints it; and what a checkpoint would become."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import onnx

from workflows.bundle import Bundle, read_bundle, verify_bundle
from workflows.bundle.read import PIPELINE
from workflows.errors import BundleError, GraphError, RequestError, printable
from workflows.graphs import load_graph
from workflows.graphs.dtypes import bytes_of
from workflows.graphs.stages import read_evidence
from workflows.graphs.view import type_of
from workflows.kvcache import StateTensor, find_state
from workflows.kvcache.geometry import StateFacts, StatePatterns, patterns_of
from workflows.kvcache.infer import infer_facts
from workflows.kvcache.layouts import built_layout
from workflows.runtime.program import compile_program
from workflows.runtime.signature import FileSignature
from workflows.tensors import TensorSpec
from workflows.wire.reports.inspection import ComponentReport, InspectReport, KVGroupReport, Tensor, VerifyReport


def inspect_path(path: str | Path, component: str | None = None) -> InspectReport:
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
    names = [entry.name for entry in report.components]
    if component not in names:
        raise RequestError(f"{target} has no component {component!r}: it has {', '.join(names)}.")
    return replace(
        report,
        components=[entry for entry in report.components if entry.name == component],
        stages=[stage for stage in report.stages if stage.component == component],
    )


def _bundle_report(bundle: Bundle) -> InspectReport:
    facts, flow = bundle.pipeline.metadata, bundle.pipeline.pipeline
    graphs = {name: _read(bundle.file(session.file)) for name, session in flow.sessions.items()}
    _check(bundle, graphs)
    return InspectReport(
        model_type=facts.model_type,
        task=facts.task,
        family=facts.family,
        route=bundle.pipeline.route,
        components=[
            graphs[name].component(name, session.file, bundle.pipeline.role(name))
            for name, session in flow.sessions.items()
        ],
        kv=_kv(bundle, graphs),
        stages=read_evidence(bundle),
        name=facts.name,
        path=str(bundle.folder),
        precision=facts.precision,
        layout=facts.layout,
        capacity=bundle.pipeline.capacity,
        chunk=bundle.pipeline.chunk,
        bytes=bundle.manifest.bytes,
        metadata=facts.model_dump(mode="json"),
    )


def check_bundle(folder: str | Path, cancelled: Callable[[], bool] = lambda: False) -> VerifyReport:
    """Every file against the manifest, and, where all are whole, the pipeline against the graphs.

    Raises BundleError where there is no manifest or the pipeline cannot be run, Cancelled on request.
    """
    verified = verify_bundle(folder, cancelled)
    if verified.ok:
        bundle = read_bundle(folder)
        files = {name: bundle.file(session.file) for name, session in bundle.pipeline.pipeline.sessions.items()}
        _check(bundle, {name: _read(path) for name, path in files.items()})
    return verified


def _check(bundle: Bundle, graphs: Mapping[str, _Read]) -> None:
    """Raises BundleError, with the JSON path, for a pipeline that its graphs do not fit: see compile_program."""
    where = str(bundle.folder / PIPELINE)
    if bundle.pipeline.pipeline.state.kv_cache is None:
        bundle.pipeline.check(where)
        return
    signatures = {name: graph.signature for name, graph in graphs.items()}
    compile_program(bundle.pipeline, signatures, where)


def _graph_report(path: Path) -> InspectReport:
    graph = _read(path)
    kv, metadata = list[KVGroupReport](), graph.metadata
    try:
        if state := find_state(graph.inputs, graph.outputs, patterns_of(graph.inputs)):
            kv = _groups(state, graph, "", None)
    except GraphError as error:  # a file of someone else's: what is odd about its cache is a finding, no failure
        metadata = {**metadata, "kv": str(error)}
    return InspectReport(
        model_type="",
        task="",
        family="",
        route="single",
        components=[graph.component(path.stem, path.name, "graph")],
        kv=kv,
        stages=[],
        name=path.stem,
        path=str(path),
        precision="",
        layout="",
        capacity=None,
        chunk=None,
        bytes=path.stat().st_size,
        metadata=metadata,
    )


@dataclass(frozen=True)
class _Read:
    """Inputs, outputs and counts of one graph; weights are not read."""

    inputs: list[TensorSpec]
    outputs: list[TensorSpec]
    op_counts: dict[str, int]
    opset: dict[str, int]
    bytes: int
    warnings: list[str]
    notes: dict[str, str]  # what the graph says of itself, by key
    producer: str

    @property
    def signature(self) -> FileSignature:
        """What compile_program holds a pipeline against."""
        return FileSignature(tuple(self.inputs), tuple(self.outputs), self.notes)

    @property
    def metadata(self) -> dict[str, object]:
        """What Details lists of a graph that is in no bundle."""
        odd: dict[str, object] = {"warnings": " ".join(self.warnings)} if self.warnings else {}
        return {"producer": self.producer, **odd}

    def component(self, name: str, file: str, role: str) -> ComponentReport:
        """As the report has it."""
        inputs, outputs = (
            [Tensor(spec.name, list(spec.shape), spec.dtype) for spec in end] for end in (self.inputs, self.outputs)
        )
        return ComponentReport(name, file, role, inputs, outputs, self.op_counts, self.opset, self.bytes, self.warnings)


def _read(path: Path) -> _Read:
    """The graph in a file. Raises GraphError for a file that is no graph."""
    file = load_graph(path)
    model = file.proto
    weights = {tensor.name: bytes_of(tensor.data_type, tensor.dims) for tensor in model.graph.initializer}
    counts = Counter(f"{node.domain}.{node.op_type}" if node.domain else node.op_type for node in model.graph.node)
    return _Read(
        inputs=[_spec(value) for value in model.graph.input if value.name not in weights],
        outputs=[_spec(value) for value in model.graph.output],
        op_counts=dict(counts.most_common()),
        opset={entry.domain or "ai.onnx": entry.version for entry in model.opset_import},
        bytes=sum(weights.values()),
        warnings=list(file.warnings),
        notes={entry.key: entry.value for entry in model.metadata_props},
        producer=printable(f"{model.producer_name} {model.producer_version}".strip()),
    )


def _spec(value: onnx.ValueInfoProto) -> TensorSpec:
    dtype, shape = type_of(value)
    return TensorSpec(value.name, ("?",) if shape is None else tuple(shape), dtype or "unknown")


def _kv(bundle: Bundle, graphs: Mapping[str, _Read]) -> list[KVGroupReport]:
    kv = bundle.pipeline.pipeline.state.kv_cache
    if kv is None:
        return []
    patterns = StatePatterns(
        kv.past_key_pattern, kv.past_value_pattern, kv.present_key_pattern, kv.present_value_pattern
    )
    for graph in graphs.values():
        if state := find_state(graph.inputs, graph.outputs, patterns):
            return _groups(state, graph, bundle.pipeline.metadata.layout, bundle.pipeline.capacity)
    raise BundleError(f"{bundle.folder} declares a KV cache and none of its graphs has one.")


def _groups(state: tuple[StateTensor, ...], graph: _Read, built: str, capacity: int | None) -> list[KVGroupReport]:
    """One row a group of like layers, as the graph notes them; `built` is empty for a graph of no bundle."""
    facts = StateFacts.of_metadata(graph.notes) or infer_facts(state, graph.inputs)
    layout = built_layout(built or {"host": "static"}.get(facts.writer, facts.writer), facts)
    found = []
    for group in facts.groups:
        tensors = [tensor for tensor in state if tensor.layer in group.layers]
        slots = capacity or tensors[0].capacity
        each = sum(tensor.bytes_per_slot for tensor in tensors)
        windows = [size for size in (group.window, capacity if layout.evicts else None) if size]
        found.append(
            KVGroupReport(
                group=group.name,
                layout=layout.name,
                layers=list(group.layers),
                capacity=slots,
                window=min(windows, default=None),
                shape=list(tensors[0].shape),
                dtype=tensors[0].dtype,
                bytes=slots * each if slots else None,
                bytes_per_token=each,
                writer="host" if facts.writer == "host" else "graph",
                note=facts.note,
            )
        )
    return found
