"""What is known of a file without reading it is what reading it would tell, and nothing once it has changed."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np
import pytest

from workflows.bundle import manifest
from workflows.common.digests import hashing_file, known_digest, remember_digest

BLOCK = 1 << 22


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "weights.data"
    with hashing_file(path) as file:
        file.write(b"some weights")
    os.utime(path, ns=(0, 0))  # long ago: what is written now has another time on any disk
    remember_digest(path, hashlib.sha256(b"some weights").hexdigest())
    return path


@pytest.mark.parametrize("sizes", [(), (0,), (1,), (BLOCK,), (BLOCK - 1, 2), (3 * BLOCK + 5,), (7,) * 40, (9 * BLOCK,)])
@pytest.mark.parametrize("view", [False, True])
def test_what_was_written_is_what_was_hashed(tmp_path: Path, sizes: tuple[int, ...], view: bool) -> None:
    path, chances = tmp_path / "weights.data", np.random.default_rng(0)
    with hashing_file(path) as file:
        for size in sizes:
            data = chances.bytes(size)
            assert file.tell() == path.stat().st_size or size < BLOCK  # small ones wait in a buffer
            file.write(memoryview(data) if view else data)
    assert path.stat().st_size == sum(sizes)
    assert known_digest(path) == manifest.sha256_of(path)


def test_a_view_may_change_once_it_is_written(tmp_path: Path) -> None:
    path, data = tmp_path / "weights.data", np.zeros(3 * BLOCK, np.uint8)
    with hashing_file(path) as file:
        for number in range(4):
            data[:] = number
            file.write(data.data)
    assert known_digest(path) == manifest.sha256_of(path)


@pytest.mark.parametrize("at", [0, BLOCK - 1, BLOCK, 2 * BLOCK + 2])
def test_looking_back_keeps_the_place(tmp_path: Path, at: int) -> None:
    path, data = tmp_path / "weights.data", np.arange(2 * BLOCK + 3, dtype=np.uint32).astype(np.uint8)
    other = data.copy()
    other[at] ^= 1
    with hashing_file(path) as file:
        file.write(b"before")
        file.write(data.data)
        assert file.holds(6, data.data) and not file.holds(6, other.data)
        assert not file.holds(6 + 1, data.data)  # which ends beyond
        file.write(b"after")
    assert path.read_bytes() == b"before" + data.tobytes() + b"after"
    assert known_digest(path) == manifest.sha256_of(path)


def test_a_manifest_reads_no_file_that_this_process_wrote(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (written.parent / "other").write_bytes(b"other")
    read, true = list[str](), manifest.sha256_of

    def reading(path: Path) -> str:
        read.append(path.name)
        return true(path)

    monkeypatch.setattr(manifest, "sha256_of", reading)
    files = manifest.make_manifest(written.parent).files
    assert read == ["other"]
    assert files["weights.data"].sha256 == hashlib.sha256(b"some weights").hexdigest()


def test_a_file_that_changed_is_read(written: Path) -> None:
    known = known_digest(written)
    assert known is not None
    written.write_bytes(b"SOME WEIGHTS")
    assert known_digest(written) is None
    assert manifest.make_manifest(written.parent).files["weights.data"].sha256 != known


def test_a_file_that_was_replaced_is_read(written: Path) -> None:
    (written.parent / "other").write_bytes(b"SOME WEIGHTS")
    os.utime(written.parent / "other", ns=(0, 0))
    (written.parent / "other").replace(written)
    assert known_digest(written) is None


def test_what_was_not_written_whole_is_not_known(tmp_path: Path) -> None:
    path = tmp_path / "weights.data"
    with pytest.raises(ZeroDivisionError), hashing_file(path) as file:
        file.write(b"half of")
        raise ZeroDivisionError
    assert known_digest(path) is None
