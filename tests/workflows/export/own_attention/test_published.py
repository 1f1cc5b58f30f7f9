"""Published files of these families have other names and more tensors than transformers writes today."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.workflows.export.own_attention.through_cache import check_steps
from tests.workflows.families.models import save_decoder
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import CheckpointError
from workflows.export import stand_ins
from workflows.export.load import load_model
from workflows.export.stand_ins import StandIns
from workflows.recipe import resolve_recipe

_GPT = {"n_embd": 64, "n_layer": 2, "n_head": 4, "rotary_dim": 8}
_BLOOM = {"architectures": ["BloomModel"], "attention_softmax_in_fp32": True, "masked_softmax_fusion": True,
          "model_type": "bloom", "n_embed": 64, "n_inner": None, "n_layer": 2, "num_attention_heads": 4,
          "offset_alibi": 100, "pretraining_tp": 1, "seq_length": 2048, "vocab_size": 211}  # fmt: skip
Tensors = dict[str, torch.Tensor]


def _edit(folder: Path, change: Callable[[Tensors], Tensors]) -> None:
    save_file(change(load_file(folder / "model.safetensors")), folder / "model.safetensors", {"format": "pt"})


def test_blooms_files_name_its_sizes_otherwise(tmp_path: Path) -> None:
    """They have the body's names, and no head, which is tied."""
    save_decoder("bloom", tmp_path, n_layer=2, n_head=4)
    (tmp_path / "config.json").write_text(json.dumps(_BLOOM), "utf-8")
    _edit(tmp_path, lambda tensors: {name.removeprefix("transformer."): one for name, one in tensors.items()})
    checkpoint = open_checkpoint(str(tmp_path))
    recipe = resolve_recipe(checkpoint, {"capacity": 64, "task": "text-generation"})
    check_steps(load_model(checkpoint, recipe.task), tmp_path)


@pytest.mark.parametrize(("model_type", "mask"), [("gptj", "bias"), ("codegen", "causal_mask")])
def test_stored_masks_are_no_weights(model_type: str, mask: str, tmp_path: Path) -> None:
    """They are neither missed in the model nor a reason against a build that streams; other tensors are."""
    save_decoder(model_type, tmp_path, **_GPT)
    extra = {
        f"transformer.h.0.attn.{mask}": torch.ones(1, 1, 300, 300, dtype=torch.bool),
        "transformer.h.0.attn.masked_bias": torch.tensor(-1e9),
    }
    assert extra[f"transformer.h.0.attn.{mask}"].numel() > stand_ins.REAL_BELOW
    _edit(tmp_path, lambda tensors: tensors | extra)
    checkpoint = open_checkpoint(str(tmp_path))
    check_steps(load_model(checkpoint, "text-generation"), tmp_path)
    load_model(checkpoint, "text-generation", stand_ins=StandIns(checkpoint))
    _edit(tmp_path, lambda tensors: tensors | {f"transformer.h.0.attn.{mask}": torch.ones(300)})
    with pytest.raises(CheckpointError, match=f"attn.{mask} does not exist in"):
        load_model(open_checkpoint(str(tmp_path)), "text-generation")
