"""`joinery chat`: a chat of many turns that keeps the KV cache between them."""

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
    system: str = typer.Option("", "--system", help="A system message before the first turn."),
    source: Annotated[PromptFlags, Only("tools", "prefill")] = PromptFlags(),
    flags: Annotated[ChatFlags, _FLAGS] = ChatFlags(),
    as_json: bool = JsonFlag,
) -> None:
    """Chat with a bundle; each line is a turn. A terminal has line editing and a history: see /help there.

    A base model, whose bundle has no chat template, continues the text so far: each line is appended on a line of its
    own, and an empty line lets the model continue.
    """
    from workflows.generate import open_chat_engine
    from workflows.generate.options import check_options

    flags.check_drafts()
    options = check_options(flags.generation_options())
    tools = source.read_tools()
    with exit_on_interrupt():
        engine = flags.open(open_chat_engine, bundle)
    terminal_chat = TerminalChat(engine, options, system, tools, source.prefill, as_json)
    interactive = is_terminal() and not as_json
    if interactive:
        sys.stderr.write(terminal_chat.welcome())
    _converse(terminal_chat, terminal_reader() if interactive else read_pipe, interactive)


def _converse(terminal_chat: TerminalChat, read: ReadLine, interactive: bool) -> None:
    """Replies to lines until the input ends. A terminal prints errors and goes on, a pipe raises them."""
    while (line := read()) is not None:
        if line in ("/exit", "/quit"):
            break
        try:
            if line == "/reset":
                terminal_chat.reset()
            elif not (interactive and terminal_chat.command(line)):
                terminal_chat.reply(line)
        except (RequestError, LogitsError) as error:
            way_out = " /reset begins a new conversation." if isinstance(error, PromptError | LogitsError) else ""
            sys.stderr.write(f"joinery: {error}{way_out}\n")
            if not interactive:
                raise
