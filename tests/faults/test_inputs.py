"""Bad inputs whose culprit must be named: a few of those that `python -m tests.faults --only inputs` tries."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.faults.inputs import Bad, bad_inputs

COUNT = 40


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="a fork that is watched through /proc")
def test_a_sample_is_answered_by_sentences() -> None:
    """In a process of its own, as the mutants are."""
    command = [sys.executable, "-m", "tests.faults", "--only", "inputs", "--cases", str(COUNT), "--seed", "3"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=600)
    assert f"{COUNT} of {COUNT} bad inputs" in done.stdout, done.stderr[-6000:]


def test_there_are_four_hundred_kinds_and_a_seed_draws_the_same() -> None:
    """Each is another command line or another change."""
    every = bad_inputs()
    assert len(every) >= 400 and len({(bad.kind, bad.title, bad.arguments) for bad in every}) == len(every)
    assert all(bad.culprits and all(bad.culprits) for bad in every)
    drawn: list[Bad] = bad_inputs(50, seed=1)
    assert [bad.title for bad in drawn] == [bad.title for bad in bad_inputs(50, seed=1)]
