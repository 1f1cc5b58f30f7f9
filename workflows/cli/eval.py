"""`joinery eval`: compares a bundle with another one or a checkpoint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.table import Table

from workflows.cli.console import Console
from workflows.cli.flags import with_flags
from workflows.cli.output import JsonFlag, write_json
from workflows.cli.progress import progress_display
from workflows.cli.remote_flag import runs_on_machines
from workflows.cli.run_flags import TaskFlags
from workflows.cli.streams import print_line
from workflows.common.errors import RequestError
from workflows.process.sandbox import OnFetched
from workflows.recipe.adapters import parse_adapter
from workflows.wire.codec import to_fields
from workflows.wire.reports.accuracy import EvalReport, GreedyAnswer, LayerCosines, Suggestions

if TYPE_CHECKING:
    from workflows.builder.evaluate import EvalRequest


@runs_on_machines
@with_flags
def evaluate(
    context: typer.Context,
    bundle: Path = typer.Argument(help="The folder of the bundle to evaluate."),
    against: str | None = typer.Option(
        None, "--against", metavar="SOURCE_OR_BUNDLE", help="The reference: a bundle or a source."
    ),
    lm_eval: str | None = typer.Option(
        None,
        "--lm-eval",
        metavar="TASK[,TASK]",
        help="Instead of a reference: tasks of lm-eval, or YAML files of them.",
    ),
    limit: int | None = typer.Option(None, "--limit", metavar="N", help="Samples of each of these tasks at most."),
    adapters: list[str] = typer.Option(
        [], "--adapter", metavar="DIR[=SCALE]", help="Merge this adapter of peft into the reference, a checkpoint."
    ),
    prompts: Path | None = typer.Option(None, "--prompts", help="A text file, a prompt a line."),
    steps: int = typer.Option(16, "--steps", help="New tokens a prompt at most."),
    questions: int = typer.Option(200, "--questions", help="Of a demo's held-back questions at most; 0 asks none."),
    suggest: int = typer.Option(
        0, "--suggest", metavar="N", help="Rank N quantized nodes by what excluding them gains."
    ),
    task_file: Path | None = typer.Option(
        None, "--task", "--task-file", help="Your own questions and answers: JSON lines or parquet."
    ),
    task_flags: TaskFlags = TaskFlags(),
    trust_remote_code: bool = typer.Option(False, "--trust-remote-code", help="Let the source's own code run."),
    as_json: bool = JsonFlag,
) -> None:
    """Compare BUNDLE with another bundle, or with a checkpoint: logits, hidden states, cache, tokens, answers.

    With --lm-eval it is asked tasks of EleutherAI's lm-eval instead, which fetches their data from the hub.
    """
    if lm_eval is not None and against is None:
        _score_tasks(bundle, [one.strip() for one in lm_eval.split(",") if one.strip()], limit, as_json, context.obj)
        return
    if against is None or lm_eval is not None:
        raise RequestError("An evaluation takes either --against, with a reference, or --lm-eval, with tasks.")
    if limit is not None:
        raise RequestError("--limit is of the tasks of --lm-eval: leave it out.")
    from workflows.builder.evaluate import EvalRequest

    task = task_flags.task(task_file)
    merged = tuple(map(parse_adapter, adapters))
    request = EvalRequest(
        bundle, against, prompts, steps, questions, suggest, trust_remote_code, task=task, adapters=merged
    )
    _compare(request, as_json, context.obj)


def _compare(request: EvalRequest, as_json: bool, fetched: OnFetched) -> None:
    from workflows.builder.evaluate import evaluate as run
    from workflows.measure.recording import record_eval, to_stderr

    with progress_display() as (report_event, cancelled):
        report = run(request, report_event, cancelled, fetched)
    record_eval(request.bundle, request.against, report, to_stderr)
    if as_json:
        greedy = [{name: getattr(row, name) for name in ("prompt", "tokens_equal", "tokens")} for row in report.greedy]
        write_json(to_fields(report) | {"greedy": greedy})
        return
    console = Console()
    for table in (_figures(report), _layers(report.layers), _greedy(report.greedy)):
        console.print(table)
    if report.suggestions:
        console.print(_suggested(report.suggestions))
        print_line(f"Build with: --set 'quantize.exclude={json.dumps(report.excluded)}'")
    for note in report.notes:
        console.print(note, highlight=False)


def _score_tasks(bundle: Path, tasks: list[str], limit: int | None, as_json: bool, fetched: OnFetched) -> None:
    from workflows.evaluation.harness_tasks import run_tasks
    from workflows.measure.recording import record_tasks, to_stderr

    with progress_display() as (report_event, cancelled):
        report = run_tasks(bundle, tasks, limit, report_event, cancelled, fetched)
    record_tasks(bundle, report, to_stderr)
    if as_json:
        write_json(report)
        return
    table = Table(title=f"lm-eval {report.version}: {report.samples:,} samples")
    for name in ("task", "metric"):
        table.add_column(name)
    for name in ("value", "standard error"):
        table.add_column(name, justify="right")
    for one in report.scores:
        table.add_row(one.task, one.metric, _number(one.value), _number(one.stderr))
    Console().print(table)


def _figures(report: EvalReport) -> Table:
    table = Table(title=f"{report.positions:,} positions", show_header=False)
    same = sum(row.tokens_equal == row.tokens for row in report.greedy)
    rows = {
        "top-1 agreement": _percent(report.top1_agreement),
        "top-5 overlap": _percent(report.top5_overlap),
        "KL divergence, mean": _number(report.kl_mean, "nats"),
        "KL divergence, largest": _number(report.kl_max, "nats"),
        "logits, largest difference": _number(report.logit_max_abs_diff),
        "hidden states, cosine": _number(report.hidden_cosine),
        "keys and values, cosine": _number(report.kv_cosine),
        "perplexity of the prompts, reference": _number(report.perplexity.reference),
        "perplexity of the prompts, candidate": _number(report.perplexity.candidate),
        "perplexity of the reference's answers, reference": _number(report.answer_perplexity.reference),
        "perplexity of the reference's answers, candidate": _number(report.answer_perplexity.candidate),
        "prompts answered with the same tokens": f"{same} of {len(report.greedy)}",
    }
    if report.task:
        rows[f"{report.task.rows} {report.task.metric}, reference"] = _percent(report.task.reference_score)
        rows["the same, candidate"] = _percent(report.task.score)
    for name, cell in rows.items():
        table.add_row(name, cell)
    return table


def _layers(layers: list[LayerCosines]) -> Table:
    table = Table(title="where it was lost: cosines by layer")
    for name in ("layer", "hidden", "key", "value"):
        table.add_column(name, justify="right")
    for row in layers:
        cosines = (row.hidden_cosine, row.key_cosine, row.value_cosine)
        table.add_row(f"{row.part} {row.layer}", *map(_number, cosines))
    return table


def _greedy(greedy: list[GreedyAnswer]) -> Table:
    """The prompts whose tokens differ, or a line that none does."""
    table = Table(title="prompts whose tokens differ")
    table.add_column("prompt")
    table.add_column("equal tokens at the start", justify="right")
    differing = [row for row in greedy if row.tokens_equal < row.tokens]
    for row in differing:
        table.add_row(row.prompt.replace("[", "\\["), f"{row.tokens_equal} of {row.tokens}")
    if not differing:
        table.add_row("none", "")
    return table


def _suggested(report: Suggestions) -> Table:
    before, after = report.before, report.after
    table = Table(title=f"of {report.products:,} quantized products, these hurt most ({report.positions:,} positions)")
    table.add_column("left out")
    table.add_column("KL divergence, mean", justify="right")
    table.add_column("top-1 agreement", justify="right")
    table.add_row("none", _number(before.kl_mean, "nats"), _percent(before.top1_agreement))
    for row in report.exclude:
        table.add_row(row.node, _number(row.kl_mean, "nats"), "")
    table.add_row("all of these", _number(after.kl_mean, "nats"), _percent(after.top1_agreement))
    return table


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.2%}"


def _number(value: float | None, unit: str = "") -> str:
    return "–" if value is None else f"{value:.6g} {unit}".strip()
