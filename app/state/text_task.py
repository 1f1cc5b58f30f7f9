"""Texts given to a bundle without a chat, one in each line.

lines ──send──▶ BundleTask ──report──▶ changed
"""

from __future__ import annotations

from collections.abc import Callable

from app.state.bundle_task import BundleTask, Report, Sent
from app.text.formatting import format_number

MOST_LINES, MOST_CHARACTERS = 2_000, 200_000
"""The most lines, and the most characters of all."""


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a text that are not blank."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


class TextTask(BundleTask[Sent, Report]):
    """Gives texts to one bundle at a time."""

    def _send(self, text: str, make: Callable[[tuple[str, ...]], Sent], least: int = 1, reason: str = "") -> bool:
        """Sends the request that `make` makes of the lines of a text; returns False where `problem` says why not.

        least: the number of lines that it needs; reason: why fewer do not do.
        """
        lines = lines_of(text) if len(text) <= MOST_CHARACTERS else ()
        problem = self._problem_of(text, lines)
        if not problem and len(lines) < least:
            problem = reason
        return self._start(problem, lambda: make(lines))

    def _problem_of(self, text: str, lines: tuple[str, ...]) -> str:
        if len(text) > MOST_CHARACTERS:
            most = format_number(MOST_CHARACTERS)
            return self.tr("The texts have more than {0} characters: paste fewer at once.").format(most)
        if len(lines) > MOST_LINES:
            count, most = format_number(len(lines)), format_number(MOST_LINES)
            return self.tr("There are {0} lines, and at most {1} are read: paste fewer at once.").format(count, most)
        return "" if lines else self.tr("There is no text: paste one in each line.")
