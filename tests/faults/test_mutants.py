"""Files from elsewhere, changed at random: a few of those that `python -m tests.faults --mutants` tries."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.faults.mutants import bounded as bounds
from tests.faults.mutants.bounded import bounded

COUNTS = {"config.json": 8, "safetensors": 12, "tokenizer": 8, "onnx": 25, "pipeline.json": 25, "manifest.json": 15,
          "chats": 60, "history": 30, "genai": 20}  # fmt: skip
"""About 5 s of CPU a kind, the making of the sound files aside."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="a fork that is watched through /proc")
@pytest.mark.parametrize("kind", COUNTS)
def test_each_runs_or_is_refused_in_a_sentence(kind: str) -> None:
    """In a process of its own: a fork of this one would have pytest's threads and what other tests left in it."""
    command = [sys.executable, "-m", "tests.faults", "--only", f"mutants: {kind}", "--mutants", str(COUNTS[kind])]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=600)
    assert done.returncode == 0, done.stderr[-6000:]
    [row] = [line for line in done.stdout.splitlines() if line.startswith(f"| {kind} |")]
    _, _, mutants, run, told, refused, findings, *_ = (cell.strip() for cell in row.split("|"))
    assert int(mutants) == int(run) + int(refused) == COUNTS[kind] and int(told) <= int(run) and findings == "0"
    assert int(refused) > 0, "a mutator that changes nothing finds nothing"


@pytest.mark.skipif(sys.platform != "linux", reason="a fork that is watched through /proc")
def test_what_is_beyond_the_bounds_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: an error, a signal, an exit, CPU time, memory and a sleep."""
    monkeypatch.setattr(bounds, "CPU_S", 1)
    monkeypatch.setattr(bounds, "MEMORY", 64 << 20)

    def raises() -> str:
        raise ValueError("not ours")

    def computes() -> str:
        while True:
            pass

    def allocates() -> str:
        return str(len(bytes(bytearray(b"x" * (256 << 20)))))

    assert "not ours" in bounded(raises).wrong
    assert bounded(lambda: os.kill(os.getpid(), signal.SIGUSR1) or "").wrong == "ended by SIGUSR1"
    assert "exit code 7" in bounded(lambda: os._exit(7)).wrong
    assert "of memory" in bounded(allocates).wrong
    assert bounded(computes).wrong == "more than 1 s of CPU"
    sound = bounded(lambda: "said")
    assert (sound.told, sound.wrong) == ("said", "") and sound.memory < 64 << 20
    monkeypatch.setattr(bounds, "LASTS_S", 1)
    assert bounded(lambda: time.sleep(600) or "").wrong == "still there after 1 s"


def test_an_error_of_ours_alone_is_a_refusal(tmp_path: Path) -> None:
    """The control of the command lines."""
    from tests.faults.mutants.lines import FindingError, RefusedError, line

    with pytest.raises(RefusedError, match="There is no bundle folder"):
        line("verify", tmp_path / "nothing")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("workflows.inspection.check_bundle", lambda *_: 1 / 0)
        with pytest.raises(FindingError, match="division by zero"):
            line("verify", tmp_path)
