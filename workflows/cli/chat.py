"""`joinery chat`: many turns, the cache kept between them."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from workflows.cli.generate import show
from workflows.cli.output import JsonFlag, interruptible
from workflows.errors import PromptError

HELP = "/reset forgets the conversation, /exit or Ctrl+D leaves, Ctrl+C stops a reply."


def chat(
    bundle: Path = typer.Argument(help="A bundle's folder."),
    system: str = typer.Option("", "--system", help="A system message that comes first."),
    max_new_tokens: int = typer.Option(512, "--max-new-tokens", help="Tokens of one reply at most."),
    cache: str | None = typer.Option(None, "--cache", help="static or window, other than the bundle's own."),
    provider: str = typer.Option("cpu", "--provider", help="An execution provider; see `joinery devices`."),
    temperature: float | None = typer.Option(None, "--temperature", help="Sample with this temperature; 0 is greedy."),
    seed: int | None = typer.Option(None, "--seed", help="Draw the same tokens each time."),
    target_language: str | None = typer.Option(None, "--target-language", help="Translate into it: de_DE, fra_Latn …"),
    source_language: str | None = typer.Option(None, "--source-language", help="The language of what is translated."),
    as_json: bool = JsonFlag,
) -> None:
    """Talk with a bundle; a line is a turn."""
    from workflows.generate import Message, open_engine
    from workflows.generate.options import check_options

    languages = {"target_language": target_language, "source_language": source_language}
    options = check_options({"max_new_tokens": max_new_tokens, "temperature": temperature, "seed": seed, **languages})
    engine = open_engine(bundle, provider=provider, cache=cache)
    opening: list[Message] = [{"role": "system", "content": system}] if system else []
    engine.encode_turn([*opening, {"role": "user", "content": "?"}])  # a bundle that cannot chat says so at once
    messages = list(opening)
    interactive = sys.stdin.isatty() and not as_json
    if interactive:
        sys.stderr.write(f"{engine.bundle.pipeline.metadata.name}: {HELP}\n")
    while (line := _line(interactive)) is not None:
        if line in ("/exit", "/quit"):
            break
        if line == "/reset":
            messages = list(opening)
            engine.reset()
            continue
        if not line.strip():
            continue
        messages.append({"role": "user", "content": line})
        try:
            ids = engine.encode_turn(messages)
            with interruptible(engine.stop) as cancelled:
                done = show(engine.generate(ids, options, cancelled), as_json)
        except PromptError as error:
            messages.pop()
            sys.stderr.write(f"joinery: {error} /reset begins a new conversation.\n")
            if not interactive:
                raise
            continue
        messages.append({"role": "assistant", "content": done.text})


def _line(interactive: bool) -> str | None:
    """The next line without its end, or None at the end of the input."""
    if interactive:
        try:
            return input("> ")
        except EOFError:
            sys.stdout.write("\n")
            return None
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None
