"""Imports a folder of onnxruntime-genai as a bundle: its program in version 2, copies of its graphs and tokenizer.

genai_config.json, graphs, tokenizer ──bundle/genai──▶ Pipeline ──checked against the graphs──▶ bundle
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import onnx

from workflows.builder.tokenizer import take_tokenizer
from workflows.builder.workspace import BuildWorkspace, Report, build_summary, open_workspace, timed_stage
from workflows.bundle.genai.folder import read_genai
from workflows.bundle.genai.metadata import extra_files, ignored_settings, is_genai
from workflows.bundle.read import PIPELINE, unverified_bundle
from workflows.bundle.schema import Pipeline
from workflows.bundle.write import check_target, publish
from workflows.common.errors import RequestError, printable
from workflows.graph.load import load_graph
from workflows.graph.pipeline_requirements import weight_precision
from workflows.graph.subgraphs import all_nodes
from workflows.inspection.contents import check_graphs
from workflows.interop.graph_folder import GraphFolder
from workflows.runtime.program.compiler import complete_pipeline
from workflows.wire.events import BuildDone, NoticeEvent

_PLAIN = re.compile(r"[a-z0-9_][a-z0-9_\-]*")  # names that are distinct on every disk
_RING = "sliding_window_cache"  # an attribute of GroupQueryAttention: it keeps a layer's cache as a ring


def import_genai(
    folder: Path,
    out: Path,
    *,
    force: bool = False,
    report: Report = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> BuildDone:
    """Imports genai's `folder` as the bundle `out`.

    Raises BundleError with the JSON path of what cannot run, GraphError for a damaged graph, RequestError for a target
    that is not a bundle, Cancelled on request; the target is then unchanged.
    """
    began = time.monotonic()
    if not is_genai(folder):
        raise RequestError(f"{folder} has no genai_config.json: give a folder of onnxruntime-genai's.")
    check_target(out, force)
    pipeline, files = read_genai(folder, importing=True)
    target = out.resolve()
    with open_workspace(target, force, report, cancelled) as work, timed_stage(report, "import"):
        draft = _draft(work, folder, pipeline, files)
        work.check()
        publish(draft, target, force=force)
    for message in _notices(pipeline):
        report(NoticeEvent(code="import", message=message))
    return build_summary(out, began)


def _draft(work: BuildWorkspace, folder: Path, pipeline: Pipeline, files: dict[str, Path]) -> Path:
    """Checks the program against its graphs and writes the bundle's files into a draft folder of the workspace."""
    draft = work.draft_folder("bundle")
    graphs = GraphFolder(draft)
    names: dict[str, str] = {}  # source file → file here
    models: dict[str, onnx.ModelProto] = {}
    for session, described in pipeline.pipeline.sessions.items():
        work.check()
        if described.file in names:
            continue
        names[described.file] = f"{session if _PLAIN.fullmatch(session) else f'graph-{len(names)}'}.onnx"
        model = load_graph(files[described.file]).proto
        models[session] = model
        graphs.add(files[described.file], names[described.file], _without_rings(model))
    facts = pipeline.metadata.model_copy(update={"precision": weight_precision(models)})
    whole = pipeline.with_files(names).model_copy(update={"metadata": facts})
    text_files = next((path.parent for name, path in files.items() if name.startswith("tokenizer/")), None)
    if text_files is not None:
        take_tokenizer(text_files, draft / "tokenizer", work.report)
    program = check_graphs(unverified_bundle(draft, whole, str(folder)))
    (draft / PIPELINE).write_text((complete_pipeline(whole, program) if program else whole).to_json(), "utf-8")
    return draft


def _without_rings(model: onnx.ModelProto) -> onnx.ModelProto | None:
    """A copy whose attention keeps all of a layer's cache; None where nothing changes.

    The attention window stays: local_window_size limits what is visible.
    """
    if not any(attribute.name == _RING for node in all_nodes(model.graph.node) for attribute in node.attribute):
        return None
    changed = deepcopy(model)
    for node in all_nodes(changed.graph.node):
        for place in [i for i, attribute in enumerate(node.attribute) if attribute.name == _RING]:
            del node.attribute[place]
    return changed


def _notices(pipeline: Pipeline) -> list[str]:
    notices = [f"The configuration has settings that Joinery ignores: {what}." for what in ignored_settings(pipeline)]
    extra = extra_files(pipeline)
    if extra:
        notices.append(f"These files are named and not imported: {printable(', '.join(extra), 400)}.")
    return notices
