"""The small twin of `python -m tests.faults.interrupts`, and how it judges an end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.faults.interrupts import LIMIT_S, Interrupted, interrupt, table

CANCELLED = ("a notice", "joinery: The build was cancelled; its completed stages are kept for the next build.")


@pytest.mark.parametrize(
    ("code", "seconds", "lines", "fault"),
    [
        (130, 0.5, ("joinery: Cancelled.",), ""),
        (130, 0.5, CANCELLED, ""),
        (0, 0.5, (), ""),
        (0, LIMIT_S + 1, (), "ended after 3.0 s"),
        (130, LIMIT_S + 1, CANCELLED, "ended after 3.0 s"),
        (1, 0.5, ("joinery: ImportError",), "exit code 1"),
        (-2, 0.5, (), "exit code -2"),
        (130, 0.5, ("Traceback (most recent call last):", "joinery: Cancelled."), "a traceback"),
        (130, 0.5, (), "its last line is ''"),
    ],
)
def test_what_falls_short(code: int, seconds: float, lines: tuple[str, ...], fault: str) -> None:
    one = Interrupted("build", 1.0, code, seconds, lines)
    assert one.fault == fault
    assert table([one]).splitlines()[1].split() == [
        "build",
        "1",
        str(int(bool(fault))),
        f"{seconds:.2f}",
        f"{seconds:.2f}",
    ]


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT to a group of processes")
@pytest.mark.parametrize("moment", [0.35, 0.7])
def test_a_command_ends_in_one_sentence(tmp_path: Path, moment: float) -> None:
    """While it imports, or while it lists devices in processes of its own; the clock is the large one's matter."""
    one = interrupt("devices", ["devices"], moment, tmp_path)
    assert one is None or one.fault == "" or one.fault.startswith("ended after"), one
