"""Reports the contents of a bundle or an .onnx file, as `joinery inspect --json` prints them, and verifies a bundle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

import onnx

from workflows.bundle import Bundle, Pipeline, read_bundle, verify_bundle
from workflows.bundle.read import read_cost
from workflows.bundle.schema import Metadata
from workflows.checkpoint.other_folders import other_folder
from workflows.common.element_types import item_bytes
from workflows.common.errors import BundleError, GraphError, RequestError, printable
from workflows.generate.text_problems import find_text_problems
from workflows.graph.dtypes import byte_count
from workflows.graph.load import load_graph
from workflows.graph.pipeline_requirements import requirement_faults
from workflows.graph.signature import signature_of
from workflows.inspection.build_stages import read_evidence
from workflows.inspection.picture.composite import CROSS, composite_of, composite_of_graph, group_layers
from workflows.kvcache import StateTensor, find_state
from workflows.kvcache.carried_state import CarriedState, CarriedTensor, find_carried
from workflows.kvcache.geometry import StateFacts, patterns_of
from workflows.kvcache.layouts import built_layout
from workflows.kvcache.state_inference import infer_facts
from workflows.kvcache.state_view import state_view
from workflows.runtime.program.compiler import compile_program
from workflows.runtime.program.draft_pipeline import compile_draft_program
from workflows.runtime.program.program import Program
from workflows.runtime.program.signature import FileSignature
from workflows.wire.reports.composite import Composite, LayerGroup
from workflows.wire.reports.inspection import ComponentReport, InspectReport, KVGroupReport, TensorFacts, VerifyReport


def inspect_path(path: str | Path, component: str | None = None) -> InspectReport:
    """Returns the report on a bundle folder or an .onnx file; `component` restricts it to one component.

    Raises RequestError and its subclasses if the path is neither, is damaged, or has no such component.
    """
    target = Path(path)
    if target.is_dir():
        report = _bundle_report(_read(target))
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


def _read(folder: Path) -> Bundle:
    """The bundle, or a folder that is read in its place. Raises RequestError with what helps for another kind."""
    try:
        return read_bundle(folder)
    except BundleError:
        if sentence := other_folder(folder):
            raise RequestError(sentence) from None
        raise


def _bundle_report(bundle: Bundle) -> InspectReport:
    facts, flow = bundle.pipeline.metadata, bundle.pipeline.pipeline
    graphs = {name: _read_graph(bundle.file(session.file)) for name, session in flow.sessions.items()}
    program = _check(bundle, graphs)
    signatures = _signatures(bundle, graphs)
    draft = _draft(bundle, program, graphs) if program else None
    composite = composite_of(bundle.pipeline, signatures, program, draft)
    doubts = list(find_text_problems(bundle))
    return InspectReport(
        model_type=facts.model_type,
        task=facts.task,
        family=facts.family,
        route=bundle.pipeline.route,
        components=[
            graphs[name].component(name, session.file, bundle.pipeline.metadata.role(name))
            for name, session in flow.sessions.items()
        ],
        kv=_kv(bundle, program, composite),
        composite=composite,
        stages=read_evidence(bundle),
        name=facts.name,
        path=str(bundle.folder),
        precision=facts.precision,
        layout=facts.layout,
        capacity=bundle.pipeline.capacity,
        chunk=bundle.pipeline.chunk,
        bytes=bundle.bytes,
        metadata=facts.model_dump(mode="json") | text_facts(facts) | _graph_faults(doubts),
        doubts=doubts,
        cost=read_cost(bundle),
    )


def text_facts(facts: Metadata) -> dict[str, str]:
    """What the graphs make of texts beyond what every model does, by name: vectors, labels, the range of lengths."""
    found = dict[str, str]()
    if facts.longer_than is not None:
        found["rotary angles"] = f"those of texts of more than {facts.longer_than:,} tokens"
    if facts.adapters is not None:
        named = [f"{printable(one.name, 100)} (rank {one.rank}, scale {one.scale:g})" for one in facts.adapters]
        found["switched adapters"] = ", ".join(named) or "none yet"
    if facts.embedding is not None:
        found["vectors"] = f"{facts.embedding.summary()}; {facts.embedding.similarity} similarity"
        if facts.embedding.prompts:
            found["prompts"] = printable(", ".join(facts.embedding.prompts), 400)
    if facts.classification is not None:
        labels = printable(", ".join(facts.classification.labels), 400)
        found["labels"] = f"{labels} ({facts.classification.activation})"
    if facts.texts is not None and facts.texts.tokens is not None:
        case = ", in lower case" if facts.texts.lowercase else ""
        found["longest text"] = f"{facts.texts.tokens:,} tokens{case}"
    return found


def check_bundle(folder: str | Path, cancelled: Callable[[], bool] = lambda: False) -> VerifyReport:
    """Compares every file with the manifest and, if all match, the pipeline with the graphs.

    Raises BundleError if there is no manifest or the pipeline cannot run, Cancelled on request.
    """
    verified = verify_bundle(folder, cancelled)
    if not verified.ok:
        return verified
    bundle = read_bundle(folder)
    check_graphs(bundle)
    return replace(verified, doubts=list(find_text_problems(bundle)))


def check_graphs(bundle: Bundle) -> Program | None:
    """Compiles the program of the graphs; None without a cache.

    Raises GraphError for a damaged graph, BundleError if the graphs do not fit the pipeline.
    """
    sessions = bundle.pipeline.pipeline.sessions
    graphs = {name: _read_graph(bundle.file(session.file)) for name, session in sessions.items()}
    if fault := next((fault for graph in graphs.values() for fault in graph.faults), None):
        raise GraphError(fault)
    return _check(bundle, graphs)


def _check(bundle: Bundle, graphs: Mapping[str, _GraphContents]) -> Program | None:
    """Compiles the program of a pipeline with a cache. Raises BundleError with the JSON path if graphs do not fit."""
    where = bundle.where
    for fault in requirement_faults(bundle.pipeline, {name: graph.model for name, graph in graphs.items()}):
        raise fault.error(where)
    if bundle.pipeline.pipeline.state.kv_cache is None:
        bundle.pipeline.check(where)
        return None
    program = compile_program(bundle.pipeline, _signatures(bundle, graphs), where)
    _draft(bundle, program, graphs)
    return program


def _draft(bundle: Bundle, program: Program, graphs: Mapping[str, _GraphContents]) -> tuple[Pipeline, Program] | None:
    """Returns the pipeline and the program of the draft sessions. Raises BundleError as compile_draft_program does."""
    return compile_draft_program(bundle.pipeline, program, _signatures(bundle, graphs), bundle.where)


def _signatures(bundle: Bundle, graphs: Mapping[str, _GraphContents]) -> dict[str, FileSignature]:
    """Returns the signatures by session, under Joinery's tensor names."""
    return {
        name: graph.signature.with_names(bundle.pipeline.metadata.own_names(name)) for name, graph in graphs.items()
    }


