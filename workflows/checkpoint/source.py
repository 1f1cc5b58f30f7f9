"""From what a person typed to a checkpoint: a folder, a demo or a model on the hub.

source ──find_checkpoint──▶ Found: all of it is on this disk, and still shut ──read_checkpoint──▶ Checkpoint
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import NamedTuple, TypedDict, Unpack

from workflows.checkpoint.checkpoint import (
    Checkpoint,
    SourceKind,
    ignore_event,
    missing_folder_error,
    never_cancelled,
    read_checkpoint,
)
from workflows.checkpoint.configuration import CONFIG
from workflows.common.errors import CheckpointError, printable
from workflows.wire.events import Event

DEMO = "demo:"
_PART = r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,94}[A-Za-z0-9_-])?"
_HUB_ID = re.compile(rf"(?:{_PART}/)?{_PART}")
_REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./-]{0,199}")


class CheckpointLocation(NamedTuple):
    """Where a checkpoint lies on this disk, as read_checkpoint takes it; nothing is asked of the network any more."""

    folder: Path
    source: str
    kind: SourceKind
    revision: str = ""

    @property
    def weights_bytes(self) -> int:
        """What its files of weights take at most; 0 where there are none that could be read."""
        return sum(path.stat().st_size for path in self.folder.glob("*.safetensors") if path.is_file())


class _SourceOptions(TypedDict, total=False):
    """What else may be said of a source; see find_checkpoint."""

    revision: str | None
    report: Callable[[Event], None]
    cancelled: Callable[[], bool]
    endpoint: str | None
    cache: Path | None


def open_checkpoint(source: str, **asked: Unpack[_SourceOptions]) -> Checkpoint:
    """The checkpoint behind `source`: found as find_checkpoint finds it, and read. Raises what either raises."""
    return read_checkpoint(*find_checkpoint(source, **asked))


def find_checkpoint(
    source: str,
    *,
    revision: str | None = None,
    report: Callable[[Event], None] = ignore_event,
    cancelled: Callable[[], bool] = never_cancelled,
    endpoint: str | None = None,
    cache: Path | None = None,
) -> CheckpointLocation:
    """Where the checkpoint behind `source` lies: an existing folder, `demo:NAME`, or a hub id `org/name` or `name`.

    A folder wins over a hub id of the same spelling. `revision` (a branch, tag or commit), `endpoint` (else the
    environment's HF_ENDPOINT) and `cache` (else the hub's own cache folder) are for the hub alone; a folder or a
    demo opens no socket. `report` gets progress in bytes, `cancelled` is asked several times a second, both on the
    caller's thread.

    Raises CheckpointError (HubError for the hub) with one sentence, and Cancelled.
    """
    if source.startswith(DEMO):
        _refuse_revision(source, revision)
        return CheckpointLocation(_demo(source.removeprefix(DEMO)), source, "demo")
    path = Path(source).expanduser() if source and source.isprintable() else None
    if path is not None and path.is_dir():
        _refuse_revision(source, revision)
        return CheckpointLocation(path.resolve(), source, "folder")
    if path is not None and (path.exists() or not is_hub_id(source)):
        raise missing_folder_error(source, path)
    if path is None and source:
        raise CheckpointError(
            f"{printable(source)!r} has characters that cannot be printed, so it is taken for no checkpoint: give a "
            "folder, demo:NAME, or a model's name on the hub."
        )
    if path is None:
        raise CheckpointError("No checkpoint was named; give a folder, demo:NAME, or a model's name on the hub.")
    if revision is not None and (not _REVISION.fullmatch(revision) or ".." in revision):
        raise CheckpointError(f"'{printable(revision)}' is no revision; give a branch, a tag or a commit's hash.")
    from workflows.checkpoint.hub import HubClient

    hub = HubClient(endpoint=endpoint, cache=cache, report=report, cancelled=cancelled)
    folder = hub.fetch(source, revision or "main")
    return CheckpointLocation(folder, source, "hub", folder.name)


def demos() -> tuple[str, ...]:
    """The names of the demo checkpoints that came with Joinery, sorted."""
    root = resources.files("resources") / "demos"
    return tuple(sorted(entry.name for entry in root.iterdir() if (entry / CONFIG).is_file())) if root.is_dir() else ()


def is_hub_id(source: str) -> bool:
    """Whether `source` could be a model's name on the hub: `name` or `org/name`."""
    return bool(_HUB_ID.fullmatch(source)) and "--" not in source and ".." not in source


def _demo(name: str) -> Path:
    known = demos()
    if name not in known:
        there_is = ", ".join(f"{DEMO}{one}" for one in known) or "none is installed"
        raise CheckpointError(f"There is no demo '{printable(name)}'; there is: {there_is}.")
    return Path(str(resources.files("resources") / "demos" / name)).resolve()


def _refuse_revision(source: str, revision: str | None) -> None:
    if revision is not None:
        raise CheckpointError(f"{printable(source)} is on this machine and has no revisions; leave the revision out.")
