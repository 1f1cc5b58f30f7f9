"""What a template may take, and the words in which its process says that it gave no text."""

from __future__ import annotations

SECONDS, CHARACTERS, BYTES = 2.0, 4_000_000, 384 << 20  # of computing; of text; of memory, the process's own included
SOURCE, REFUSED, WRONG, TOO_LONG, TOO_MUCH = "source", "refused", "wrong", "too long", "too much"
