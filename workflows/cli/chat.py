"""`joinery chat`: a chat of many turns that keeps the KV cache between them."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer._click.globals import get_current_context

from workflows.cli.chat_partner import ChatPartner, LocalPartner, open_partner
from workflows.cli.flags import Only, with_flags
from workflows.cli.generate import print_generation
from workflows.cli.interrupts import exit_on_interrupt, stop_on_interrupt
from workflows.cli.line_input import ReadLine, is_terminal, read_pipe, terminal_reader
from workflows.cli.output import JsonFlag
from workflows.cli.progress import status_line
from workflows.cli.remote_flag import OnFlag, confine_here
from workflows.cli.run_flags import PromptFlags, RunFlags
from workflows.common.errors import LogitsError, PromptError, RequestError
from workflows.common.files import write_atomically

if TYPE_CHECKING:
    from workflows.generate import TemplateMessage


HELP = "/help lists the commands, /exit or Ctrl+D ends, Ctrl+C stops a reply."
COMMANDS = """\
/new              starts a new chat; /reset is the same
/system TEXT      sets the system message; without a text, removes it
/adapter NAME     goes on with an adapter of the bundle; without a name, with none
/save FILE        saves the chat: .json, or Markdown with any other suffix
/exit             ends; /quit is the same
Enter sends, Alt+Enter breaks the line, the arrow up brings earlier lines back.
"""
COMPLETION_HELP = "No chat template: the model continues the text so far, an empty line lets it continue."
_FLAGS = Only(
    "max_new_tokens", "cache", "capacity", "session_option", "place", "no_drafts", "provider", "draft", "ngram",
    "draft_tokens", "temperature", "seed", "logits", "target_language", "source_language", "adapter",
)  # fmt: skip


class TerminalChat:
    """A chat with an open bundle, here or elsewhere. Raises PromptError at once for a bundle that cannot encode one."""

    def __init__(self, partner: ChatPartner, system: str, prefill: str, as_json: bool) -> None:
        self._partner, self._prefill, self._as_json = partner, prefill, as_json
        self._system = system
        self._messages: list[TemplateMessage] = []
        partner.check([*self._system_messages, {"role": "user", "content": "?"}])

    @property
    def _system_messages(self) -> list[TemplateMessage]:
        return [{"role": "system", "content": self._system}] if self._system else []

    def welcome(self) -> str:
        """The first line on the terminal."""
        text = f"{HELP} {COMPLETION_HELP}" if self._partner.completes else HELP
        return f"{self._partner.name}: {text}\n"

    def reset(self) -> None:
        self._messages = []
        self._partner.reset()

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
            case "/adapter":
                self._partner.use_adapter(rest.strip())
            case "/save":
                self._save(rest.strip())
            case _:
                return False
        return True

    def reply(self, line: str) -> None:
        """Prints the reply to a line. Raises PromptError or LogitsError, and the line is not added then."""
        if not line.strip() and not (self._partner.completes and self._messages):
            return
        after = "\n" if self._partner.completes and self._messages and line else ""
        messages: list[TemplateMessage] = [*self._messages, {"role": "user", "content": after + line}]
        with stop_on_interrupt(self._partner.stop) as cancelled:
            events = self._partner.events([*self._system_messages, *messages], cancelled)
            done = print_generation(events, self._as_json, self._prefill)
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
    on: str | None = OnFlag,
    as_json: bool = JsonFlag,
) -> None:
    """Chat with a bundle; each line is a turn. A terminal has line editing and a history: see /help there.

    A base model, whose bundle has no chat template, continues the text so far: each line is appended on a line of its
    own, and an empty line lets the model continue.
    """
    flags.check_drafts()
    partner = _local(bundle, source, flags) if on is None else _remote(on, bundle, source, flags)
    with closing(partner):
        terminal_chat = TerminalChat(partner, system, source.prefill, as_json)
        interactive = is_terminal() and not as_json
        if interactive:
            sys.stderr.write(terminal_chat.welcome())
        _converse(terminal_chat, terminal_reader() if interactive else read_pipe, interactive)


def _local(bundle: Path, source: PromptFlags, flags: ChatFlags) -> ChatPartner:
    """Opens the bundle in this process."""
    from workflows.generate import open_chat_engine
    from workflows.generate.options import check_options

    confine_here(get_current_context())
    options, tools = check_options(flags.generation_options()), source.read_tools()
    with exit_on_interrupt():
        return LocalPartner(flags.open(open_chat_engine, bundle), options, tools, source.prefill)


def _remote(name: str, bundle: Path, source: PromptFlags, flags: ChatFlags) -> ChatPartner:
    """Opens the bundle on another machine."""
    from workflows.generate.options import check_options

    check_options(flags.generation_options())
    with status_line(f"connecting to {name}") as (report, cancelled):
        return open_partner(name, bundle, flags, source.read_tools(), source.prefill, report, cancelled)


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
