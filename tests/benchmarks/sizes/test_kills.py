"""The kill loop on a build that counts: every start goes on where the one before was killed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.benchmarks.sizes.__main__ import told_kills
from tests.benchmarks.sizes.kills import Kills, kill_again
from tests.benchmarks.sizes.runs import Result, run

PROGRAM = """
import json, sys, time
from pathlib import Path
print(json.dumps({"event": "stage", "stage": "quantize", "state": "started"}), flush=True)
for number in range(8):
    part = Path(sys.argv[1]) / f"part-{number}.data"
    if part.exists():
        continue
    time.sleep(0.05)
    part.touch()
(Path(sys.argv[1]) / "whole").touch()
"""


class Counting:
    """Eight parts of 50 ms each; the digest is what the last start made."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.starts = folder, 0
        folder.mkdir()

    def start(self, kill_after: float | None) -> Result:
        self.starts += 1
        command = [sys.executable, "-c", PROGRAM, str(self._folder)]
        return run(command, os.environ, self._folder.parent / "log", self._folder, kill_after)

    def digest(self) -> str:
        assert (self._folder / "whole").exists()
        return str(self.parts())

    def parts(self) -> int:
        return len([*self._folder.glob("part-*")])

    def remove(self) -> None:
        for file in self._folder.iterdir():
            file.unlink()


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
def test_a_build_is_killed_as_often_as_wanted_and_then_ends(tmp_path: Path) -> None:
    attempt = Counting(tmp_path / "parts")
    seen = kill_again(attempt, 6, 0.5, seed=1, report=lambda _: None)
    assert seen.killed.total() == 6 == len(seen.tensors) and set(seen.killed) <= {"start", "quantize"}
    assert set(seen.digests) == {"8"} and attempt.starts == 6 + len(seen.digests)
    assert 0 < max(seen.tensors) <= 8 and attempt.parts() == 0


def test_the_sentence_counts_builds_with_other_bytes() -> None:
    seen = Kills(digests=["a", "b"], tensors=[3, 0], seconds=12)
    seen.killed.update(["export", "export", "quantize"])
    seen.reused.update(["export"])
    told = told_kills(seen, "a")
    assert "killed 3 times (2 in export, 1 in quantize), reused export 1 times, at most 3 single tensors" in told
    assert "1 of 2 whole builds" in told
