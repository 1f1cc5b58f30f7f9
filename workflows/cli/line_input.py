"""Reads lines from a pipe, or from a terminal with line editing, multi-line input and a history.

Enter sends · Alt+Enter breaks the line · ↑ earlier lines · Ctrl+C drops the input · Ctrl+D ends
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from workflows.common.paths import home, make_folder, make_private

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.key_binding import KeyBindings

HISTORY = "chat-history"
PROMPT = "> "
ReadLine = Callable[[], str | None]
"""Returns the next line without its end, or None at the end of the input."""


def is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def read_pipe() -> str | None:
    """The next line of stdin; None at its end."""
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None


def terminal_reader(history: Path | None = None) -> ReadLine:
    """A reader with line editing. history: its file; None is the one in Joinery's folder."""
    session = _session(history or home() / HISTORY)

    def read() -> str | None:
        while True:
            try:
                return session.prompt(PROMPT)
            except KeyboardInterrupt:  # drops the input, as a shell does
                continue
            except EOFError:
                return None

    return read


def _session(history: Path) -> PromptSession[str]:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import FileHistory

    make_folder(history.parent)
    make_private(history)
    return PromptSession(
        history=FileHistory(str(history)),
        multiline=True,
        key_bindings=_keys(),
        prompt_continuation=" " * len(PROMPT),
        enable_open_in_editor=False,
    )


def _keys() -> KeyBindings:
    """Enter sends and Alt+Enter breaks the line; a paste of several lines is one event and is not sent."""
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

    keys = KeyBindings()

    @keys.add("enter")
    def send(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def break_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return keys
