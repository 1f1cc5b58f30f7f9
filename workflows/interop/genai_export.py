"""Exports a bundle as a folder that onnxruntime-genai runs.

bundle ──unsupported_keys, adaptation_faults──▶ refused by name, before anything is written
       ──adapt_graph, to_version1──▶ genai_config.json, graphs, weights once, tokenizer, samples in Python and C++
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from importlib import resources
from pathlib import Path
from string import Template
from typing import Literal

from workflows.builder.workspace import Report, timed_stage
from workflows.bundle import Bundle, read_bundle
from workflows.bundle.genai.folder import TEXT_FILES, parse_genai
from workflows.bundle.genai.keys import Json, value_at
from workflows.bundle.genai.metadata import CONFIG
from workflows.bundle.genai.to_version1 import (
    DecoderGeometry,
    TensorNames,
    to_plain_version2,
    to_version1,
    unsupported_keys,
)
from workflows.bundle.outline import Fault
from workflows.bundle.schema import Pipeline
from workflows.common.errors import BundleError, Cancelled, RequestError
from workflows.common.files import replace_folder
from workflows.generate.chat_template import ChatTemplate
from workflows.generate.generation_config import GenerationConfig
from workflows.graph.load import load_graph
from workflows.graph.signature import signature_of
from workflows.inspection.contents import check_graphs
from workflows.interop.genai_composites import CompositeExport
from workflows.interop.genai_graphs import adapt_graph, adaptation_faults
from workflows.interop.genai_pictures import Gemma3Export, GridsExport
from workflows.interop.genai_speech import WhisperExport
from workflows.interop.graph_folder import GraphFolder
from workflows.runtime.program.program import Program
from workflows.wire.events import BuildDone


class Qwen25VLExport(GridsExport):
    """Qwen2-VL is one of these too: genai's part of both is the same."""

    kind = "qwen2_5_vl"


class Qwen3VLExport(GridsExport):
    """With what the first layers add behind each row of features."""

    kind = "qwen3_vl"


class Qwen35Export(GridsExport):
    """With state of fixed size in some of its layers, which genai finds by its names."""

    kind = "qwen3_5"


_TYPES: dict[str, type[CompositeExport]] = {
    "whisper": WhisperExport,
    "qwen2_vl": Qwen25VLExport,
    "qwen2_5_vl": Qwen25VLExport,
    "qwen3_vl": Qwen3VLExport,
    "qwen3_vl_moe": Qwen3VLExport,
    "qwen3_5": Qwen35Export,
    "gemma3": Gemma3Export,
}


def composite_export(bundle: Bundle, program: Program) -> CompositeExport | None:
    """The type of a bundle that reads pictures or sound; None where genai has none, and for models of text."""
    places = program.places or {}
    own = _TYPES.get(bundle.pipeline.metadata.model_type)
    if own is None or bundle.pipeline.metadata.genai or not (places or program.required_inputs):
        return None
    return own(bundle, program)


def composite_fault(bundle: Bundle, program: Program) -> Fault | None:
    """Why a bundle that reads pictures or sound has no type in genai; None for one that has, and for models of text."""
    places, kind = program.places or {}, bundle.pipeline.metadata.model_type
    if bundle.pipeline.metadata.genai or not (places or program.required_inputs):
        return None
    if composite_export(bundle, program) is not None:
        return None
    if kind == "mistral3":
        message = "genai scales pictures otherwise than mistral3 does, to other sizes and numbers of tokens"
        return Fault("metadata.model_type", message)
    reads = "sound" if "audio" in places or program.required_inputs else "pictures"
    known = ", ".join(name for name in _TYPES if (name == "whisper") == (reads == "sound"))
    message = f"the released genai has no type of model that reads {reads} as {kind} does: Joinery exports {known}"
    return Fault("metadata.model_type", message)


GenaiVersion = Literal[1, 2]
# generation settings of a checkpoint that `search` has too; the others cannot be expressed
_SEARCH = ("no_repeat_ngram_size", "min_length", "repetition_penalty")
_OF_BEAMS = ("length_penalty", "early_stopping")  # without effect on a search without beams
_STATE_NAME = re.compile(r"past\.\d+\.(conv|recurrent)")
_PAGES = {"sample.py": "genai.py.txt", "sample.cpp": "genai.cpp.txt"}


