"""`joinery devices`: providers and devices, usable or why not."""

from __future__ import annotations

import typer

from workflows.cli.output import JsonFlag, write_json
from workflows.wire.reports.devices import DevicesReport


def devices(as_json: bool = JsonFlag) -> None:
    """List the execution providers, and say why one cannot be used."""
    from workflows.runtime import devices as found

    listed = found()
    if as_json:
        write_json(DevicesReport(listed))
        return
    for device in listed:
        why = "usable" if device.usable else f"not usable: {device.reason} {device.remedy}".rstrip()
        typer.echo(f"{device.name:9} {device.kind:4} {device.title}: {why}")
