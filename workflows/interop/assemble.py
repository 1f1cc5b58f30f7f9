"""Graphs that lie about as files become a bundle.

files ──branches, placing──▶ graphs ──infer──▶ Assembly: pipeline, what is lacking │ nothing was written
                                                   └──write──▶ graphs, weights, tokenizer, pipeline.json ─▶ bundle
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from workflows.build.tokenizer import write_tokenizer
from workflows.build.workspace import BuildWorkspace, Report, build_summary, open_workspace, timed_stage
from workflows.bundle import Pipeline
from workflows.bundle.read import PIPELINE
from workflows.bundle.write import check_target, publish
from workflows.common.errors import RequestError, printable
from workflows.common.files import special_file_kind
from workflows.common.strict_json import InvalidJsonError, read_json
from workflows.graph.build_requirements import weight_precision
from workflows.inspection.picture.composite import composite_of
from workflows.interop.checkpoint_metadata import read_checkpoint_metadata
from workflows.interop.feature_placement import place_features
from workflows.interop.graph_folder import GraphFolder
from workflows.interop.optimum_decoders import LooseGraphs, load_proto, prepare_graphs
from workflows.runtime.program.compiler import compile_program
from workflows.runtime.program.graph_roles import GraphRoles
from workflows.runtime.program.pipeline_inference import infer_pipeline
from workflows.runtime.program.signature import FileSignature
from workflows.wire.events import BuildDone, NoticeEvent
from workflows.wire.reports.composite import Composite

PipelineKeys = Mapping[str, Any]
_COUNTING = "GroupQueryAttention"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")


@dataclass(frozen=True)
class Assembly:
    """What graphs make, before anything is written. graphs: by session, as they would be written.

    pipeline: None where the one that was given cannot be read. lacks: what is missing, a sentence each; empty where
    it runs. done: what was done to the graphs, a sentence each.
    """

    graphs: LooseGraphs
    pipeline: Pipeline | None
    lacks: tuple[str, ...] = ()
    done: tuple[str, ...] = ()

    @cached_property
    def composite(self) -> Composite | None:
        """What a picture shows of it, whole or not; None without a pipeline."""
        if self.pipeline is None:
            return None
        signatures = _signatures(self.graphs)
        program = None if self.lacks else compile_program(self.pipeline, signatures)
        return composite_of(self.pipeline, signatures, program)


def infer_assembly(files: Mapping[str, Path], said: PipelineKeys | None = None, words: Path | None = None) -> Assembly:
    """What the graphs of `files`, name → file, make.

    said: top-level keys of a pipeline.json, which win over what the graphs tell. words: a folder with the tokenizer and
    config.json. Raises GraphError for a file that is no graph, CheckpointError for a damaged config.
    """
    _check_names(files)
    found = prepare_graphs(files)
    graphs = found.graphs
    reads = GraphRoles(_signatures(graphs)).reads
    known = _merged(_merged(_facts(graphs), read_checkpoint_metadata(words, reads=reads) if words else {}), said or {})
    tokens = known.get("tokens")
    found.done += place_features(graphs, tokens if isinstance(tokens, dict) else {})
    inferred = infer_pipeline(_signatures(graphs), _files(graphs), known)
    lacks = (*found.lacks, *inferred.lacks)
    if reads and inferred.pipeline and inferred.pipeline.tokens.decoder_start is None:
        lacks += (
            "A decoder behind an encoder begins with a token, and nothing names it: say it as tokens.decoder_start in "
            "--pipeline, or give a --tokenizer folder whose config.json has decoder_start_token_id.",
        )
    return Assembly(graphs, inferred.pipeline, lacks, tuple(found.done))


def assemble(
    files: Mapping[str, Path],
    out: Path,
    said: PipelineKeys | None = None,
    words: Path | None = None,
    *,
    force: bool = False,
    report: Report = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> BuildDone:
    """Makes the bundle `out` of graphs; see infer_assembly.

    Raises RequestError with everything that is lacking, and for a target that is not ours, GraphError for graphs or
    weights that cannot be taken, Cancelled on request; the target is then as it was.
    """
    began = time.monotonic()
    check_target(out, force)
    assembly = infer_assembly(files, said, words)
    pipeline = assembly.pipeline
    if assembly.lacks or pipeline is None:
        raise RequestError(f"The graphs {', '.join(map(printable, files))} make no whole: {' '.join(assembly.lacks)}")
    target = out.resolve()
    with open_workspace(target, force, report, cancelled) as work, timed_stage(report, "assemble"):
        publish(_draft(work, assembly.graphs, pipeline, words), target, force=force)
    for message in assembly.done:
        report(NoticeEvent(code="assemble", message=message))
    return build_summary(out, began)


def _draft(work: BuildWorkspace, graphs: LooseGraphs, pipeline: Pipeline, words: Path | None) -> Path:
    """The files of the bundle, in a folder of the work."""
    draft = work.draft("bundle")
    if words is not None:
        write_tokenizer(words, draft / "tokenizer", work.report)
    folder, files = GraphFolder(draft), _files(graphs)
    for name, graph in graphs.items():
        work.check()
        if not (draft / files[name]).exists():  # sessions over one file are one graph
            folder.add(graph.source, files[name], graph.model)
    facts = pipeline.metadata.model_copy(update={"built_at": datetime.now(UTC).isoformat(timespec="seconds")})
    (draft / PIPELINE).write_text(pipeline.model_copy(update={"metadata": facts}).to_json(), "utf-8")
    return draft


def _files(graphs: LooseGraphs) -> dict[str, str]:
    """Session → its graph's file in the bundle, one for sessions over one file as it is."""
    first: dict[Path, str] = {}
    return {
        name: f"{name}.onnx" if graph.model else first.setdefault(graph.source.resolve(), f"{name}.onnx")
        for name, graph in graphs.items()
    }


