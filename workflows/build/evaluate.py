"""How far a bundle is from another one, or from the checkpoint that it was made of.

    candidate bundle ─────────────────────────────────────┐
    reference: a bundle, or a SOURCE ─built as fp32─▶ one ─┴─evaluation.accuracy─▶ the report of CLI.md

What is built for the comparison lies in a temporary folder, and is gone when it ends.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from workflows.build import BuildRequest, build
from workflows.bundle import Bundle, read_bundle
from workflows.bundle.genai.metadata import is_genai
from workflows.bundle.manifest import MANIFEST
from workflows.bundle.read import PIPELINE
from workflows.checkpoint import CheckpointLocation, find_checkpoint
from workflows.common.errors import Cancelled, RequestError
from workflows.evaluation.accuracy import compare, suggest
from workflows.evaluation.accuracy.suggestions import find_products
from workflows.evaluation.accuracy.tasks import read_task
from workflows.generate.prompt_sets import QUESTIONS, choose_prompts, read_prompts
from workflows.process.sandbox import OnFetched, keep_network
from workflows.wire.events import Event, LogEvent, StageEvent
from workflows.wire.goals import TaskFile
from workflows.wire.reports.accuracy import EvalReport

STEPS = 16


@dataclass(frozen=True)
class EvalRequest:
    """What to compare: `bundle` with `against`, a bundle's folder or a source as `build` takes it.

    prompts: a text file, a prompt a line; None is the demo's own, or plain sentences. steps: new tokens a prompt at
    most. questions: of the demo's held-back ones at most, 0 for none. suggest: nodes to suggest for `quantize.exclude`
    at most, 0 for none. trust_remote_code, consented: of a source that brings code, as a build's. task: a
    person's own, asked in the place of the demo's questions.
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
    with _open_reference(request, location, candidate, report, cancelled) as reference:
        if request.suggest:
            find_products(reference, candidate)
        from_task = task is not None and task.has_files and request.prompts is None
        chosen = task.prompts if task and from_task else partial(choose_prompts, file=request.prompts)
        compared = compare(
            reference,
            candidate,
            chosen,
            steps=request.steps,
            questions=request.questions,
            task=task,
            report=report,
            cancelled=cancelled,
        )
        if request.suggest:
            suggested = suggest(reference, candidate, chosen, request.suggest, report, cancelled)
            return replace(compared, suggestions=suggested)
        return compared


def _is_bundle(path: str) -> bool:
    return any((Path(path) / name).is_file() for name in (MANIFEST, PIPELINE))


@contextmanager
def _open_reference(
    request: EvalRequest,
    location: CheckpointLocation | None,
    candidate: Bundle,
    report: Callable[[Event], None],
    cancelled: Callable[[], bool],
) -> Iterator[Bundle]:
    """The bundle to compare with, built of the checkpoint at `location` where it is no bundle yet."""
    if location is None:
        yield read_bundle(request.against)
        return
    own = {"task": candidate.pipeline.metadata.task, "capacity": candidate.pipeline.capacity}
    options = {"precision": "fp32"} | {name: value for name, value in own.items() if value}

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
