"""A folder of onnxruntime-genai's becomes a bundle: its program in version 2, its graphs and words copied.

genai_config.json, graphs, tokenizer ──bundle/genai──▶ Pipeline ──held against the graphs──▶ bundle
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import onnx

from workflows.build.tokenizer import write_tokenizer
from workflows.build.workspace import BuildWorkspace, Report, build_summary, open_workspace, timed_stage
from workflows.bundle.genai.folder import read_genai
from workflows.bundle.genai.metadata import extra_files, ignored_settings, is_genai
from workflows.bundle.read import PIPELINE, unverified_bundle
from workflows.bundle.schema import Pipeline
from workflows.bundle.write import check_target, publish
from workflows.common.errors import RequestError, printable
from workflows.graph import load_graph
from workflows.graph.build_requirements import weight_precision
from workflows.inspection.contents import check_graphs
from workflows.interop.graph_folder import GraphFolder
from workflows.runtime.loading.machines import complete_pipeline
from workflows.wire.events import BuildDone, NoticeEvent

_PLAIN = re.compile(r"[a-z0-9_][a-z0-9_\-]*")  # names that no disk takes for another's
_RING = "sliding_window_cache"  # GroupQueryAttention's attribute: it keeps a layer's cache as a ring of its own


def import_genai(
    folder: Path,
    out: Path,
    *,
    force: bool = False,
    report: Report = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> BuildDone:
    """Makes a bundle `out` of genai's `folder`.

    Raises BundleError with the JSON path of what cannot be run, GraphError for a graph that is damaged, RequestError
    for a target that is not ours, Cancelled on request; the target is then as it was.
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
    """The files of the bundle, in a folder of the work, once the program was seen to fit its graphs."""
    draft = work.draft("bundle")
    graphs = GraphFolder(draft)
    names: dict[str, str] = {}  # file there → file here
    models: dict[str, onnx.ModelProto] = {}
    for session, told in pipeline.pipeline.sessions.items():
        work.check()
        if told.file in names:
            continue
        names[told.file] = f"{session if _PLAIN.fullmatch(session) else f'graph-{len(names)}'}.onnx"
        model = load_graph(files[told.file]).proto
        models[session] = model
        graphs.add(files[told.file], names[told.file], _without_rings(model))
    facts = pipeline.metadata.model_copy(update={"precision": weight_precision(models)})
    whole = pipeline.with_files(names).model_copy(update={"metadata": facts})
    words = next((path.parent for name, path in files.items() if name.startswith("tokenizer/")), None)
    if words is not None:
        write_tokenizer(words, draft / "tokenizer", work.report)
    program = check_graphs(unverified_bundle(draft, whole, str(folder)))
    (draft / PIPELINE).write_text((complete_pipeline(whole, program) if program else whole).to_json(), "utf-8")
    return draft


def _without_rings(model: onnx.ModelProto) -> onnx.ModelProto | None:
    """A copy whose attention keeps all of a layer's cache; None where nothing is to change.

    The window itself stays: local_window_size says what is seen.
    """
    if not any(attribute.name == _RING for node in model.graph.node for attribute in node.attribute):
        return None
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    for node in changed.graph.node:
        kept = [attribute for attribute in node.attribute if attribute.name != _RING]
        del node.attribute[:]
        node.attribute.extend(kept)
    return changed


def _notices(pipeline: Pipeline) -> list[str]:
    found = [f"The configuration asks for what Joinery does not run: {what}." for what in ignored_settings(pipeline)]
    extra = extra_files(pipeline)
    if extra:
        found.append(f"These files are named and not imported: {printable(', '.join(extra), 400)}.")
    return found
