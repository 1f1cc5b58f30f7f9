"""Copies bundles and single files to a machine by content, and knows which path there is which here.

    folder ──its manifest──▶ name → SHA-256 ──arrived──▶ what is missing ──DATA──▶ a folder there
                                                 └ a file that was cut off is continued

The digests of a bundle are those of its manifest; the other end checks them as the bytes arrive. rsync is missing on
Windows, and compares times or blocks where these digests are known already.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from workflows.bundle.manifest import MANIFEST, is_linked, read_manifest, sha256_of
from workflows.common.errors import BundleError, Cancelled, RemoteError, RequestError
from workflows.service.remote.connection import Cancellation, Connection
from workflows.service.remote.frames import BLOCK
from workflows.wire.events import Event, ProgressEvent

STAGE = "copy"
_RETRIES = 1


@dataclass(frozen=True)
class LocalFile:
    """A file to copy. name: its path in the folder there."""

    name: str
    path: Path
    sha256: str
    bytes: int


@dataclass
class CopiedPaths:
    """The paths here and there of what was copied on one connection."""

    there: dict[Path, str] = field(default_factory=dict)

    def localized(self, text: str, escape: Callable[[str], str] = lambda path: path) -> str:
        """The text with the paths of this machine in place of those of the other. escape: as the text has paths."""
        for here, there in self.there.items():
            if escape(there) in text:
                text = text.replace(escape(there), escape(str(here)))
        return text


class Copier:
    """Copies on one connection; what was copied already is not looked at again."""

    def __init__(
        self,
        connection: Connection,
        report: Callable[[Event], None] = lambda _: None,
        cancelled: Cancellation = lambda: False,
    ) -> None:
        self._connection, self.report, self.cancelled = connection, report, cancelled
        self.paths = CopiedPaths()
        self._listings: dict[Path, list[LocalFile]] = {}

    def folder(self, path: Path) -> str:
        """The path there of a bundle's folder, or of any other folder, after copying what is missing.

        Raises BundleError, RequestError, DiskFullError, RemoteError, OSError and Cancelled.
        """
        if not path.is_dir():
            raise BundleError(f"There is no bundle folder {path}: check the path, or build one with `joinery build`.")
        return self._copy(path.resolve(), _listing(path, self.cancelled), temporary=False)

    def file(self, path: Path) -> str:
        """The path there of a single file, which is removed with the connection. Raises as `folder` does."""
        if not path.is_file():
            raise RequestError(f"There is no file {path}: check the path.")
        entry = LocalFile(path.name, path, sha256_of(path), path.stat().st_size)
        folder = self._copy(path.resolve().parent, [entry], temporary=True)
        self.paths.there[path.resolve()] = f"{folder}/{path.name}"
        return self.paths.there[path.resolve()]

    def place(self, path: Path) -> str:
        """The path there of a folder or a file. Raises as `folder` does."""
        if not path.exists():
            raise RequestError(f"There is no {path}: check the path.")
        return self.folder(path) if path.is_dir() else self.file(path)

    def _copy(self, folder: Path, files: list[LocalFile], temporary: bool) -> str:
        if not temporary and self._listings.get(folder) == files:
            return self.paths.there[folder]
        sizes = {one.sha256: one.bytes for one in files}
        arrived = self._connection.request("arrived", files=sizes, temporary=temporary)
        missing = [one for one in files if arrived[one.sha256] < one.bytes]
        missing = list({one.sha256: one for one in missing}.values())
        progress = _CopyProgress(folder.name, arrived, missing, self.report)
        for one in (*missing, *(one for one in files if not one.bytes)):
            self._send(one, progress, temporary)
        names = {one.name: one.sha256 for one in files}
        name = folder.name or "bundle"
        there = str(self._connection.request("folder", name=name, files=names, temporary=temporary))
        if not temporary:
            self.paths.there[folder], self._listings[folder] = there, files
        return there

    def _send(self, one: LocalFile, progress: _CopyProgress, temporary: bool) -> None:
        for attempt in range(_RETRIES + 1):
            try:
                self._send_once(one, progress, temporary)
                return
            except RequestError:
                # what was there already may have been damaged; it has been removed
                if attempt == _RETRIES or sha256_of(one.path) != one.sha256:
                    raise

    def _send_once(self, one: LocalFile, progress: _CopyProgress, temporary: bool) -> None:
        """Sends what is missing of a file. Raises Cancelled, and keeps the connection usable then."""
        size = one.bytes
        offset = int(self._connection.request("receive", sha256=one.sha256, bytes=size, temporary=temporary))
        stopped = offset < 0
        with one.path.open("rb") as file:
            file.seek(max(offset, 0))
            while not stopped and (block := file.read(BLOCK)):
                stopped = not self._connection.send_data(block) or self.cancelled()
                progress.add(one.name, len(block))
        whole = self._end(one)
        if self.cancelled():
            raise Cancelled("The copy was cancelled; the next one continues it.")
        if not whole:
            raise RemoteError(f"{one.path} changed while it was copied: try again.")

    def _end(self, one: LocalFile) -> bool:
        """Ends a file's frames and returns whether it is whole there. Raises the error that stopped it."""
        try:
            return bool(self._connection.request("end_of_file"))
        except RequestError:
            if sha256_of(one.path) != one.sha256:
                raise BundleError(
                    f"{one.path} is not what the manifest says: see `joinery verify`, and build the bundle anew."
                ) from None
            raise


class _CopyProgress:
    """Progress of one copy in bytes, over what is missing."""

    def __init__(
        self, name: str, arrived: dict[str, int], missing: list[LocalFile], report: Callable[[Event], None]
    ) -> None:
        self._name, self._report, self._done = name, report, 0
        self._total = sum(one.bytes - arrived[one.sha256] for one in missing)

    def add(self, file: str, count: int) -> None:
        self._done += count
        message = f"copying {self._name}: {self._done / 2**20:,.1f} of {self._total / 2**20:,.1f} MiB"
        total = float(max(self._total, self._done))
        self._report(ProgressEvent(stage=STAGE, message=message, done=self._done, total=total, unit="bytes"))


def _listing(folder: Path, cancelled: Cancellation) -> list[LocalFile]:
    """The files of a folder with their digests: of a bundle by its manifest, of any other folder by reading them."""
    manifest = folder / MANIFEST
    if manifest.is_file():
        entries = read_manifest(folder).files
        files = [LocalFile(name, folder / name, one.sha256, one.bytes) for name, one in entries.items()]
        for one in files:
            if is_linked(folder, one.name) or not one.path.is_file():
                raise BundleError(f"{one.path} is missing or a link: see `joinery verify`, and build the bundle anew.")
        own = manifest.read_bytes()
        return [*files, LocalFile(MANIFEST, manifest, hashlib.sha256(own).hexdigest(), len(own))]
    found = list[LocalFile]()
    for path in sorted(folder.rglob("*")):
        if cancelled():
            raise Cancelled("Cancelled.")
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not is_linked(folder, name):
            found.append(LocalFile(name, path, sha256_of(path), path.stat().st_size))
    return found
