"""`joinery chat`: a chat of many turns that keeps the KV cache between them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workflows.cli.flags import Only, with_flags
from workflows.cli.generate import print_generation
from workflows.cli.interrupts import exit_on_interrupt, stop_on_interrupt
from workflows.cli.line_input import ReadLine, is_terminal, read_pipe, terminal_reader
from workflows.cli.output import JsonFlag
from workflows.cli.run_flags import PromptFlags, RunFlags
from workflows.common.errors import LogitsError, PromptError, RequestError
from workflows.common.files import write_atomically

if TYPE_CHECKING:
    from workflows.generate import Engine, GenerateOptions, TemplateMessage, Tool


HELP = "/help lists the commands, /exit or Ctrl+D ends, Ctrl+C stops a reply."
COMMANDS = """\
/new              starts a new chat; /reset is the same
/system TEXT      sets the system message; without a text, removes it
/save FILE        saves the chat: .json, or Markdown with any other suffix
/exit             ends; /quit is the same
Enter sends, Alt+Enter breaks the line, the arrow up brings earlier lines back.
"""
COMPLETION_HELP = "No chat template: the model continues the text so far, an empty line lets it continue."
_FLAGS = Only(
    "max_new_tokens", "cache", "capacity", "session_option", "place", "no_drafts", "provider", "draft", "ngram",
    "draft_tokens", "temperature", "seed", "logits", "target_language", "source_language",
)  # fmt: skip


class TerminalChat:
    """A chat with an open bundle. Raises PromptError at once for a bundle that cannot encode one."""

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
        self._system = system
        self._messages: list[TemplateMessage] = []
        engine.encode_turn([*self._system_messages, {"role": "user", "content": "?"}], tools, prefill)

    @property
    def _system_messages(self) -> list[TemplateMessage]:
        return [{"role": "system", "content": self._system}] if self._system else []

    def welcome(self) -> str:
        """The first line on the terminal."""
        text = f"{HELP} {COMPLETION_HELP}" if self._engine.prompts.completes else HELP
        return f"{self._engine.bundle.pipeline.metadata.name}: {text}\n"

    def reset(self) -> None:
        self._messages = []
        self._engine.reset()

    def command(self, line: str) -> bool:
        """Runs a slash command; False if the line is none and goes to the model. Raises RequestError."""
        name, _, rest = line.strip().partition(" ")
        match name:
            case "/help":
                sys.stderr.write(COMMANDS)
            case "/new" | "/reset":
                self.reset()
            case "/system":
                self._system = rest.strip()
            case "/save":
                self._save(rest.strip())
            case _:
                return False
        return True

    def reply(self, line: str) -> None:
        """Prints the reply to a line. Raises PromptError or LogitsError, and the line is not added then."""
        if not line.strip() and not (self._engine.prompts.completes and self._messages):
            return
        from workflows.measure.recording import record_generation, to_stderr

        after = "\n" if self._engine.prompts.completes and self._messages and line else ""
        messages: list[TemplateMessage] = [*self._messages, {"role": "user", "content": after + line}]
        ids = self._engine.encode_turn([*self._system_messages, *messages], self._tools, self._prefill)
        with stop_on_interrupt(self._engine.stop) as cancelled:
            prefix = self._engine.prompts.reply_prefix(self._prefill)
            events = self._engine.generate(ids, self._options, cancelled, prefix=prefix)
            done = print_generation(
                record_generation(self._engine.bundle, events, to_stderr), self._as_json, self._prefill
            )
        self._messages = [*messages, {"role": "assistant", "content": self._prefill + done.text}]

    def _save(self, name: str) -> None:
        if not name:
            raise RequestError("/save takes the name of a file: /save chat.md.")
        path = Path(name).expanduser()
        try:
            write_atomically(path, (self._to_json() if path.suffix == ".json" else self._to_markdown()).encode())
        except OSError as error:
            raise RequestError(f"The chat cannot be written to {path}: {error.strerror}.") from None
        sys.stderr.write(f"Saved as {path}.\n")

    def _to_json(self) -> str:
        return json.dumps([*self._system_messages, *self._messages], ensure_ascii=False, indent=1) + "\n"

    def _to_markdown(self) -> str:
        """The format of the window's export."""
        parts = ["> " + str(turn["content"]).replace("\n", "\n> ") for turn in self._system_messages]
        for turn in self._messages:
            parts.append(f"## {'You' if turn['role'] == 'user' else 'Model'}\n\n{str(turn['content']).strip()}")
        return "\n\n".join(parts) + "\n"


@dataclass(frozen=True)
class ChatFlags(RunFlags):
    """RunFlags with another default length of a reply."""

    max_new_tokens: int | None = typer.Option(512, "--max-new-tokens", help="Tokens of one reply at most.")


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
