"""What a target refuses and remarks on before a build, and the opset that its graphs have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from workflows.checkpoint import Checkpoint, open_checkpoint
from workflows.common.errors import RecipeError
from workflows.inspection.probe.checkpoint_facts import plan_report
from workflows.recipe import resolve_recipe
from workflows.recipe.compatibility import target_refusals, target_remarks
from workflows.recipe.target import LOWEST, TARGETS


@pytest.fixture(scope="module")
def demo() -> Checkpoint:
    return open_checkpoint("demo:qwen3")


@pytest.mark.parametrize(("target", "opset", "graphs"), [
    ("cpu", 23, "single"), ("webgpu", 23, "single"), ("qnn", 23, "prefill-decode"), ("dml", 21, "prefill-decode"),
    ("openvino", 21, "prefill-decode"),
])  # fmt: skip
def test_a_target_decides_opset_and_shapes(demo: Checkpoint, target: str, opset: int, graphs: str) -> None:
    recipe = resolve_recipe(demo, {"target": target})
    assert (recipe.opset, recipe.graphs, recipe.cache) == (opset, graphs, "gqa" if target == "cpu" else "static")
    assert target_refusals(recipe) == []
    assert resolve_recipe(demo, {"target": "cpu", "cache": "scatter"}).opset == 24


@pytest.mark.parametrize(("options", "settings"), [
    ({}, (32, None, False, "fp32", None)),
    ({"precision": "int4"}, (32, None, False, None, None)),
    ({"preset": "balanced"}, (32, None, False, None, None)),
    ({"preset": "compact"}, (64, 32, False, None, None)),
    ({"precision": "int8"}, (32, None, False, None, None)),
    ({"preset": "accurate"}, (32, None, False, None, None)),
    ({"quantize": {"components": {"decoder": "int4"}}}, (32, None, False, None, None)),
    ({"preset": "compact", "quantize": {"fine_block_size": None, "symmetric": True}}, (64, None, True, None, None)),
    ({"precision": "int4", "quantize": {"block_size": 64, "embedding": False}}, (64, None, False, "fp32", None)),
    ({"precision": "int4", "tokenizer": False}, (32, None, False, "int8/64", "int8/64")),
    ({"precision": "int4", "tokenizer": False, "quantize": {"head": None}}, (32, None, False, "int8/64", None)),
    ({"preset": "compact", "tokenizer": False}, (64, 32, False, None, None)),
    ({"precision": "int4", "target": "dml"}, (32, None, False, "fp32", None)),
    ({"preset": "compact", "target": "openvino"}, (32, None, False, "fp32", None)),
    ({"precision": "int4", "target": "webgpu"}, (32, None, False, "fp32", None)),
])  # fmt: skip
def test_the_cpu_has_blocks_of_its_own(
    demo: Checkpoint, options: dict[str, Any], settings: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a processor without others of its own."""
    monkeypatch.setattr("workflows.processor.tuning.processor_name", lambda: "any, 2 cores, avx2 avx512f")
    quantize = resolve_recipe(demo, options).quantize
    assert (quantize.block_size, quantize.fine_block_size, quantize.symmetric) == settings[:3]
    assert (quantize.embedding, quantize.head) == settings[3:]


def test_int4_is_rounded_with_texts_where_a_text_is_read(demo: Checkpoint) -> None:
    """On the CPU; other targets, and models that read more than text, are rounded by search."""

    def rounding(source: Checkpoint, **options: Any) -> str:
        return resolve_recipe(source, {"precision": "int4", **options}).quantize.rounding

    assert (rounding(demo), rounding(demo, preset="compact")) == ("compensated", "compensated")
    assert (rounding(demo, tokenizer=False), rounding(demo, target="dml")) == ("search", "search")
    assert [rounding(open_checkpoint(f"demo:{name}")) for name in ("t5", "whisper", "vision")] == ["search"] * 3
    assert rounding(demo, tokenizer=False, quantize={"rounding": "compensated"}) == "compensated"


