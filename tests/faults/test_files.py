"""Every operation refused once and killed once, of all that writes: a part of the cases, drawn by a seed."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.faults.cases import Subject, tried
from tests.faults.files import SUBJECTS
from tests.faults.watch import FAULTS, KILL, Operation, watched, why_not
from workflows.common.files import write_atomically

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not() or "-")
CASES, SEED = 40, 16


@pytest.mark.slow
@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda one: one.kind)
def test_the_old_state_or_the_new_one(subject: Subject) -> None:
    """And the next run goes on without a hand, nothing else is left, and what was said names the file."""
    verdicts = list(tried(subject, CASES, SEED))
    bad = [str(one) for one in verdicts if not one.whole or one.needs_hand or one.named is False]
    assert not bad, "\n".join(bad)
    assert len(verdicts) == CASES


def test_operations_are_counted_and_met_in_their_order(tmp_path: Path) -> None:
    """The control: without this, a harness that meets nothing would find nothing."""
    path = tmp_path / "a.json"

    def work() -> str:
        try:
            write_atomically(path, b"0123456789")
        except OSError as error:
            return f"{error.errno} {error.filename}"
        return "written"

    plain = watched(work, tmp_path)
    assert (plain.code, plain.told) == (0, "written")
    assert [one.name for one in plain.operations] == ["openat", "write", "fsync", "rename", "unlink"]
    assert plain.operations[3] == Operation("rename", path)
    full, *_ = FAULTS
    for at in range(1, 5):
        assert watched(work, tmp_path, full, at).told == f"{full.code} {path}", f"at operation {at}"
    path.unlink()
    assert watched(work, tmp_path, KILL, 2).code == -signal.SIGKILL
    [draft] = tmp_path.iterdir()
    assert draft.read_bytes() == b"01234"  # it was killed amid the writing


def test_what_is_elsewhere_is_not_counted(tmp_path: Path) -> None:
    """Pipes, other folders, and files that are read."""
    (tmp_path / "inner").mkdir()
    (tmp_path / "outer").write_text("text")

    def work() -> str:
        os.write(2, b"")
        (tmp_path / "outer").write_text("other")
        return (tmp_path / "outer").read_text()

    assert watched(work, tmp_path / "inner").operations == []
