"""The hub client's cache folder, in its own layout: what Joinery downloads, transformers finds, and the reverse.

    <cache>/models--org--name/  blobs/<hash>   snapshots/<commit>/<name> → ../../blobs/<hash>   refs/<branch>: commit

A blob has its name only once its hash was compared; a branch points to a commit only once its snapshot is whole.
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
    """One model's part of the cache."""

    cache: Path
    repository: str

    @property
    def root(self) -> Path:
        """The model's folder."""
        return self.cache / ("models--" + self.repository.replace("/", "--"))

    def blob(self, etag: str) -> Path:
        """Where the contents with this hash lie."""
        return self.root / "blobs" / etag

    def partial(self, etag: str) -> Path:
        """Where they lie until they are whole."""
        return self.root / "blobs" / f"{etag}.incomplete"

    def lock(self, etag: str) -> Path:
        """The lock that the client takes too."""
        return self.cache / ".locks" / self.root.name / f"{etag}.lock"

    def snapshot(self, commit: str) -> Path:
        """The folder that looks like the repository at a commit."""
        return self.root / "snapshots" / commit

    def prepare(self, etag: str) -> None:
        """Make the folders that a download needs."""
        for folder in (self.root / "blobs", self.root / "snapshots", self.lock(etag).parent):
            folder.mkdir(parents=True, exist_ok=True)

    def present(self, commit: str, name: str, etag: str) -> Path | None:
        """The file's contents, by its snapshot or by its hash, or None."""
        for path in (self.snapshot(commit) / name, self.blob(etag)):
            if path.is_file():
                return path.resolve()
        return None

    def publish(self, etag: str) -> Path:
        """Give a whole partial file its name."""
        return self.partial(etag).replace(self.blob(etag))

    def link(self, commit: str, name: str, etag: str) -> Path:
        """Show a blob in the snapshot; by moving it there where links are not to be had (Windows)."""
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

    def forget(self, commit: str, name: str, etag: str) -> None:
        """Remove a file whose contents are wrong."""
        for path in ((self.snapshot(commit) / name), self.blob(etag), self.partial(etag)):
            path.unlink(missing_ok=True)

    def commit_of(self, revision: str) -> str | None:
        """The commit that a branch, tag or hash meant when it was last downloaded."""
        if COMMIT.fullmatch(revision):
            return revision
        with contextlib.suppress(OSError, ValueError):
            with (self.root / "refs" / revision).open(encoding="ascii") as file:
                commit = file.read(41).strip()
            return commit if COMMIT.fullmatch(commit) else None
        return None

    def remember(self, revision: str, commit: str) -> None:
        """Let `revision` mean `commit`, atomically; a cache that cannot be written is left as it is."""
        if revision == commit or self.commit_of(revision) == commit:
            return
        path = self.root / "refs" / revision
        fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}.tmp")
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            fresh.write_text(commit, encoding="ascii")
            fresh.replace(path)