@pytest.mark.parametrize(("layers", "parameters", "ends"), [
    (12, 499_999_999, "int8"), (11, 499_999_999, None), (12, 500_000_000, None),
])  # fmt: skip
def test_the_layers_at_the_ends_of_a_small_model_of_many_are_in_8_bits(
    demo: Checkpoint, layers: int, parameters: int, ends: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workflows.recipe.resolve.check_layers", lambda *_: None)  # the weights are the demo's
    config = {**demo.config, "num_hidden_layers": layers, "layer_types": None}
    one = replace(demo, config=config, parameters=parameters)
    chosen = resolve_recipe(one, {"precision": "int4"}).quantize
    assert (chosen.first_layer, chosen.last_layer) == (ends, ends)
    for options in ({"preset": "compact"}, {"precision": "int4", "fast_prefill": True}):
        assert resolve_recipe(one, options).quantize.first_layer is None
    own = resolve_recipe(one, {"precision": "int4", "quantize": {"first_layer": "fp16"}}).quantize
    assert (own.first_layer, own.last_layer) == ("fp16", ends)


@pytest.mark.parametrize(("rows", "head"), [(1024, None), (900, "int8/64")])
def test_a_head_that_is_a_small_part_of_the_model_is_in_8_bits(demo: Checkpoint, rows: int, head: str | None) -> None:
    """The demo has 394,080 weights, of which 98,304 are the table's of 1,024 rows."""
    small = replace(demo, config={**demo.config, "vocab_size": rows})
    assert resolve_recipe(small, {"precision": "int4"}).quantize.head == head
    assert resolve_recipe(small, {"preset": "compact"}).quantize.head is None
    chosen = {"precision": "int4", "quantize": {"head": "fp16"}}
    assert resolve_recipe(small, chosen).quantize.head == "fp16"


def test_a_preset_has_a_precision(demo: Checkpoint) -> None:
    for preset, precision in (("compact", "int4"), ("balanced", "int4"), ("accurate", "int8")):
        recipe = resolve_recipe(demo, {"preset": preset})
        assert (recipe.preset, recipe.precision) == (preset, precision)
    assert resolve_recipe(demo, {"precision": "int4"}).preset is None
    with pytest.raises(RecipeError, match="preset accurate is in int8, not in int4: choose one of them"):
        resolve_recipe(demo, {"preset": "accurate", "precision": "int4"})


@pytest.mark.parametrize("options", [
    {"quantize": {"rounding": "compensated"}},
    {"precision": "int8", "quantize": {"rounding": "compensated"}},
])  # fmt: skip
def test_only_int4_throughout_is_compensated(demo: Checkpoint, options: dict[str, Any]) -> None:
    with pytest.raises(RecipeError, match="the rounding compensated needs int4"):
        resolve_recipe(demo, options)


@pytest.mark.parametrize(("options", "why"), [
    ({"target": "dml", "cache": "scatter"}, "The target dml does not support cache scatter: it has no TensorScatter"),
    ({"target": "dml", "cache": "gqa"}, "treats the cache as empty in every run of more than one token"),
    ({"target": "dml", "variant": "transformer-only"}, "second chunk would be wrong; build the plain variant."),
    ({"target": "dml", "precision": "w8a16"}, "does not support precision w8a16: it quantizes activations to 8 bits"),
    ({"target": "dml", "quantize": {"components": {"decode": "w8a16"}}}, "does not support precision w8a16"),
    ({"target": "dml", "precision": "bf16"}, "does not support precision bf16"),
    ({"target": "dml", "precision": "int4", "quantize": {"embedding": True}}, "no GatherBlockQuantized"),
    ({"target": "dml", "precision": "int8", "quantize": {"symmetric": True}}, "its MatMulNBits needs zero points"),
    ({"target": "dml", "opset": 23}, "The target dml does not support opset 23: it supports 21 only."),
    ({"cache": "scatter", "opset": 23}, "The cache scatter needs opset 24"),
    ({"target": "openvino", "cache": "gqa"}, "runs parts of a graph; build with --cache static."),
    ({"target": "openvino", "cache": "scatter"}, "it has no TensorScatter"),
    ({"target": "openvino", "precision": "int8-dynamic"}, "quantized at every run"),
    ({"target": "openvino", "precision": "int4", "quantize": {"embedding": True}}, "reads it wrongly"),
    ({"target": "qnn", "graphs": "single"}, "target qnn does not support graphs single: it takes fixed shapes only"),
    ({"target": "qnn", "cache": "scatter"}, "it has no TensorScatter"),
])  # fmt: skip
def test_what_a_target_cannot_have_ends_a_build_before_it_begins(
    demo: Checkpoint, options: dict[str, Any], why: str
) -> None:
    with pytest.raises(RecipeError) as raised:
        resolve_recipe(demo, options)
    assert why in str(raised.value)


@pytest.mark.parametrize("options", [
    {"precision": "int4"}, {"precision": "fp16"}, {"precision": "w8a8"}, {"quantize": {"symmetric": True}},
    {"cache": "window"},
])  # fmt: skip
def test_what_directml_has_is_let_through(demo: Checkpoint, options: dict[str, Any]) -> None:
    assert target_refusals(resolve_recipe(demo, {"target": "dml", **options})) == []


@pytest.mark.parametrize(("options", "told"), [
    ({"target": "dml"}, []),
    ({"target": "dml", "graphs": "single"},
     ["DirectML is several times slower with the dynamic shapes of a single graph."]),
    ({"target": "qnn"}, ["QNN computes float32 in half precision."]),
    ({"target": "webgpu", "cache": "scatter"}, ["WebGPU leaves TensorScatter to the CPU, and with it the cache."]),
    ({"target": "cpu", "cache": "scatter"}, []),
])  # fmt: skip
def test_what_a_target_has_badly_is_remarked_on(demo: Checkpoint, options: dict[str, Any], told: list[str]) -> None:
    recipe = resolve_recipe(demo, options)
    assert target_remarks(recipe) == told


def test_a_target_of_the_lowest_opset_gives_the_reason() -> None:
    for target in TARGETS.values():
        assert target.opset != LOWEST or any("opset 21" in reason for reason in target.reasons), target.name


def test_gelu_is_onnxruntime_s_where_the_target_has_no_other(demo: Checkpoint) -> None:
    on = {name: resolve_recipe(demo, {"target": name}).passes for name in TARGETS}
    assert [name for name, passes in on.items() if passes["contrib_gelu"]] == ["dml"]


def test_layouts_are_offered_as_the_target_takes_them(demo: Checkpoint) -> None:
    """What it does not support is not offered, and what costs something is offered with what."""

    def offers(target: str) -> dict[str, tuple[bool, str]]:
        plan = plan_report(demo, {"target": target})
        return {one.name: (one.available, one.note) for one in plan.layouts}

    assert offers("cpu") == dict.fromkeys(("static", "window", "scatter", "gqa"), (True, ""))
    qnn = offers("qnn")
    assert qnn["scatter"][0] is False and qnn["scatter"][1].startswith("the target is qnn, and it has no TensorScatter")
    assert qnn["gqa"] == (True, TARGETS["qnn"].noted["cache", "gqa"]) and qnn["static"] == (True, "")
    assert TARGETS["qnn"].noted["cache", "gqa"] in target_remarks(
        resolve_recipe(demo, {"target": "qnn", "cache": "gqa"})
    )
    assert offers("dml")["gqa"][0] is False
