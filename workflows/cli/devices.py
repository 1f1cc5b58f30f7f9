"""`joinery devices`: providers and devices, usable or why not; `--install` brings a plugin."""

from __future__ import annotations

import sys

import typer

from workflows.cli.output import JsonFlag, interruptible, write_json
from workflows.cli.streams import say
from workflows.wire.events import Event, ProgressEvent
from workflows.wire.reports.devices import DevicesReport


def devices(
    install: str = typer.Option("", "--install", metavar="NAME", help="Install the plugin of a provider first: qnn."),
    as_json: bool = JsonFlag,
) -> None:
    """List the execution providers, and say why one cannot be used."""
    from workflows.runtime import devices as found
    from workflows.runtime.providers.install import install_plugin

    if install:
        with interruptible() as cancelled:
            install_plugin(install, _tell, cancelled)
    listed = found()
    if as_json:
        write_json(DevicesReport(listed))
        return
    for device in listed:
        why = "usable" if device.usable else f"not usable: {device.reason} {device.remedy}".rstrip()
        say(f"{device.name:9} {device.kind:4} {device.title}: {why}")


def _tell(event: Event) -> None:
    if isinstance(event, ProgressEvent):
        sys.stderr.write(f"{event.message}\n")
