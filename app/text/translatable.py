"""Words that reach `tr` from a table or a variable, marked where they are written so that they get a translation."""

from __future__ import annotations


def marked(text: str) -> str:
    """`text` itself; what shows it gives it to `tr`."""
    return text


CHANGES = (marked("added"), marked("removed"), marked("changed"))
"""What a comparison of two graphs says of a node, as the engine names it."""
UNITS = (marked("token"), marked("tokens"))