def _graph_report(path: Path) -> InspectReport:
    graph = _read_graph(path)
    kv, metadata, signature = list[KVGroupReport](), graph.metadata, graph.signature
    composite = composite_of_graph(path.stem, path.name, signature)
    try:
        state = find_state(signature.inputs, signature.outputs, patterns_of(signature.inputs))
        carried = find_carried(signature.inputs, signature.outputs, {}, {tensor.past for tensor in state})
        facts = StateFacts.of_metadata(signature.metadata) or infer_facts(state, signature.inputs) if state else None
        composite = composite_of_graph(path.stem, path.name, signature, state, facts, carried)
        kv = (_groups(state, facts, "", None) if facts else []) + _fixed_state(carried) + _cross(composite)
    except GraphError as error:  # a file of someone else's: what is odd about its cache is a finding, no failure
        metadata = {**metadata, "kv": str(error)}
    return InspectReport(
        model_type="",
        task="",
        family="",
        route="single",
        components=[graph.component(path.stem, path.name, "graph")],
        kv=kv,
        composite=composite,
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
class _GraphContents:
    """Inputs, outputs and counts of one graph; its weights are not read."""

    signature: FileSignature  # what compile_program holds a pipeline against
    op_counts: dict[str, int]
    opset: dict[str, int]
    bytes: int
    faults: tuple[str, ...]
    warnings: list[str]
    producer: str
    model: onnx.ModelProto

    @property
    def metadata(self) -> dict[str, object]:
        """Returns the details of a graph outside a bundle."""
        return {"producer": self.producer} | _graph_faults(self.warnings)

    def component(self, name: str, file: str, role: str) -> ComponentReport:
        ends = self.signature.inputs, self.signature.outputs
        inputs, outputs = ([TensorFacts(spec.name, list(spec.shape), spec.dtype) for spec in end] for end in ends)
        findings = self.warnings, list(self.faults)
        return ComponentReport(name, file, role, inputs, outputs, self.op_counts, self.opset, self.bytes, *findings)


def _graph_faults(sentences: Iterable[str]) -> dict[str, object]:
    """Returns the faults as an entry of the details; empty if there are none."""
    text = " ".join(sentences)
    return {"warnings": text} if text else {}


def _read_graph(path: Path) -> _GraphContents:
    """Reads the graph in a file. Raises GraphError if it is not a graph."""
    file = load_graph(path)
    model = file.proto
    weights = {tensor.name: byte_count(tensor.data_type, tensor.dims) for tensor in model.graph.initializer}
    counts = Counter(f"{node.domain}.{node.op_type}" if node.domain else node.op_type for node in model.graph.node)
    return _GraphContents(
        signature=signature_of(model),
        op_counts=dict(counts.most_common()),
        opset={entry.domain or "ai.onnx": entry.version for entry in model.opset_import},
        bytes=sum(weights.values()),
        faults=file.faults,
        warnings=list(file.warnings),
        producer=printable(f"{model.producer_name} {model.producer_version}".strip()),
        model=model,
    )


def _kv(bundle: Bundle, program: Program | None, composite: Composite) -> list[KVGroupReport]:
    if program is None:
        return []
    layout, capacity = bundle.pipeline.metadata.layout, bundle.pipeline.capacity
    groups = _groups(program.state, program.facts, layout, capacity)
    return groups + _fixed_state(program.all_carried) + _cross(composite)


def _groups(state: tuple[StateTensor, ...], facts: StateFacts, built: str, capacity: int | None) -> list[KVGroupReport]:
    """Returns a row for the layers of a group with one shape. built: the bundle's layout; empty for a single graph."""
    layout = built_layout(built or {"host": "static"}.get(facts.writer, facts.writer), facts)
    rows = []
    for group in facts.groups:
        for tensors in group_layers(tensor for tensor in state if tensor.layer in group.layers):
            slots = capacity or tensors[0].capacity
            each = sum(tensor.bytes_per_slot for tensor in tensors)
            windows = [size for size in (group.window, capacity if layout.evicts else None) if size]
            rows.append(
                KVGroupReport(
                    group=group.name,
                    layout=layout.name,
                    layers=list(dict.fromkeys(tensor.layer for tensor in tensors)),
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
    return rows


def _fixed_state(carried: Sequence[CarriedTensor]) -> list[KVGroupReport]:
    """Returns the state of fixed size as a row like those of a cache, without slots; none where there is none."""
    if not carried:
        return []
    (view,) = state_view(CarriedState(carried), 0, ())
    row = KVGroupReport(
        group=view.name,
        layout=view.layout,
        layers=view.layers,
        capacity=None,
        window=None,
        shape=view.shape,
        dtype=view.dtype,
        bytes=view.bytes,
        bytes_per_token=0,
        writer=view.writer,
        states=view.states,
    )
    return [row]


def _cross(composite: Composite) -> list[KVGroupReport]:
    """Returns the cross-attention states as rows like those of a cache, one slot a source token."""
    return [_cross_row(state.name, one) for state in composite.states if state.frozen for one in state.layers]


def _cross_row(name: str, one: LayerGroup) -> KVGroupReport:
    first = one.tensors[0]
    slots = first.shape[-2] if len(first.shape) > 2 else None
    capacity = slots if isinstance(slots, int) else None
    row = 0
    for tensor in one.tensors:
        sizes = [size for axis, size in enumerate(tensor.shape) if axis not in (0, len(tensor.shape) - 2)]
        row += prod(size for size in sizes if isinstance(size, int)) * item_bytes(tensor.dtype)
    each = row * len(one.layers)
    return KVGroupReport(
        group=name,
        layout=CROSS,
        layers=list(one.layers),
        capacity=capacity,
        window=None,
        shape=list(first.shape),
        dtype=first.dtype,
        bytes=capacity * each if capacity else None,
        bytes_per_token=each,
        writer="encoder",
    )
