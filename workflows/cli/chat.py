"""`joinery chat`: many turns, the cache kept between them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from workflows.cli.generate import show
from workflows.cli.interrupts import loading, promptly
from workflows.cli.output import JsonFlag, pairs
from workflows.cli.prompt import (
    CapacityOption,
    PlaceOption,
    PrefillOption,
    SessionOption,
    ToolsOption,
    read_places,
    read_text,
)
from workflows.errors import LogitsError, PromptError

if TYPE_CHECKING:
    from workflows.generate import Engine, GenerateOptions, Message, Tool

HELP = "/reset forgets the conversation, /exit or Ctrl+D leaves, Ctrl+C stops a reply."
COMPLETES = "No chat template: it completes what was written so far, and an empty line lets it go on."


def chat(
    bundle: Path = typer.Argument(help="A bundle's folder."),
    system: str = typer.Option("", "--system", help="A system message that comes first."),
    tools: Path | None = ToolsOption,
    prefill: str = PrefillOption,
    max_new_tokens: int = typer.Option(512, "--max-new-tokens", help="Tokens of one reply at most."),
    cache: str | None = typer.Option(None, "--cache", help="static or window, other than the bundle's own."),
    capacity: int | None = CapacityOption,
    session_option: list[str] = SessionOption,
    place: list[str] = PlaceOption,
    provider: str = typer.Option("cpu", "--provider", help="An execution provider; see `joinery devices`."),
    temperature: float | None = typer.Option(None, "--temperature", help="Sample with this temperature; 0 is greedy."),
    seed: int | None = typer.Option(None, "--seed", help="Draw the same tokens each time."),
    target_language: str | None = typer.Option(None, "--target-language", help="Translate into it: de_DE, fra_Latn …"),
    source_language: str | None = typer.Option(None, "--source-language", help="The language of what is translated."),
    as_json: bool = JsonFlag,
) -> None:
    """Talk with a bundle; a line is a turn.

    A base model, whose bundle has no chat template, completes what was written so far: each line stands on a line of
    its own after the text before, and an empty line lets it go on where it ended.
    """
    from workflows.generate import open_engine, parse_tools
    from workflows.generate.options import check_options

    languages = {"target_language": target_language, "source_language": source_language}
    options = check_options({"max_new_tokens": max_new_tokens, "temperature": temperature, "seed": seed, **languages})
    told = None if tools is None else parse_tools(read_text(tools, "tools"), f"The tools file {tools}")
    settings, places = pairs("--session-option", session_option), read_places(place)
    with loading():
        engine = open_engine(
            bundle, provider=provider, cache=cache, capacity=capacity, session_options=settings, place=places
        )
    talk = Talk(engine, options, system, told, prefill, as_json)
    interactive = sys.stdin.isatty() and not as_json
    if interactive:
        sys.stderr.write(talk.welcome())
    while (line := _line(interactive)) is not None:
        if line in ("/exit", "/quit"):
            break
        if line == "/reset":
            talk.reset()
            continue
        try:
            talk.say(line)
        except (PromptError, LogitsError) as error:
            sys.stderr.write(f"joinery: {error} /reset begins a new conversation.\n")
            if not interactive:
                raise


class Talk:
    """A conversation on the terminal. Raises PromptError at once for a bundle that cannot have it."""

    def __init__(
        self,
        engine: Engine,
        options: GenerateOptions,
        system: str,
        tools: Sequence[Tool] | None,
        prefill: str,
        as_json: bool,
    ) -> None:
        self._engine, self._options, self._tools, self._prefill = engine, options, tools, prefill
        self._as_json = as_json
        self._opening: list[Message] = [{"role": "system", "content": system}] if system else []
        self._messages = list(self._opening)
        engine.encode_turn([*self._opening, {"role": "user", "content": "?"}], tools, prefill)

    def welcome(self) -> str:
        """What a person is told first."""
        said = f"{HELP} {COMPLETES}" if self._engine.completes else HELP
        return f"{self._engine.bundle.pipeline.metadata.name}: {said}\n"

    def reset(self) -> None:
        """Forgets what was said."""
        self._messages = list(self._opening)
        self._engine.reset()

    def say(self, line: str) -> None:
        """Prints the reply to a line. Raises PromptError or LogitsError, and the line was then not said."""
        begun = len(self._messages) > len(self._opening)
        if not line.strip() and not (self._engine.completes and begun):
            return
        from workflows.measure.recording import recorded, to_stderr

        after = "\n" if self._engine.completes and begun and line else ""
        messages: list[Message] = [*self._messages, {"role": "user", "content": after + line}]
        ids = self._engine.encode_turn(messages, self._tools, self._prefill)
        with promptly(self._engine.stop) as cancelled:
            prefix = self._engine.prefix_of(self._prefill)
            events = self._engine.generate(ids, self._options, cancelled, prefix=prefix)
            done = show(recorded(self._engine.bundle, events, to_stderr), self._as_json, self._prefill)
        self._messages = [*messages, {"role": "assistant", "content": self._prefill + done.text}]


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
