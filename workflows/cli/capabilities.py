"""`joinery devices --models`: what this machine can do, and which well-known models fit it."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table

from workflows.cli.console import Console
from workflows.cli.output import write_json
from workflows.cli.streams import print_line
from workflows.inspection.capabilities import describe_capabilities
from workflows.runtime.loading.memory_plan import gigabytes
from workflows.wire.reports.capabilities import CapabilitiesReport, PresetFit


def show_capabilities(as_json: bool) -> None:
    """Prints them. Raises RequestError for tunings that cannot be read."""
    report = describe_capabilities(Path.cwd())
    if as_json:
        write_json(report)
    else:
        _print_models(report)


def _print_models(report: CapabilitiesReport) -> None:
    memory = f"{gigabytes(report.memory_bytes)} of memory, {gigabytes(report.free_memory_bytes)} free"
    print_line(f"{report.processor}, {report.cores} cores, {' '.join(report.instructions)}; {memory}")
    presets = [f"{one.preset}\n{one.precision}" for one in report.models[0].presets]
    table = Table("model\nparameters", "download\nto build", *presets)
    for model in report.models:
        name = f"{model.name.rpartition('/')[2]}\n{model.parameters / 1e9:.1f} B"
        needs = f"{gigabytes(model.download_bytes)}\n{gigabytes(model.build_memory_bytes)}"
        table.add_row(name, needs, *(_fit_text(one) for one in model.presets))
    Console().print(table)
    print_line(
        "To download: the weights as published. To build: the memory that it takes. Each preset: the bytes of the "
        "weights, and the tokens of context that fit the free memory beside them, in brackets all memory."
    )


def _fit_text(fit: PresetFit) -> str:
    alone = f" ({fit.most_tokens:,})" if fit.could_fit else ""
    return f"{gigabytes(fit.bytes)}\n{f'{fit.tokens:,}' if fit.fits else f'does not fit{alone}'}"
