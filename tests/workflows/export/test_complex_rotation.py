"""Pairs of real numbers compute what complex numbers do, in a model's own code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from tests.workflows.families.models import save_decoder
from workflows.builder import BuildRequest, build
from workflows.checkpoint import open_checkpoint
from workflows.export.attention import detect_layers
from workflows.export.complex_rotation import ComplexPair, connect_complex_rotations
from workflows.export.decoder import causal_layers, run_causal
from workflows.export.equivalence import check_causal
from workflows.export.load import load_model
from workflows.recipe import resolve_recipe
from workflows.runtime import open_single

_LATENT: dict[str, Any] = {
    "num_key_value_heads": 4, "q_lora_rank": 16, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8,
    "v_head_dim": 16, "head_dim": 8, "n_routed_experts": 4, "n_group": 1, "topk_group": 1, "num_experts_per_tok": 2,
    "moe_intermediate_size": 48, "first_k_dense_replace": 1, "n_shared_experts": 1,
}  # fmt: skip


def test_a_pair_is_a_complex_number() -> None:
    chances = torch.Generator().manual_seed(0)
    one, other = (torch.randn(2, 3, 4, 2, generator=chances) for _ in range(2))
    pair = ComplexPair(one[..., 0], one[..., 1]) * ComplexPair(other[..., 0], other[..., 1]) * 3.0
    expected = torch.view_as_complex(one) * torch.view_as_complex(other) * 3.0
    assert torch.allclose(torch.complex(pair.real, pair.imaginary), expected)
    assert pair[:, :, None].real.shape == (2, 3, 1, 4) and pair.unsqueeze(1).imaginary.shape == (2, 1, 3, 4)


class _Rotary(torch.nn.Module):  # type: ignore[misc]  # torch is not type-checked here
    def forward(self, angles: torch.Tensor) -> Any:
        return torch.polar(torch.ones_like(angles), angles) * 2.0


def _rotated(rows: torch.Tensor, turns: Any) -> Any:
    return torch.view_as_real(torch.view_as_complex(rows.reshape(*rows.shape[:-1], -1, 2)) * turns).flatten(-2)


class _Rotates(torch.nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.rotary = _Rotary()

    def forward(self, rows: torch.Tensor, angles: torch.Tensor) -> Any:
        return _rotated(rows, self.rotary(angles))


@pytest.mark.parametrize("active", [True, False])
def test_the_models_own_code_runs_with_pairs_while_it_is_active(active: bool) -> None:
    model, rows, angles = _Rotates(), torch.randn(3, 8), torch.randn(3, 4)
    expected = model(rows, angles)
    connect_complex_rotations(model, lambda: active)
    assert torch.allclose(model(rows, angles), expected, atol=1e-6)
    assert isinstance(model.rotary(angles), ComplexPair if active else torch.Tensor)
    assert isinstance(_Rotary()(angles), torch.Tensor)


def test_deepseek_v2_has_its_own_logits_through_a_cache(tmp_path: Path) -> None:
    checkpoint = open_checkpoint(str(save_decoder("deepseek_v2", tmp_path / "checkpoint", **_LATENT)))
    model = load_model(checkpoint, "text-generation")
    kinds = set[type]()
    handle = model.model.rotary_emb.register_forward_hook(lambda _, args, output: kinds.add(type(output)))
    ids = torch.arange(3, 6)[None]
    detect_layers(lambda adapter: run_causal(model, adapter, ids, torch.arange(3)[None], own_mask=True))
    handle.remove()
    assert kinds == {ComplexPair}
    check_causal(model, causal_layers(model), resolve_recipe(checkpoint, {"capacity": 256}))


@pytest.mark.slow
def test_a_graph_without_a_cache_has_no_complex_numbers(tmp_path: Path) -> None:
    """DeepSeek-V2 as an embedder: the hidden states of its own code, which multiplies complex numbers."""
    folder = save_decoder("deepseek_v2", tmp_path / "c", **_LATENT)
    build(BuildRequest(str(folder), tmp_path / "out", {"task": "feature-extraction"}))
    model = transformers.AutoModel.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    graph = open_single(tmp_path / "out")
    for length in (1, 7, 65):
        ids = torch.randint(3, 60, (1, length), generator=torch.Generator().manual_seed(length))
        with torch.no_grad():
            wanted = model(ids).last_hidden_state
        found = graph.run({"input_ids": ids.numpy(), "attention_mask": torch.ones_like(ids).numpy()})
        assert torch.allclose(torch.from_numpy(found["last_hidden_state"]), wanted, atol=1e-4)
