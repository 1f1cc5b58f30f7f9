"""Experts as one operator: onnxruntime's values of it are those of transformers' own loop, in each form of weights."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx_ir as ir
import onnxruntime as ort
import pytest
import torch
from transformers.models.aria.modeling_aria import AriaExperts
from transformers.models.gpt_oss.modeling_gpt_oss import GptOssExperts
from transformers.models.nemotron_h.modeling_nemotron_h import NemotronHExperts
from transformers.models.qwen3_moe.modeling_qwen3_moe import Qwen3MoeExperts

from workflows.export.experts import Activation, arrange_experts, connect_experts
from workflows.export.trace import quiet_exporter

COUNT, CHOSEN, ROWS = 5, 2, 7
_SIZES = {"hidden_size": 18, "moe_intermediate_size": 10, "intermediate_size": 10}
_COUNTS = {f"{name}": COUNT for name in ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")}


def config(**more: Any) -> Any:
    return SimpleNamespace(**_SIZES, **_COUNTS, _experts_implementation="eager", **more)


class Block(torch.nn.Module):  # type: ignore[misc]  # torch is not type-checked here
    """The rows come from another node, whose memory the operator may take."""

    def __init__(self, experts: torch.nn.Module) -> None:
        super().__init__()
        self.experts = experts

    def forward(self, hidden: torch.Tensor, chosen: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        return self.experts(hidden * 2, chosen, weights)


def traced(block: Block, inputs: tuple[torch.Tensor, ...], file: Path) -> list[str]:
    """Saves the graph; returns its operators."""
    with quiet_exporter():
        program = torch.onnx.export(
            block, inputs, dynamo=True, verbose=False, dynamic_shapes=({0: torch.export.Dim.DYNAMIC},) * 3
        )
        program.optimize()
    arrange_experts(program.model.graph)
    ir.save(program.model, file)
    return [node.op_type for node in program.model.graph]


MADE = {
    "silu": lambda: Qwen3MoeExperts(config(hidden_act="silu")),
    "clamped, turned, interleaved, with biases": lambda: GptOssExperts(config(swiglu_alpha=1.702, swiglu_limit=7.0)),
    "turned": lambda: AriaExperts(config(hidden_act="silu")),
    "without a gate": lambda: NemotronHExperts(config(mlp_hidden_act="relu", moe_latent_size=None)),
}


@pytest.mark.parametrize("form", MADE)
def test_the_operator_gives_what_the_loop_gives(form: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    block = Block(MADE[form]().eval().requires_grad_(False))
    for weight in block.parameters():
        torch.nn.init.normal_(weight)
    hidden, weights = torch.randn(ROWS, _SIZES["hidden_size"]), torch.rand(ROWS, CHOSEN)
    chosen = torch.stack([torch.randperm(COUNT)[:CHOSEN] for _ in range(ROWS)])
    expected = block(hidden, chosen, weights).numpy()
    connect_experts(block)
    np.testing.assert_array_equal(block(hidden, chosen, weights).numpy(), expected)  # its own code, unless exported
    operators = traced(block, (hidden, chosen, weights), tmp_path / "g.onnx")
    assert operators.count("MoE") == 1 and not {"Transpose", "Reshape"} & {*operators}
    session = ort.InferenceSession(tmp_path / "g.onnx")
    names = [value.name for value in session.get_inputs()]
    for rows in (ROWS, 1):
        fed = [one.numpy()[:rows] for one in (hidden, chosen, weights)]
        (found,) = session.run(None, dict(zip(names, fed, strict=True)))
        np.testing.assert_allclose(found, expected[:rows], atol=1e-5 * np.abs(expected).max())


def test_an_activation_that_the_operator_lacks_is_left_to_the_models_code(tmp_path: Path) -> None:
    torch.manual_seed(0)
    block = Block(Qwen3MoeExperts(config(hidden_act="gelu_pytorch_tanh")).eval().requires_grad_(False))
    for weight in block.parameters():
        torch.nn.init.normal_(weight)
    connect_experts(block)
    block.experts.config._experts_implementation = "batched_mm"
    chosen = torch.stack([torch.randperm(COUNT)[:CHOSEN] for _ in range(ROWS)])
    inputs = torch.randn(ROWS, _SIZES["hidden_size"]), chosen, torch.rand(ROWS, CHOSEN)
    assert "MoE" not in traced(block, inputs, tmp_path / "g.onnx")


def test_a_limit_is_an_attribute_only_where_there_is_one() -> None:
    assert "swiglu_limit" not in Activation("swiglu").attributes()
    assert Activation("swiglu", limit=7.0).attributes()["swiglu_limit"] == 7.0
    assert Activation("relu").attributes() == {"activation_type": "relu"}
