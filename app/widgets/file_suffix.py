"""The suffix of typed file names."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths


def with_file_suffix(name: str, suffix_wanted: str, *known: str) -> Path:
    """The path of a typed name, with the requested suffix (.png) added unless it has a known one.

    A dot may also be a part of the name: qwen3-0.6B.
    """
    path = Path(name)
    return path if path.suffix.lower() in (suffix_wanted, *known) else path.with_name(path.name + suffix_wanted)


def suggested_file(name: str) -> str:
    """Where a dialog that saves `name` begins: in the user's documents, not where the program was started."""
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return str(Path(documents if documents and Path(documents).is_dir() else Path.home()) / name)
