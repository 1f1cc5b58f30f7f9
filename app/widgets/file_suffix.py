"""The endings of files that a person names."""

from __future__ import annotations

from pathlib import Path


def with_file_suffix(name: str, asked: str, *known: str) -> Path:
    """The path of a name that was typed, with the ending that was asked for (.png) where it has none that is known.

    What follows a full stop may be a part of the name: qwen3-0.6B.
    """
    path = Path(name)
    return path if path.suffix.lower() in (asked, *known) else path.with_name(path.name + asked)
