"""What transformers would merge while it loads a model is what a recipe computes, without reading it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from tests.workflows.families.models import save_decoder
from workflows.checkpoint.checkpoint import read_checkpoint
from workflows.checkpoint.source import find_checkpoint
from workflows.export import stand_ins
from workflows.export.load import load_model
from workflows.export.stand_ins import NotStreamedError, StandIns, is_stand_in

_SIZES = {"num_experts": 12, "num_local_experts": 12, "n_routed_experts": 12, "num_experts_per_tok": 2}


@pytest.mark.parametrize("family", ["qwen3_moe", "mixtral"])
def test_experts_of_many_files_are_one_stand_in(family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than ten experts: their numbers are no text to sort by."""
    monkeypatch.setattr(stand_ins, "REAL_BELOW", 1 << 10)
    folder = save_decoder(family, tmp_path / "checkpoint", **_SIZES)
    checkpoint = read_checkpoint(*find_checkpoint(str(folder)))
    stand = StandIns(checkpoint)
    model = load_model(checkpoint, "text-generation", stand_ins=stand)
    whole = dict(transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).named_parameters())
    experts = {name: weight for name, weight in model.named_parameters() if ".experts." in name}
    assert experts and all(map(is_stand_in, experts.values()))
    for name, weight in experts.items():
        np.testing.assert_array_equal(stand.read(weight).numpy(), whole[name].detach().numpy(), name)


def test_another_conversion_is_not_streamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stand_ins, "REAL_BELOW", 1 << 10)
    folder = save_decoder("qwen3_moe", tmp_path / "checkpoint", **_SIZES)
    checkpoint = read_checkpoint(*find_checkpoint(str(folder)))
    monkeypatch.setattr("workflows.export.merged_weights.MergeModulelist", object)
    with pytest.raises(NotStreamedError, match=r"transformers computes the weight model\.layers\.0\.mlp\.experts"):
        load_model(checkpoint, "text-generation", stand_ins=StandIns(checkpoint))
