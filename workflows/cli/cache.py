"""`joinery cache`: the stages of builds that are kept for later ones, and how much of the disk they may take."""

from __future__ import annotations

import re
from dataclasses import asdict

import typer
from rich.table import Table

from workflows.cli.console import Console
from workflows.cli.output import JsonFlag, mebibytes, write_json
from workflows.cli.streams import print_line
from workflows.common.errors import RequestError
from workflows.common.stage_cache import StageCache, read_limit, write_limit

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(B|KB|MB|GB|TB|KIB|MIB|GIB|TIB)?", re.IGNORECASE)
_POWERS = {"K": 1, "M": 2, "G": 3, "T": 4}

cache = typer.Typer(help="Stages of builds that later builds reuse.", no_args_is_help=False)


@cache.callback(invoke_without_command=True)
def overview(context: typer.Context) -> None:
    """Stages of builds that later builds reuse; without a word after it, the list."""
    if context.invoked_subcommand is None:
        show_list(False)


@cache.command("list")
def show_list(as_json: bool = JsonFlag) -> None:
    """List the stages, the one that was used last first."""
    kept = StageCache().kept()
    if as_json:
        for one in kept:
            write_json(asdict(one))
        return
    table = Table("name", "size", "used")
    for one in kept:
        table.add_row(one.name, mebibytes(one.bytes), one.used)
    Console().print(table if kept else "No stage is kept.")
    show_size(False)


@cache.command("size")
def show_size(as_json: bool = JsonFlag) -> None:
    """Say how much of the disk they take, and may take."""
    found = StageCache()
    if as_json:
        write_json({"folder": str(found.folder), "bytes": found.bytes, "limit": found.limit, "chosen": read_limit()})
        return
    print_line(f"{mebibytes(found.bytes)} of at most {mebibytes(found.limit)} in {found.folder}")


@cache.command()
def clear() -> None:
    """Remove all stages that no build is using."""
    print_line(f"{StageCache().clear()} stages removed")


@cache.command()
def limit(size: str = typer.Argument(help="As 20GB or 512MiB; 0 keeps nothing; default: 20 GiB or less.")) -> None:
    """Set how much of the disk they may take."""
    write_limit(None if size == "default" else _bytes(size))
    found = StageCache()
    found.trim(found.limit)
    show_size(False)


def _bytes(text: str) -> int:
    """Raises RequestError for what is no size."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise RequestError(f"{text!r} is no size: write a number and a unit, as 20GB or 512MiB, or the word default.")
    unit = (match[2] or "").upper()
    base = 1024 if "I" in unit else 1000
    return int(float(match[1]) * (1 if unit in ("", "B") else base ** _POWERS[unit[0]]))
