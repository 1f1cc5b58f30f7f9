"""How far a bundle is from another one, or from the checkpoint that it was made of.

    candidate bundle ──────────────────────────────────────────┐
    reference: a bundle, or a SOURCE ─┬─in transformers, eager ─┼─evaluation.accuracy─▶ the report of CLI.md
                                      └─built as fp32─▶ one ────┘

Transformers gives the reference for decoders of text that fit the memory. What is built for the comparison lies in a
temporary folder, and is gone when it ends; the report says which of both it was.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from workflows.builder import BuildRequest, build
from workflows.bundle import Bundle, read_bundle
from workflows.bundle.genai.metadata import is_genai
from workflows.bundle.manifest import MANIFEST
from workflows.bundle.read import PIPELINE
from workflows.checkpoint import Checkpoint, CheckpointLocation, find_checkpoint
from workflows.checkpoint.checkpoint import read_checkpoint
from workflows.common.errors import Cancelled, CheckpointError, RecipeError, RequestError
from workflows.common.memory import free_bytes
from workflows.evaluation.accuracy import compare, suggest
from workflows.evaluation.accuracy.compare import AccuracyComparison
from workflows.evaluation.accuracy.compared_bundle import ComparedBundle
from workflows.evaluation.accuracy.suggestions import find_products
from workflows.evaluation.accuracy.tasks import FileTask, read_task
from workflows.generate import Engine
from workflows.generate.prompt_sets import QUESTIONS, PromptSet, choose_prompts, read_prompts
from workflows.process.sandbox import OnFetched, keep_network
from workflows.recipe.adapters import ADAPTER, open_adapters
from workflows.recipe.build_memory import float32_bytes
from workflows.wire.events import Event, LogEvent, ProgressEvent, StageEvent
from workflows.wire.goals import TaskFile
from workflows.wire.reports.accuracy import EvalReport

STEPS = 16
_COPIES = 1.3  # of the weights in float32 that the model in transformers takes, with what a forward pass holds


@dataclass(frozen=True)
class EvalRequest:
    """What to compare: `bundle` with `against`, a bundle's folder or a source as `build` takes it.

    prompts: a text file, a prompt a line; None is the demo's own, or plain sentences. steps: new tokens a prompt at
    most. questions: of the demo's held-back ones at most, 0 for none. suggest: nodes to suggest for `quantize.exclude`
    at most, 0 for none. trust_remote_code, consented: of a source that brings code, as a build's. task: a
    person's own, asked in the place of the demo's questions. adapters: as the option `adapter` of a build, of a source.
    """

    bundle: Path
    against: str
    prompts: Path | None = None
    steps: int = STEPS
    questions: int = QUESTIONS
    suggest: int = 0
    trust_remote_code: bool = False
    consented: frozenset[str] = frozenset()
    task: TaskFile | None = None
    adapters: tuple[Mapping[str, Any], ...] = ()


def evaluate(
    request: EvalRequest,
    report: Callable[[Event], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
    fetched: OnFetched = keep_network,
) -> EvalReport:
    """The report of `eval --json`. fetched: as in `build`. Raises RequestError, before long work, and Cancelled."""
    if request.steps < 1:
        raise RequestError(f"--steps must be at least 1, and {request.steps} was given.")
    if request.questions < 0:
        raise RequestError(f"--questions cannot be {request.questions}: give 0 for none.")
    if request.suggest < 0:
        raise RequestError(f"--suggest cannot be {request.suggest}: give 0 for none.")
    if not _is_bundle(str(request.bundle)) and not is_genai(request.bundle):
        read_bundle(request.bundle)  # raises for a folder that is no bundle, before a download
    location = None
    if not _is_bundle(request.against):
        location = find_checkpoint(request.against, report=report, cancelled=cancelled)
    fetched(location.weights_bytes if location else 0)
    if request.prompts is not None:
        read_prompts(request.prompts)
    task = read_task(request.task) if request.task else None
    candidate = read_bundle(request.bundle)
    from_task = task is not None and task.has_files and request.prompts is None
    chosen = task.prompts if task and from_task else partial(choose_prompts, file=request.prompts)
    asked = _Questions(chosen, request.steps, request.questions, task)
    if location is None:
        if request.adapters:
            raise RequestError(
                f"{request.against} is a bundle, into which no adapter can be merged: leave --adapter out."
            )
        return _compared(request, read_bundle(request.against), candidate, asked, report, cancelled)
    if request.adapters and candidate.pipeline.metadata.adapters is not None:
        raise RequestError(
            f"{request.bundle} is evaluated without its adapters, so none can be merged into the reference: leave "
            "--adapter out, or build with the adapter merged."
        )
    found = _eager_report(request, location, candidate, asked, report, cancelled)
    if isinstance(found, EvalReport):
        text = f"Reference: {request.against} in transformers, with eager attention in float32."
        return _noted(found, f"{text}{_adapter_note(request, candidate)}")
    with _own_build(request, location, candidate, report, cancelled) as reference:
        compared = _compared(request, reference, candidate, asked, report, cancelled)
    text = f"Reference: Joinery's own fp32 build of {request.against}, since {found}."
    return _noted(compared, f"{text}{_adapter_note(request, candidate)}")


@dataclass(frozen=True)
class _Questions:
    """What the two are compared on."""

    prompts: Callable[[Engine], PromptSet]
    steps: int
    questions: int
    task: FileTask | None


def _adapter_note(request: EvalRequest, candidate: Bundle) -> str:
    """What is merged into the reference, or what is merged into the candidate alone."""
    if request.adapters:
        return f" Merged into it: {', '.join(str(one.get('folder')) for one in request.adapters)}."
    recipe = json.loads(candidate.text("recipe.json") or "{}")
    merged = candidate.pipeline.metadata.adapters is None  # and not switched
    names = [str(one.get("folder")) for one in recipe.get(ADAPTER) or () if merged]
    return f" The bundle alone has {', '.join(names)} merged: --adapter DIR merges it here, too." if names else ""


def _noted(report: EvalReport, note: str) -> EvalReport:
    return replace(report, notes=[note, *report.notes])


def _compared(
    request: EvalRequest,
    reference: Bundle,
    candidate: Bundle,
    asked: _Questions,
    report: Callable[[Event], None],
    cancelled: Callable[[], bool],
) -> EvalReport:
    """Compares two bundles, and suggests what to exclude where that is requested."""
    if request.suggest:
        find_products(reference, candidate)
    compared = compare(
        reference,
        candidate,
        asked.prompts,
        steps=asked.steps,
        questions=asked.questions,
        task=asked.task,
        report=report,
        cancelled=cancelled,
    )
    if not request.suggest:
        return compared
    suggested = suggest(reference, candidate, asked.prompts, request.suggest, report, cancelled)
    return replace(compared, suggestions=suggested)


def _eager_report(
    request: EvalRequest,
    location: CheckpointLocation,
    candidate: Bundle,
    asked: _Questions,
    report: Callable[[Event], None],
    cancelled: Callable[[], bool],
) -> EvalReport | str:
    """Compares with the checkpoint in transformers; the reason, as a clause, where that cannot be the reference."""
    checkpoint = open_adapters(read_checkpoint(*location), {ADAPTER: request.adapters})
    if reason := _eager_obstacle(request, checkpoint, candidate, asked.task):
        return reason
    from workflows.evaluation.accuracy.eager_reference import EagerReference  # imports torch

    report(ProgressEvent(stage="eval", message="loading the checkpoint in transformers", done=0, total=0))
    side = ComparedBundle.open(candidate)
    try:
        reference = EagerReference.open(checkpoint, candidate.pipeline.metadata.task, side.engine)
    except (CheckpointError, RecipeError) as error:
        return str(error).rstrip(".")
    prompts = asked.prompts(side.engine)
    return AccuracyComparison(reference, side, report, cancelled).run(prompts, asked.steps, asked.questions, asked.task)


def _eager_obstacle(request: EvalRequest, checkpoint: Checkpoint, candidate: Bundle, task: FileTask | None) -> str:
    """Why the checkpoint in transformers cannot be the reference, as a clause; empty where it can."""
    needed, own = float32_bytes(checkpoint), candidate.pipeline.metadata.task
    if request.suggest:
        return "suggestions restore products of its graphs"
    if checkpoint.remote_code:
        return "the checkpoint brings code of its own"
    if own != "text-generation" or (task is not None and task.has_files):
        return "transformers is the reference for decoders of text alone"
    if _COPIES * needed > free_bytes():
        return f"it takes {needed / 1e9:.1f} GB in transformers, and {free_bytes() / 1e9:.1f} GB of memory are free"
    return ""


def _is_bundle(path: str) -> bool:
    return any((Path(path) / name).is_file() for name in (MANIFEST, PIPELINE))


@contextmanager
def _own_build(
    request: EvalRequest,
    location: CheckpointLocation,
    candidate: Bundle,
    report: Callable[[Event], None],
    cancelled: Callable[[], bool],
) -> Iterator[Bundle]:
    """An fp32 bundle of the checkpoint at `location`."""
    own = {"task": candidate.pipeline.metadata.task, "capacity": candidate.pipeline.capacity}
    options: dict[str, Any] = {"precision": "fp32"} | {name: value for name, value in own.items() if value}
    if request.adapters:
        options[ADAPTER] = list(request.adapters)

    def forward(event: Event) -> None:
        report(event)
        if isinstance(event, StageEvent) and (event.stage, event.state) == ("checkpoint", "done"):
            message = f"{request.against} is no bundle: an fp32 one is built of it, and removed afterwards."
            report(LogEvent(message=message))

    with tempfile.TemporaryDirectory(prefix="joinery-eval-") as folder:
        out = Path(folder) / "reference"
        wanted = BuildRequest(
            request.against,
            out,
            options,
            request.trust_remote_code,
            consented=request.consented,
            location=location,
            ignore_estimate=True,
        )
        try:
            build(wanted, forward, cancelled)
        except Cancelled:
            raise Cancelled("The comparison was cancelled.") from None
        yield read_bundle(out)
