"""Tracing: attention below opset 23 has torch's values; what a configuration determines is a constant in the graph."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime
import onnxruntime as ort
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from workflows.common.errors import JoineryError, RecipeError
from workflows.export.signature import ExportSignature
from workflows.export.trace import FUSED_FROM, TraceConstantFolding, attention_translations, trace


class Attentions(torch.nn.Module):
    """Queries of four heads over keys of two, by each kind of mask; and over keys of as many heads."""

    def forward(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor, seen: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        return (
            scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True),
            scaled_dot_product_attention(q, k, v, attn_mask=seen, scale=0.3, enable_gqa=True),
            scaled_dot_product_attention(q, k, v, enable_gqa=True),
            scaled_dot_product_attention(q, q, q, is_causal=True),
        )


def test_attention_is_spelt_out_as_torch_computes_it(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    slots, rows = 9, 4

    def inputs(slots: int, rows: int) -> dict[str, np.ndarray]:
        shapes = {"q": (1, 4, rows, 8), "k": (1, 2, slots, 8), "v": (1, 2, slots, 6), "mask": (1, 1, rows, slots)}
        drawn = {name: draw.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
        return {**drawn, "seen": np.tril(np.ones((1, 1, rows, slots), bool), slots - rows)}

    t, s = torch.export.Dim("t"), torch.export.Dim("s")
    axes = {"q": {2: s}, "k": {2: t}, "v": {2: t}, "mask": {2: s, 3: t}, "seen": {2: s, 3: t}}
    path = tmp_path / "a.onnx"
    given = tuple(map(torch.from_numpy, inputs(slots, rows).values()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Attentions().eval(), given, path, dynamo=True, opset_version=21, input_names=list(axes),
            dynamic_shapes=axes, custom_translation_table=attention_translations(21), verbose=False,
        )  # fmt: skip
    counts = Counter(node.op_type for node in onnx.load(path).graph.node)
    assert counts["Softmax"] == 4 and counts["MatMul"] == 7 and "Attention" not in counts  # two share their scores
    assert counts["Expand"] <= 1  # the causal mask; no key is repeated
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    for shape in ((slots, rows), (12, 1), (7, 7)):
        feed = inputs(*shape)
        wanted = Attentions()(*map(torch.from_numpy, feed.values()))
        for got, expected in zip(session.run(None, feed), wanted, strict=True):
            np.testing.assert_allclose(got, expected.numpy(), atol=1e-5)


def test_an_opset_with_attention_keeps_it() -> None:
    assert attention_translations(FUSED_FROM) is None and attention_translations(24) is None
    assert list(attention_translations(21) or ()) == [torch.ops.aten.scaled_dot_product_attention.default]


class Quantile(torch.nn.Module):
    """Gemma 3n's cutoff: the quantile of a normal distribution, of a number of the configuration."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        share = torch.tensor(0.95, dtype=torch.float32, device=x.device)
        return x * torch.distributions.normal.Normal(0, 1).icdf(share).type(x.dtype)


class Special(torch.nn.Module):
    """Other operators that ONNX lacks, of numbers, ranges and tables that are changed in place."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        steps = torch.arange(1, 4, dtype=torch.float32)
        steps = torch.special.i0e(steps) + torch.lgamma(torch.full((3,), 2.5)) + torch.tensor([1.0, 2.0, 3.0])
        first, last = torch.broadcast_tensors(torch.special.erfcx(steps), torch.tensor(2.0))
        written = torch.zeros(3)
        written += x[0]
        return x + first * last + written


class OfInputs(torch.nn.Module):
    """The same of what is only known when the graph runs."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.special.i0e(x)


def signature() -> ExportSignature:
    return ExportSignature({"x": torch.tensor([[0.1, -2.0, 3.0], [1.0, 0.5, 0.0]])}, {"x": {}}, ["y"])


@pytest.mark.parametrize("module", [Quantile(), Special()])
def test_what_the_configuration_says_is_a_constant(module: torch.nn.Module) -> None:
    graph = trace(module, signature(), 23)
    session = onnxruntime.InferenceSession(ir.to_proto(graph).SerializeToString())
    for x in (signature().inputs["x"], torch.linspace(-1, 1, 6).reshape(2, 3)):
        (found,) = session.run(None, {"x": x.numpy()})
        np.testing.assert_allclose(found, module(x).numpy(), rtol=1e-6, atol=1e-7)


def test_the_quantile_is_that_of_a_normal_distribution() -> None:
    """A value, not the module again: 1.6448536 of 0.95."""
    assert math.isclose(float(Quantile()(torch.ones(1))), 1.6448536, rel_tol=1e-6)


def test_what_depends_on_inputs_is_none() -> None:
    with pytest.raises(JoineryError, match="torch cannot export this model to ONNX: No ONNX function found"):
        trace(OfInputs(), signature(), 23)


def test_only_results_of_numbers_are_constants() -> None:
    """Random numbers are drawn once: computing them again outside the trace would give others."""
    with TraceConstantFolding():
        drawn = torch.rand(8)
        same, twos = drawn + 0, torch.ones(8) + 1
    assert same.tolist() == drawn.tolist() and twos.tolist() == [2.0] * 8


class Refusing(torch.nn.Module):
    """A module that a cache adapter refuses while it is traced."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise RecipeError("This cache takes no sinks: choose another.")


def test_a_refusal_while_tracing_ends() -> None:
    """The exporter has it as its cause; as the refusal's context, the chain would be a circle that walks never end."""
    signature = ExportSignature(outputs=["y"])
    signature.add("x", torch.zeros(2, 2), {})
    with pytest.raises(RecipeError, match="takes no sinks") as refused:
        trace(Refusing(), signature, 21)
    seen: list[BaseException] = []
    error: BaseException | None = refused.value
    while error is not None:
        assert error not in seen
        seen.append(error)
        error = error.__cause__ or error.__context__
