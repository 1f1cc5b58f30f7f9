"""`joinery plugins`: lists third-party plugins, and allows or forbids them to run."""

from __future__ import annotations

from dataclasses import asdict

import typer

from workflows.cli.output import JsonFlag, write_json
from workflows.cli.streams import print_line

Library = typer.Argument(metavar="NAME", help="A distribution, as `joinery plugins list` shows it.")

plugins = typer.Typer(help="Other people's code that bundles may ask for, and what may run.", no_args_is_help=True)


@plugins.command("list")
def show_list(as_json: bool = JsonFlag) -> None:
    """List the installed plugins, without importing them, and whether they may run."""
    from workflows.common.plugins import installed

    for one in installed():
        if as_json:
            write_json(asdict(one))
        else:
            print_line(f"{one.library} {one.version}  {one.entry_point}  {'allowed' if one.allowed else 'not allowed'}")


@plugins.command("allow")
def allow(name: str = Library) -> None:
    """Allow the plugins of a distribution to run, in the installed version only."""
    from workflows.common import plugins

    print_line(f"The plugins of {name} {plugins.allow(name)} may run now.")


@plugins.command("forbid")
def forbid(name: str = Library) -> None:
    """Forbid the plugins of a distribution to run."""
    from workflows.common import plugins

    plugins.forbid(name)
    print_line(f"The plugins of {name} may not run any more.")
