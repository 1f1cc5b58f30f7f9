"""`joinery devices`: lists providers and devices; installs and removes plugins."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from workflows.cli.interrupts import interruptible
from workflows.cli.line_input import is_terminal
from workflows.cli.output import JsonFlag, memory_lines, write_json
from workflows.cli.streams import print_line
from workflows.common.errors import Cancelled, RequestError, printable
from workflows.wire.events import Event, ProgressEvent
from workflows.wire.reports.devices import DevicesReport, PluginReport


def devices(
    bundle: Path | None = typer.Argument(None, help="A bundle's folder: what it takes of the CPU's memory, too."),
    install: str = typer.Option("", "--install", metavar="NAME", help="Install the plugin of a provider first: qnn."),
    uninstall: str = typer.Option("", "--uninstall", metavar="NAME", help="Remove the plugin of a provider first."),
    models: bool = typer.Option(
        False,
        "--models",
        help="What this machine can do, and which well-known models fit it; no network.",
    ),
    yes: bool = typer.Option(False, "--yes", "-y", help="Do not ask on a terminal; nothing is asked anywhere else."),
    as_json: bool = JsonFlag,
) -> None:
    """List the execution providers, and why one cannot be used; with BUNDLE, how many tokens fit into the memory."""
    from workflows.bundle import read_bundle
    from workflows.cli.capabilities import show_capabilities
    from workflows.runtime import devices as list_devices
    from workflows.runtime.loading.memory_plan import cpu_memory
    from workflows.runtime.providers.install import describe_plugin, install_plugin, remove_plugin

    if models:
        show_capabilities(as_json)
        return
    if install and uninstall:
        raise RequestError("--install and --uninstall do not go together: give one of them.")
    for name, act in ((install, install_plugin), (uninstall, remove_plugin)):
        if name:
            if is_terminal() and not yes:
                _confirm(describe_plugin(name), removes=act is remove_plugin)
            with interruptible() as cancelled:
                act(name, _print_event, cancelled)
    memory = cpu_memory(read_bundle(bundle)) if bundle is not None else None
    listed = list_devices()
    if as_json:
        write_json(DevicesReport(listed, memory))
        return
    for device in listed:
        why = "usable" if device.usable else f"not usable: {device.reason} {device.remedy}".rstrip()
        print_line(f"{device.name:9} {device.kind:4} {device.title}: {why}")
    for name, text in memory_lines(memory).items():
        print_line(f"{name}: {text}")


def _confirm(plugin: PluginReport, removes: bool) -> None:
    """Asks for confirmation. Raises Cancelled without it."""
    lines = [f"{plugin.package} {plugin.version} {'in' if removes else 'into'} {plugin.environment}"]
    if not removes:
        lines.append(f"from {', '.join(plugin.sources) or 'nowhere: pip may use no index'}")
        lines.append(f"with one of the {len(plugin.hashes)} hashes that Joinery was tested with:")
        lines += [f"  {one}" for one in plugin.hashes]
    sys.stderr.write("".join(f"{printable(line, 500)}\n" for line in lines))
    if not typer.confirm("Remove it?" if removes else "Install it?", default=False, err=True):
        raise Cancelled("Cancelled.")


def _print_event(event: Event) -> None:
    if isinstance(event, ProgressEvent):
        sys.stderr.write(f"{event.message}\n")
