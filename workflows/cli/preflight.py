"""`joinery preflight`: tries a bundle on a provider: coverage and accuracy."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.table import Table

from workflows.cli.console import Console
from workflows.cli.output import JsonFlag, parse_pairs, write_json
from workflows.cli.remote_flag import runs_on_machines
from workflows.common.errors import DeviceError
from workflows.wire.reports.preflight import OutputDifference, PreflightReport

_LISTED = 12  # nodes of a component; the rest is counted


@runs_on_machines
def preflight(
    bundle: Path = typer.Argument(help="A bundle's folder."),
    provider: str = typer.Option(..., "--provider", help="A name that `joinery devices` prints."),
    options: list[str] = typer.Option([], "--device-option", metavar="K=V", help="An option of the provider."),
    as_json: bool = JsonFlag,
) -> None:
    """Try a bundle on a provider in a subprocess: its nodes, and one chunk and one step against the CPU.

    The nodes that DirectML takes are reported on machines without it, too."""
    from workflows.inspection.preflight import preflight as run_preflight

    report = run_preflight(bundle, provider, parse_pairs("K=V", options))
    if as_json:
        write_json(report)
    else:
        _show(report)
    if not report.usable:
        raise DeviceError(f"{bundle} is not to be run on {report.provider}: {report.reason}")


def _show(report: PreflightReport) -> None:
    console = Console()
    table = Table(
        "component", "nodes of the session", f"on {report.provider}", "prefill: logits, cache", "step: logits, cache"
    )
    for one in report.components:
        table.add_row(
            one.name, str(one.nodes), str(one.on_provider), _difference_text(one.prefill), _difference_text(one.step)
        )
    console.print(table)
    for one in report.components:
        for left in one.elsewhere[:_LISTED]:
            why = f": {left.reason}" if left.reason else ""
            console.print(f"{one.name}: {left.node} ({left.op}) runs on the CPU{why}", highlight=False)
        if len(one.elsewhere) > _LISTED:
            console.print(f"{one.name}: and {len(one.elsewhere) - _LISTED} more", highlight=False)


def _difference_text(difference: OutputDifference | None) -> str:
    if difference is None:
        return "–"
    gaps = difference.logits_max_abs_diff, difference.kv_max_abs_diff
    return ", ".join("–" if gap is None else f"{gap:.2g}" for gap in gaps)
