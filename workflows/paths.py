"""Where Joinery keeps its own files."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path, user_data_path


def home() -> Path:
    """The user's Joinery folder; the variable JOINERY_HOME moves it."""
    moved = os.environ.get("JOINERY_HOME")
    return Path(moved) if moved else user_data_path("joinery", appauthor=False)


def cache_home() -> Path:
    """The folder of what can be made anew; below the user's Joinery folder where that was moved."""
    moved = os.environ.get("JOINERY_HOME")
    return Path(moved) / "cache" if moved else user_cache_path("joinery", appauthor=False)
