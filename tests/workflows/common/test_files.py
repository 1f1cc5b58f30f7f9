"""Files and folders are replaced and removed so that a crash leaves what was, or what is to be."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from workflows.common import files
from workflows.common.errors import DiskFullError
from workflows.common.files import (
    purge_removed,
    raise_disk_full,
    recover_folder,
    remove,
    replace_folder,
    write_atomically,
)
from workflows.common.locks import LocksUnsupportedError


def folder(path: Path, text: str) -> Path:
    """A folder with one file and one folder in it."""
    (path / "inner").mkdir(parents=True)
    (path / "inner" / "file").write_text(text)
    return path


def read(path: Path) -> str:
    return (path / "inner" / "file").read_text()


@pytest.fixture(params=["exchange", "two renames"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to replace a folder: Linux can exchange two names, others step one aside."""
    if request.param == "two renames":
        monkeypatch.setattr(files, "_exchange_names", lambda *_: False)
    return str(request.param)


def test_an_error_that_says_more_than_the_system_keeps_its_class(tmp_path: Path) -> None:
    """The disk has no locks; what has no number at all is not given one."""
    for error in (LocksUnsupportedError(37, "No locks", "a"), shutil.SameFileError("a and b are one file")):
        with pytest.raises(type(error)) as caught, raise_disk_full(tmp_path / "out"):
            raise error
        assert caught.value is error


def test_a_file_that_cannot_be_synced_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is told, and nothing temporary stays."""
    path = tmp_path / "a.json"
    write_atomically(path, b"old")

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("code", "free"), [(errno.EIO, False), (errno.ENOSPC, True)])
def test_what_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, free: bool
) -> None:
    """An error of a handle names no file; the one that is told names the target, and of a full disk what is free."""

    def fail(_handle: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError) as error:
        write_atomically(tmp_path / "a.json", bytes(1 << 20))
    assert (error.value.errno, error.value.filename) == (code, str(tmp_path / "a.json"))
    assert ("it needs 1.0 MiB and " in error.value.strerror and " MiB are free" in error.value.strerror) == free


def test_of_two_names_the_new_one_is_reported(tmp_path: Path) -> None:
    """A copy that fails is about what it makes, not about what it reads."""
    with pytest.raises(OSError) as error, raise_disk_full(tmp_path / "out"):
        raise OSError(errno.EIO, "Input/output error", "source", None, str(tmp_path / "target"))
    assert (error.value.errno, error.value.filename) == (errno.EIO, str(tmp_path / "target"))


def test_the_draft_of_a_process_that_was_killed_goes_with_the_next(tmp_path: Path) -> None:
    """Not those of others: of one that lives, of another machine, of another file."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    here, dead = files._machine_id(), gone.pid
    mine = [f".a.json.{here}-{os.getppid()}-00000000.tmp", f".a.json.00000000-{dead}-00000000.tmp",
            f".b.json.{here}-{dead}-00000000.tmp", ".a.json.tmp"]  # fmt: skip
    for name in (*mine, f".a.json.{here}-{dead}-00000000.tmp"):
        (tmp_path / name).write_text("half")
    write_atomically(tmp_path / "a.json", b"new")
    assert {path.name for path in tmp_path.iterdir()} == {"a.json", *mine}


def test_a_folder_takes_the_place_of_another(tmp_path: Path, way: str) -> None:
    """Of none, of an empty one, of a full one; nothing else is left."""
    out = tmp_path / "out"
    for text in ("first", "second"):
        replace_folder(folder(tmp_path / "draft", text), out)
        assert read(out) == text
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    (tmp_path / "empty").mkdir()
    replace_folder(folder(tmp_path / "draft", "third"), tmp_path / "empty")
    assert read(tmp_path / "empty") == "third"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux exchanges names")
