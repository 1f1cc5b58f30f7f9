"""`joinery compile`: compiles a bundle's graphs for a provider."""

from __future__ import annotations

from pathlib import Path

import typer

from workflows.cli.console import Console
from workflows.cli.interrupts import interruptible
from workflows.cli.output import JsonFlag, mebibytes, parse_pairs, write_json
from workflows.cli.streams import print_line


def compile_contexts(
    bundle: Path = typer.Argument(help="A bundle's folder."),
    provider: str = typer.Option(..., "--provider", help="A name that `joinery devices` prints."),
    options: list[str] = typer.Option(
        [], "--option", "--device-option", metavar="K=V", help="An option of the provider, such as soc_model=60."
    ),
    as_json: bool = JsonFlag,
) -> None:
    """Compile a bundle's graphs for a provider, test the result, and store it beside the graphs."""
    from workflows.runtime.providers.context_compiler import compile_bundle

    console = Console(stderr=True)
    with interruptible() as cancelled, console.status("compiling", spinner="line") as status:
        report = compile_bundle(
            bundle,
            provider,
            parse_pairs("K=V", options),
            on_progress=lambda line: status.update(line),
            cancelled=cancelled,
        )
    if as_json:
        write_json(report)
        return
    if report.note:
        console.print(report.note, highlight=False)
    names = ", ".join(f"{one.name} in {one.seconds:.1f} s" for one in report.components)
    print_line(f"{bundle / report.folder}: {names}, {mebibytes(report.bytes)}")
