"""A conversation on the terminal: what was said, and what a person can do with it besides saying more."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workflows.cli.generate import show
from workflows.cli.interrupts import promptly
from workflows.errors import RequestError
from workflows.files import write_whole

if TYPE_CHECKING:
    from workflows.generate import Engine, GenerateOptions, Message, Tool

HELP = "/help tells what else there is, /exit or Ctrl+D leaves, Ctrl+C stops a reply."
COMMANDS = """\
/new              forgets the conversation; /reset is the same
/system TEXT      a system message from now on; without a text, none
/save FILE        writes the conversation: .json, or Markdown under any other name
/exit             leaves; /quit is the same
Enter sends, Alt+Enter breaks the line, the arrow up brings earlier lines back.
"""
COMPLETES = "No chat template: it completes what was written so far, and an empty line lets it go on."


class Talk:
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
        self._said: list[Message] = []
        engine.encode_turn([*self._opening, {"role": "user", "content": "?"}], tools, prefill)

    @property
    def _opening(self) -> list[Message]:
        return [{"role": "system", "content": self._system}] if self._system else []

    def welcome(self) -> str:
        """What a person is told first."""
        said = f"{HELP} {COMPLETES}" if self._engine.completes else HELP
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
        if not line.strip() and not (self._engine.completes and self._said):
            return
        from workflows.measure.recording import recorded, to_stderr

        after = "\n" if self._engine.completes and self._said and line else ""
        said: list[Message] = [*self._said, {"role": "user", "content": after + line}]
        ids = self._engine.encode_turn([*self._opening, *said], self._tools, self._prefill)
        with promptly(self._engine.stop) as cancelled:
            prefix = self._engine.prefix_of(self._prefill)
            events = self._engine.generate(ids, self._options, cancelled, prefix=prefix)
            done = show(recorded(self._engine.bundle, events, to_stderr), self._as_json, self._prefill)
        self._said = [*said, {"role": "assistant", "content": self._prefill + done.text}]

    def _save(self, name: str) -> None:
        if not name:
            raise RequestError("/save takes the name of a file: /save talk.md.")
        path = Path(name).expanduser()
        try:
            write_whole(path, (self._to_json() if path.suffix == ".json" else self._to_markdown()).encode())
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
