"""A rich console on the standard streams that escapes control characters of its content."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import rich.console
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from workflows.cli.streams import escape_controls


class Console(rich.console.Console):
    """rich's console on a standard stream; escapes control characters on a terminal, and does not parse markup."""

    def __init__(self, stderr: bool = False) -> None:
        stream = sys.stderr if stderr else sys.stdout
        super().__init__(file=getattr(stream, "styled", stream), stderr=stderr, markup=False, emoji=False)

    def render_str(self, text: str, **options: Any) -> Text:
        """Escapes text before it is measured, so that columns are as wide as the printed text."""
        return super().render_str(escape_controls(text) if self.is_terminal else text, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Escapes the text of every segment."""
        for segment in super().render(renderable, options):
            is_plain = segment.control or not self.is_terminal
            yield segment if is_plain else Segment(escape_controls(segment.text), segment.style)
