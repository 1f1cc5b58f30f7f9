"""Every file of a bundle against its manifest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from workflows.bundle.manifest import MANIFEST, FileEntry, is_linked, read_manifest, sha256_of
from workflows.bundle.read import read_bundle
from workflows.errors import BundleError, Cancelled


@dataclass(frozen=True)
class Problem:
    """What is wrong with one file: `missing`, `altered`, `truncated`, `link` or `unknown`."""

    file: str
    problem: str


@dataclass(frozen=True)
class Verification:
    """What was read and what was wrong with it."""

    files: int
    bytes: int
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        """Whether every file is as it was built."""
        return not self.problems


def verify_bundle(folder: str | Path, cancelled: Callable[[], bool] = lambda: False) -> Verification:
    """Reads every file. Raises BundleError where there is no manifest to hold them against, Cancelled on request."""
    root = Path(folder)
    if not root.is_dir():
        raise BundleError(f"There is no bundle folder {root}: check the path, or build one with `joinery build`.")
    manifest = read_manifest(root)
    problems: list[Problem] = []
    for name, entry in manifest.files.items():
        if cancelled():
            raise Cancelled("The check was cancelled.")
        wrong = _wrong_with(root, name, entry)
        if wrong:
            problems.append(Problem(name, wrong))
    problems += [Problem(name, "unknown") for name in _present(root) if name not in manifest.files]
    if not problems:
        read_bundle(root)  # the files are as built; is what they say sound?
    return Verification(len(manifest.files), manifest.bytes, tuple(problems))


def _wrong_with(root: Path, name: str, entry: FileEntry) -> str:
    path = root / name
    if is_linked(root, name):
        return "link"
    if not path.is_file():
        return "missing"
    if path.stat().st_size < entry.bytes:
        return "truncated"
    return "" if sha256_of(path) == entry.sha256 else "altered"


def _present(root: Path) -> Iterator[str]:
    for path in sorted(root.rglob("*")):
        if (path.is_symlink() or not path.is_dir()) and path != root / MANIFEST:
            yield path.relative_to(root).as_posix()
