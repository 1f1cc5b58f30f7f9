"""Builds that are measured: anew in each round, with nothing left of the one before."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.benchmarks.peers.environments import Environment
from tests.benchmarks.peers.models import Models, Precision, Source

BUILD = """
import os, pathlib, sys
home = pathlib.Path(os.environ["JOINERY_HOME"])
out = pathlib.Path(sys.argv[1])
out.mkdir()
(out / "model").write_text(str(list(home.iterdir())))
(home / "stage").write_text("kept for the next build")
"""


class Recorded(Models):
    """Builds by a script that leaves something in the home it is given; `builds` counts them."""

    builds = 0

    def environment(self, engine: str) -> Environment:
        return Environment(sys.executable)

    def _command(
        self, maker: str, environment: Environment, source: Source, precision: Precision, out: Path
    ) -> list[str]:
        self.builds += 1
        return [environment.python, "-c", BUILD, str(out)]


@pytest.mark.parametrize("engine", ["joinery", "genai", "llama"])
def test_a_build_is_repeated_for_each_sample_from_an_empty_home(engine: str, tmp_path: Path) -> None:
    models = Recorded(tmp_path, tmp_path, "state", [])
    for _ in range(3):
        built = models.rebuilt(engine, "demo", "int4")
        assert (built.folder / "model").read_text() == "[]"
        assert built.cost is not None and built.cost.wall > 0 and 0 <= built.cost.others <= 1
    assert models.builds == 3
    assert models.built(engine, "demo", "int4") == built and models.builds == 3


def test_an_engine_that_reads_anothers_file_has_nothing_to_build(tmp_path: Path) -> None:
    models = Recorded(tmp_path, tmp_path, "state", [])
    models.rebuilt("llama", "demo", "int4")
    assert models.rebuilt("openvino", "demo", "int4").cost is None and models.builds == 1


def test_fp32_has_no_prompts_in_8_bits(tmp_path: Path) -> None:
    models = Models(tmp_path, tmp_path, "state", ["fast_prefill=true", "chunk=64"])
    for precision, given in (("int4", {"fast_prefill=true", "chunk=64"}), ("fp32", {"chunk=64"})):
        command = models._command("joinery", Environment(sys.executable), "demo", precision, tmp_path)  # type: ignore[arg-type]
        assert {word for word, before in zip(command[1:], command, strict=False) if before == "--set"} == given
