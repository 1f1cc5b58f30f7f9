"""`joinery embed`: makes vectors of texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from workflows.cli.flags import with_flags
from workflows.cli.interrupts import exit_on_interrupt
from workflows.cli.output import JsonFlag, write_json
from workflows.cli.streams import print_line
from workflows.cli.text_flags import TextFlags, warn
from workflows.common.errors import RequestError

if TYPE_CHECKING:
    from workflows.predict.embedder import TextVector

_SHOWN = 6  # numbers of a vector in text mode; --json has all
_WIDTH = 40  # characters of a text in text mode


@with_flags
def embed(
    bundle: Path = typer.Argument(help="A bundle's folder."),
    texts: TextFlags = TextFlags(),
    prompt: str | None = typer.Option(None, "--prompt", metavar="NAME", help="One of the bundle's prompts."),
    prompt_text: str | None = typer.Option(None, "--prompt-text", metavar="TEXT", help="A text put before each text."),
    similarity: bool = typer.Option(False, "--similarity", help="Compare each two texts."),
    pooling: str | None = typer.Option(
        None, "--pooling", help="cls, mean, max, lasttoken …, where the bundle states none."
    ),
    normalize: bool = typer.Option(False, "--normalize", help="With --pooling: vectors of the length 1."),
    provider: str = typer.Option("cpu", "--provider", help="A name that `joinery devices` prints."),
    as_json: bool = JsonFlag,
) -> None:
    """Make a vector of each text, as the checkpoint's pooling and normalization state it."""
    check_one_prompt(prompt, prompt_text)
    if normalize and pooling is None:
        raise RequestError("--normalize is a part of the pooling that a bundle does not state: give --pooling with it.")
    given = texts.read()
    from workflows.checkpoint.sentence_transformers import POOLING_MODES

    mode: Any = pooling
    if pooling is not None and pooling not in POOLING_MODES:
        raise RequestError(f"--pooling is {', '.join(POOLING_MODES)}, and not {pooling!r}.")
    from workflows.predict import open_embedder
    from workflows.predict.pooling import similarities

    with exit_on_interrupt():
        embedder = open_embedder(bundle, provider, mode, normalize)
        before = embedder.prompt(prompt) if prompt_text is None else prompt_text
        vectors = embedder.embed(given, before)
    warn(one.note for one in vectors)
    kind = embedder.settings.similarity
    table = similarities([one.vector for one in vectors], kind).tolist() if similarity else None
    if as_json:
        _write(vectors, kind, table)
    else:
        _print(vectors, embedder.settings.summary(), kind, table)


def _write(vectors: Sequence[TextVector], kind: str, table: list[list[float]] | None) -> None:
    for one in vectors:
        write_json(
            {
                "index": one.index,
                "text": one.text,
                "tokens": one.tokens,
                "truncated": one.truncated,
                "vector": [float(str(number)) for number in one.vector],  # as many digits as float32 has
            }
        )
    if table is not None:
        write_json({"similarity": kind, "scores": table})


def _print(vectors: Sequence[TextVector], summary: str, kind: str, table: list[list[float]] | None) -> None:
    size = len(vectors[0].vector)
    print_line(f"{len(vectors)} vectors of {size} numbers: {summary}")
    for one in vectors:
        if table is None:
            numbers = " ".join(f"{number:9.5f}" for number in one.vector[:_SHOWN])
            print_line(
                f"{one.index + 1:4}  {one.tokens:5} tokens  {numbers}{' …' if size > _SHOWN else ''}  {short(one.text)}"
            )
            continue
        scores = " ".join(f"{score:8.4f}" for score in table[one.index])
        print_line(f"{one.index + 1:4}  {scores}  {short(one.text)}")
    if table is not None:
        print_line(f"{kind} similarity of each two texts")


def check_one_prompt(name: str | None, text: str | None) -> None:
    """Raises RequestError for a prompt's name beside its text."""
    if name is not None and text is not None:
        raise RequestError("--prompt names one of the bundle's prompts and --prompt-text is one: give one of the two.")


def short(text: str) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…"
