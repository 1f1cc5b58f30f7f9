"""Writing a bundle: whole or absent, never over something else, never two at once."""

from __future__ import annotations

import errno
import json
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.workflows.bundle.making import bundle, draft
from workflows.bundle import read_bundle, verify_bundle
from workflows.bundle.write import check_target, locked_target, publish
from workflows.common.errors import BundleError, RequestError


@pytest.mark.parametrize("force", [False, True])
def test_a_folder_with_foreign_files_is_never_a_target(tmp_path: Path, force: bool) -> None:
    """Not even with --force."""
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(RequestError, match="holds files and is not a bundle"):
        check_target(tmp_path, force)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


@pytest.mark.parametrize("force", [False, True])
def test_a_file_or_a_link_is_never_a_target(tmp_path: Path, force: bool) -> None:
    """What the link points to would be replaced."""
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(bundle(tmp_path / "b"))
    for name in ("file", "link"):
        with pytest.raises(RequestError, match="is not a folder"):
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
    publish(new, out, force=True)
    assert (out / "decode.onnx").read_bytes() == b"a better graph"
    assert verify_bundle(out).ok
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("text", ["nonsense", '{"version": 3}'])
def test_publish_leaves_the_old_bundle_when_the_draft_is_unreadable(tmp_path: Path, text: str) -> None:
    """The draft is read like any bundle before it takes the place."""
    out = bundle(tmp_path / "out")
    with pytest.raises(BundleError, match=r"pipeline\.json"):
        publish(draft(tmp_path / "draft", text), out, force=True)
    assert verify_bundle(out).ok
    assert read_bundle(out).pipeline.metadata.name == "small"


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (lambda root: (root / "thesis.txt").write_text("years of work"), "thesis.txt"),
        (lambda root: (root / "tokenizer" / "notes.md").write_text("mine"), "tokenizer/notes.md"),
        (lambda root: (root / ".hidden").write_text("mine"), ".hidden"),
        (lambda root: (root / "photos" / "2024").mkdir(parents=True), "photos"),
        (lambda root: (root / "elsewhere").symlink_to(root.parent), "elsewhere"),
        (lambda root: (root / "bad\x1b[2Jname").write_text("mine"), "bad�[2Jname"),
    ],
    ids=["file", "in a folder of ours", "hidden", "folder", "link", "control characters"],
)
@pytest.mark.parametrize("force", [False, True])
def test_what_the_manifest_does_not_list_is_never_replaced(
    tmp_path: Path, spoil: Callable[[Path], object], named: str, force: bool
) -> None:
    """One sentence names it, before the build and again when it appeared while the build ran; it stays."""
    out = bundle(tmp_path / "out")
    spoil(out)
    before = sorted(out.rglob("*"))
    with pytest.raises(RequestError) as raised:
        check_target(out, force)
    assert f" and {named}, which its manifest does not list" in str(raised.value)
    with pytest.raises(RequestError, match="which its manifest does not list"):
        publish(draft(tmp_path / "draft"), out, force=force)
    assert sorted(out.rglob("*")) == before


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[]",
        "nonsense",
        '{"version": 2, "files": {}}',
        '{"name": "an extension", "manifest_version": 3}',
        "[" * 9999,
        json.dumps({"files": {"thesis.txt": {"bytes": 13, "sha256": "0" * 64}}}),
    ],
)
@pytest.mark.parametrize("force", [False, True])
def test_a_manifest_of_something_else_makes_no_bundle(tmp_path: Path, text: str, force: bool) -> None:
    """Browsers, packagers and other programs have a manifest.json too."""
    (tmp_path / "thesis.txt").write_text("years of work")
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(RequestError, match=r"holds a manifest\.json that is not a bundle's.*choose another --out"):
        check_target(tmp_path, force)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_a_bundle_that_appeared_meanwhile_is_replaced_with_force_alone(tmp_path: Path) -> None:
    """The check is made again when the draft is finished."""
    out = bundle(tmp_path / "out")
    (out / "decode.onnx").write_bytes(b"DECODE GRAPH")
    with pytest.raises(RequestError, match="already holds a bundle"):
        publish(draft(tmp_path / "draft"), out, force=False)
    assert (out / "decode.onnx").read_bytes() == b"DECODE GRAPH"


def test_a_second_build_is_refused_with_the_process_that_has_the_target(tmp_path: Path) -> None:
    """Another process cannot take the lock, is told who holds it, and can once it is free."""
    code = (
        "import sys; from pathlib import Path; from workflows.bundle.write import locked_target\n"
        "from workflows.common.errors import RequestError\n"
        "try:\n"
        "    with locked_target(Path(sys.argv[1])): print('had it')\n"
        "except RequestError as error: print(error)\n"
    )

    def other() -> str:
        command = [sys.executable, "-c", code, str(tmp_path / "out")]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.strip()

    with locked_target(tmp_path / "out"):
        holder = f"process {os.getpid()} on {platform.node()}"
        assert f"is being built by {holder}: wait for it or choose another --out." in other()
    assert other() == "had it"


def test_the_lock_is_the_target_s_whatever_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two homes collide on one target as one would: the lock lies beside it."""
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "one"))
    with locked_target(tmp_path / "out"):
        monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "two"))
        with pytest.raises(RequestError, match="is being built"):
            locked_target(tmp_path / "out").__enter__()


def test_the_lock_is_per_target(tmp_path: Path) -> None:
    """Two spellings of one target are one; two targets are two."""
    with (
        locked_target(tmp_path / "a"),
        locked_target(tmp_path / "b"),
        pytest.raises(RequestError, match="is being built"),
    ):
        locked_target(tmp_path / "b" / ".." / "a").__enter__()


def test_the_lock_leaves_nothing_behind(tmp_path: Path) -> None:
    """Not even where the build failed; and the folder that it makes for the target stays empty."""
    with pytest.raises(ValueError, match="the build failed"), locked_target(tmp_path / "new" / "out"):
        raise ValueError("the build failed")
    assert [path.name for path in tmp_path.rglob("*")] == ["new"]


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP])
@pytest.mark.filterwarnings("error")
def test_a_folder_without_locks_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    """A network folder that has none is refused: a lock that is a mere file would outlive a crash."""
    fcntl = pytest.importorskip("fcntl", reason="the system call that is made to fail is POSIX's")

    def refuse(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(RequestError) as raised:
        locked_target(tmp_path / "out").__enter__()
    assert f"{tmp_path} is on a disk without file locks" in str(raised.value)
    assert list(tmp_path.glob("*")) == []


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kill -9 is a matter of POSIX")
def test_a_lock_dies_with_its_process(tmp_path: Path) -> None:
    """A killed build leaves the lock's file, and holds nothing."""
    code = (
        "import os, signal, sys; from pathlib import Path; from workflows.bundle.write import locked_target\n"
        "with locked_target(Path(sys.argv[1])): os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "out")], timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    assert [path.name for path in tmp_path.iterdir()] == [".out.lock"]
    with locked_target(tmp_path / "out"):
        pass
    assert list(tmp_path.iterdir()) == []
