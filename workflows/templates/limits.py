"""Limits of rendering a template, and the names of its failures in the renderer's answers."""

from __future__ import annotations

SECONDS, CHARACTERS, BYTES = 2.0, 4_000_000, 384 << 20  # of computing; of text; of memory, the process's own included
SOURCE, REFUSED, WRONG, TOO_LONG, TOO_MUCH = "source", "refused", "wrong", "too long", "too much"