def test_linux_exchanges_in_one_step(tmp_path: Path) -> None:
    """No moment without a folder: on the file systems of this machine the exchange is really made."""
    first, second = folder(tmp_path / "first", "1"), folder(tmp_path / "second", "2")
    assert files._exchange_names(first, second)
    assert (read(first), read(second)) == ("2", "1")
    assert not files._exchange_names(first, tmp_path / "absent")


def test_what_stepped_aside_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the second rename is refused, at once; where the process was killed between the two, with `recover`."""
    monkeypatch.setattr(files, "_exchange_names", lambda *_: False)
    out, draft, rename = folder(tmp_path / "out", "old"), folder(tmp_path / "draft", "new"), Path.rename

    def refuse(path: Path, target: Path) -> Path:
        if path == draft:
            raise PermissionError(13, "Permission denied", str(target))
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(PermissionError):
        replace_folder(draft, out)
    assert read(out) == "old"

    def interrupted(path: Path, target: Path) -> Path:
        if path == draft or target == out:
            raise KeyboardInterrupt  # what a kill leaves: neither the second rename nor its undoing
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_folder(draft, out)
    monkeypatch.undo()
    assert not out.exists()
    recover_folder(out)
    assert read(out) == "old"
    replace_folder(draft, out)
    recover_folder(out)
    assert (read(out), [path.name for path in tmp_path.iterdir()]) == ("new", ["out"])


def test_a_removal_that_is_refused_half_way_is_swept_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name is free at once, whatever becomes of the files; and only what was left of that name is swept."""
    (tmp_path / ".mine.txt.removed").write_text("a stranger's")
    target, unlink = folder(tmp_path / "tree", "text"), os.unlink
    monkeypatch.setattr(os, "unlink", lambda *_, **__: (_ for _ in ()).throw(PermissionError(13, "Permission denied")))
    remove(target)
    assert not target.exists()
    assert len(list(tmp_path.iterdir())) == 2
    monkeypatch.setattr(os, "unlink", unlink)
    purge_removed(tmp_path / "other")
    assert len(list(tmp_path.iterdir())) == 2
    purge_removed(target)
    assert [path.name for path in tmp_path.iterdir()] == [".mine.txt.removed"]


def test_a_link_is_removed_and_what_it_points_to_stays(tmp_path: Path) -> None:
    """A link to a folder is no folder, nor is one that points nowhere."""
    target = folder(tmp_path / "target", "text")
    for name in ("target", "nowhere"):
        (tmp_path / "link").symlink_to(tmp_path / name)
        remove(tmp_path / "link")
        assert not (tmp_path / "link").is_symlink()
    remove(tmp_path / "absent")
    assert read(target) == "text"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_names_file_folder_need_and_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """What was written of the file until then counts as free."""
    monkeypatch.setattr(files.shutil, "disk_usage", lambda _: SimpleNamespace(free=1 << 20))
    path = tmp_path / "weights.data"
    with pytest.raises(DiskFullError) as error, raise_disk_full(path, 5 << 20), path.open("wb") as file:
        file.write(bytes(2 << 20))
        file.flush()
        raise OSError(code, "No space left on device")
    assert str(error.value) == (
        f"The disk of {tmp_path} is full: weights.data needs 5.0 MiB and 3.0 MiB are free; make room there, or choose "
        "a folder on another disk."
    )


def test_a_file_of_which_nothing_is_known_is_named(tmp_path: Path) -> None:
    """The one that the system names, in a folder that may be gone by then."""
    words = r"full: b\.onnx does not fit, [\d,.]+ MiB are free"
    with pytest.raises(DiskFullError, match=words), raise_disk_full(tmp_path / "a"):
        raise OSError(errno.ENOSPC, "No space left on device", str(tmp_path / "gone" / "b.onnx"))


def test_another_failure_is_none_of_the_disks(tmp_path: Path) -> None:
    """It goes on as it is."""
    with pytest.raises(PermissionError), raise_disk_full(tmp_path / "a", 1):
        raise PermissionError(errno.EACCES, "Permission denied")
