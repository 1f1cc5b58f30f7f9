"""`joinery build`: builds a bundle from a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from workflows.builder import BuildRequest
from workflows.builder import build as run_build
from workflows.cli.flags import with_flags
from workflows.cli.output import JsonFlag
from workflows.cli.progress import print_done, progress_display
from workflows.cli.run_flags import TaskFlags
from workflows.common.errors import RecipeError
from workflows.recipe.adapters import parse_adapter
from workflows.recipe.schema import PRESETS
from workflows.recipe.settings import parse_settings, read_recipe_file
from workflows.wire.events import StageEvent
from workflows.wire.goals import Goal, TaskFile, parse_goal
from workflows.wire.stage_times import stage_times

GOAL_HELP = (
    "Search the smallest mix of precisions with this accuracy: top1 (share, at least), kl (nats, at most), perplexity "
    "(ratio to the source's, at most) or task (share of its score, at least, with --task-file): top1=0.99."
)
_ADAPTER_HELP = "Merge this adapter of peft; with --set adapters=runtime, hold it beside the weights."


@with_flags
def build(
    context: typer.Context,
    source: str = typer.Argument(help="A checkpoint folder, demo:NAME, or a hub id."),
    out: Path = typer.Option(..., "--out", help="The bundle's folder; it appears when the build is complete."),
    adapters: list[str] = typer.Option([], "--adapter", metavar="DIR[=SCALE]", help=_ADAPTER_HELP),
    task: str | None = typer.Option(None, "--task", help="The model's task, if the checkpoint leaves it open."),
    recipe: Path | None = typer.Option(None, "--recipe", help="A recipe file to start from."),
    settings: list[str] = typer.Option([], "--set", metavar="KEY=VALUE", help="Change one setting of the recipe."),
    precision: str | None = typer.Option(None, "--precision", help="fp32, fp16, bf16, int8, int4, int8-dynamic, w8a16"),
    preset: str | None = typer.Option(
        None, "--preset", help="compact, balanced (int4 as it is) or accurate (int8): size against accuracy."
    ),
    goal: str | None = typer.Option(None, "--goal", metavar="METRIC=VALUE", help=GOAL_HELP),
    prompts: Path | None = typer.Option(
        None, "--prompts", help="The prompts that the goal is measured on, as in `eval`."
    ),
    task_file: Path | None = typer.Option(None, "--task-file", help="Questions and answers: JSON lines or parquet."),
    task_flags: TaskFlags = TaskFlags(),
    cache: str | None = typer.Option(None, "--cache", help="static, window, gqa or scatter."),
    capacity: int | None = typer.Option(None, "--capacity", help="Cache slots (default: 4096 or the model's limit)."),
    chunk: int | None = typer.Option(None, "--chunk", help="Prompt tokens that one prefill run takes."),
    check: str | None = typer.Option(None, "--check", help="full or quick: in how many ways the result is compared."),
    for_processor: str | None = typer.Option(
        None,
        "--for-processor",
        metavar="NAME",
        help="Take compact's format, and the chunk, that are fastest there; see tune.",
    ),
    trust_remote_code: bool = typer.Option(False, "--trust-remote-code", help="Let the checkpoint's own code run."),
    no_tokenizer: bool = typer.Option(False, "--no-tokenizer", help="Take token ids alone, without a tokenizer."),
    force: bool = typer.Option(False, "--force", help="Replace a bundle that is there already."),
    ignore_estimate: bool = typer.Option(
        False, "--ignore-estimate", help="Begin although memory or disk will not suffice."
    ),
    no_measure: bool = typer.Option(
        False, "--no-measure", help="Do not measure what quantizing costs, a tenth of the time."
    ),
    as_json: bool = JsonFlag,
) -> None:
    """Build a bundle from SOURCE."""
    from workflows.measure.recording import collect_stages, record_build, to_stderr

    named = {"task": task, "preset": preset, "precision": precision, "cache": cache, "check": check}
    options = _options_of_file(recipe, preset, precision)
    options |= _chosen(settings, **named, capacity=capacity, chunk=chunk)
    options |= {"tokenizer": False} if no_tokenizer else {}
    options |= {"adapter": list(map(parse_adapter, adapters))} if adapters else {}
    if for_processor is not None and "int4" not in (options.get("precision"), PRESETS.get(options.get("preset", ""))):
        raise RecipeError("--for-processor chooses among int4 formats: give --precision int4 too.")
    goal_request = _goal(goal, preset or precision, prompts, task_flags.task(task_file))
    request = BuildRequest(
        source, out, options, trust_remote_code, force, goal=goal_request,
        ignore_estimate=ignore_estimate, processor=for_processor or "", measures=not no_measure,
    )  # fmt: skip
    stages: dict[str, StageEvent] = {}
    with progress_display(as_json, log_to_stdout=True) as (report, cancelled):
        done = run_build(request, collect_stages(report, stages), cancelled, context.obj)
    record_build(done, stages, to_stderr)
    print_done(done, as_json, f"built in {done.seconds:.1f} s{_times(done.seconds, stages)}")


def _options_of_file(recipe: Path | None, preset: str | None, precision: str | None) -> dict[str, Any]:
    """The recipe file's settings, without those that a preset or a precision on the command line decides."""
    options = read_recipe_file(recipe) if recipe else {}
    replaced = {"preset", "precision", "quantize"} if preset else {"preset"} if precision else set()
    return {key: value for key, value in options.items() if key not in replaced}


def _chosen(settings: list[str], **named: str | int | None) -> dict[str, Any]:
    """The options of --set, and those that have a flag of their own, which count for more."""
    return {**parse_settings(settings), **{key: value for key, value in named.items() if value is not None}}


def _times(whole: float, stages: Mapping[str, StageEvent]) -> str:
    """The time of each stage that ran: ` (checkpoint 0.2 s, export 8.1 s with 3.0 s of loading PyTorch, …)`."""
    seconds = {name: event.seconds for name, event in stages.items() if event.state == "done"}
    texts: list[str] = []
    for one in stage_times(seconds, whole):
        if one.inner:
            texts[-1] += f" with {one.seconds:.1f} s of {one.title}"
        else:
            texts.append(f"{one.title} {one.seconds:.1f} s")
    return f" ({', '.join(texts)})" if texts else ""


def _goal(goal: str | None, precision: str | None, prompts: Path | None, task: TaskFile | None) -> Goal | None:
    """The goal. Raises RecipeError for a goal with a precision, and for a goal's options without one."""
    if goal is None:
        if prompts is not None or task is not None:
            raise RecipeError("--prompts and --task-file are options of a goal: give --goal too.")
        return None
    if precision is not None:
        raise RecipeError("--goal finds the precision of every node: leave --precision out.")
    return parse_goal(goal, task, str(prompts or ""))
