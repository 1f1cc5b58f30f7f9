"""Writing a bundle: whole or absent, never over something else, never two at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workflows.bundle.making import bundle, draft
from workflows.bundle import read_bundle, verify_bundle
from workflows.bundle.write import check_target, locked, publish
from workflows.errors import BundleError, RequestError


@pytest.mark.parametrize("force", [False, True])
def test_a_folder_with_foreign_files_is_never_a_target(tmp_path: Path, force: bool) -> None:
    """Not even with --force."""
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(RequestError, match="holds files that are no bundle"):
        check_target(tmp_path, force)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


@pytest.mark.parametrize("force", [False, True])
def test_a_file_or_a_link_is_never_a_target(tmp_path: Path, force: bool) -> None:
    """What the link points to would be replaced."""
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(bundle(tmp_path / "b"))
    for name in ("file", "link"):
        with pytest.raises(RequestError, match="is no folder"):
            check_target(tmp_path / name, force)


def test_targets_that_may_be_written(tmp_path: Path) -> None:
    """One that is absent, one that is empty, and with force a bundle."""
    (tmp_path / "empty").mkdir()
    check_target(tmp_path / "absent", force=False)
    check_target(tmp_path / "empty", force=False)
    root = bundle(tmp_path / "b")
    with pytest.raises(RequestError, match=r"already holds a bundle.*--force"):
        check_target(root, force=False)
    check_target(root, force=True)


def test_publish_replaces_and_leaves_nothing_else(tmp_path: Path) -> None:
    """The new bundle stands in the place of the old one, which is gone."""
    out = bundle(tmp_path / "out")
    new = draft(tmp_path / "draft")
    (new / "decode.onnx").write_bytes(b"a better graph")
    publish(new, out)
    assert (out / "decode.onnx").read_bytes() == b"a better graph"
    assert verify_bundle(out).ok
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("text", ["nonsense", '{"version": 3}'])
def test_publish_leaves_the_old_bundle_when_the_draft_is_unreadable(tmp_path: Path, text: str) -> None:
    """The draft is read like any bundle before it takes the place."""
    out = bundle(tmp_path / "out")
    with pytest.raises(BundleError, match=r"pipeline\.json"):
        publish(draft(tmp_path / "draft", text), out)
    assert verify_bundle(out).ok
    assert read_bundle(out).pipeline.metadata.name == "small"


def test_publish_puts_the_old_bundle_back_when_the_system_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rename that fails half-way is undone."""
    out, new, rename = bundle(tmp_path / "out"), draft(tmp_path / "draft"), Path.rename

    def refuse(path: Path, target: Path) -> Path:
        if path == new:
            raise PermissionError(13, "Permission denied", str(target))
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(PermissionError):
        publish(new, out)
    monkeypatch.undo()
    assert verify_bundle(out).ok


def test_a_second_build_is_refused_with_the_process_that_has_the_target(tmp_path: Path) -> None:
    """Another process cannot take the lock, is told who holds it, and can once it is free."""
    code = (
        "import sys; from pathlib import Path; from workflows.bundle.write import locked\n"
        "from workflows.errors import RequestError\n"
        "try:\n"
        "    with locked(Path(sys.argv[1])): print('had it')\n"
        "except RequestError as error: print(error)\n"
    )

    def other() -> str:
        command = [sys.executable, "-c", code, str(tmp_path / "out")]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.strip()

    with locked(tmp_path / "out"):
        assert f"is being built by process {os.getpid()}: wait for it or choose another --out." in other()
    assert other() == "had it"


def test_the_lock_is_per_target(tmp_path: Path) -> None:
    """Two spellings of one target are one; two targets are two."""
    with locked(tmp_path / "a"), locked(tmp_path / "b"), pytest.raises(RequestError, match="is being built"):
        locked(tmp_path / "b" / ".." / "a").__enter__()
