"""Hands the records of runs to the connection that requested them, in place of this machine's history.

RUNS_FOLDER is set: recording ──post_run──▶ folder/<id>.json ──take_runs──▶ the connection ──▶ the other's history
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

RUNS_FOLDER = "JOINERY_RUNS_FOLDER"
"""The environment variable with the folder; without it runs are recorded here."""


def outbox() -> Path | None:
    """The folder, if one is set."""
    folder = os.environ.get(RUNS_FOLDER)
    return Path(folder) if folder else None


def post_run(folder: Path, ident: str, run: str) -> None:
    """Writes a run as JSON. Raises OSError."""
    draft = folder / f"{ident}.tmp"
    draft.write_text(run, "utf-8")
    draft.replace(folder / f"{ident}.json")


def take_runs(folder: Path) -> Iterator[object]:
    """The runs in the folder, each once; a file that cannot be read stays."""
    for path in sorted(path for path in folder.iterdir() if path.suffix == ".json"):
        with suppress(OSError, ValueError):
            run = json.loads(path.read_text("utf-8"))
            path.unlink()
            yield run
