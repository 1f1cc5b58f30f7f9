"""Figures → the Markdown table; a kind of fault that comes later adds rows of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass

from tests.faults.cases import Verdict

HEAD = ("what writes", "cases", "of them killed", "whole afterwards", "needed a hand", "messages", "name the target")


@dataclass(frozen=True)
class Row:
    """Of one kind: how many cases there were, and what came of them. said: failures that were told."""

    kind: str
    cases: int
    killed: int
    whole: int
    hands: int
    said: int
    named: int


def row_of(kind: str, verdicts: Iterable[Verdict]) -> Row:
    """What came of one kind's cases."""
    every = list(verdicts)
    return Row(
        kind,
        len(every),
        sum(not one.fault.code for one in every),
        sum(one.whole for one in every),
        sum(one.needs_hand for one in every),
        sum(one.named is not None for one in every),
        sum(one.named is True for one in every),
    )


def table(rows: Iterable[Row]) -> str:
    """One line a kind, and their sums."""
    every = list(rows)
    sums = [sum(column) for column in zip(*(astuple(row)[1:] for row in every), strict=True)]
    return markdown(HEAD, [*map(astuple, every), ("together", *sums)])


def markdown(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table whose first column is words, and the others figures."""
    lines = [head, ("---", *["---:"] * (len(head) - 1)), *rows]
    return "\n".join("| " + " | ".join(_cell(one) for one in line) + " |" for line in lines)


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
