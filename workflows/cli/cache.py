"""`joinery cache`: the cached build stages and their size limit on the disk."""

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
    """Build stages that later builds reuse; lists them without a subcommand."""
    if context.invoked_subcommand is None:
        show_list(False)


@cache.command("list")
def show_list(as_json: bool = JsonFlag) -> None:
    """List the stages, the most recently used first."""
    stages = StageCache().stages()
    if as_json:
        for one in stages:
            write_json(asdict(one))
        return
    table = Table("name", "size", "used")
    for one in stages:
        table.add_row(one.name, mebibytes(one.bytes), one.used)
    Console().print(table if stages else "No stage is kept.")
    show_size(False)


@cache.command("size")
def show_size(as_json: bool = JsonFlag) -> None:
    """Print the size of the stages and its limit."""
    cache = StageCache()
    if as_json:
        write_json({"folder": str(cache.folder), "bytes": cache.bytes, "limit": cache.limit, "chosen": read_limit()})
        return
    print_line(f"{mebibytes(cache.bytes)} of at most {mebibytes(cache.limit)} in {cache.folder}")


@cache.command()
def clear() -> None:
    """Remove all stages that no build is using."""
    print_line(f"{StageCache().clear()} stages removed")


@cache.command()
def limit(size: str = typer.Argument(help="As 20GB or 512MiB; 0 keeps nothing; default: 20 GiB or less.")) -> None:
    """Set the size limit of the stages."""
    write_limit(None if size == "default" else _bytes(size))
    cache = StageCache()
    cache.trim(cache.limit)
    show_size(False)


def _bytes(text: str) -> int:
    """Bytes of a size. Raises RequestError."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise RequestError(f"{text!r} is no size: write a number and a unit, as 20GB or 512MiB, or the word default.")
    unit = (match[2] or "").upper()
    base = 1024 if "I" in unit else 1000
    return int(float(match[1]) * (1 if unit in ("", "B") else base ** _POWERS[unit[0]]))
