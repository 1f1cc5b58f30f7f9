"""A sample of the soak, and that it sees what grows; `python -m tests.faults --soak` has all of it go by."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.soak import COUNTS, Long, levels, soak, told

SAMPLE = {"tokens, static": 600, "tokens, window": 6_000, "sessions": 40, "messages": 80}
BETWEEN = 0.03
"""Twice what was seen in a sample so short, whose tenth is too soon for the pools to be filled."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", SAMPLE)
def test_nothing_grows(kind: str, demo_bundle: Path) -> None:
    """Neither descriptors nor threads, and memory by little."""
    [long] = soak({kind: SAMPLE[kind]}, demo_bundle)
    assert not long.leaks(), long
    assert long.growth < BETWEEN, long
    assert SAMPLE.keys() == COUNTS.keys()


def leaking() -> None:
    """The control: memory, a descriptor and a thread more with each step."""
    kept: list[bytes] = []
    opened: list[int] = []
    waiting: list[threading.Thread] = []
    stop = threading.Event()

    def steps() -> Iterator[int]:
        for gone in range(1, 21):
            kept.append(os.urandom(2 << 20))
            opened.append(os.open(os.devnull, os.O_RDONLY))
            waiting.append(threading.Thread(target=stop.wait))
            waiting[-1].start()
            yield gone

    try:
        first, last = levels(20, steps())
    finally:
        stop.set()
        for one in opened:
            os.close(one)
        for thread in waiting:
            thread.join()
    assert (last.descriptors - first.descriptors, last.threads - first.threads) == (18, 18)
    long = Long("x", 20, first, last)
    assert long.leaks() and last.memory - first.memory > 30 << 20
    assert "| x | 20 | " in told([long]) and " → " in told([long])


def test_the_levels_see_what_leaks() -> None:
    """In a process of its own, as the soak's kinds have: here, what other tests left may be closed meanwhile."""
    command = [sys.executable, "-c", "from tests.faults.test_soak import leaking; leaking()"]
    subprocess.run(command, cwd=Path(__file__).parents[2], check=True, timeout=300)
