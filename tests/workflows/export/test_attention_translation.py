"""Attention below opset 23: products and a softmax, in the values that torch gives, without a copy of the keys."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import torch
from torch.nn.functional import scaled_dot_product_attention

from workflows.export.attention_translation import FUSED_FROM, attention_translations


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