def _check_names(files: Mapping[str, Path]) -> None:
    if not files:
        raise RequestError("No graph was given: give at least one as NAME=FILE.")
    for name in files:
        if not _NAME.fullmatch(name):
            raise RequestError(f"{printable(name)!r} cannot name a graph: use letters, digits, - and _.")
        if sum(name.lower() == other.lower() for other in files) > 1:
            raise RequestError(f"Two graphs are called {printable(name)} but for capitals: change one name.")


def _signatures(graphs: LooseGraphs) -> dict[str, FileSignature]:
    return {name: graph.signature for name, graph in graphs.items()}


def _facts(graphs: LooseGraphs) -> dict[str, Any]:
    """What inputs and outputs do not tell: the weights' precision, and attention that takes slots for tokens."""
    models = {name: load_proto(graph) for name, graph in graphs.items()}
    counts = any(node.op_type == _COUNTING for model in models.values() for node in model.graph.node)
    return {"metadata": {"precision": weight_precision(models), "counts": counts}}


def _merged(words: Mapping[str, Any], said: PipelineKeys) -> dict[str, Any]:
    """What a person says over what the folder says, key by key of what both speak of."""
    both = words.keys() & said.keys()
    merged = {key: {**words[key], **said[key]} for key in both if isinstance(said[key], Mapping)}
    return {**words, **said, **merged}


def read_keys(path: Path) -> dict[str, object]:
    """The keys of a pipeline file. Raises RequestError for a file that is no JSON object."""
    if kind := special_file_kind(path):
        raise RequestError(f"The pipeline {printable(path)} is {kind}, which may have no end: give a file.")
    try:
        found = read_json(path.read_bytes())
    except OSError as error:
        raise RequestError(f"The pipeline {printable(path)} cannot be read: {error.strerror}.") from None
    except InvalidJsonError as error:
        raise RequestError(f"The pipeline {printable(path)} {error}: give another one.") from None
    if not isinstance(found, dict):
        raise RequestError(f"The pipeline {printable(path)} is no JSON object: give a pipeline.json, or keys of one.")
    return found
