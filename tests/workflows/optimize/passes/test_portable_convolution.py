"""Convolutions with state in ONNX's own operators have the values of onnxruntime's kernel."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest

from tests.workflows.optimize.making import check_fires, check_refuses, parse, weights


def graph(length: int | str, attributes: str = "", bias: str = "bias", past: str = "past") -> ir.Model:
    """Six channels, of four columns each."""
    return parse(
        f"""g (float[1,6,{length}] x, float[1,6,3] past) => (float[1,6,{length}] y, float[1,6,3] present)
        {{ y, present = com.microsoft.CausalConvWithState{attributes}(x, weight, {bias}, {past}) }}""",
        opset=21, contrib=True, weight=weights(6, 1, 4), **({"bias": weights(6)} if bias else {}),
    )  # fmt: skip


@pytest.mark.parametrize("bias", ["bias", ""])
@pytest.mark.parametrize("activation", ["silu", "swish", "none"])
def test_values_are_those_of_the_kernel(activation: str, bias: str) -> None:
    """Fewer tokens than the kernel has columns, and more; the state goes from one run to the next."""
    past = np.zeros((1, 6, 3), np.float32)
    for length in (1, 2, 63, 64, 65):
        feed = {"x": weights(1, 6, length, seed=length), "past": past}
        for axis in (length, "S"):
            counts = check_fires(graph(axis, f'<activation = "{activation}">', bias), "portable_convolution", feed)
        assert counts.get("Sigmoid", 0) == (activation != "none")
        past = np.concatenate([past, feed["x"]], axis=2)[:, :, -3:]


@pytest.mark.parametrize(("attributes", "reason"), [
    ("<dilation = 2>", "its dilation is 2"), ("<state_window = 4>", "its state_window is 4"),
    ('<activation = "gelu">', "its activation is gelu"),
])  # fmt: skip
def test_further_attributes_are_refused(attributes: str, reason: str) -> None:
    check_refuses(graph(4, attributes), "portable_convolution", reason)


def test_a_convolution_without_a_state_is_refused() -> None:
    check_refuses(graph(4, past=""), "portable_convolution", "it keeps no columns between runs")
