"""Reads a checkpoint's files safely: regular files inside the folder, of bounded size.

    folder, "model.safetensors" ──regular_file──▶ resolved Path ──open_file / read_object / sha256──▶ bytes, values

A name may be a symbolic link where its target is inside the folder, or follows the Hub's cache layout
(`snapshots/<commit>/name` → `blobs/<hash>`). FIFOs, sockets and devices are detected by `lstat` and never opened.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from workflows.common.digests import known_digest, remember_digest
from workflows.common.errors import CheckpointError, printable
from workflows.common.files import special_file_kind
from workflows.common.strict_json import InvalidJsonError, read_json

CHUNK = 1 << 20
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def safe_name(name: object) -> bool:
    """Whether `name` is a relative path with forward slashes that stays in its folder on every operating system."""
    if not isinstance(name, str) or not name or len(name) > 255 or not name.isprintable():
        return False
    return not (set('\\:*?"<>|') & set(name)) and all(part not in ("", ".", "..") for part in name.split("/"))


def exists(folder: Path, name: str) -> bool:
    """Whether the folder has an entry of this name, of any type; a dangling link counts and is refused later."""
    return os.path.lexists(folder / name)


def regular_file(folder: Path, name: str) -> Path:
    """Resolves the path of a regular file in `folder`. Raises CheckpointError for anything else."""
    if not safe_name(name):
        raise CheckpointError(
            f"The checkpoint names the file '{printable(name)}', which is not a plain path inside its folder; "
            "get the checkpoint again from a source that you trust."
        )
    try:
        real = (folder / name).resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise CheckpointError(
            f"'{printable(name)}' is missing from {printable(folder)}, or cannot be reached."
        ) from error
    if not _inside(folder.resolve(), real):
        raise CheckpointError(
            f"'{printable(name)}' is a link that leaves the checkpoint's folder, which is refused; "
            "put a copy of the file in its place."
        )
    if kind := special_file_kind(real):
        raise CheckpointError(f"'{printable(name)}' is {kind} where a file should be, so the checkpoint is refused.")
    return real


def _inside(root: Path, real: Path) -> bool:
    """Whether `real` is below `root`, or is the blob behind the Hub cache's snapshot that `root` is or is in."""
    if real.is_relative_to(root):
        return True
    snapshot = next((one for one in (root, root.parent) if one.parent.name == "snapshots"), None)  # or a folder in it
    if snapshot is None:
        return False
    repository = snapshot.parent.parent
    shared = repository.parent / "blobs"  # one store for all repositories: blobs/<2 hex>/<hash>
    return real.parent == repository / "blobs" or real.parent.parent == shared


def open_file(path: Path) -> BinaryIO:
    """Opens a resolved path for reading; never blocks, and never follows a link that was created since."""
    try:
        handle = os.open(path, _OPEN_FLAGS)
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise CheckpointError(
                f"'{printable(path.name)}' is no longer a regular file, so the checkpoint is refused."
            )
    except OSError as error:
        reason = printable(error.strerror or "it cannot be opened")
        raise CheckpointError(f"'{printable(path.name)}' cannot be read ({reason}); check its permissions.") from error
    return os.fdopen(handle, "rb")


def read_bytes(folder: Path, name: str, limit: int) -> bytes:
    """Reads a file of at most `limit` bytes."""
    with open_file(regular_file(folder, name)) as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise CheckpointError(
            f"'{printable(name)}' is larger than {limit >> 20} MiB, which no such file should be; "
            "get the checkpoint again from a source that you trust."
        )
    return content


def read_object(folder: Path, name: str, limit: int) -> dict[str, object]:
    """Reads the JSON object in a file."""
    return parse_object(read_bytes(folder, name, limit), name)


def parse_object(content: bytes, name: str) -> dict[str, object]:
    """Parses the content of the file `name` as a JSON object. Raises CheckpointError as read_json does."""
    try:
        value = read_json(content)
    except InvalidJsonError as error:
        raise CheckpointError(
            f"'{printable(name)}' {error}, so the checkpoint is damaged; copy or download it again."
        ) from error
    if not isinstance(value, dict):
        raise CheckpointError(f"'{printable(name)}' is not a JSON object, so the checkpoint is damaged; get it again.")
    return value


def sha256(path: Path, advance: Callable[[int], None] | None = None) -> str:
    """The SHA-256 of a resolved file, cached while it is unchanged. advance: called with bytes read; may raise."""
    with open_file(path) as file:
        info = os.fstat(file.fileno())
        if (known := known_digest(path, info)) is not None:
            if advance is not None:
                advance(info.st_size)
            return known
        hasher = hashlib.sha256()
        while chunk := file.read(CHUNK):
            hasher.update(chunk)
            if advance is not None:
                advance(len(chunk))
    digest = hasher.hexdigest()
    remember_digest(path, digest, info)
    return digest
