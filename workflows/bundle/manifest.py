"""`manifest.json`: every file of a bundle with its size and SHA-256."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from workflows.bundle.strict_model import NameInBundle, StrictModel, refuse_newer
from workflows.common.digests import known_digest
from workflows.common.errors import BundleError
from workflows.common.strict_json import InvalidJsonError, read_json

MANIFEST = "manifest.json"
VERSION = 1


class FileEntry(StrictModel):
    """One file: size in bytes and SHA-256 as hexadecimal digits."""

    bytes: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Manifest(StrictModel):
    """All files except the manifest itself, by their path in the bundle."""

    version: Annotated[int, Field(ge=VERSION, le=VERSION)] = VERSION
    files: dict[NameInBundle, FileEntry]

    @property
    def bytes(self) -> int:
        return sum(entry.bytes for entry in self.files.values())


def is_linked(folder: Path, name: str) -> bool:
    """Whether the file `name`, or a folder on its path, is a symbolic link and may lead outside the bundle."""
    parts = Path(name).parts
    return any(folder.joinpath(*parts[:depth]).is_symlink() for depth in range(1, len(parts) + 1))


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def make_manifest(folder: Path) -> Manifest:
    """The manifest of every file below `folder`. A SHA-256 that this process computed while writing is reused."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / MANIFEST)
    return Manifest(
        files={
            path.relative_to(folder).as_posix(): FileEntry(
                bytes=path.stat().st_size, sha256=known_digest(path) or sha256_of(path)
            )
            for path in files
        }
    )


def write_manifest(folder: Path) -> None:
    (folder / MANIFEST).write_text(make_manifest(folder).model_dump_json(indent=1) + "\n", "utf-8")


def read_manifest(folder: Path) -> Manifest:
    """Reads the manifest of `folder`. Raises BundleError where it is missing or malformed."""
    path = folder / MANIFEST
    if not path.is_file():
        raise BundleError(f"{folder} is not a bundle: it has no {MANIFEST}. Build one with `joinery build`.")
    try:
        data = read_json(path.read_bytes())
        refuse_newer(data, VERSION, str(path))
        return Manifest.model_validate(data)
    except (ValidationError, InvalidJsonError):
        raise BundleError(f"{path} is damaged: build the bundle anew.") from None
