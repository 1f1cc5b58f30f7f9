"""A pipeline file that was changed at random is refused with its JSON path, or gives the right tokens; it ends nothing.

The changed bundles run in a process of their own: a signal is a finding. A file that asks for a sliding window gives
what the bundle gives that a person opens with that window.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workflows.conftest import Built
from tests.workflows.runtime.mutations import tokens_of
from workflows.bundle import read_bundle

PATH = re.compile(r" (at|has no) (pipeline|generation|metadata|tokens)[.:\[]")


def check(folder: Path, seed: int, count: int) -> None:
    """Every mutation of the bundle, and that not all of them were refused, or all accepted."""
    command = [sys.executable, "-m", "tests.workflows.runtime.mutations", str(folder), str(seed), str(count)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (done.returncode, lines[-1:], done.stderr[-2000:])
    found = list(zip(lines[::2], lines[1::2], strict=True))
    bundle = read_bundle(folder)
    expected: dict[int | None, list[int]] = {}
    for changed, outcome in found:
        if "refused" in outcome:
            assert PATH.search(outcome["refused"]) and "\n" not in outcome["refused"], (changed, outcome)
            continue
        window = outcome["window"]
        if window not in expected:
            expected[window] = tokens_of(bundle, window)
        assert outcome["tokens"] == expected[window], (changed, outcome)
    refused = sum("refused" in outcome for _, outcome in found)
    assert len(found) == count and 0 < refused < count


def test_a_single_graph(demo_bundle: Path) -> None:
    """One session: stages twice, edges to itself, chunks, windows and patterns that the graph does not have."""
    check(demo_bundle, seed=1, count=60)


@pytest.mark.slow
def test_more_of_a_single_graph(demo_bundle: Path) -> None:
    """The five bundles are changed 1,200 times."""
    check(demo_bundle, seed=5, count=240)


@pytest.mark.slow
def test_prefill_and_decode(demo_split_bundle: Path) -> None:
    """Two sessions of fixed widths that share a cache: swapped files and phases."""
    check(demo_split_bundle, seed=2, count=240)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("demo:qwen3", {"variant": "transformer-only", "capacity": 128}),
        ("demo:qwen3", {"variant": "transformer-only", "graphs": "single", "capacity": 256}),
        ("demo:t5", {}),
    ],
)
def test_composites(source: str, options: dict[str, object], built: Built) -> None:
    """Sessions that feed each other, within a phase and from the source to the steps."""
    check(built(source, **options), seed=4, count=240)
