"""The lengths that a cache can go back to, as text."""

from __future__ import annotations

from collections.abc import Sequence

from app.text.formatting import format_number
from app.text.translatable import tr

MOST = 8
"""The number of ranges that are listed; of more, the first and the last ones."""


def format_lengths(ranges: Sequence[tuple[int, int]]) -> str:
    """Ranges of lengths, first and last included: `0 and 81–100`, `0, 16, 32 and 40`."""
    parts = [format_number(a) if a == b else f"{format_number(a)}–{format_number(b)}" for a, b in ranges]
    if len(parts) > MOST:
        parts = [*parts[:2], "…", *parts[3 - MOST :]]
    return tr(" and ").join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
