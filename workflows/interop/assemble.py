"""Assembles a bundle from loose .onnx files.

files ──optimum_decoders, feature_placement──▶ graphs ──infer_assembly──▶ Assembly: pipeline, what is missing
                                                 └──assemble──▶ graphs, weights, tokenizer, pipeline.json ──▶ bundle
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

from workflows.builder.tokenizer import COPIED, take_tokenizer
from workflows.builder.workspace import BuildWorkspace, Report, build_summary, open_workspace, timed_stage
from workflows.bundle import Pipeline
from workflows.bundle.read import PIPELINE
from workflows.bundle.write import check_target, publish
from workflows.checkpoint.configuration import CONFIG, GENERATION, read_optional, token_ids
from workflows.common.errors import RequestError, printable
from workflows.common.files import special_file_kind
from workflows.common.strict_json import InvalidJsonError, read_json
from workflows.common.tensor_names import DEFAULT_CAPACITY
from workflows.graph.pipeline_requirements import weight_precision
from workflows.graph.subgraphs import all_nodes
from workflows.inspection.picture.composite import composite_of
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
Json = dict[str, object]
# pipeline key → config keys, of which the first present one counts
_TOKEN_KEYS: dict[str, tuple[str, ...]] = {
    "pad": ("pad_token_id",),
    "bos": ("bos_token_id",),
    "decoder_start": ("decoder_start_token_id",),
    "image_token": ("image_token_id", "image_token_index"),
    "audio_token": ("audio_token_id", "audio_token_index"),
    "video_token": ("video_token_id", "video_token_index"),
}


@dataclass(frozen=True)
class Assembly:
    """The composite of loose graphs before anything is written. graphs: by session, as they would be written.

    pipeline: None where the given one is invalid. problems: what is missing, one sentence each; empty where it can run.
    done: changes made to the graphs, one sentence each.
    """

    graphs: LooseGraphs
    pipeline: Pipeline | None
    problems: tuple[str, ...] = ()
    done: tuple[str, ...] = ()

    @cached_property
    def composite(self) -> Composite | None:
        """The composite for pictures, complete or not; None without a pipeline."""
        if self.pipeline is None:
            return None
        signatures = _signatures(self.graphs)
        program = None if self.problems else compile_program(self.pipeline, signatures)
        return composite_of(self.pipeline, signatures, program)


def infer_assembly(
    files: Mapping[str, Path], pipeline_keys: PipelineKeys | None = None, checkpoint_folder: Path | None = None
) -> Assembly:
    """Infers the composite of the graphs `files`, name → file.

    said: top-level keys of a pipeline.json, which take precedence over the graphs. words: a folder with the tokenizer
    and config.json. Raises GraphError for an invalid graph file, CheckpointError for a damaged config.
    """
    _check_names(files)
    prepared = prepare_graphs(files)
    graphs = prepared.graphs
    reads = GraphRoles(_signatures(graphs)).reads_source
    known = _merged(
        _merged(_facts(graphs), read_checkpoint_metadata(checkpoint_folder, reads=reads) if checkpoint_folder else {}),
        pipeline_keys or {},
    )
    tokens = known.get("tokens")
    prepared.done += place_features(graphs, tokens if isinstance(tokens, dict) else {})
    inferred = infer_pipeline(_signatures(graphs), _files(graphs), known)
    problems = (*prepared.problems, *inferred.problems)
    if reads and inferred.pipeline and inferred.pipeline.tokens.decoder_start is None:
        problems += (
            "A decoder behind an encoder needs a start token: state tokens.decoder_start in --pipeline, or give a "
            "--tokenizer folder whose config.json has decoder_start_token_id.",
        )
    return Assembly(graphs, inferred.pipeline, problems, tuple(prepared.done))


def assemble(
    files: Mapping[str, Path],
    out: Path,
    pipeline_keys: PipelineKeys | None = None,
    checkpoint_folder: Path | None = None,
    *,
    force: bool = False,
    report: Report = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> BuildDone:
    """Assembles graphs into the bundle `out`; see infer_assembly.

    Raises RequestError with everything that is missing, and for a target that is not a bundle, GraphError for invalid
    graphs or weights, Cancelled on request; the target is then unchanged.
    """
    began = time.monotonic()
    check_target(out, force)
    assembly = infer_assembly(files, pipeline_keys, checkpoint_folder)
    pipeline = assembly.pipeline
    if assembly.problems or pipeline is None:
        raise RequestError(
            f"The graphs {', '.join(map(printable, files))} cannot be assembled: {' '.join(assembly.problems)}"
        )
    target = out.resolve()
    with open_workspace(target, force, report, cancelled) as work, timed_stage(report, "assemble"):
        publish(_draft(work, assembly.graphs, pipeline, checkpoint_folder), target, force=force)
    for message in assembly.done:
        report(NoticeEvent(code="assemble", message=message))
    return build_summary(out, began)


def _draft(work: BuildWorkspace, graphs: LooseGraphs, pipeline: Pipeline, checkpoint_folder: Path | None) -> Path:
    """Writes the bundle's files into a draft folder of the workspace."""
    draft = work.draft_folder("bundle")
    if checkpoint_folder is not None:
        take_tokenizer(checkpoint_folder, draft / "tokenizer", work.report)
    folder, files = GraphFolder(draft), _files(graphs)
    for name, graph in graphs.items():
        work.check()
        if not (draft / files[name]).exists():  # sessions over one file share one graph
            folder.add(graph.source, files[name], graph.model)
    facts = pipeline.metadata.model_copy(update={"built_at": datetime.now(UTC).isoformat(timespec="seconds")})
    (draft / PIPELINE).write_text(pipeline.model_copy(update={"metadata": facts}).to_json(), "utf-8")
    return draft


