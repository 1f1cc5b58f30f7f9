"""ALiBi's slopes and distances are transformers', and BLOOM and MPT give their own logits through a cache."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

from tests.workflows.export.own_attention.through_cache import check_steps, load
from workflows.common.errors import LayoutError
from workflows.export.attention import HostCacheAdapter, using_adapter
from workflows.export.equivalence import check_layers
from workflows.export.own_attention.alibi import alibi_bias, bloom_slopes
from workflows.export.own_attention.mpt import mpt_slopes


@pytest.mark.parametrize("heads", [1, 2, 3, 7, 8, 12, 71])
def test_slopes_are_those_of_transformers(heads: int) -> None:
    """The bias of the second position is the slope, also where the heads are no power of two."""
    bloom = build_alibi_tensor(torch.ones(1, 2, dtype=torch.long), heads, torch.float32)[:, 0, 1]
    assert torch.allclose(bloom_slopes(heads), bloom, rtol=1e-6)
    mpt = build_mpt_alibi_tensor(heads, 2)
    assert torch.allclose(mpt_slopes(heads), mpt[:, 0, 1] - mpt[:, 0, 0], rtol=1e-6)


def test_a_bias_is_of_slots_and_new_tokens() -> None:
    """Three slots of which two are in use, and two new tokens at positions 2 and 3."""
    past = [torch.zeros(1, 1, 3, 4)]
    with using_adapter(HostCacheAdapter(past, past, torch.tensor(2))):
        bias = alibi_bias(torch.tensor([0.5, 0.25]), 2)
    distances = torch.tensor([[-2.0, -1, 0, 0, 1], [-3, -2, -1, -1, 0]])
    assert torch.equal(bias, torch.stack([0.5 * distances, 0.25 * distances])[None])


@pytest.mark.parametrize(
    ("model_type", "config"),
    [
        ("bloom", {"n_layer": 2, "n_head": 4}),
        ("bloom", {"n_layer": 2, "n_head": 6, "hidden_size": 60, "apply_residual_connection_post_layernorm": True}),
        ("mpt", {"d_model": 64, "n_layers": 2, "n_heads": 4, "max_seq_len": 64}),
        ("mpt", {"d_model": 60, "n_layers": 2, "n_heads": 3, "attn_config": {"clip_qkv": 0.5, "softmax_scale": 0.3}}),
    ],
)
def test_logits_in_steps_are_the_models_own(model_type: str, config: dict[str, Any], tmp_path: Path) -> None:
    """And their bias is detected, so that layouts that cannot have one are refused."""
    layers = check_steps(load(model_type, tmp_path, **config), tmp_path)
    assert [layer.biased for layer in layers] == [True, True]
    check_layers(layers, "static")
    check_layers(layers, "scatter")
    for cache in ("gqa", "window"):
        with pytest.raises(LayoutError, match=r"adds a bias of positions.* build with --cache static or scatter"):
            check_layers(layers, cache)
