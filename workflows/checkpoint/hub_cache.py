"""Paths in the Hub client's cache folder: transformers finds what Joinery downloads, and the reverse.

    <cache>/models--org--name/  blobs/<hash>   snapshots/<commit>/<name> → ../../blobs/<hash>   refs/<branch>: commit

A blob gets its name once its hash is verified; a branch points to a commit once its snapshot is complete.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class HubCache:
    """The cache of one repository."""

    cache: Path
    repository: str

    @property
    def root(self) -> Path:
        """The repository's folder."""
        return self.cache / ("models--" + self.repository.replace("/", "--"))

    def blob(self, etag: str) -> Path:
        """The path of the blob with this hash."""
        return self.root / "blobs" / etag

    def partial(self, etag: str) -> Path:
        """The path of the blob while its download is incomplete."""
        return self.root / "blobs" / f"{etag}.incomplete"

    def lock(self, etag: str) -> Path:
        """The path of the blob's lock, which the Hub client takes as well."""
        return self.cache / ".locks" / self.root.name / f"{etag}.lock"

    def snapshot(self, commit: str) -> Path:
        """The folder that mirrors the repository at a commit."""
        return self.root / "snapshots" / commit

    def make_folders(self, etag: str) -> None:
        """Creates the folders that a download needs."""
        for folder in (self.root / "blobs", self.root / "snapshots", self.lock(etag).parent):
            folder.mkdir(parents=True, exist_ok=True)

    def find_file(self, commit: str, name: str, etag: str) -> Path | None:
        """The path of the file in the snapshot or in the blobs, or None."""
        for path in (self.snapshot(commit) / name, self.blob(etag)):
            if path.is_file():
                return path.resolve()
        return None

    def publish(self, etag: str) -> Path:
        """Renames a complete partial file to its blob name."""
        return self.partial(etag).replace(self.blob(etag))

    def link(self, commit: str, name: str, etag: str) -> Path:
        """Links a blob into the snapshot; moves it there where links are unavailable (Windows)."""
        pointer = self.snapshot(commit) / name
        pointer.parent.mkdir(parents=True, exist_ok=True)
        if pointer.is_file():
            return pointer
        pointer.unlink(missing_ok=True)
        try:
            pointer.symlink_to(os.path.relpath(self.blob(etag), pointer.parent))
        except OSError:
            shutil.move(self.blob(etag), pointer)
        return pointer

    def remove_file(self, commit: str, name: str, etag: str) -> None:
        """Removes a file whose contents are wrong."""
        for path in ((self.snapshot(commit) / name), self.blob(etag), self.partial(etag)):
            path.unlink(missing_ok=True)

    def commit_of(self, revision: str) -> str | None:
        """The commit that a branch, tag or hash pointed to at its last download."""
        if COMMIT.fullmatch(revision):
            return revision
        with contextlib.suppress(OSError, ValueError):
            with (self.root / "refs" / revision).open(encoding="ascii") as file:
                commit = file.read(41).strip()
            return commit if COMMIT.fullmatch(commit) else None
        return None

    def set_revision(self, revision: str, commit: str) -> None:
        """Points `revision` to `commit`, atomically; a read-only cache is left unchanged."""
        if revision == commit or self.commit_of(revision) == commit:
            return
        path = self.root / "refs" / revision
        fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}.tmp")
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            fresh.write_text(commit, encoding="ascii")
            fresh.replace(path)
