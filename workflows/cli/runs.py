"""`joinery runs`: the history of what was done on this machine; `joinery report`: a bundle's part of it as a file."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.table import Table

from workflows.cli.console import Console
from workflows.cli.output import JsonFlag, write_json
from workflows.cli.streams import print_line
from workflows.common.errors import RequestError, printable
from workflows.wire.codec import to_fields
from workflows.wire.reports.runs import Figure, RunRecord, RunReport, WrittenReport

if TYPE_CHECKING:
    from workflows.measure.history import RunHistory

KINDS = ("build", "generate", "bench", "eval")
FIGURE_LABELS = {  # figure → its text in the list
    "decode_tokens_per_s": "{} tok/s",
    "roofline_share": "{} of the roofline",
    "speedup": "{} × beside plain",
    "accept_rate": "accept rate {}",
    "tokens_per_step": "{} tokens per step",
    "ttft_ms": "TTFT {} ms",
    "p95_ms": "p95 {} ms",
    "runs_per_s": "{} runs/s",
    "top1_agreement": "top-1 {}",
    "kl_mean": "KL {}",
    "seconds": "{} s",
    "bytes": "{} bytes",
}
Ids = typer.Argument(help="The beginning of a run's id, as `joinery runs list` shows it.")

runs = typer.Typer(help="What was built, generated, measured and evaluated here.", no_args_is_help=False)


@runs.callback(invoke_without_command=True)
def overview(context: typer.Context) -> None:
    """The history of builds, generations and measurements; lists runs without a subcommand."""
    if context.invoked_subcommand is None:
        show_list(None, None, 20, False)


@runs.command("list")
def show_list(
    kind: str | None = typer.Option(None, "--kind", help=f"{', '.join(KINDS)} alone."),
    bundle: str | None = typer.Option(None, "--bundle", help="A part of the bundle's folder or name."),
    last: int | None = typer.Option(None, "--last", help="So many of the newest (default: 20, with --json all)."),
    as_json: bool = JsonFlag,
) -> None:
    """List runs, the newest first."""
    if kind is not None and kind not in KINDS:
        raise RequestError(f"There are no runs of the kind {kind!r}: there are {', '.join(KINDS)}.")
    if last is not None and last < 1:
        raise RequestError(f"--last must be at least 1, and {last} was given.")
    selected = open_history().runs(kind, bundle, last or (None if as_json else 20))
    if as_json:
        for one in selected:
            write_json(one)
        return
    Console().print(_runs_table(selected) if selected else "The history is empty: build or generate something first.")


@runs.command()
def show(ident: str = Ids, as_json: bool = JsonFlag) -> None:
    """Show one run with all its figures, and its steps with --json."""
    history = open_history()
    run = history.find(ident)
    if as_json:
        write_json(RunReport(run, history.steps(run.id)))
        return
    Console().print(_comparison_table([run]))


@runs.command()
def compare(idents: list[str] = Ids, as_json: bool = JsonFlag) -> None:
    """Show several runs side by side."""
    history = open_history()
    selected = [history.find(one) for one in idents]
    if as_json:
        write_json({"runs": [to_fields(one) for one in selected]})
        return
    Console().print(_comparison_table(selected))


@runs.command()
def export(
    idents: list[str] = Ids,
    out: Path = typer.Option(..., "--out", help="An .html or .md report, .json, or .csv with a step a line."),
) -> None:
    """Write runs to a file: as a report, or as data."""
    from workflows.inspection.report.report_files import write_runs

    print_written(write_runs(open_history(), idents, out))


@runs.command()
def prune(
    keep: int | None = typer.Option(None, "--keep", help="Keep so many of the newest."),
    days: float | None = typer.Option(None, "--older-than", metavar="DAYS", help="Remove what is older."),
) -> None:
    """Remove old runs."""
    if keep is None and days is None:
        raise RequestError("Say what to remove: --keep N keeps the newest, --older-than DAYS removes what is older.")
    if (keep or 0) < 0 or (days or 0) < 0:
        raise RequestError("--keep and --older-than take no negative numbers.")
    before = None if days is None else datetime.now(UTC) - timedelta(days=days)
    print_line(f"{open_history().prune(keep, before)} runs removed")


def print_written(written: WrittenReport) -> None:
    print_line("\n".join(written.files))


def open_history() -> RunHistory:
    """The user's history; its problems are printed on stderr."""
    from workflows.measure.history import RunHistory
    from workflows.measure.recording import to_stderr

    return RunHistory(on_problem=to_stderr)


def _runs_table(selected: Sequence[RunRecord]) -> Table:
    from workflows.measure.run_measures import drafts_of

    table = Table()
    for name in ("id", "kind", "time"):
        table.add_column(name, no_wrap=True)
    for name in ("bundle", "made as", "figures"):
        table.add_column(name, overflow="fold")
    for run in selected:
        when = datetime.fromisoformat(run.time).astimezone().strftime("%m-%d %H:%M")
        known = {name: run.figures.get(name) for name in FIGURE_LABELS}
        figures = ", ".join(
            FIGURE_LABELS[name].format(_cell(value)) for name, value in known.items() if value is not None
        )
        made = " ".join(filter(None, (run.precision, run.layout, run.provider, drafts_of(run))))
        table.add_row(printable(run.id), run.kind, when, Path(run.bundle).name, made, figures)
    return table


def _comparison_table(selected: Sequence[RunRecord]) -> Table:
    table = Table("", *(printable(run.id) for run in selected))
    for name in ("kind", "time", "bundle", "name", "digest", "precision", "layout", "provider", "version", "machine"):
        table.add_row(name, *(str(getattr(run, name)) for run in selected))
    for name in dict.fromkeys(name for run in selected for name in run.figures):
        table.add_row(printable(name), *(_cell(run.figures.get(name)) for run in selected))
    return table


def _cell(value: Figure) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else value


def report(
    bundle: Path = typer.Argument(help="A bundle's folder."),
    out: Path = typer.Option(..., "--out", help="An .html file, which stands alone, or .md, with its pictures."),
) -> None:
    """Write a report on a bundle: recipe, stages, passes, accuracy, speed and where it ran."""
    from workflows.inspection.report.report_files import write_bundle

    print_written(write_bundle(open_history(), bundle, out))
