"""A conversation on the terminal: what was said, and what a person can do with it besides saying more."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workflows.cli.generate import print_generation
from workflows.cli.interrupts import stop_on_interrupt
from workflows.common.errors import RequestError
from workflows.common.files import write_atomically

if TYPE_CHECKING:
    from workflows.generate import Engine, GenerateOptions, TemplateMessage, Tool

HELP = "/help tells what else there is, /exit or Ctrl+D leaves, Ctrl+C stops a reply."
COMMANDS = """\
/new              forgets the conversation; /reset is the same
/system TEXT      a system message from now on; without a text, none
/save FILE        writes the conversation: .json, or Markdown under any other name
/exit             leaves; /quit is the same
Enter sends, Alt+Enter breaks the line, the arrow up brings earlier lines back.
"""
COMPLETION_HELP = "No chat template: it completes what was written so far, and an empty line lets it go on."


class TerminalChat:
    """A conversation with an open bundle. Raises PromptError at once for a bundle that cannot have it."""

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
        self._said: list[TemplateMessage] = []
        engine.encode_turn([*self._opening, {"role": "user", "content": "?"}], tools, prefill)

    @property
    def _opening(self) -> list[TemplateMessage]:
        return [{"role": "system", "content": self._system}] if self._system else []

    def welcome(self) -> str:
        """What a person is told first."""
        said = f"{HELP} {COMPLETION_HELP}" if self._engine.prompts.completes else HELP
        return f"{self._engine.bundle.pipeline.metadata.name}: {said}\n"

    def reset(self) -> None:
        """Forgets what was said."""
        self._said = []
        self._engine.reset()

    def command(self, line: str) -> bool:
        """Does what a line of a person asks for by a slash; False for a line that is said to the model.

        Raises RequestError.
        """
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

    def say(self, line: str) -> None:
        """Prints the reply to a line. Raises PromptError or LogitsError, and the line was then not said."""
        if not line.strip() and not (self._engine.prompts.completes and self._said):
            return
        from workflows.measure.recording import record_generation, to_stderr

        after = "\n" if self._engine.prompts.completes and self._said and line else ""
        said: list[TemplateMessage] = [*self._said, {"role": "user", "content": after + line}]
        ids = self._engine.encode_turn([*self._opening, *said], self._tools, self._prefill)
        with stop_on_interrupt(self._engine.stop) as cancelled:
            prefix = self._engine.prompts.reply_prefix(self._prefill)
            events = self._engine.generate(ids, self._options, cancelled, prefix=prefix)
            done = print_generation(
                record_generation(self._engine.bundle, events, to_stderr), self._as_json, self._prefill
            )
        self._said = [*said, {"role": "assistant", "content": self._prefill + done.text}]

    def _save(self, name: str) -> None:
        if not name:
            raise RequestError("/save takes the name of a file: /save talk.md.")
        path = Path(name).expanduser()
        try:
            write_atomically(path, (self._to_json() if path.suffix == ".json" else self._to_markdown()).encode())
        except OSError as error:
            raise RequestError(f"The conversation cannot be written to {path}: {error.strerror}.") from None
        sys.stderr.write(f"Saved as {path}.\n")

    def _to_json(self) -> str:
        return json.dumps([*self._opening, *self._said], ensure_ascii=False, indent=1) + "\n"

    def _to_markdown(self) -> str:
        """The layout that the window's export has."""
        parts = ["> " + turn["content"].replace("\n", "\n> ") for turn in self._opening]
        for turn in self._said:
            parts.append(f"## {'You' if turn['role'] == 'user' else 'Model'}\n\n{turn['content'].strip()}")
        return "\n\n".join(parts) + "\n"
