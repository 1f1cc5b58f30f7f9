"""Falcon's fused heads of every kind, with rotary positions and ALiBi, give the model's own logits through a cache."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM, FalconConfig
from transformers.models.falcon.modeling_falcon import build_alibi_tensor

from tests.workflows.export.own_attention.through_cache import check_steps, load
from workflows.export.attention import HostCacheAdapter, using_adapter
from workflows.export.own_attention.falcon import _bias, uses_alibi
from workflows.export.stand_ins import StandInProducts


@pytest.mark.parametrize(
    ("config", "heads"),
    [
        ({}, 1),
        ({"multi_query": False, "num_kv_heads": 4, "parallel_attn": False, "bias": True}, 4),
        ({"new_decoder_architecture": True, "num_kv_heads": 2}, 2),
        ({"new_decoder_architecture": True, "num_kv_heads": 1, "num_ln_in_parallel_attn": 1}, 1),
    ],
)
def test_logits_in_steps_are_the_models_own(config: dict[str, Any], heads: int, tmp_path: Path) -> None:
    """A cache holds each head of keys once, however many queries share it."""
    layers = check_steps(load("falcon", tmp_path, **config), tmp_path)
    assert [(layer.kv_heads, layer.head_dim, layer.biased) for layer in layers] == [(heads, 16, False)] * 2


def test_alibi_is_added_once(tmp_path: Path) -> None:
    """As transformers' SDPA code does; its eager code adds it twice, so it is no reference."""
    config = {"alibi": True, "multi_query": False, "num_kv_heads": 4, "parallel_attn": False}
    model = load("falcon", tmp_path, **config)
    assert uses_alibi(model.config) and not uses_alibi(AutoConfig.for_model("falcon"))
    assert [layer.biased for layer in check_steps(model, tmp_path, "sdpa")] == [True, True]
    eager, sdpa = (
        AutoModelForCausalLM.from_pretrained(tmp_path, attn_implementation=name).eval() for name in ("eager", "sdpa")
    )
    ids = torch.arange(3, 43)[None]
    with torch.no_grad():
        assert float((eager(ids).logits - sdpa(ids).logits).abs().max()) > 1e-2


def test_a_bias_is_rounded_as_the_model_rounds_it() -> None:
    """Positions past 256 are no bfloat16 numbers; relative to the last token, all keys of a row differ alike."""
    config = FalconConfig(num_attention_heads=3, hidden_size=48, alibi=True)
    past = [torch.zeros(1, 1, 600, 4)]
    with using_adapter(HostCacheAdapter(past, past, torch.tensor(600))):
        found = _bias(config, 1)[0, :, 0]
    wanted = build_alibi_tensor(torch.ones(1, 601, dtype=torch.long), 3, torch.float32)[:, 0] / 4
    assert torch.equal(found, wanted - wanted[:, -1:])


def test_products_of_stand_ins_copy_no_weight(tmp_path: Path) -> None:
    """torch's own linear layer is the one that a model of stand-ins replaces by a sum."""
    model = load("falcon", tmp_path)
    layer, rows = model.transformer.h[0].mlp.dense_h_to_4h, torch.randn(1, 3, 64)
    expected, layer.weight.data = layer(rows), torch.full((), 0.5).expand(layer.weight.shape)
    assert not torch.equal(layer(rows), expected)
    with using_adapter(HostCacheAdapter()), StandInProducts():
        found = layer(rows)
    found += 1  # as the model adds attention in place
    assert torch.allclose(found, (rows.sum(-1, keepdim=True) / 2 + 1).expand_as(found), atol=1e-5)
