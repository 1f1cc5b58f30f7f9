"""Functions of all subcommands: JSON on stdout, `K=V` arguments."""

from __future__ import annotations

import sys

import typer

from workflows.common.errors import RequestError
from workflows.wire.codec import dumps
from workflows.wire.reports.memory import MemoryFit

JsonFlag = typer.Option(False, "--json", help="Print JSON alone on stdout.")


def write_json(payload: object) -> None:
    """Prints one object as one line; escapes characters that stdout's encoding may lack."""
    sys.stdout.write(dumps(payload, escaped=not sys.stdout.encoding.lower().startswith("utf"), named=True) + "\n")
    sys.stdout.flush()


def parse_pairs(option: str, texts: list[str]) -> dict[str, str]:
    """`K=V` texts as a dict. Raises RequestError for a text of another form."""
    pairs: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not key or not equals:
            raise RequestError(f"{option} takes K=V, and {text!r} is not of that form.")
        pairs[key] = value
    return pairs


def mebibytes(count: float) -> str:
    return f"{count / 2**20:,.1f} MiB"


def memory_lines(memory: MemoryFit | None) -> dict[str, str]:
    """What a bundle takes of the memory, by name; empty for None and what it lacks."""
    if memory is None:
        return {}
    mapped = {"weights that stay in their file": mebibytes(memory.mapped_bytes)} if memory.mapped_bytes else {}
    lines = {"weights in memory": mebibytes(memory.weights_bytes), **mapped}
    if memory.kv_bytes_per_token:
        lines["keys and values of a token"] = f"{memory.kv_bytes_per_token / 1024:,.1f} KiB"
    lines["memory free before opening"] = mebibytes(memory.free_bytes)
    if memory.tokens is not None:
        lines["tokens that fit beside the weights"] = f"{memory.tokens:,}, of a capacity of {memory.capacity:,}"
    return lines
