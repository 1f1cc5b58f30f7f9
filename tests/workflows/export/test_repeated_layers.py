"""Layers that do the same are traced once: the graph is that of all of them, and whatever differs keeps its own."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
import onnxruntime as ort
import pytest
import torch
from torch import nn

from tests.workflows.families.models import DECODERS, greedy, save_decoder
from tests.workflows.families.test_identity import check
from workflows.builder import BuildRequest, build
from workflows.bundle.evidence import EVIDENCE
from workflows.export import repeated_layers
from workflows.export.attention import ATTENTION_NAME, LayerFacts
from workflows.export.decoder import DecoderModule, causal_layers
from workflows.export.layer_kinds import layer_kinds
from workflows.export.signature import ExportSignature, decoder_signature
from workflows.export.trace import export_program, trace

_OPSET = 24
_FULL, _NEAR = "full_attention", "sliding_attention"
# how many layers the model has, what else is its own, and how many must be traced: two are copied at least
DEEP: dict[str, tuple[int, dict[str, Any], int]] = {
    "llama": (5, {}, 3),
    "gemma2": (7, {"layer_types": [*([_NEAR, _FULL] * 3), _NEAR]}, 5),
    "gemma3_text": (9, {"layer_types": [_NEAR, _NEAR, _FULL] * 3}, 6),  # the first full one has the angles of all
    "gpt2": (5, {"n_layer": 5}, 3),
    "smollm3": (8, {"no_rope_layers": [1, 1, 0, 1, 1, 0, 1, 1]}, 6),
    "qwen3_moe": (5, {"mlp_only_layers": [0]}, 3),
    "cohere2": (8, {"layer_types": [_NEAR, _NEAR, _NEAR, _FULL] * 2}, 8),
}


def save_deep(model_type: str, folder: Path) -> Path:
    depth, more, _ = DEEP[model_type]
    return save_decoder(model_type, folder, num_hidden_layers=depth, **more)


def deep(model_type: str, folder: Path) -> Any:
    from transformers import AutoModelForCausalLM

    checkpoint = save_deep(model_type, folder)
    loaded = AutoModelForCausalLM.from_pretrained(
        checkpoint, dtype=torch.float32, attn_implementation=ATTENTION_NAME, experts_implementation="batched_mm"
    )
    return loaded.eval().requires_grad_(False)


def run(graph: ir.Model, signature: ExportSignature) -> list[np.ndarray[Any, Any]]:
    """The graph's outputs for a past of random rows."""
    chances = np.random.default_rng(0)
    feeds = {
        name: chances.normal(size=value.shape).astype(np.float32) if "past" in name else value.numpy()
        for name, value in signature.inputs.items()
    }
    options = ort.SessionOptions()
    options.log_severity_level = 3  # a buffer that is copied: it was not bound to the output
    return ort.InferenceSession(ir.to_proto(graph).SerializeToString(), options).run(None, feeds)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model_type", "writer"),
    [("llama", "gqa"), ("llama", "scatter"), *((name, "host") for name in DEEP if name != "llama")],
)
def test_the_graph_is_that_of_all_layers(
    model_type: str, writer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The very values, ends and scopes of the graph that is traced whole; as many layers are traced as differ."""
    traced: list[int] = []

    def counted(module: Any, *more: Any, **options: Any) -> Any:
        traced.append(len(module.layers))
        return export_program(module, *more, **options)

    monkeypatch.setattr(repeated_layers, "export_program", counted)
    model = deep(model_type, tmp_path)

    def make(facts: Sequence[LayerFacts]) -> tuple[nn.Module, ExportSignature]:
        signature = decoder_signature(facts, writer)
        return DecoderModule(model, signature, facts).eval(), signature

    layers = causal_layers(model)
    found = repeated_layers.trace_decoder(model, layers, make, _OPSET)
    module, signature = make(layers)
    whole = trace(module, signature, _OPSET)
    depth, _, fewest = DEEP[model_type]
    assert len(layers) == depth and traced == ([fewest] if fewest < depth else [])
    for one, other in zip(run(found, signature), run(whole, signature), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-6 * float(np.abs(other).max()))
    for ends in ("inputs", "outputs"):
        assert [(v.name, v.dtype, str(v.shape)) for v in getattr(found.graph, ends)] == [
            (v.name, v.dtype, str(v.shape)) for v in getattr(whole.graph, ends)
        ]
    assert found.metadata_props == whole.metadata_props
    ours, theirs = (Counter(node.op_type for node in graph.graph) for graph in (found, whole))
    assert not theirs - ours and set(ours - theirs) <= {"Add"}  # of 1 and a norm's weight: constant folding's
    assert _scopes(found) == _scopes(whole)
    names = [str(value.name) for node in found.graph for value in node.outputs]
    assert len(set(names)) == len(names) and len({node.name for node in found.graph}) == found.graph.num_nodes()


def _scopes(graph: ir.Model) -> set[str]:
    """The modules that the nodes say they are of."""
    key = "pkg.torch.onnx.name_scopes"
    return {scope for node in graph.graph for scope in _listed(node.metadata_props.get(key, "[]"))[:-1]}


def _listed(text: str) -> list[str]:
    return [name.strip("' ") for name in text.strip("[]").split(",")]


@pytest.mark.parametrize(
    ("model_type", "options"),
    [
        pytest.param("llama", {"early_exit": 4}, marks=pytest.mark.slow),
        pytest.param("llama", {"variant": "transformer-only", "kv_dtype": "float32"}, marks=pytest.mark.slow),
        pytest.param("gemma3_text", {"cache": "window"}, marks=pytest.mark.slow),
        pytest.param("qwen3_moe", {"cache": "static", "graphs": "prefill-decode"}, marks=pytest.mark.slow),
    ],
)
def test_token_for_token(model_type: str, options: dict[str, Any], tmp_path: Path) -> None:
    checkpoint = save_deep(model_type, tmp_path / "checkpoint")
    build(BuildRequest(str(checkpoint), tmp_path / "out", {"capacity": 256, **options}))
    check(tmp_path / "out", checkpoint, greedy, 8)
    if model_type == "llama" and "variant" not in options:
        stages = json.loads((tmp_path / "out" / EVIDENCE).read_text())
        modified = {step["name"] for stage in stages for step in stage["passes"] if step["modified"]}
        assert {"pack_qkv", "pack_gate_up", "skip_layernorm"} <= modified


OTHERS = sorted({*DECODERS} - {*DEEP})


@pytest.mark.slow
@pytest.mark.parametrize("model_type", OTHERS if os.environ.get("JOINERY_EVERY_LAYOUT") else OTHERS[::6])
def test_every_family_says_the_same_when_it_is_deep(model_type: str, tmp_path: Path) -> None:
    layers = "n_layer" if "n_layer" in DECODERS[model_type] else "num_hidden_layers"
    kinds = DECODERS[model_type].get("layer_types")
    changes: dict[str, Any] = {layers: 6 if kinds else 5} | ({"layer_types": kinds * 3} if kinds else {})
    checkpoint = save_decoder(model_type, tmp_path / "checkpoint", **changes)
    build(BuildRequest(str(checkpoint), tmp_path / "out", {"capacity": 256}))
    check(tmp_path / "out", checkpoint, greedy, 8)


class Layer(nn.Module):  # type: ignore[misc]  # torch is not type-checked here
    """A layer of the chains below; `does` is what makes one of them another."""

    def __init__(self, index: int, does: Callable[[Layer, torch.Tensor], torch.Tensor] | None = None) -> None:
        super().__init__()
        self.layer_idx, self.does, self.far = index, does, False
        self.linear = nn.Linear(4, 4)

    def forward(self, hidden_states: torch.Tensor, factor: torch.Tensor | None = None) -> torch.Tensor:
        y = self.linear(hidden_states)
        y = y if factor is None else y * factor
        return y if self.does is None else self.does(self, y)


class Chain(nn.Module):  # type: ignore[misc]
    """Six layers, one after another."""

    def __init__(self, change: Callable[[list[Layer]], object] = lambda layers: None) -> None:
        super().__init__()
        layers = [Layer(i) for i in range(6)]
        change(layers)
        self.layers = nn.ModuleList(layers)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


def kinds(model: nn.Module) -> tuple[int, ...] | None:
    layers = list(model.layers)
    facts = [LayerFacts(1, 4, 4, None)] * len(layers)
    caches = [(torch.zeros(1), torch.zeros(1))] * len(layers)
    return layer_kinds(layers, facts, caches, lambda: model(torch.ones(1, 4)))


def test_a_chain_of_like_layers_has_one_kind() -> None:
    assert kinds(Chain()) == (0, 0, 0, 0, 0, 0)


def _does(what: Callable[[Layer, torch.Tensor], torch.Tensor]) -> Callable[[list[Layer]], None]:
    def change(layers: list[Layer]) -> None:
        layers[3].does = what

    return change


def _all(what: Callable[[Layer, torch.Tensor], torch.Tensor]) -> Callable[[list[Layer]], None]:
    def change(layers: list[Layer]) -> None:
        for layer in layers:
            layer.does = what

    return change


def _share(layers: list[Layer]) -> None:
    layers[1].linear = layers[3].linear


_MEMORY: dict[int, torch.Tensor] = {}


def _remember(layer: Layer, y: torch.Tensor) -> torch.Tensor:
    """What the layer before made within itself is added, and what this one makes is kept for the next."""
    _MEMORY[layer.layer_idx] = y.relu()
    return y if layer.layer_idx == 0 else y + _MEMORY[layer.layer_idx - 1]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (_does(lambda layer, y: y.relu()), (0, 0, 0, 1, 0, 0)),
        (_does(lambda layer, y: y * 2.0), (0, 0, 0, 1, 0, 0)),
        (_does(lambda layer, y: y + torch.tensor([1.0, 2.0, 3.0, 4.0])), (0, 0, 0, 1, 0, 0)),
        (_all(lambda layer, y: y / (layer.layer_idx + 1)), (0, 1, 2, 3, 4, 5)),
        (_all(lambda layer, y: y * torch.tensor(layer.layer_idx % 2)), (0, 1, 0, 1, 0, 1)),
        (_all(_remember), (0, 1, 2, 3, 4, 5)),
        (lambda layers: setattr(layers[2], "linear", nn.Linear(4, 4, bias=False)), (0, 0, 1, 0, 0, 0)),
        (lambda layers: setattr(layers[4], "far", True), (0, 0, 0, 0, 1, 0)),  # what no operator shows
        (_share, (0, 1, 0, 1, 0, 0)),
    ],
    ids=["operator", "number", "constant", "by index", "by parity", "reaches back", "weights", "setting", "shared"],
)
def test_what_differs_is_a_kind_of_its_own(change: Any, expected: tuple[int, ...]) -> None:
    assert kinds(Chain(change)) == expected


class Between(Chain):
    """Something is done between the layers, or they run in another order."""

    def __init__(self, way: str) -> None:
        super().__init__()
        self.way = way

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        order = list(self.layers)[:: -1 if self.way == "backwards" else 1]
        for layer in order:
            x = layer(x * 2 if self.way == "between" else x)
        return order[0](x) if self.way == "twice" else x


class Fed(Chain):
    """Each layer is given its own row of what the model made before."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows = torch.randn(6, 100, 4)
        for i, layer in enumerate(self.layers):
            x = layer(x, rows[i].mean(0))
        return x


@pytest.mark.parametrize("way", ["between", "backwards", "twice"])
def test_what_is_no_chain_has_no_kinds(way: str) -> None:
    assert kinds(Between(way)) is None


def test_layers_that_are_given_something_of_their_own_are_unlike() -> None:
    assert kinds(Fed()) == (0, 1, 2, 3, 4, 5)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((0,) * 28, 3),
        ((0, 1) * 12, 5),
        ((0, 0, 0, 1, 1, 1, 1, 1), 5),
        (((0,) * 5 + (1,)) * 4, 12),
        ((0, 0, 0, 0), None),
        (tuple(range(12)), None),
        ((0, 0, 0, 0, 0, 1), None),
    ],
)
def test_how_many_are_traced(given: tuple[int, ...], expected: int | None) -> None:
    assert repeated_layers._first(given) == expected
