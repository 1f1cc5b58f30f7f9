"""The build: a source and options in, a bundle out; resumable and atomic.

    checkpoint ─▶ export ─▶ optimize ─▶ quantize ─▶ bundle

A stage's key is the hash of what it depends on; its folder, beside the target, is renamed into place when it is
whole, so a build that was killed goes on after its last whole stage. The target itself appears by one rename.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workflows import __version__
from workflows.bundle.read import read_bundle
from workflows.bundle.schema import (
    ChunkedPrefill,
    Component,
    CrossState,
    Edge,
    Flow,
    FlowStage,
    Generation,
    KVState,
    Metadata,
    Pipeline,
    Runtime,
    Session,
    SessionOptions,
    SlidingWindow,
    State,
    Tokens,
)
from workflows.bundle.write import check_target, locked, publish
from workflows.checkpoint import Checkpoint, open_checkpoint
from workflows.errors import Cancelled, CheckpointError
from workflows.events import BuildDone, Event, StageEvent
from workflows.memory import peak_bytes
from workflows.recipe import Recipe, choose, family_for

STAGES = ("checkpoint", "export", "optimize", "quantize", "bundle")
EVIDENCE = "evidence.json"
_TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "chat_template.jinja",
    "generation_config.json",
    "config.json",
    "preprocessor_config.json",
)

Report = Callable[[Event], None]


@dataclass(frozen=True)
class BuildRequest:
    """What to build and where. `options` are Recipe's fields that a person chose.

    Code that the checkpoint brings runs where all of it is trusted, or where the SHA-256 of each file was consented to.
    """

    source: str
    out: Path
    options: Mapping[str, Any]
    trust_remote_code: bool = False
    force: bool = False
    consented: frozenset[str] = frozenset()


def build(
    request: BuildRequest, report: Report = lambda _: None, cancelled: Callable[[], bool] = lambda: False
) -> BuildDone:
    """Builds the bundle `request.out` and tells `report` of every stage.

    Raises RequestError (and its kinds) for wrong input, before anything is written, and Cancelled on request;
    in every such case the target is as it was before.
    """
    began = time.monotonic()
    check_target(request.out, request.force)
    out = request.out.resolve()  # "." has no name to put a folder beside
    with _timed(report, "checkpoint"):
        checkpoint = open_checkpoint(request.source, report=report, cancelled=cancelled)
        checkpoint.require_consent(request.trust_remote_code, request.consented)
        recipe = choose(checkpoint, request.options)
        digest = checkpoint.compute_digest(report, cancelled)
    with locked(out):
        check_target(out, request.force)  # another build may have ended since
        work = _Work(out.with_name(f".{out.name}.build"), report, cancelled)
        try:
            stages = _make_stages(work, checkpoint, recipe, digest)
            work.check()
            with _timed(report, "bundle"):
                _bundle(out, work.folder, checkpoint, recipe, stages)
        finally:
            work.leave()
        shutil.rmtree(work.folder, ignore_errors=True)
    bundle = read_bundle(out)
    return BuildDone(
        bundle=str(request.out),
        seconds=round(time.monotonic() - began, 3),
        bytes=bundle.manifest.bytes,
        components=list(bundle.pipeline.pipeline.sessions),
    )


def _make_stages(work: _Work, checkpoint: Checkpoint, recipe: Recipe, digest: str) -> list[Path]:
    """The folders of the stages before the bundle, in their order."""
    shaping = recipe.model_dump(exclude={"source", "target", "precision", "passes"})
    key = _key(digest, __version__, shaping)
    exported = work.stage("export", key, lambda folder: _export(checkpoint, recipe, folder, work.report))
    key = _key(key, recipe.passes)
    optimized = work.stage("optimize", key, lambda folder: _optimize(exported, recipe, folder))
    work.report(StageEvent(stage="quantize", state="skipped", note="fp32 keeps every weight as it is"))
    return [exported, optimized]


# -- stages and their evidence ---------------------------------------------------------------------------------


class _Work:
    """The folder beside the target where whole stages wait for the next one."""

    def __init__(self, folder: Path, report: Report, cancelled: Callable[[], bool]) -> None:
        self.folder, self._report, self._cancelled = folder, report, cancelled

    def report(self, event: Event) -> None:
        """Passes the event on, and raises Cancelled where the person said stop."""
        self.check()
        self._report(event)

    def check(self) -> None:
        """Raises Cancelled where the person said stop."""
        if self._cancelled():
            raise Cancelled("The build was cancelled; the stages that are done are kept for the next try.")

    def stage(self, name: str, key: str, make: Callable[[Path], list[dict[str, Any]]]) -> Path:
        """The folder of the stage, made by `make(folder) -> evidence` unless an earlier build left it whole."""
        self.check()
        done = self.folder / f"{name}-{key[:16]}"
        if done.is_dir():
            self._report(StageEvent(stage=name, state="reused", note="an earlier build had finished it"))
            return done
        draft = self.folder / f"{name}.draft"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        with _timed(self._report, name) as spent:
            evidence = make(draft)
        for entry in evidence:
            entry |= spent
        (draft / EVIDENCE).write_text(json.dumps(evidence, indent=1), "utf-8")
        draft.rename(done)
        return done

    def leave(self) -> None:
        """Removes drafts, and the folder itself where no stage is whole."""
        if not self.folder.is_dir():
            return
        for draft in self.folder.glob("*.draft"):
            shutil.rmtree(draft, ignore_errors=True)
        if not any(self.folder.iterdir()):
            self.folder.rmdir()


@contextmanager
def _timed(report: Report, stage: str) -> Iterator[dict[str, Any]]:
    """Tells that a stage began and how it ended; the dict it gives is filled with `seconds` and `peak_mib`."""
    spent: dict[str, Any] = {}
    began = time.monotonic()
    report(StageEvent(stage=stage, state="started"))
    try:
        yield spent
    except BaseException as error:
        spent |= _spent(began)
        report(StageEvent(stage=stage, state="failed", note=str(error) or type(error).__name__, **spent))
        raise
    spent |= _spent(began)
    report(StageEvent(stage=stage, state="done", **spent))


def _spent(began: float) -> dict[str, float]:
    return {"seconds": round(time.monotonic() - began, 3), "peak_mib": round(peak_bytes() / 2**20, 1)}


def _export(checkpoint: Checkpoint, recipe: Recipe, folder: Path, report: Report) -> list[dict[str, Any]]:
    from workflows.export import export_components  # torch and transformers: seconds to import

    exported = export_components(checkpoint, recipe, folder, report)
    return [
        {"name": "export", "component": item.name, "role": item.role, "file": item.file, "passes": []}
        | _facts(folder / item.file)
        for item in exported
    ]


def _optimize(exported: Path, recipe: Recipe, folder: Path) -> list[dict[str, Any]]:
    import onnx_ir as ir

    from workflows.optimize import PASSES, run_passes, save_graphs

    evidence, models = [], {}
    for component in _evidence(exported):
        model = models[component["file"]] = ir.load(exported / component["file"])
        reports = run_passes(model, [PASSES[name] for name, on in recipe.passes.items() if on])
        evidence.append({**component, "name": "optimize", "passes": [r.to_dict() for r in reports]})
    save_graphs(models, exported, folder)
    return [component | _facts(folder / component["file"]) for component in evidence]


def _facts(graph: Path) -> dict[str, Any]:
    """Node counts and bytes of one graph; the weights count where its file refers to them."""
    import onnx_ir as ir

    model = ir.load(graph)
    weights = sum(value.const_value.nbytes for value in model.graph.initializers.values() if value.const_value)
    return {
        "inputs": [str(value.name) for value in model.graph.inputs],
        "outputs": [str(value.name) for value in model.graph.outputs],
        "nodes": model.graph.num_nodes(),
        "op_counts": dict(Counter(_operator(node) for node in model.graph).most_common()),
        "opset": {domain or "ai.onnx": version for domain, version in model.opset_imports.items()},
        "bytes": weights,
    }


def _operator(node: Any) -> str:
    return f"{node.domain}.{node.op_type}" if node.domain else str(node.op_type)


def _evidence(stage: Path) -> list[dict[str, Any]]:
    evidence: list[dict[str, Any]] = json.loads((stage / EVIDENCE).read_text("utf-8"))
    return evidence


# -- the bundle ------------------------------------------------------------------------------------------------


def _bundle(out: Path, work: Path, checkpoint: Checkpoint, recipe: Recipe, stages: list[Path]) -> None:
    from workflows.optimize.store import link_or_copy

    last = stages[-1]
    draft = work / "bundle.draft"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    components = _evidence(last)
    for name in [*(component["file"] for component in components), *(path.name for path in last.glob("*.data"))]:
        link_or_copy(last / name, draft / name)
    (draft / "tokenizer").mkdir()
    for name in _TOKENIZER_FILES:
        if (checkpoint.folder / name).is_file():
            shutil.copyfile(checkpoint.folder / name, draft / "tokenizer" / name)
    portable = recipe.model_copy(update={"source": _portable_source(checkpoint)})
    (draft / "recipe.json").write_text(portable.model_dump_json(indent=2) + "\n", "utf-8")
    (draft / EVIDENCE).write_text(json.dumps([e for s in stages for e in _evidence(s)], indent=1) + "\n", "utf-8")
    (draft / "pipeline.json").write_text(_pipeline(checkpoint, recipe, components).to_json(), "utf-8")
    publish(draft, out)


def _pipeline(checkpoint: Checkpoint, recipe: Recipe, components: list[dict[str, Any]]) -> Pipeline:
    family = family_for(recipe.model_type, recipe.task)
    if not family.cached:
        return _single_pipeline(checkpoint, recipe, components)
    runtime = Runtime(
        chunked_prefill=ChunkedPrefill(max_batched_tokens=recipe.chunk),
        sliding_window=SlidingWindow(size=recipe.capacity) if recipe.cache == "window" else None,
    )
    options = SessionOptions(runtime=runtime)
    geometry = family.geometry(checkpoint.config)
    return Pipeline(
        pipeline=Flow(
            sessions={c["component"]: Session(file=c["file"], session_options=options) for c in components},
            flow=_flow(components),
            dataflow=_edges(components),
            state=State(kv_cache=KVState(), cross_cache=_cross_source(components)),
        ),
        tokens=Tokens(
            eos=list(checkpoint.eos_token_ids), pad=checkpoint.pad_token_id, bos=checkpoint.bos_token_id,
            decoder_start=_decoder_start(checkpoint) if _cross_source(components) else None,
        ),
        generation=Generation(max_length=recipe.capacity),
        metadata=_metadata(
            checkpoint,
            recipe,
            components,
            layout=recipe.cache,
            chunk=recipe.chunk,
            vocabulary=geometry.vocabulary,
            source_limit=recipe.source_length or (geometry.max_positions if family.source_limited else None),
        ),
    )


def _single_pipeline(checkpoint: Checkpoint, recipe: Recipe, components: list[dict[str, Any]]) -> Pipeline:
    """One graph that runs once on its inputs, and keeps nothing."""
    return Pipeline(
        pipeline=Flow(
            sessions={c["component"]: Session(file=c["file"]) for c in components},
            flow=[FlowStage(run=c["component"], when="init") for c in components],
        ),
        metadata=_metadata(checkpoint, recipe, components, layout=""),
    )


def _metadata(
    checkpoint: Checkpoint, recipe: Recipe, components: list[dict[str, Any]], **of_the_cache: Any
) -> Metadata:
    return Metadata(
        model_type=recipe.model_type,
        name=_display_name(checkpoint),
        architecture=next(iter(checkpoint.architectures), ""),
        task=recipe.task,
        family=recipe.family,
        precision=recipe.precision,
        built_at=datetime.now(UTC).isoformat(timespec="seconds"),
        components=[Component(name=c["component"], role=c["role"]) for c in components],
        **of_the_cache,
    )


def _cross_source(components: list[dict[str, Any]]) -> CrossState | None:
    encoder = next((c["component"] for c in components if c["role"] == "encoder"), None)
    return CrossState(source=encoder) if encoder else None


def _flow(components: list[dict[str, Any]]) -> list[FlowStage]:
    """The encoder and prefill at init, the others at each step; what has no phase of its own runs in both."""
    prefills = any(c["role"] == "prefill" for c in components)
    of_init = ("encoder", "prefill", "embeddings", "head") if prefills else ("encoder",)
    init = [FlowStage(run=c["component"], when="init") for c in components if c["role"] in of_init]
    step = [FlowStage(run=c["component"]) for c in components if c["role"] not in ("encoder", "prefill")]
    return init + step


def _edges(components: list[dict[str, Any]]) -> list[Edge]:
    """From each output to the inputs of the same name of the components after it."""
    return [
        Edge(source=f"{giver['component']}.{name}", target=f"{taker['component']}.{name}")
        for i, giver in enumerate(components)
        for taker in components[i + 1 :]
        for name in giver["outputs"]
        if name in taker["inputs"]
    ]


def _decoder_start(checkpoint: Checkpoint) -> int:
    """The token that a decoder begins with. Raises CheckpointError where none is named."""
    for source in (checkpoint.generation_config, checkpoint.config):
        token = source.get("decoder_start_token_id")
        if isinstance(token, int):
            return token
    raise CheckpointError(
        f"{checkpoint.source} names no decoder_start_token_id in generation_config.json or config.json, so its decoder "
        "cannot begin: add it."
    )


def _display_name(checkpoint: Checkpoint) -> str:
    if checkpoint.kind == "demo":
        return checkpoint.source.removeprefix("demo:") + "-demo"
    return _portable_source(checkpoint).rsplit("/", 1)[-1]


def _portable_source(checkpoint: Checkpoint) -> str:
    """The source without a path of this machine: a bundle is given away."""
    return checkpoint.folder.name if checkpoint.kind == "folder" else checkpoint.source


def _key(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()
