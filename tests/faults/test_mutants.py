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
from tests.faults.mutants.kinds import KINDS

COUNT = 10
"""Of each kind: less than a minute of CPU together, a build and the imports included."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="a fork that is watched through /proc")
def test_each_runs_or_is_refused_in_a_sentence() -> None:
    """In a process of its own: a fork of this one would have pytest's threads and what other tests left in it."""
    command = [sys.executable, "-m", "tests.faults", "--only", "mutants", "--mutants", str(COUNT)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=800)
    assert done.returncode == 0, done.stderr[-6000:]
    rows = [line.split("|")[1:-1] for line in done.stdout.splitlines() if line.startswith("| ")][2:]
    assert [row[0].strip() for row in rows] == [kind.name for kind in KINDS]
    for name, *cells in rows:
        mutants, run, told, refused, findings = map(int, cells[:5])
        assert mutants == run + refused == COUNT and told <= run and findings == 0, name
        assert refused + told > 0, f"what changes no file of the kind {name} finds nothing"


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
        patch.setattr("workflows.inspection.contents.check_bundle", lambda *_: 1 / 0)
        with pytest.raises(FindingError, match="division by zero"):
            line("verify", tmp_path)