def _files(graphs: LooseGraphs) -> dict[str, str]:
    """Session → its graph's file name in the bundle; sessions over one unchanged file share it."""
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
            raise RequestError(f"Two graphs are called {printable(name)} with different capitals: change one name.")


def _signatures(graphs: LooseGraphs) -> dict[str, FileSignature]:
    return {name: graph.signature for name, graph in graphs.items()}


def _facts(graphs: LooseGraphs) -> dict[str, Any]:
    """Facts that signatures lack: the weights' precision, and whether attention treats slots as tokens."""
    models = {name: load_proto(graph) for name, graph in graphs.items()}
    counts = any(node.op_type == _COUNTING for model in models.values() for node in all_nodes(model.graph.node))
    return {"metadata": {"precision": weight_precision(models), "counts": counts}}


def _merged(defaults: Mapping[str, Any], pipeline_keys: PipelineKeys) -> dict[str, Any]:
    """`said` over `words`, merged key by key where both have an object."""
    both = defaults.keys() & pipeline_keys.keys()
    merged = {key: {**defaults[key], **pipeline_keys[key]} for key in both if isinstance(pipeline_keys[key], Mapping)}
    return {**defaults, **pipeline_keys, **merged}


def read_keys(path: Path) -> dict[str, object]:
    """Reads the keys of a pipeline file. Raises RequestError where it is not a JSON object."""
    if kind := special_file_kind(path):
        raise RequestError(f"The pipeline {printable(path)} is {kind}, which may have no end: give a file.")
    try:
        data = read_json(path.read_bytes())
    except OSError as error:
        raise RequestError(f"The pipeline {printable(path)} cannot be read: {error.strerror}.") from None
    except InvalidJsonError as error:
        raise RequestError(f"The pipeline {printable(path)} {error}: give another one.") from None
    if not isinstance(data, dict):
        raise RequestError(
            f"The pipeline {printable(path)} is not a JSON object: give a pipeline.json, or keys of one."
        )
    return data


def read_checkpoint_metadata(folder: Path, *, reads: bool) -> dict[str, Json]:
    """Returns top-level keys of a pipeline.json. reads: whether an encoder reads a source, limited like the decoder.

    Raises RequestError where the folder does not exist, CheckpointError for damaged files.
    """
    if not any((folder / name).is_file() for name in COPIED):
        raise RequestError(f"{folder} holds neither tokenizer.json nor config.json: give the folder that does.")
    config = read_optional(folder, CONFIG)
    text = config.get("text_config")
    sources = (read_optional(folder, GENERATION), config, text if isinstance(text, dict) else {})
    tokens: Json = {"eos": list(token_ids("eos_token_id", *sources))}
    for name, keys in _TOKEN_KEYS.items():
        value = [one for key in keys for one in token_ids(key, *sources)]
        tokens |= {name: value[0]} if value else {}
    kind = config.get("model_type")
    metadata: Json = {"model_type": kind} if isinstance(kind, str) else {}
    classes = config.get("architectures")
    metadata |= {"architecture": str(classes[0])} if isinstance(classes, list) and classes else {}
    limit = _position_limit(*sources[1:])
    metadata |= {"source_limit": limit} if limit and reads else {}
    return {"tokens": tokens, "metadata": metadata} | (
        {"generation": {"max_length": min(limit, DEFAULT_CAPACITY)}} if limit else {}
    )


def _position_limit(*sources: dict[str, object]) -> int | None:
    """The number of positions that the model has a table for, or was trained on."""
    value = (source.get("max_position_embeddings") for source in sources)
    return next((one for one in value if isinstance(one, int) and one > 0), None)
