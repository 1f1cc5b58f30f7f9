"""Finds the checkpoint that an adapter changes, on this machine alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from workflows.checkpoint.hub_cache import HubCache
from workflows.checkpoint.peft.settings import read_settings
from workflows.checkpoint.source import is_hub_id
from workflows.common.errors import CheckpointError, printable


def find_base(folder: Path, cache: Path | None = None) -> str:
    """The path of the checkpoint that the adapter in `folder` was made for; cache: the Hub's, its default for None.

    Raises CheckpointError where it is not on this machine, with what to give.
    """
    base = read_settings(folder).base_model_name_or_path or ""
    found = next((path for path in _places(folder, base, cache) if path.exists()), None)
    if found is not None:
        return str(found)
    named = f", {printable(base, 120)}," if base else ""
    where = printable(folder, 400)
    raise CheckpointError(
        f"{where} is an adapter, and its base{named} is not on this machine: give the base beside it, `joinery build "
        f"BASE --adapter {where} --out DIR`."
    )


def _places(folder: Path, base: str, cache: Path | None) -> Iterator[Path]:
    """Where the base may be: the path as it is, from the adapter's folder, and in the Hub's cache."""
    if not base or not base.isprintable() or base.startswith(("\\\\", "//")):  # a share would open a connection
        return
    yield Path(base).expanduser()
    yield folder / base
    if is_hub_id(base):
        from huggingface_hub import constants  # takes long to import

        hub = HubCache(cache or Path(constants.HF_HUB_CACHE).expanduser(), base)
        if commit := hub.commit_of("main"):
            yield hub.snapshot(commit)
