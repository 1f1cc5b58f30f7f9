"""A child that is asked, one that fails, one that dies; and what a command costs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.benchmarks.peers.environments import PROGRAMS, Environment, PeerError
from tests.benchmarks.peers.processes import Child, Others, cost_of

HERE = Environment(sys.executable, {"PYTHONPATH": str(PROGRAMS)})
ENGINE = """
import os
from lines import Peer, serve

class Engine(Peer):
    versions = {"engine": "1"}

    def open(self, folder, capacity):
        print("a word of the engine's own")
        os.write(1, b"and one from below")
        if folder == "none":
            raise OSError("no such model")
        if folder == "crash":
            os._exit(7)

serve(Engine())
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    file = tmp_path / "engine.py"
    file.write_text(ENGINE)
    return str(file)  # an absolute path stands for itself


def test_answers_are_whole_whatever_the_engine_prints(program: str, tmp_path: Path) -> None:
    with Child(HERE, program, tmp_path / "log") as child:
        assert child.ask(do="open", folder="model", capacity=8)["versions"] == {"engine": "1"}
        assert child.ask(do="resident")["bytes"] > 1 << 20
        others = Others(child)
        others.begin()
        assert others.share() >= 0
    assert "from below" in (tmp_path / "log").read_text()


def test_a_failure_has_the_engines_word(program: str, tmp_path: Path) -> None:
    with Child(HERE, program, tmp_path / "log") as child, pytest.raises(PeerError, match="OSError: no such model"):
        child.ask(do="open", folder="none", capacity=8)


def test_a_process_that_died_is_named_with_its_code(program: str, tmp_path: Path) -> None:
    with Child(HERE, program, tmp_path / "log") as child, pytest.raises(PeerError, match="ended with 7 at the job"):
        child.ask(do="open", folder="crash", capacity=8)


def test_a_command_has_its_peak_and_its_seconds(tmp_path: Path) -> None:
    burn = "import time; held = bytearray(200 << 20); spent = time.process_time()\n"
    burn += "while time.process_time() < spent + 0.3: pass"  # to be seen, however long the memory took
    cost = cost_of([sys.executable, "-c", burn], {}, tmp_path / "log")
    assert cost.peak > 200 << 20 and cost.cpu >= 0.3 and cost.wall > 0


def test_a_command_that_fails_gives_the_reason(tmp_path: Path) -> None:
    with pytest.raises(PeerError, match="ended with 3: 'no room'"):
        cost_of([sys.executable, "-c", "import sys; print('no room'); sys.exit(3)"], {}, tmp_path / "log")
