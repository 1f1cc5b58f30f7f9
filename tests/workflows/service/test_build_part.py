"""The build part is installed by the locks' hashes into a folder that is whole or absent; pip is a stand-in here."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from workflows.common import build_part as part
from workflows.common.build_part_finder import PACKAGES
from workflows.common.errors import Cancelled, DiskFullError, PackageError
from workflows.process.subprocesses import ProcessResult
from workflows.service import build_part
from workflows.service.build_part import describe_build_part, install_build_part
from workflows.wire.events import Event, NoticeEvent, ProgressEvent

PUBLISHED = next(iter(part.TORCH_LOCK.read_text("utf-8").partition("\ntorch==")[2].split("sha256:")[1:]))[:64]


class Pip:
    """Notes its command lines and installs what they name. digest, version: of the torch that the index has."""

    def __init__(self, version: str = "2.13.0", digest: str = PUBLISHED, fails: str = "") -> None:
        self.version, self.digest, self.fails = version, digest, fails
        self.lines: list[list[str]] = []

    def __call__(self, arguments: Sequence[str], on_line: Any, cancelled: Any, temporary: Path) -> ProcessResult:
        assert temporary.is_dir()
        self.lines.append(list(arguments))
        on_line("Collecting torch==2.13.0")
        on_line("  noise")
        if cancelled():
            raise Cancelled("cancelled")
        if self.fails:
            return ProcessResult("", self.fails, "ended (code 1)")
        target = Path(arguments[arguments.index("--target") + 1])
        target.mkdir(exist_ok=True)
        if "--report" in arguments:
            archive = {"hashes": {"sha256": self.digest}}
            found = {"install": [{"metadata": {"version": self.version}, "download_info": {"archive_info": archive}}]}
            Path(arguments[arguments.index("--report") + 1]).write_text(json.dumps(found), "utf-8")
            (target / "torch.py").write_text("", "utf-8")
        else:
            for name in PACKAGES[1:]:
                (target / f"{name}.py").write_text("", "utf-8")
        return ProcessResult("", "", "")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("JOINERY_TORCH_INDEX", raising=False)
    monkeypatch.setattr(build_part, "is_installed", lambda: part.part_folder().is_dir())
    return tmp_path / "home"


def installed(monkeypatch: pytest.MonkeyPatch, pip: Pip, cancelled: bool = False) -> list[Event]:
    events: list[Event] = []
    monkeypatch.setattr(build_part, "run_pip", pip)
    install_build_part(events.append, lambda: cancelled)
    return events


def locks_of(pip: Pip) -> list[str]:
    line = pip.lines[-1]
    assert {"--require-hashes", "--no-deps", "--only-binary=:all:"} <= set(line)
    return [Path(line[place + 1]).name for place, word in enumerate(line) if word == "-r"]


def test_a_published_torch_comes_with_what_its_lock_names(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pip = Pip()
    events = installed(monkeypatch, pip)
    assert locks_of(pip) == ["build.txt", "others.txt"] and pip.lines[0][-1] != "--index-url"
    assert [one.message for one in events if isinstance(one, ProgressEvent)].count("Collecting torch==2.13.0") == 2
    assert {path.stem for path in part.part_folder().glob("*.py")} == set(PACKAGES)
    assert [path.name for path in (home / "parts").iterdir() if path.is_dir()] == [part.part_folder().name]
    report = describe_build_part()
    assert report.installed and report.packages["torch"] == "2.13.0" and set(report.packages) == set(PACKAGES)
    assert installed(monkeypatch, Pip(fails="ERROR: not again")) == []


def test_the_lock_without_torch_has_everything_else(tmp_path: Path) -> None:
    names = [line.partition("==")[0] for line in part.TORCH_LOCK.read_text("utf-8").splitlines() if "==" in line]
    kept = build_part._without_torch(tmp_path).read_text("utf-8")
    assert [line.partition("==")[0] for line in kept.splitlines() if line[:1].isalpha()] == [
        name for name in names if name != "torch"
    ]
    for line in kept.splitlines():
        assert line.startswith(("#", "    --hash=sha256:")) or "==" in line


def test_an_index_s_own_build_is_said_to_be_unverified(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOINERY_TORCH_INDEX", "file:///wheels")
    pip = Pip("2.13.0+cpu", "cd" * 32)
    notices = [one.message for one in installed(monkeypatch, pip) if isinstance(one, NoticeEvent)]
    assert len(notices) == 1 and f"sha256 {'cd' * 32}" in notices[0]
    assert locks_of(pip) == ["build.txt"] and pip.lines[0][-2:] == ["--index-url", "file:///wheels"]


@pytest.mark.parametrize(
    ("pip", "sentence"),
    [
        (Pip(digest=hashlib.sha256(b"x").hexdigest()), "hash is none of the published ones"),
        (Pip(fails="ERROR: THESE PACKAGES DO NOT MATCH THE HASHES"), "whose hash is none of those"),
        (Pip(fails="Looking\nERROR: No matching distribution found for torch"), "No matching distribution found"),
    ],
)
def test_what_fails_leaves_nothing(home: Path, monkeypatch: pytest.MonkeyPatch, pip: Pip, sentence: str) -> None:
    with pytest.raises(PackageError, match=sentence):
        installed(monkeypatch, pip)
    assert [path for path in (home / "parts").iterdir() if path.is_dir()] == []


def test_packages_that_cannot_be_imported_are_removed_again(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = ProcessResult("", "Traceback\nImportError: libcudart.so: no such file", "ended (code 1)")
    monkeypatch.setattr(build_part, "run_isolated", lambda *_, **__: wrong)
    with pytest.raises(PackageError, match=r"cannot be imported: ImportError: libcudart\.so"):
        installed(monkeypatch, Pip())
    assert not part.part_folder().exists()


def test_cancelling_a_full_disk_and_another_installation(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Cancelled):
        installed(monkeypatch, Pip(), cancelled=True)
    assert [path for path in (home / "parts").iterdir() if path.is_dir()] == []
    with build_part._only_one(part.part_folder()), pytest.raises(PackageError, match="is being installed by"):
        installed(monkeypatch, Pip())
    monkeypatch.setattr(build_part, "free_disk_bytes", lambda _: 10**9)
    with pytest.raises(DiskFullError, match=r"needs 2\.0 GB of disk and 1\.0 GB are free"):
        installed(monkeypatch, Pip())
    assert describe_build_part().free_bytes == 10**9
