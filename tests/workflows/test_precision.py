"""What is said of a precision before a build: sizes that come near, traps, and settings that reach the recipe."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import onnx
import pytest

from tests.workflows.conftest import Built
from workflows.bundle import read_bundle
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import CheckpointError, RecipeError
from workflows.graph.external_data import external_location
from workflows.inspection.probe import plan
from workflows.quantize import METHODS
from workflows.recipe import resolve_recipe
from workflows.recipe.compatibility import target_remarks
from workflows.recipe.precision import PRECISIONS, target_precision, weight_bytes
from workflows.recipe.schema import Precision
from workflows.recipe.settings import parse_settings
from workflows.recipe.target import TARGETS, TargetName
from workflows.runtime import device_named, open_machine
from workflows.runtime.providers import PROVIDERS

MILLION = 10**6


def test_every_precision_has_its_words_and_methods_are_precisions() -> None:
    assert list(PRECISIONS) and set(PRECISIONS) == set(get_args(Precision)) >= {"fp32", *METHODS}


def test_dots_reach_inside_at_any_depth() -> None:
    found = parse_settings(
        [
            "quantize.block_size=64",
            "quantize.calibration.method=entropy",
            "quantize.components.head=fp32",
            'quantize.exclude=["a.b"]',
        ]
    )["quantize"]
    assert found["block_size"] == 64 and found["calibration"] == {"method": "entropy"}
    assert found["components"] == {"head": "fp32"} and found["exclude"] == ["a.b"]
    recipe = resolve_recipe(open_checkpoint("demo:qwen3"), parse_settings(["precision=int8", "quantize.head=false"]))
    assert (recipe.precision, recipe.quantize.head, recipe.quantize.block_size) == ("int8", "fp32", 32)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (["quantize.bits=3"], "settings are accuracy_level, .*block_size, .*symmetric"),
        (["quantize.calibration.method.x=1"], "settings are method, percentile"),
        (["quantize.block_size.x=1"], "No recipe has a setting 'quantize.block_size.x'"),
        (["quantise.head=1"], "settings are adapter, adapters, batch, cache, capacity"),
        (["quantize=4", "quantize.head=false"], "reaches into quantize"),
    ],
)
def test_settings_that_there_are_not_list_those_that_there_are(pairs: list[str], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        parse_settings(pairs)


def recipe_with(**options: Any) -> Any:
    return resolve_recipe(open_checkpoint("demo:qwen3"), options)


def test_traps_are_told_of_the_components_too() -> None:
    assert target_remarks(recipe_with(precision="int4")) == []
    (told,) = target_remarks(recipe_with(precision="bf16"))
    assert "does not run on the CPU provider" in told
    assert target_remarks(recipe_with(quantize={"components": {"decoder": "bf16"}})) == [told]


# stored is for checkpoints in blocks of integers alone, as no demo is: quantize/test_stored_blocks.py
PAIRS = [(precision, target) for target in TARGETS for precision in get_args(Precision) if precision != "stored"]


@pytest.mark.parametrize(("precision", "target"), PAIRS)
def test_a_target_runs_a_precision_or_has_it_badly_or_refuses_it(precision: Precision, target: TargetName) -> None:
    """One of the three, said of that target alone; a refusal is one of the recipe too, before anything is exported."""
    words = target_precision(precision, target)
    (said,) = (text for text in (words.runs, words.trap, words.refused) if text)
    others = {PROVIDERS[name].title.split()[-1] for name in TARGETS} - {PROVIDERS[target].title.split()[-1]}
    about = said.replace("to the CPU", "elsewhere")  # which is what the target itself does with it
    assert [other for other in others if other in about] == []
    options = {"target": target, "precision": precision}
    if words.refused:
        with pytest.raises(RecipeError) as refused:
            recipe_with(**options)
        assert str(refused.value) == f"The target {target} does not support precision {precision}: {words.refused}."
    else:
        assert recipe_with(**options).precision == precision
    offers = plan("demo:qwen3", {"target": target}, lambda: False).precisions
    offer = next(one for one in offers if one.name == precision)
    assert (offer.runs, offer.trap, offer.refused) == (words.runs, words.trap, words.refused)


@pytest.mark.parametrize(
    ("target", "speed", "best"), [("cpu", 2.9, "int4"), ("qnn", None, "w8a16"), ("dml", None, "fp16")]
)
def test_a_row_has_the_speed_and_the_exactness_of_its_target(
    target: TargetName, speed: float | None, best: str
) -> None:
    """A speed that was measured elsewhere is not one of this target, and the recommended precision has no drawback."""
    rows = {precision: target_precision(precision, target) for precision in get_args(Precision)}
    assert (rows["int8"].speed, rows["fp32"].speed) == (speed, 1)
    assert rows["fp32"].exactness == ("near" if target == "qnn" else "exact") and rows["w8a8"].exactness == "coarse"
    assert [name for name, row in rows.items() if row.recommended] == [best] and rows[best].runs


@pytest.mark.slow
@pytest.mark.parametrize(("precision", "target"), [
    (precision, target) for precision, target in PAIRS
    if target not in ("cpu", "dml") and not target_precision(precision, target).refused
])  # fmt: skip
def test_what_a_target_does_not_refuse_is_built(built: Built, precision: Precision, target: TargetName) -> None:
    """For the CPU quantize/test_bundles.py does it, for DirectML families/test_targets.py."""
    bundle = read_bundle(built("demo:qwen3", capacity=64, chunk=16, target=target, precision=precision))
    with open_machine(bundle, device_named("cpu")) as machine:
        assert np.isfinite(machine.step([5, 17, 29], "prefill")).all()


def test_what_a_target_refuses_is_what_was_measured() -> None:
    refused = {
        target: [p for p, of in PAIRS if of == target and target_precision(p, target).refused] for target in TARGETS
    }
    assert refused == {
        "cpu": [],  # its graphs are those of providers that have bfloat16, too
        "qnn": ["bf16", "int8-dynamic"],
        "dml": ["bf16", "w8a16"],
        "openvino": ["bf16", "int8-dynamic"],
        "webgpu": ["bf16", "int8-dynamic"],
    }


def test_a_component_placed_elsewhere_has_what_that_provider_has() -> None:
    """The head of a model cut in three runs on the CPU, which has what the NPU lacks."""
    split = {"variant": "transformer-only", "target": "qnn"}
    dynamic = {"quantize": {"components": {"head": "int8-dynamic"}}}
    assert recipe_with(**split, **dynamic).precision_of("head") == "int8-dynamic"
    with pytest.raises(RecipeError, match="The target qnn does not support precision int8-dynamic"):
        recipe_with(**split, **dynamic, place={"head": "qnn"})


def test_sizes_by_hand() -> None:
    """100 M numbers, of which 20 M are the table; 32 share a scale of 4 bytes and half a byte of zero point."""
    plain = recipe_with()  # in fp32, which no target has blocks for
    assert weight_bytes(plain, "fp16", 100 * MILLION, 20 * MILLION, True) == 200 * MILLION
    block = 32 * 4 + 32 + 4  # bits
    four = 100 * MILLION // 32 * block // 8
    assert weight_bytes(plain, "int4", 100 * MILLION, 20 * MILLION, True) == four + 80 * MILLION
    both = recipe_with(quantize={"embedding": True})  # as older recipes have it
    assert weight_bytes(both, "int4", 100 * MILLION, 20 * MILLION, True) == four
    bare = recipe_with(quantize={"head": False})
    untied = weight_bytes(bare, "int8", 100 * MILLION, 20 * MILLION, False)
    assert untied == 60 * MILLION // 32 * (32 * 8 + 32 + 8) // 8 + 160 * MILLION
    eight = 20 * MILLION // 32 * (32 * 8 + 32 + 8) // 8
    head = recipe_with(quantize={"head": "int8", "embedding": "int4/16", "down_projection": "fp16"})
    parted = weight_bytes(head, "int4", 100 * MILLION, 20 * MILLION, True, {"down_projection": 16 * MILLION})
    assert parted == 64 * MILLION // 32 * block // 8 + 32 * MILLION + eight + 20 * MILLION // 16 * (16 * 4 + 36) // 8


def test_the_plan_offers_what_is_built_and_its_sizes_come_near(built: Built) -> None:
    planned = plan("demo:qwen3", {"precision": "int8"}, lambda: False)
    choices = {row.name: row for row in planned.precisions}
    assert set(choices) == {"fp32", *METHODS} - {"stored"} and all(row.runs or row.trap for row in choices.values())
    assert choices["int4"].bytes < choices["int8"].bytes < choices["fp32"].bytes
    assert 2 * choices["fp16"].bytes == choices["fp32"].bytes
    bundle = built("demo:qwen3", precision="int4", cache="static")
    graph = onnx.load(bundle / "decoder.onnx", load_external_data=False).graph
    places = {external_location(one) for one in graph.initializer if one.data_location == onnx.TensorProto.EXTERNAL}
    size = sum(place.length for place in places)  # each tensor begins at a page
    assert abs(size - choices["int4"].bytes) < 0.08 * size  # norms stay in fp32, and rows end in part of a block
    with pytest.raises(CheckpointError, match="is a bundle, whose graphs are already built and possibly quantized"):
        plan(str(bundle), {}, lambda: False)


def test_half_precision_halves_the_planned_cache() -> None:
    plans = [plan("demo:qwen3", {"precision": precision}, lambda: False) for precision in ("fp32", "fp16")]
    assert plans[0].estimate.kv_bytes == 2 * plans[1].estimate.kv_bytes


def test_components_that_share_a_cache_have_it_in_one_type() -> None:
    split = {"graphs": "prefill-decode", "capacity": 128}
    with pytest.raises(RecipeError, match=r"fp16 changes the dtype of the cache, which .*prefill.* share"):
        recipe_with(quantize={"components": {"prefill": "fp16"}}, **split)
    both = {"prefill": "fp16", "decode": "fp16"}
    assert recipe_with(quantize={"components": both}, **split).precision_of("decode") == "fp16"
    apart = {"precision": "fp16", "variant": "transformer-only", "quantize": {"components": {"head": "int8"}}}
    assert recipe_with(**apart).precision_of("head") == "int8"
