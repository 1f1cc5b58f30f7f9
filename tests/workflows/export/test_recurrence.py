"""Replaced recurrences have the values of transformers' functions, and their operators compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest
import torch
from transformers.models.kimi_linear import modeling_kimi_linear
from transformers.models.mamba import modeling_mamba
from transformers.models.mamba2 import modeling_mamba2
from transformers.models.qwen3_next import modeling_qwen3_next

from workflows.common.errors import RecipeError
from workflows.export import recurrence
from workflows.export.recurrence import RecurrentStates, connect_recurrences


def rows(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


def probe() -> RecurrentStates:
    """An adapter without a state, which was asked for one."""
    adapter = RecurrentStates(probing=True)
    adapter.get_recurrent_state(0)
    return adapter


DELTA = {"g": -rows(1, 70, 6).abs(), "beta": torch.sigmoid(rows(1, 70, 6)), "use_qk_l2norm_in_kernel": True}
# name → transformers' module, function, tensors and options; groups, odd sizes, and more tokens than a chunk
CASES: dict[str, tuple[Any, str, tuple[torch.Tensor, ...], dict[str, Any]]] = {
    "gated delta": (
        modeling_qwen3_next, "torch_chunk_gated_delta_rule",
        (rows(1, 70, 3, 10), rows(1, 70, 3, 10), rows(1, 70, 6, 7)), DELTA | {"output_final_state": True},
    ),
    "kimi": (
        modeling_kimi_linear, "chunk_kimi_delta_attention",
        (rows(1, 70, 6, 10), rows(1, 70, 6, 10), rows(1, 70, 6, 7)),
        DELTA | {"g": -rows(1, 70, 6, 10).abs(), "output_final_state": True},
    ),
    "mamba 2": (
        modeling_mamba2, "mamba2_chunk_scan",
        (rows(1, 70, 6, 5), rows(1, 70, 6), -rows(6).abs(), rows(1, 70, 2, 9), rows(1, 70, 2, 9)),
        {"chunk_size": 16, "D": rows(6), "dt_bias": rows(6), "dt_softplus": True, "dt_limit": (0.3, 1.5),
         "return_final_states": True},
    ),
    "mamba": (
        modeling_mamba, "mamba_selective_scan",
        (rows(1, 6, 70), rows(1, 6, 70), -rows(6, 9).abs(), rows(1, 9, 70), rows(1, 9, 70)),
        {"D": rows(6), "z": rows(1, 6, 70), "delta_bias": rows(6), "delta_softplus": True, "return_last_state": True},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_replaced_recurrence_has_the_values_of_the_original(name: str) -> None:
    """Output and state, of which Mamba's are transposed here."""
    module, function, tensors, options = CASES[name]
    wanted, state = getattr(module, function)(*tensors, **options)
    output, own = recurrence._REPLACEMENTS[function](probe(), *tensors, **options)
    torch.testing.assert_close(output, wanted, rtol=1e-4, atol=1e-4)
    as_stored = {"mamba": own[..., 0], "mamba 2": own.transpose(-1, -2)}.get(name, own)
    torch.testing.assert_close(as_stored, state, rtol=1e-4, atol=1e-4)


class Recurrent(torch.nn.Module):  # type: ignore[misc]  # torch is not type-checked here
    """A convolution before a recurrence, with their states as inputs and outputs."""

    def __init__(self, beta: bool) -> None:
        super().__init__()
        self.weight, self.bias, self.beta = torch.nn.Parameter(rows(12, 4)), torch.nn.Parameter(rows(12)), beta

    def forward(self, columns: torch.Tensor, conv: torch.Tensor, state: torch.Tensor) -> tuple[torch.Tensor, ...]:
        adapter = RecurrentStates(states={(0, "conv"): conv, (0, "recurrent"): state})
        joined = adapter.update_conv_state(columns, 0)
        after = recurrence.causal_conv(adapter, joined, self.weight, self.bias, "silu")
        split = after.transpose(1, 2).reshape(1, -1, 3, 4)
        beta = torch.sigmoid(split[..., 0]) if self.beta else None
        output, new = recurrence.linear_attention(split, split * 0.3, split, state, -split.abs(), beta)
        return output, adapter.new_states[0, "conv"], new


@pytest.mark.parametrize("beta", [False, True])
def test_the_operators_compute_what_the_module_does(beta: bool) -> None:
    """One token, fewer than the convolution's width, and many; each after the others."""
    module = Recurrent(beta).eval()
    given = rows(1, 12, 5), torch.zeros(1, 12, 3), torch.zeros(1, 3, 4, 4)
    axes = ({2: torch.export.Dim.DYNAMIC}, {}, {})
    program = torch.onnx.export(module, given, dynamo=True, opset_version=21, dynamic_shapes=axes, verbose=False)
    assert program is not None
    session = onnxruntime.InferenceSession(
        ir.to_proto(program.model).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [one.name for one in session.get_inputs()]
    conv, state = given[1:]
    for length in (1, 2, 70, 1):
        columns = rows(1, 12, length)
        with torch.no_grad():
            output, conv_after, state_after = module(columns, conv, state)
        found = session.run(None, dict(zip(names, (columns.numpy(), conv.numpy(), state.numpy()), strict=True)))
        for mine, wanted in zip(found, (output, conv_after, state_after), strict=True):
            np.testing.assert_allclose(mine, wanted.numpy(), atol=2e-5)
        conv, state = conv_after, state_after


def causal_conv1d_fn(columns: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Stands for transformers' function of the name."""
    return columns * 0


class Convolved(torch.nn.Module):  # type: ignore[misc]  # torch is not type-checked here
    """A layer that finds the function by its name."""

    def forward(self, columns: torch.Tensor) -> torch.Tensor:
        return causal_conv1d_fn(columns, torch.ones(2, 3))


def test_a_layer_calls_the_original_where_no_cache_is_in_use() -> None:
    """The same layer, before and within a run with a cache; another of its class stays as it is."""
    layer, other = Convolved(), Convolved()
    states: list[RecurrentStates | None] = [None]
    connect_recurrences(layer, lambda: states[0])
    columns = torch.ones(1, 2, 4)
    assert not layer(columns).any()
    states[0] = RecurrentStates(states={(7, "conv"): torch.full((1, 2, 2), 5.0)})
    assert layer(states[0].update_conv_state(columns, 7))[0, 0].tolist() == [11, 7, 3, 3]
    assert not other(columns).any()


def test_a_recurrence_without_a_cached_state_is_refused() -> None:
    with pytest.raises(RecipeError, match="has a recurrence that it does not cache"):
        RecurrentStates().take_state((1, 1, 1, 1))
