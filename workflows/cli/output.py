"""What the subcommands share: JSON on stdout, and stopping at Ctrl+C without losing what was done."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import typer

from workflows.common.errors import RequestError
from workflows.wire.codec import dumps

JsonFlag = typer.Option(False, "--json", help="Print JSON alone on stdout.")


def write_json(payload: object) -> None:
    """One object, one line; where stdout has not every letter, they are escaped as JSON does it."""
    sys.stdout.write(dumps(payload, escaped=not sys.stdout.encoding.lower().startswith("utf"), named=True) + "\n")
    sys.stdout.flush()


@contextmanager
def interruptible(on_interrupt: Callable[[], None] = lambda: None) -> Iterator[Callable[[], bool]]:
    """Gives a question `cancelled()` that Ctrl+C answers with yes; a second Ctrl+C ends the process."""
    asked = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        on_interrupt()

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield lambda: asked
    finally:
        signal.signal(signal.SIGINT, before)


def parse_pairs(option: str, texts: list[str]) -> dict[str, str]:
    """`K=V` texts as a dict. Raises RequestError for one of another form."""
    found: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not key or not equals:
            raise RequestError(f"{option} takes K=V, and {text!r} is not of that form.")
        found[key] = value
    return found


def mebibytes(count: float) -> str:
    """Bytes for a person's eyes."""
    return f"{count / 2**20:,.1f} MiB"
