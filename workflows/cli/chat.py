"""`joinery chat`: many turns, the cache kept between them."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from workflows.cli.interrupts import exit_on_interrupt
from workflows.cli.line_input import ReadLine, is_terminal, read_pipe, terminal_reader
from workflows.cli.output import JsonFlag, parse_pairs
from workflows.cli.prompt import (
    CapacityOption,
    DraftOption,
    DraftTokensOption,
    LogitsOption,
    NGramOption,
    NoDraftsOption,
    PlaceOption,
    PrefillOption,
    SessionOption,
    ToolsOption,
    check_drafts,
    read_chain,
    read_places,
    read_text,
)
from workflows.cli.terminal_chat import TerminalChat
from workflows.common.errors import LogitsError, PromptError, RequestError


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
    no_drafts: bool = NoDraftsOption,
    provider: str = typer.Option("cpu", "--provider", help="An execution provider; see `joinery devices`."),
    draft: Path | None = DraftOption,
    ngram: bool = NGramOption,
    draft_tokens: int | None = DraftTokensOption,
    temperature: float | None = typer.Option(None, "--temperature", help="Sample with this temperature; 0 is greedy."),
    seed: int | None = typer.Option(None, "--seed", help="Draw the same tokens each time."),
    logits: Path | None = LogitsOption,
    target_language: str | None = typer.Option(None, "--target-language", help="Translate into it: de_DE, fra_Latn …"),
    source_language: str | None = typer.Option(None, "--source-language", help="The language of what is translated."),
    as_json: bool = JsonFlag,
) -> None:
    """Talk with a bundle; a line is a turn. On a terminal lines are edited, kept and may be several: see /help there.

    A base model, whose bundle has no chat template, completes what was written so far: each line stands on a line of
    its own after the text before, and an empty line lets it go on where it ended.
    """
    from workflows.generate import open_chat_engine, parse_tools
    from workflows.generate.options import check_options

    check_drafts(draft, ngram, no_drafts)
    languages = {"target_language": target_language, "source_language": source_language}
    drawn = {"temperature": temperature, "seed": seed, "chain": read_chain(logits)}
    drafted = {"drafts": not no_drafts, "ngram": ngram or None, "draft_tokens": draft_tokens}
    options = check_options({"max_new_tokens": max_new_tokens, **drawn, **drafted, **languages})
    told = None if tools is None else parse_tools(read_text(tools, "tools"), f"The tools file {tools}")
    settings, places = parse_pairs("--session-option", session_option), read_places(place)
    with exit_on_interrupt():
        engine = open_chat_engine(
            bundle,
            provider=provider,
            cache=cache,
            capacity=capacity,
            session_options=settings,
            place=places,
            draft=False if no_drafts else draft,
        )
    talk = TerminalChat(engine, options, system, told, prefill, as_json)
    interactive = is_terminal() and not as_json
    if interactive:
        sys.stderr.write(talk.welcome())
    _converse(talk, terminal_reader() if interactive else read_pipe, interactive)


def _converse(talk: TerminalChat, read: ReadLine, interactive: bool) -> None:
    """Says what is read until it ends. A person is told what was wrong and goes on; a pipe ends with the error."""
    while (line := read()) is not None:
        if line in ("/exit", "/quit"):
            break
        try:
            if line == "/reset":
                talk.reset()
            elif not (interactive and talk.command(line)):
                talk.say(line)
        except (RequestError, LogitsError) as error:
            way_out = " /reset begins a new conversation." if isinstance(error, PromptError | LogitsError) else ""
            sys.stderr.write(f"joinery: {error}{way_out}\n")
            if not interactive:
                raise
