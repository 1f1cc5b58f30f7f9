"""A checkpoint is hashed while other work is done."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.workflows.checkpoint.making import files, write
from workflows.checkpoint import Checkpoint, open_checkpoint
from workflows.checkpoint.background_digest import BackgroundDigest
from workflows.common.errors import Cancelled
from workflows.wire.events import Event


def opened(folder: Path) -> Checkpoint:
    return open_checkpoint(str(write(folder, files())))


def test_the_digest_is_computed_in_the_background(tmp_path: Path) -> None:
    found, told = opened(tmp_path), list[Event]()
    with BackgroundDigest(found) as hashing:
        assert hashing.wait(told.append, lambda: False) == found.digest


def test_leaving_ends_the_digest_in_the_background(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = threading.Event()

    def endless(_: object, __: object, cancelled: Callable[[], bool]) -> str:
        while not cancelled():
            asked.set()
        raise Cancelled("left")

    monkeypatch.setattr(Checkpoint, "compute_digest", endless)
    with pytest.raises(ZeroDivisionError), BackgroundDigest(opened(tmp_path)):
        assert asked.wait(10)
        raise ZeroDivisionError  # an invalid option, say
    assert not any(thread.name.startswith("digest") for thread in threading.enumerate())
