"""Marks texts that reach `tr` from a table or a variable, so that they are translated."""

from __future__ import annotations


def translatable(text: str) -> str:
    """Returns `text`; whatever shows it passes it to `tr`."""
    return text


CHANGES = (translatable("added"), translatable("removed"), translatable("changed"))
"""The kinds of change in a comparison of two graphs, as the engine names them."""
UNITS = (translatable("token"), translatable("tokens"))
