"""optimum's real exporter, assembled: what `python -m tests.interop.optimum` tries by hand, in CI."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.interop import optimum

PYTHON = os.environ.get("JOINERY_OPTIMUM_PYTHON", "")
UNSET = "JOINERY_OPTIMUM_PYTHON names no Python of an environment with tests/interop/optimum.txt; .ci/run makes one"


@pytest.mark.slow
@pytest.mark.skipif(not PYTHON, reason=UNSET)
def test_assembled_exports_give_the_tokens_of_hugging_face(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Llama, T5, BART, Whisper and LLaVA's form, merged and in two files, at six lengths: tokens and logits."""
    wrong = optimum.main(PYTHON, tmp_path)
    lines = [line for line in capsys.readouterr().out.splitlines() if " new " in line]
    assert len(lines) == 6 * len(optimum.CASES)
    assert wrong == 0, [line for line in lines if "DIFFER" in line or "e-0" not in line]
