"""Shell completion: the values of arguments, by the name of the parameter.

--show-completion SHELL prints the script, --install-completion SHELL installs it; the script runs `joinery` with
_JOINERY_COMPLETE set at each press of Tab.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import typer
from typer._click.core import Command
from typer._completion_classes import completion_init
from typer._completion_shared import Shells, get_completion_script, install

from workflows.cli.commands import LazyCommand
from workflows.cli.streams import print_line
from workflows.common.paths import home

PROGRAM = "joinery"
COMPLETION_VARIABLE = "_JOINERY_COMPLETE"
Shell = Shells
PIPELINE = "pipeline.json"


def _show(shell: Shell | None) -> None:
    if shell is not None:
        print_line(get_completion_script(prog_name=PROGRAM, complete_var=COMPLETION_VARIABLE, shell=shell.value))
        raise typer.Exit


def _install(shell: Shell | None) -> None:
    if shell is not None:
        name, path = install(shell=shell.value, prog_name=PROGRAM, complete_var=COMPLETION_VARIABLE)
        print_line(f"Completion for {name} is in {path}; it works in shells that start from now on.")
        raise typer.Exit


ShowOption = typer.Option(
    None, "--show-completion", callback=_show, is_eager=True, metavar="SHELL", help="Print a shell's completion."
)
InstallOption = typer.Option(
    None, "--install-completion", callback=_install, is_eager=True, metavar="SHELL",
    help="Install completion for bash, zsh, fish, powershell or pwsh.",
)  # fmt: skip


def is_completing() -> bool:
    """Whether the shell runs this process to complete a word."""
    return COMPLETION_VARIABLE in os.environ


def attach(command: Command) -> None:
    """Sets the completers of a command's parameters and of its subcommands'; the shell completes files itself."""
    completion_init()
    for parameter in command.params:
        complete = COMPLETERS.get(parameter.name or "")
        if complete is not None:
            parameter._custom_shell_complete = _completer(complete)
    for child in getattr(command, "commands", {}).values():
        if isinstance(child, LazyCommand):
            child.on_load(attach)
        else:
            attach(child)


def _completer(complete: Callable[[str], Iterator[str]]) -> Callable[[object, object, str], list[str]]:
    return lambda context, parameter, prefix: sorted(word for word in set(complete(prefix)) if word.startswith(prefix))


def bundles(prefix: str) -> Iterator[str]:
    """Folders that start with the word, and the bundles in Joinery's folder."""
    yield from folders(prefix)
    folder = home() / "bundles"
    if folder.is_dir():
        yield from (str(one) for one in folder.iterdir() if (one / PIPELINE).is_file())


def folders(prefix: str) -> Iterator[str]:
    """Folders that complete a path; all except bundles end with a slash."""
    head = prefix[: prefix.rfind("/") + 1]
    parent = Path(head or ".").expanduser()
    if parent.is_dir():
        for one in parent.iterdir():
            if one.is_dir() and not one.name.startswith("."):
                yield f"{head}{one.name}" + ("" if (one / PIPELINE).is_file() else "/")


def sources(prefix: str) -> Iterator[str]:
    """Checkpoints: the demos, and folders."""
    from workflows.checkpoint.source import DEMO, demos

    yield from (f"{DEMO}{name}" for name in demos())
    yield from folders(prefix)


def providers(prefix: str) -> Iterator[str]:
    """Execution providers, usable here or not."""
    from workflows.runtime.providers.registry import PROVIDERS

    yield from PROVIDERS


def layouts(prefix: str) -> Iterator[str]:
    from workflows.kvcache.layouts import LAYOUTS

    yield from LAYOUTS


def precisions(prefix: str) -> Iterator[str]:
    from workflows.recipe.precision import PRECISIONS

    yield from PRECISIONS


def machines(prefix: str) -> Iterator[str]:
    """The machines that were added."""
    from workflows.process.machines import list_machines

    yield from (one.name for one in list_machines())


COMPLETERS: dict[str, Callable[[str], Iterator[str]]] = {
    "bundle": bundles,
    "on": machines,
    "folder": folders,
    "against": bundles,
    "source": sources,
    "provider": providers,
    "cache": layouts,
    "precision": precisions,
}
