"""Whole models as other people's tools export them, TorchScript and opset 17: every pass, and the values stay."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import pytest

from tests.workflows.optimize.making import apply, export_old, operators, values
from workflows.optimize import PASSES

SIZES: dict[str, Any] = {
    "vocab_size": 97,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 64,
    "attn_implementation": "eager",
}
IDS = {"ids": np.random.default_rng(0).integers(3, 97, (1, 9))}
# model type → what its config needs, and what must fire on it
MODELS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "bert": ({}, {"gelu_fusion", "pack_qkv", "skip_layernorm"}),
    "llama": ({"tie_word_embeddings": True}, {"fuse_rmsnorm", "pack_qkv", "pack_gate_up", "skip_layernorm"}),
    "gpt2": ({"n_embd": 32, "n_head": 4, "n_layer": 2}, {"gelu_fusion", "skip_layernorm"}),
    "t5": ({"d_model": 32, "d_kv": 8, "num_heads": 4, "d_ff": 48, "num_layers": 2}, {"fuse_rmsnorm", "pack_qkv"}),
}


def export(model_type: str) -> ir.Model:
    import torch
    from transformers import AutoConfig, AutoModel, AutoModelForCausalLM

    torch.manual_seed(0)
    config = AutoConfig.for_model(model_type, **(SIZES | MODELS[model_type][0]))
    kind = AutoModelForCausalLM if model_type in ("llama", "gpt2") else AutoModel
    model = kind.from_config(config)
    model = model.get_encoder() if model_type == "t5" else model

    class First(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            options = {} if model_type in ("bert", "t5") else {"use_cache": False}
            return self.model(input_ids=ids, attention_mask=mask, return_dict=True, **options)[0]

    ids = torch.from_numpy(IDS["ids"])
    return export_old(First(), ids, torch.ones_like(ids), names=("ids", "mask"))


@pytest.mark.parametrize(
    "model_type", [pytest.param(n, marks=() if n == "llama" else pytest.mark.slow) for n in MODELS]
)
def test_whole_models(model_type: str) -> None:
    model = export(model_type)
    names = [name for name in PASSES if name != "last_token_logits"]
    inputs = {"ids": IDS["ids"], "mask": np.ones_like(IDS["ids"])}
    inputs = {value.name: inputs[value.name] for value in model.graph.inputs}
    (before,) = values(model, inputs)
    nodes = model.graph.num_nodes()
    reports = apply(model, *names)
    fired = {report.name for report in reports if report.modified}
    assert MODELS[model_type][1] <= fired, {r.name: r.refused[:2] for r in reports}
    np.testing.assert_allclose(values(model, inputs)[0], before, atol=2e-5, rtol=1e-4)
    assert model.graph.num_nodes() < nodes
    counts = operators(model)
    assert not {report.name for report in apply(model, *names) if report.modified}
    assert operators(model) == counts
