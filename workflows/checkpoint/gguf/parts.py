"""Finds the files of a model in GGUF, by their names alone.

model.gguf │ a folder of one │ model-00002-of-00003.gguf ──find_gguf──▶ the names of its files, in order
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from workflows.common.errors import CheckpointError, printable

SUFFIX = ".gguf"
PART = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf", re.IGNORECASE)
_PART_LIMIT = 1_000


def find_gguf(path: Path) -> tuple[str, ...]:
    """The names of a model's files, in order: of a file, all parts of its set; of a folder, the one model in it.

    Empty for a folder without such a file. Raises CheckpointError for several models, and for a part that is missing.
    """
    if path.is_dir():
        present = sorted(one.name for one in path.iterdir() if one.name.lower().endswith(SUFFIX))
        sets = _model_sets(present)
        if len(sets) > 1:
            named = ", ".join(f"'{printable(one[0])}'" for one in sets[:6])
            raise CheckpointError(
                f"{printable(path)} holds {len(sets)} models in GGUF ({named}): give the file of one of them."
            )
        path = path / sets[0][0] if sets else path
    part = PART.fullmatch(path.name)
    if part is None:
        return (path.name,) if path.name.lower().endswith(SUFFIX) else ()
    count = int(part["count"])
    if not 0 < count <= _PART_LIMIT:
        raise CheckpointError(f"'{printable(path.name)}' names {count} parts, which no model has; give another file.")
    names = tuple(f"{part['stem']}-{number:05}-of-{count:05}{path.suffix}" for number in range(1, count + 1))
    missing = [name for name in names if not (path.parent / name).is_file()]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise CheckpointError(f"The part '{printable(missing[0])}'{more} is missing: put all parts into one folder.")
    return names


def _model_sets(names: Iterable[str]) -> list[list[str]]:
    """The files of each model; those that encode pictures or sound for one (mmproj) are none."""
    sets: dict[str, list[str]] = {}
    for name in names:
        part = PART.fullmatch(name)
        if not name.lower().startswith("mmproj"):
            sets.setdefault(f"{part['stem']} {part['count']}" if part else name, []).append(name)
    return list(sets.values())
