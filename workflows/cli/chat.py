"""`joinery chat`: many turns, the cache kept between them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from workflows.cli.flags import Only, with_flags
from workflows.cli.interrupts import exit_on_interrupt
from workflows.cli.line_input import ReadLine, is_terminal, read_pipe, terminal_reader
from workflows.cli.output import JsonFlag
from workflows.cli.run_flags import PromptFlags, RunFlags
from workflows.cli.terminal_chat import TerminalChat
from workflows.common.errors import LogitsError, PromptError, RequestError

_FLAGS = Only(
    "max_new_tokens", "cache", "capacity", "session_option", "place", "no_drafts", "provider", "draft", "ngram",
    "draft_tokens", "temperature", "seed", "logits", "target_language", "source_language",
)  # fmt: skip


@dataclass(frozen=True)
class ChatFlags(RunFlags):
    """RunFlags with another default length of a reply."""

    max_new_tokens: int = typer.Option(512, "--max-new-tokens", help="Tokens of one reply at most.")


@with_flags
def chat(
    bundle: Path = typer.Argument(help="A bundle's folder."),
    system: str = typer.Option("", "--system", help="A system message that comes first."),
    source: Annotated[PromptFlags, Only("tools", "prefill")] = PromptFlags(),
    flags: Annotated[ChatFlags, _FLAGS] = ChatFlags(),
    as_json: bool = JsonFlag,
) -> None:
    """Talk with a bundle; a line is a turn. On a terminal lines are edited, kept and may be several: see /help there.

    A base model, whose bundle has no chat template, completes what was written so far: each line stands on a line of
    its own after the text before, and an empty line lets it go on where it ended.
    """
    from workflows.generate import open_chat_engine
    from workflows.generate.options import check_options

    flags.check_drafts()
    options = check_options(flags.generation_options())
    tools = source.read_tools()
    with exit_on_interrupt():
        engine = flags.open(open_chat_engine, bundle)
    talk = TerminalChat(engine, options, system, tools, source.prefill, as_json)
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
