"""`--on NAME`: a command that runs on another machine, with its arguments as they were written.

@runs_on_machines
def command(…)   ──▶   command … --on NAME   ──paths are copied──▶   the same command there, without --on
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer._click.core import Context, ParameterSource
from typer._click.globals import get_current_context
from typer.core import TyperOption

from workflows.cli.commands import BUNDLE_COMMANDS, MACHINE_FLAG, names_machine
from workflows.cli.interrupts import interruptible
from workflows.cli.progress import ProgressDisplay
from workflows.process.sandbox import OnFetched

if TYPE_CHECKING:
    from workflows.service.remote.remote_command import Argument

OnFlag = typer.Option(None, MACHINE_FLAG, metavar="NAME", help="Run on this machine; see `joinery remote`.")
_SOURCES = ("against",)
"""Options that take a folder or something else, such as a demo or a hub id."""


def runs_on_machines(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the flag --on; without it, it runs as it is."""
    own = signature(command, eval_str=True)

    @wraps(command)
    def run(on: str | None, **values: object) -> None:
        context = get_current_context()
        if on is None:
            confine_here(context)
            command(**values)
            return
        raise typer.Exit(run_there(on, [context.info_name or "", *line_arguments(context)]))

    flag = Parameter("on", Parameter.KEYWORD_ONLY, default=OnFlag, annotation=str | None)
    last = [one for name, one in own.parameters.items() if name == "as_json"]
    others = [one for name, one in own.parameters.items() if name != "as_json"]
    parameters = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in (*others, flag, *last)]
    run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]  # typer reads it
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def confine_here(context: Context) -> None:
    """Gives up the network where an argument like the flag, that is none, has kept it; see names_machine."""
    give_up: OnFetched = context.obj
    if names_machine(sys.argv) and context.info_name in BUNDLE_COMMANDS:
        give_up(0)


def run_there(name: str, arguments: Sequence[Argument]) -> int:
    """Runs a command on the machine of that name and returns its exit code. Raises RequestError and RemoteError."""
    from workflows.process.machines import machine_named
    from workflows.service.remote.remote_command import run_command

    machine = machine_named(name)
    columns = shutil.get_terminal_size((120, 24)).columns
    with interruptible() as cancelled, ProgressDisplay() as display:
        return run_command(machine, arguments, display.show, cancelled, columns)


def line_arguments(context: Context) -> Iterator[Argument]:
    """The arguments of the command line, but for --on; paths are named as such. Positional ones come last."""
    positional: list[Argument] = []
    for parameter in context.command.params:
        name = parameter.name or ""
        value = context.params.get(name)
        if name == "on" or context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        values = value if isinstance(value, list | tuple) else [value]
        if not isinstance(parameter, TyperOption):
            positional += [_argument("", one) for one in values]
        elif name in _SOURCES and isinstance(value, str) and Path(value).is_dir():
            yield _argument(f"{_spelling(parameter)}=", Path(value))
        elif parameter.is_flag:
            yield (parameter.opts if value else parameter.secondary_opts)[0]
        else:
            yield from (_argument(f"{_spelling(parameter)}=", one) for one in values)
    yield "--"
    yield from positional


def _spelling(option: TyperOption) -> str:
    """The long form of an option, which takes its value behind `=`."""
    return next(str(one) for one in option.opts if one.startswith("--"))


def _argument(before: str, value: Any) -> Argument:
    """A value behind its option; with its path if it is a file or folder here."""
    if isinstance(value, Path):
        return (before, value)
    return f"{before}{value}"
