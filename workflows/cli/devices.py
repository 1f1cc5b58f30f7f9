"""`joinery devices`: providers and devices, usable or why not."""

from __future__ import annotations

import dataclasses

import typer

from workflows.cli.output import JsonFlag, write_json


def devices(as_json: bool = JsonFlag) -> None:
    """List the execution providers, and say why one cannot be used."""
    from workflows.runtime import devices as found

    if as_json:
        write_json({"devices": [dataclasses.asdict(device) for device in found()]})
        return
    for device in found():
        why = "usable" if device.usable else f"not usable: {device.reason} {device.remedy}".rstrip()
        typer.echo(f"{device.name:9} {device.kind:4} {device.title}: {why}")
