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
from workflows.export.attention import AttentionCall, HostCacheAdapter, using_adapter
from workflows.export.equivalence import check_layers
from workflows.export.in_place import GroupQueryAdapter
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
        (
            "bloom",
            {
                "n_layer": 2,
                "num_attention_heads": 6,
                "hidden_size": 48,
                "apply_residual_connection_post_layernorm": True,
            },
        ),
        ("mpt", {"d_model": 64, "n_layers": 2, "n_heads": 4, "max_seq_len": 64}),
        ("mpt", {"d_model": 48, "n_layers": 2, "n_heads": 3, "attn_config": {"clip_qkv": 0.5, "softmax_scale": 0.3}}),
    ],
)
def test_logits_in_steps_are_the_models_own(model_type: str, config: dict[str, Any], tmp_path: Path) -> None:
    """And their bias is detected, so that layouts that cannot have one are refused."""
    layers = check_steps(load(model_type, tmp_path, **config), tmp_path)
    assert [layer.biased for layer in layers] == [True, True]
    for cache in ("static", "gqa", "scatter"):
        check_layers(layers, cache)
    for cache, target, why in (("window", "cpu", "needs left-aligned slots"), ("gqa", "webgpu", "on the CPU alone")):
        with pytest.raises(LayoutError, match=why):
            check_layers(layers, cache, target)


@pytest.mark.parametrize("valid", [2, 5])
def test_a_bias_in_place_is_of_the_valid_tokens(valid: int) -> None:
    """Run eagerly, the operator over a shared buffer computes what attention over the rows themselves does."""
    chances = torch.Generator().manual_seed(0)
    query, key, value = (torch.randn(1, heads, valid, 8, generator=chances) for heads in (4, 2, 2))
    buffers = [torch.zeros(1, 2, 7, 8) for _ in range(2)]
    for start, end in ((0, 1), (1, valid)):
        lengths = torch.tensor([end - 1], dtype=torch.int32), torch.tensor(end, dtype=torch.int32)
        adapter = GroupQueryAdapter(buffers[:1], buffers[1:], torch.tensor(start), lengths=lengths)
        with using_adapter(adapter):
            bias = alibi_bias(torch.tensor([0.5, 0.25, 0.1, 0.01]), end - start)
            assert bias.shape == (1, 4, end - start, end)
            rows = adapter.update(key[:, :, start:end], value[:, :, start:end], 0)
            call = AttentionCall(0, query[:, :, start:end], *rows, scale=0.3, window=None, softcap=None, bias=bias)
            found = adapter.attend(call)
        buffers = list(adapter.present[0])
    scores = query @ key.repeat_interleave(2, dim=1).transpose(2, 3) * 0.3
    back = torch.arange(valid)[None] - torch.arange(valid)[:, None]
    scores += torch.tensor([0.5, 0.25, 0.1, 0.01])[:, None, None] * back
    weights = scores.masked_fill(back > 0, -torch.inf).softmax(-1)
    assert torch.allclose(found, (weights @ value.repeat_interleave(2, dim=1))[:, :, 1:], atol=1e-6)
