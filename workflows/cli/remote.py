"""`joinery remote`: other machines over OpenSSH, on which `--on NAME` runs a command."""

from __future__ import annotations

import typer
from rich.table import Table

from workflows.cli.console import Console
from workflows.cli.interrupts import interruptible
from workflows.cli.output import JsonFlag, mebibytes, write_json
from workflows.cli.streams import print_line
from workflows.common.errors import RemoteError, printable
from workflows.wire.reports.machines import MachineReport

Name = typer.Argument(metavar="NAME", help="The machine's name here.")

remote = typer.Typer(help="Other machines over OpenSSH, for `--on NAME`.", no_args_is_help=True)


@remote.command()
def add(
    name: str = Name,
    address: str = typer.Argument(metavar="ssh://USER@HOST:PORT", help="As ssh reads it; a Host of its configuration."),
    joinery: str = typer.Option(
        "", "--joinery", metavar="PATH_THERE", help="Joinery's folder or program there (default: searched for)."
    ),
    unchecked: bool = typer.Option(False, "--no-check", help="Add it without connecting."),
    as_json: bool = JsonFlag,
) -> None:
    """Add a machine, in place of one of the same name, and check it. It is added even if the check fails."""
    from workflows.process.machines import RemoteMachine, add_machine
    from workflows.service.remote.machine_check import describe

    machine = RemoteMachine(name, address, joinery)
    add_machine(machine)
    if unchecked:
        _print(describe(machine), as_json)
    else:
        _check(machine.name, as_json)


@remote.command("list")
def show_list(as_json: bool = JsonFlag) -> None:
    """List the machines that were added."""
    from workflows.process.machines import list_machines
    from workflows.service.remote.machine_check import describe

    machines = [describe(one) for one in list_machines()]
    if as_json:
        for one in machines:
            write_json(one)
        return
    if not machines:
        print_line("There is no machine yet: `joinery remote add NAME ssh://user@host` adds one.")
        return
    table = Table("name", "address", "joinery there")
    for one in machines:
        table.add_row(one.name, one.address, printable(one.path) or "searched for")
    Console().print(table)


@remote.command()
def check(name: str = Name, as_json: bool = JsonFlag) -> None:
    """Connect to a machine: its host key, Python, Joinery, the wire's version and its providers."""
    _check(name, as_json)


@remote.command()
def remove(name: str = Name) -> None:
    """Forget a machine; what was copied there stays, see `clear`."""
    from workflows.process.machines import remove_machine

    remove_machine(name)
    print_line(f"{name} removed")


@remote.command()
def clear(name: str = Name) -> None:
    """Remove the copies of bundles on a machine; those not used for 30 days go by themselves."""
    from workflows.process.machines import machine_named
    from workflows.service.remote.connection import Connection

    with interruptible() as cancelled, Connection(machine_named(name), cancelled) as connection:
        print_line(f"{mebibytes(connection.request('clear', cancelled))} freed on {name}")


def _check(name: str, as_json: bool) -> None:
    from workflows.process.machines import machine_named
    from workflows.service.remote.machine_check import check

    with interruptible() as cancelled:
        report = check(machine_named(name), cancelled)
    _print(report, as_json)
    if report.problem:
        raise RemoteError(report.problem)


def _print(report: MachineReport, as_json: bool) -> None:
    if as_json:
        write_json(report)
        return
    if not report.usable:
        print_line(f"{report.name}: {report.address}")
        return
    facts = f"Joinery {report.joinery}, Python {printable(report.python)}, {printable(report.system)}"
    disk = f"{mebibytes(report.free_bytes)} free, {mebibytes(report.copied_bytes)} of copies"
    print_line(f"{report.name}: {facts}, {disk}, connected in {report.connect_s:.1f} s")
    for device in report.devices:
        why = "usable" if device.usable else f"not usable: {printable(device.reason, 300)}"
        print_line(f"{device.name:9} {device.kind:4} {printable(device.title)}: {why}")
