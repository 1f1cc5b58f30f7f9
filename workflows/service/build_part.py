"""Installs the build part into a folder of Joinery's own, for an installation that has the run part alone.

    describe_build_part() ──▶ packages, folder, disk, sources: what the person confirms
    install_build_part()  ──pip──▶ torch ──▶ the others, by the locks' hashes ──imported once──▶ home/parts/build-KEY

The folder is complete or absent: all is written into a draft beside it, which is renamed at the end. Every process of
Joinery imports from it (workflows.common.build_part); the packages of the run part stay those of the environment.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from workflows.common.build_part import OTHERS_LOCK, TORCH_LOCK, part_folder, torch_files
from workflows.common.build_part_finder import PACKAGES, is_installed
from workflows.common.errors import DiskFullError, PackageError, printable
from workflows.common.files import free_disk_bytes, try_remove
from workflows.common.locks import Lock, LockHeldError
from workflows.common.paths import make_folder
from workflows.process.pip import QUIET, WRONG_HASH, has_pip, last_complaint, package_indexes, run_pip
from workflows.process.subprocesses import exit_with_parent, run_isolated
from workflows.wire.events import Event, NoticeEvent, ProgressEvent
from workflows.wire.reports.parts import PartReport

BUILD = "build"
GB = 10**9
NEEDED, NEEDED_WITH_CUDA = 2 * GB, 8 * GB  # with the wheels; with torch for CPUs 0.93 GB stay
_PIN = re.compile(r"^([a-z0-9-]+)==([^ ;\\]+)", re.MULTILINE)
_CHECK_SECONDS = 300.0  # the first import compiles some thousand modules
_PIP = (
    "install",
    "--no-deps",
    "--ignore-installed",
    "--only-binary=:all:",
    "--no-compile",
    "--progress-bar=off",
    *QUIET,
)
Report = Callable[[Event], None]


def describe_build_part() -> PartReport:
    """What installing the build part would do, and whether it is installed."""
    folder = part_folder()
    versions = {
        name: version for lock in (TORCH_LOCK, OTHERS_LOCK) for name, version in _PIN.findall(lock.read_text("utf-8"))
    }
    return PartReport(
        BUILD,
        is_installed(),
        {name: versions[name] for name in PACKAGES},
        str(folder),
        NEEDED,
        free_disk_bytes(folder),
        package_indexes(),
        sys.platform == "linux" and "JOINERY_TORCH_INDEX" not in os.environ,
    )


def install_build_part(report: Report = lambda _: None, cancelled: Callable[[], bool] = lambda: False) -> None:
    """Installs the build part unless it is installed; a cancelled or failed installation leaves nothing.

    Raises PackageError where pip is missing or refuses, or the packages cannot be imported; DiskFullError; Cancelled.
    """
    folder = part_folder()
    with _only_one(folder):
        if is_installed():
            return
        if not has_pip():
            raise PackageError(
                f"There is no pip to install the build part with: install joinery[{BUILD}] with the tool that made "
                "this environment."
            )
        _require_disk(folder, NEEDED)
        draft = folder.with_name(f"{folder.name}.draft")
        try_remove(draft)
        make_folder(draft)
        try:
            _fill(draft, report, cancelled)
            (draft / "packages").replace(folder)
        finally:
            try_remove(draft)


@contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    lock = Lock(folder.with_name(f"{folder.name}.lock"))
    try:
        lock.acquire()
    except LockHeldError as error:
        raise PackageError(f"The build part is being installed by {error.holder}: wait until it is done.") from None
    try:
        yield
    finally:
        lock.release()


def _require_disk(folder: Path, needed: int) -> None:
    free = free_disk_bytes(folder)
    if free < needed:
        raise DiskFullError(
            f"The build part needs {needed / GB:.1f} GB of disk and {free / GB:.1f} GB are free at {folder.parent}: "
            "make room there, or let JOINERY_HOME name a folder on another disk."
        )


def _fill(draft: Path, report: Report, cancelled: Callable[[], bool]) -> None:
    """Installs the packages into `draft`/packages and imports them once."""
    pip = _Installer(draft, report, cancelled)
    torch = dict(_PIN.findall(TORCH_LOCK.read_text("utf-8")))["torch"]
    index = os.environ.get("JOINERY_TORCH_INDEX")
    pip.install(f"torch=={torch}", "--report", str(draft / "torch.json"), *(["--index-url", index] if index else []))
    locks = ["-r", str(OTHERS_LOCK)]
    if _is_published(json.loads((draft / "torch.json").read_text("utf-8")), report):
        _require_disk(draft, NEEDED_WITH_CUDA - NEEDED)
        locks += ["-r", str(_without_torch(draft))]
    pip.install("--require-hashes", *locks)
    report(ProgressEvent(stage="install", message="Importing what was installed"))
    ended = run_isolated(__name__, [str(draft / "packages")], _CHECK_SECONDS, cancelled=cancelled)
    if ended.failure:
        raise PackageError(
            f"The build part was installed and cannot be imported: {printable(last_complaint(ended.log), 300)}."
        )


def _is_published(found: dict[str, object], report: Report) -> bool:
    """Whether torch is a published file. Reports one that no lock knows; raises PackageError for a wrong one."""
    for version, digest, published in torch_files(found):
        if published:
            return True
        if "+" not in version:
            raise PackageError(
                f"torch {version} came with a file whose hash is none of the published ones, and was removed again: "
                "look at where pip gets its packages from."
            )
        note = (
            f"torch {version} is a build of this machine's package index; its hash is not published (sha256 {digest})"
        )
        report(NoticeEvent(code="install", message=note))
    return False


def _without_torch(draft: Path) -> Path:
    """The lock of what the published torch brings along."""
    lines = TORCH_LOCK.read_text("utf-8").split("\n# licence: ")
    kept = draft / "others.txt"
    kept.write_text("\n# licence: ".join(one for one in lines if "\ntorch==" not in one), "utf-8")
    return kept


class _Installer:
    """pip, which writes into the draft alone; its lines become progress by package."""

    def __init__(self, draft: Path, report: Report, cancelled: Callable[[], bool]) -> None:
        self._draft, self._report, self._cancelled = draft, report, cancelled
        (draft / "temporary").mkdir()

    def install(self, *arguments: str) -> None:
        """Raises PackageError with pip's last line, and for a file with another hash."""
        target = ["--target", str(self._draft / "packages")]
        ended = run_pip([*_PIP, *target, *arguments], self._on_line, self._cancelled, self._draft / "temporary")
        if not ended.failure:
            return
        if WRONG_HASH in ended.log:
            raise PackageError(
                "pip received a file whose hash is none of those that Joinery was tested with, and installed nothing: "
                "check where pip gets its packages from."
            )
        why = printable(last_complaint(ended.log), 300) or ended.failure
        raise PackageError(f"pip could not install the build part: {why}")

    def _on_line(self, line: str) -> None:
        if line.startswith(("Collecting ", "  Downloading ", "Installing ", "Successfully ")):
            self._report(ProgressEvent(stage="install", message=printable(line.strip(), 200)))


def main(arguments: list[str]) -> None:
    """Imports every package of the part from a folder, behind those of the environment."""
    exit_with_parent()
    sys.path.append(arguments[0])
    for name in PACKAGES:
        __import__(name)


if __name__ == "__main__":
    main(sys.argv[1:])
