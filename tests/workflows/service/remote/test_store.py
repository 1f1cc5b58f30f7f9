"""The store of copied files: continued, checked, whole or absent, and nothing outside of it."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest

from workflows.common.errors import DiskFullError, RequestError
from workflows.service.remote import store
from workflows.service.remote.store import FileStore

DATA = b"weights" * 1000
DIGEST = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def files(tmp_path: Path) -> FileStore:
    made = FileStore(tmp_path / "store")
    made.open_session()
    return made


def copy(files: FileStore, data: bytes = DATA, temporary: bool = False) -> str:
    digest = hashlib.sha256(data).hexdigest()
    file = files.receive(digest, len(data), temporary)
    file.append(data[file.bytes :])
    assert file.finish()
    return digest


def test_a_file_that_was_cut_off_is_continued(files: FileStore) -> None:
    file = files.receive(DIGEST, len(DATA), False)
    file.append(DATA[:3000])
    assert not file.finish()
    assert files.arrived({DIGEST: len(DATA)}, False) == {DIGEST: 3000}
    file = files.receive(DIGEST, len(DATA), False)
    assert file.bytes == 3000
    file.append(DATA[3000:])
    assert file.finish()
    assert files.arrived({DIGEST: len(DATA)}, False) == {DIGEST: len(DATA)}
    assert sorted(one.name for one in (files.root / "files").iterdir()) == [DIGEST]


@pytest.mark.parametrize("data", [DATA[:-1] + b"X", DATA + b"more"])
def test_a_file_with_other_content_does_not_stay(files: FileStore, data: bytes) -> None:
    file = files.receive(DIGEST, len(DATA), False)
    file.append(data)
    with pytest.raises(RequestError, match="other content"):
        file.finish()
    assert files.arrived({DIGEST: len(DATA)}, False) == {DIGEST: 0} and not list((files.root / "files").iterdir())


def test_two_connections_do_not_write_one_file(files: FileStore) -> None:
    file = files.receive(DIGEST, len(DATA), False)
    with pytest.raises(RequestError, match=f"process {os.getpid()}"):
        files.receive(DIGEST, len(DATA), False)
    file.finish()
    files.receive(DIGEST, len(DATA), False).finish()


def test_a_folder_is_made_of_files_and_made_again_if_one_is_missing(files: FileStore) -> None:
    listing = {"a.onnx": copy(files), "evidence/b.json": copy(files, b"{}")}
    folder = files.make_folder_of("demo", listing, temporary=False)
    assert folder.name == "demo" and folder.is_relative_to(files.root / "folders")
    assert (folder / "a.onnx").read_bytes() == DATA and (folder / "evidence/b.json").read_bytes() == b"{}"
    (folder / "a.onnx").unlink()
    assert files.make_folder_of("demo", listing, temporary=False) == folder
    assert (folder / "a.onnx").read_bytes() == DATA
    assert [one for one in (files.root / "folders").iterdir() if one.name.startswith(".")] == []


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", "", "a\\..\\x", "a\0"])
def test_nothing_is_written_outside_the_folder(files: FileStore, name: str) -> None:
    digest = copy(files)
    with pytest.raises(RequestError, match="leads out"):
        files.make_folder_of("demo", {name: digest}, temporary=False)
    with pytest.raises(RequestError, match="leads out"):
        files.make_folder_of(name or "..", {"a": digest}, temporary=False)
    with pytest.raises(RequestError, match="leads out"):
        files.make_output_file(name)
    with pytest.raises(RequestError, match="no SHA-256"):
        files.receive("../../x", 1, False)


def test_files_of_a_session_end_with_it_and_are_its_own(files: FileStore) -> None:
    """Also what has arrived in part; the same content in the store or in another session stays."""
    kept = files.make_folder_of("demo", {"a": copy(files)}, temporary=False)
    other = FileStore(files.root)
    other.open_session()
    copy(other, temporary=True)
    folder = files.make_folder_of("in", {"prompt.txt": copy(files, temporary=True)}, temporary=True)
    part = files.receive("0" * 64, 100, True)
    part.append(b"secret")
    assert not part.finish() and folder.is_relative_to(files.session)
    files.close_session()
    assert not files.session.exists() and [one.name for one in (files.root / "files").iterdir()] == [DIGEST]
    assert files.arrived({DIGEST: len(DATA)}, False) == {DIGEST: len(DATA)} and (kept / "a").read_bytes() == DATA
    assert (other.make_folder_of("in", {"p": DIGEST}, temporary=True) / "p").read_bytes() == DATA


def test_sessions_of_ended_processes_are_removed(files: FileStore) -> None:
    """By their locks, which the system frees: a process id may be used again, or be another machine's."""
    stale = files.session.parent / "0123456789abcdef"
    (stale / "files").mkdir(parents=True)
    (files.root / "locks" / "fedcba9876543210").touch()
    FileStore(files.root).open_session()
    assert not stale.exists() and files.session.exists()
    assert not (files.root / "locks" / "fedcba9876543210").exists()


def test_one_name_twice_gives_two_files(files: FileStore) -> None:
    first, second = files.make_output_file("x.cache"), files.make_output_file("x.cache")
    assert first != second and first.name == second.name and first.parent.is_dir()
    assert first.is_relative_to(files.session)


def test_a_disk_without_room_is_named_before_the_copy(files: FileStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "free_disk_bytes", lambda path: 1 << 20)
    with pytest.raises(DiskFullError, match=r"needs 2\.0 MiB and 1\.0 MiB are free; make room"):
        files.receive(DIGEST, 2 << 20, False)


def test_clear_removes_the_copies_that_no_other_connection_uses(files: FileStore) -> None:
    folder = files.make_folder_of("demo", {"a": copy(files)}, temporary=False)
    other = FileStore(files.root)
    other.open_session()
    with pytest.raises(RequestError, match=rf"uses the copies \(process {os.getpid()} on "):
        files.clear()
    assert (folder / "a").read_bytes() == DATA
    other.close_session()
    files.clear()
    assert files.arrived({DIGEST: len(DATA)}, False) == {DIGEST: 0} and not list((files.root / "folders").iterdir())


def aged(path: Path, days: float) -> None:
    then = time.time() - days * 86_400
    os.utime(path, (then, then))


def test_copies_that_nobody_used_for_a_month_are_removed(files: FileStore) -> None:
    """A use makes a folder young again; a file goes with its last folder; a young one that no folder has stays."""
    shared, own, alone = copy(files), copy(files, b"own" * 9), copy(files, b"alone")
    old = files.make_folder_of("old", {"a": shared, "b": own}, False)
    used = files.make_folder_of("used", {"a": shared}, False)
    other = files.receive(hashlib.sha256(b"cut").hexdigest(), 3, False)
    other.append(b"c")
    other.finish()
    for path in (*(files.root / "files").iterdir(), old.parent, used.parent):
        aged(path, 31)
    aged(files.root / "files" / alone, 29)
    assert files.make_folder_of("used", {"a": shared}, False) == used
    assert files.copied_bytes == len(DATA) + 27 + 5 + 1
    second = FileStore(files.root)
    second.open_session()
    assert old.is_dir(), "another session may read it"
    second.close_session()
    files.close_session()
    third = FileStore(files.root)
    third.open_session()
    assert not old.parent.exists() and (used / "a").read_bytes() == DATA
    assert {one.name for one in (files.root / "files").iterdir()} == {shared, alone}
    assert third.copied_bytes == len(DATA) + 5
    third.close_session()