def export_genai(
    folder: Path,
    out: Path,
    *,
    version: GenaiVersion = 1,
    link: bool = False,
    report: Report = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> BuildDone:
    """Writes the bundle in `folder` as a genai folder `out`, which must be new or empty.

    version: 1 for the released wheel, 2 for its proposed successor. link: hard links for weights where the disk
    supports them. Raises BundleError with the JSON path of what genai cannot express, RequestError for a target with
    files, Cancelled on request; nothing is written then.
    """
    began = time.monotonic()
    if out.is_symlink() or (out.exists() and (not out.is_dir() or any(out.iterdir()))):
        raise RequestError(f"{out} is not empty: choose another --out, or empty it yourself.")
    bundle = read_bundle(folder)
    program = check_graphs(bundle)
    if program is None:
        raise BundleError(f"{bundle.where} has no KV cache, and genai runs only models that generate text.")
    for fault in _faults(bundle, program, version):
        raise BundleError(f"{bundle.where} cannot be exported to genai: at {fault.path}: {fault.message}.")
    target = out.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.")
    with timed_stage(report, "export-genai"), beside as folder_beside:
        draft = Path(folder_beside) / "genai"
        draft.mkdir()
        _write(bundle, program, draft, version, link, cancelled)
        if out.is_dir():
            out.rmdir()
        replace_folder(draft, target)
    size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    return BuildDone(
        bundle=str(out),
        seconds=round(time.monotonic() - began, 3),
        bytes=size,
        components=list(bundle.pipeline.pipeline.sessions),
    )


def _faults(bundle: Bundle, program: Program, version: GenaiVersion) -> Iterator[Fault]:
    if bundle.pipeline.metadata.adapters is not None:
        yield Fault("metadata.adapters", "genai binds no factors of adapters: build the bundle with them merged")
    composite = composite_export(bundle, program) if version == 1 else None
    if version == 1 and (fault := composite_fault(bundle, program)) is not None:
        yield fault
    yield from unsupported_keys(bundle.pipeline, version, composite=composite is not None)
    yield from adaptation_faults(program)
    if composite is not None:
        yield from composite.faults()
    if program.all_carried and (version == 2 or not bundle.pipeline.metadata.genai):
        yield from _state_faults(program, version)
    defaults = GenerationConfig.of_bundle(bundle)
    applied = {"not_applied", *_OF_BEAMS, *_SEARCH, *(composite.applied if composite else ())}
    for name, value in defaults.model_dump(exclude_defaults=True, exclude=applied).items():
        yield Fault(f"tokenizer/generation_config.json: {name}", f"genai has no {name}, and {value} changes tokens")


def _state_faults(program: Program, version: GenaiVersion) -> Iterator[Fault]:
    """Version 1 has state of a convolution, or of one and a recurrence, in layers without keys and values."""
    where, names = "pipeline.state", [one.past for one in program.all_carried]
    other = next((name for name in names if _STATE_NAME.fullmatch(name) is None), None)
    if version == 2:
        yield Fault(where, f"version 2 has no key for state of fixed size, and this bundle has {names[0]}")
    elif other is not None:
        yield Fault(where, f"genai has one convolution and one recurrence per layer, and this bundle has {other}")
    elif not program.state:
        yield Fault(where, "genai needs keys and values in some layer, and this bundle has state of fixed size alone")
    else:
        states = _layer_states(program)
        both = next((tensor.layer for tensor in program.state if tensor.layer in states), None)
        if both is not None:
            yield Fault(where, f"genai has state or keys and values in a layer, and layer {both} has both")
        if len({tuple(sorted(kinds)) for kinds in states.values()}) > 1 or any(
            "conv" not in kinds for kinds in states.values()
        ):
            yield Fault(where, "Joinery exports layers with a convolution, or all with one and a recurrence")


def _layer_states(program: Program) -> dict[int, dict[str, int]]:
    """Layer → its tensors of fixed size, `conv` and `recurrent`, and the size of their last axis."""
    states: dict[int, dict[str, int]] = {}
    for one in program.all_carried:
        if _STATE_NAME.fullmatch(one.past):
            _, layer, kind = one.past.split(".")
            states.setdefault(int(layer), {})[kind] = one.shape[-1]
    return states


def _write(
    bundle: Bundle, program: Program, draft: Path, version: GenaiVersion, link: bool, cancelled: Callable[[], bool]
) -> None:
    folder = GraphFolder(draft, link=link)
    composite = composite_export(bundle, program) if version == 1 else None
    tensors: dict[str, TensorNames] = {}
    written: dict[str, str] = {}  # source file → file here
    for name, session in bundle.pipeline.pipeline.sessions.items():
        if cancelled():
            raise Cancelled("The export was cancelled.")
        source = bundle.file(session.file)
        graph = load_graph(source).proto
        changed = composite.adapt(name, graph) if composite else adapt_graph(graph, name, program)
        if changed is not None and bundle.pipeline.metadata.own_names(name):
            message = f"the nodes that {name} needs for genai's inputs use Joinery's tensor names"
            raise BundleError(f"{bundle.where} cannot be exported to genai: at metadata.names: {message}.")
        ends = signature_of(graph if changed is None else changed)
        tensors[name] = TensorNames(tuple(one.name for one in ends.inputs), tuple(one.name for one in ends.outputs))
        if session.file not in written:
            written[session.file] = session.file.replace("/", "-")
            folder.add(source, written[session.file], changed)
    for word in TEXT_FILES:
        if (text := bundle.text(f"tokenizer/{word}")) is not None:
            (draft / word).write_text(text, "utf-8")
    pipeline = bundle.pipeline.with_files(written)
    if composite is not None:
        _write_composite(composite, draft, {name: one.file for name, one in pipeline.pipeline.sessions.items()})
        return
    config = to_plain_version2(pipeline) if version == 2 else _version_1(bundle, pipeline, program, tensors)
    if {*parse_genai(config, CONFIG, importing=True).pipeline.dataflow} != {*pipeline.pipeline.dataflow}:
        message = "genai connects graphs by equal tensor names, and would connect these differently"
        raise BundleError(f"{bundle.where} cannot be exported to genai: at pipeline.dataflow: {message}.")
    (draft / CONFIG).write_text(json.dumps(config, indent=2, ensure_ascii=False) + "\n", "utf-8")
    if version == 1 and program.source is None:  # the sample has a text prompt only
        write_samples(bundle, draft)


def _write_composite(composite: CompositeExport, draft: Path, files: Mapping[str, str]) -> None:
    """Writes the configuration, the preprocessor's settings, and a sample. files: by session."""
    bundle, program = composite.bundle, composite.program
    config = composite.configuration(_geometry(bundle, program), files, _search_defaults(bundle))
    for name, content in {CONFIG: config, **composite.files()}.items():
        (draft / name).write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", "utf-8")
    if (sample := composite.sample()) is not None:
        page, facts = sample
        _write_page(bundle, draft / "sample.py", page, facts)


def _version_1(bundle: Bundle, pipeline: Pipeline, program: Program, tensors: Mapping[str, TensorNames]) -> Json:
    shares, defaults = program.facts.writer == "gqa", _search_defaults(bundle)
    return to_version1(pipeline, _geometry(bundle, program), tensors, shares_buffer=shares, defaults=defaults)


def _search_defaults(bundle: Bundle) -> Json:
    return GenerationConfig.of_bundle(bundle).model_dump(include=set(_SEARCH), exclude_defaults=True)


def _geometry(bundle: Bundle, program: Program) -> DecoderGeometry:
    config, first = _checkpoint_config(bundle), program.state[0]
    states = {} if bundle.pipeline.metadata.genai else _layer_states(program)
    return DecoderGeometry(
        layers=1 + max([*(tensor.layer for tensor in program.state), *states]),
        kv_heads=first.sized(1)[-3],
        head_size=first.sized(1)[-1],
        heads=_size(config, "num_attention_heads"),
        width=_size(config, "hidden_size"),
        states=states,
    )


def _checkpoint_config(bundle: Bundle) -> Json:
    """The checkpoint's config.json; empty where the bundle has none."""
    return bundle.json_object("tokenizer/config.json") or {}


def _size(config: Json, key: str) -> int:
    """A size of the checkpoint's text model, 0 where it is absent."""
    value = value_at(config, f"text_config.{key}") or value_at(config, key)
    return value if isinstance(value, int) else 0


def write_samples(bundle: Bundle, folder: Path) -> None:
    """Writes the samples of a model of text."""
    for name, page in _PAGES.items():
        _write_page(bundle, folder / name, page, {})


def _write_page(bundle: Bundle, path: Path, page: str, facts: Mapping[str, str]) -> None:
    """Writes a sample with the bundle's names and tokens. facts: beside those of every sample."""
    known = {
        "name": _comment_safe(bundle.pipeline.metadata.name or bundle.folder.name),
        "context": str(bundle.pipeline.capacity),
        "chat": str(ChatTemplate.of_bundle(bundle) is not None),
    }
    text = (resources.files("resources") / "samples" / page).read_text("utf-8")
    path.write_text(Template(text).substitute({**known, **facts}), "utf-8")


def _comment_safe(name: str) -> str:
    """The name without characters that could end a comment or a string."""
    return "".join(letter if letter.isalnum() or letter in "-._ " else "_" for letter in name)[:80]
