"""A window slides on, but not beyond the positions that the model has."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.families.models import DECODERS, greedy, save_decoder
from workflows.builder import BuildRequest, build
from workflows.cli.generate import _warn_capacity
from workflows.common.errors import PromptError
from workflows.generate import GenerateOptions, open_engine
from workflows.wire.events import GenerationDone


@pytest.mark.parametrize("model_type", [pytest.param("gpt2", marks=pytest.mark.slow), "llama"])
def test_a_window_ends_where_the_positions_do(
    model_type: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    forty = {"n_positions": 40, "max_position_embeddings": 40}
    monkeypatch.setitem(DECODERS, model_type, DECODERS[model_type] | forty)
    checkpoint = save_decoder(model_type, tmp_path / "checkpoint")
    build(BuildRequest(str(checkpoint), tmp_path / "out", {"cache": "static", "capacity": 40}))
    engine = open_engine(tmp_path / "out", cache="window", capacity=16)
    *_, done = engine.generate([5, 6, 7], GenerateOptions(max_new_tokens=60))
    assert isinstance(done, GenerationDone)
    assert (done.finish_reason, len(done.token_ids)) == ("capacity", 38)  # the last was never fed
    assert done.token_ids[:13] == greedy(checkpoint, [5, 6, 7], 13)  # before anything was forgotten
    capsys.readouterr()  # what loading and building said
    _warn_capacity(done)
    assert capsys.readouterr().err == "joinery: All positions that the model knows are taken: start anew.\n"
    with pytest.raises(PromptError, match="41 tokens and the bundle has 40 positions"):
        list(engine.generate(list(range(3, 44)), GenerateOptions(max_new_tokens=1)))
