"""Resolves what a person typed to a checkpoint: a folder, a GGUF file, a demo or a model on the Hub.

source ──find_checkpoint──▶ CheckpointLocation: a local folder or file, not read yet ──read_checkpoint──▶ Checkpoint
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from workflows.checkpoint.checkpoint import Checkpoint, SourceKind, missing_folder_error, read_checkpoint
from workflows.checkpoint.configuration import CONFIG
from workflows.checkpoint.gguf import SUFFIX, find_gguf
from workflows.common.errors import CheckpointError, printable
from workflows.wire.events import Event

DEMO = "demo:"
_PART = r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,94}[A-Za-z0-9_-])?"
_HUB_ID = re.compile(rf"(?:{_PART}/)?{_PART}")
_REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./-]{0,199}")


_WEIGHTS = ("*.safetensors", "pytorch_model*.bin", "*.gguf")


class CheckpointLocation(NamedTuple):
    """A checkpoint's location on this disk: the arguments of read_checkpoint. No network access follows.

    folder: or a file of GGUF.
    """

    folder: Path
    source: str
    kind: SourceKind
    revision: str = ""

    @property
    def weights_bytes(self) -> int:
        """Upper bound of the bytes of its weight files; 0 where none is readable."""
        if not self.folder.is_dir():
            return sum((self.folder.parent / name).stat().st_size for name in find_gguf(self.folder))
        patterns = [*_WEIGHTS, *(f"*/{name}" for name in _WEIGHTS)]  # or in a module's folder
        return sum(path.stat().st_size for name in patterns for path in self.folder.glob(name) if path.is_file())


def open_checkpoint(source: str, **options: Any) -> Checkpoint:
    """Finds and reads the checkpoint `source`. options, errors: those of find_checkpoint and read_checkpoint."""
    return read_checkpoint(*find_checkpoint(source, **options))


def find_checkpoint(
    source: str,
    *,
    revision: str | None = None,
    report: Callable[[Event], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
    endpoint: str | None = None,
    cache: Path | None = None,
) -> CheckpointLocation:
    """Returns the location of `source`: a folder, a file of GGUF, `demo:NAME`, or a Hub id `org/name` or `name`.

    A folder takes precedence over a Hub id of the same spelling. `revision` (a branch, tag or commit), `endpoint`
    (default: HF_ENDPOINT) and `cache` (default: the Hub's cache folder) apply to the Hub alone; a folder or a demo
    opens no socket. The caller's thread calls `report` with progress in bytes, and `cancelled` several times a second.
    Raises CheckpointError (HubError for the Hub), and Cancelled.
    """
    if source.startswith(DEMO):
        _refuse_revision(source, revision)
        return CheckpointLocation(_demo(source.removeprefix(DEMO)), source, "demo")
    path = Path(source).expanduser() if source and source.isprintable() else None
    if path is not None and (path.is_dir() or (path.suffix.lower() == SUFFIX and path.is_file())):
        _refuse_revision(source, revision)
        return CheckpointLocation(path.resolve(), source, "folder")
    if path is not None and (path.exists() or not is_hub_id(source)):
        raise missing_folder_error(source, path)
    if path is None and source:
        raise CheckpointError(
            f"{printable(source)!r} has unprintable characters, so it is not a checkpoint: give a folder, "
            "demo:NAME, or a model's name on the hub."
        )
    if path is None:
        raise CheckpointError("No checkpoint was named; give a folder, demo:NAME, or a model's name on the hub.")
    if revision is not None and (not _REVISION.fullmatch(revision) or ".." in revision):
        raise CheckpointError(f"'{printable(revision)}' is not a revision; give a branch, a tag or a commit's hash.")
    from workflows.checkpoint.hub import download_snapshot

    folder = download_snapshot(
        source, revision or "main", endpoint=endpoint, cache=cache, report=report, cancelled=cancelled
    )
    return CheckpointLocation(folder, source, "hub", folder.name)


def demos() -> tuple[str, ...]:
    """The names of the bundled demo checkpoints, sorted."""
    root = resources.files("resources") / "demos"
    return tuple(sorted(entry.name for entry in root.iterdir() if (entry / CONFIG).is_file())) if root.is_dir() else ()


def is_hub_id(source: str) -> bool:
    """Whether `source` has the form of a Hub id: `name` or `org/name`."""
    return bool(_HUB_ID.fullmatch(source)) and "--" not in source and ".." not in source


def _demo(name: str) -> Path:
    known = demos()
    if name not in known:
        available = ", ".join(f"{DEMO}{one}" for one in known) or "none is installed"
        raise CheckpointError(f"There is no demo '{printable(name)}'; there is: {available}.")
    return Path(str(resources.files("resources") / "demos" / name)).resolve()


def _refuse_revision(source: str, revision: str | None) -> None:
    if revision is not None:
        raise CheckpointError(f"{printable(source)} is on this machine and has no revisions; leave the revision out.")
