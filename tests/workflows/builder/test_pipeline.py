"""What pipeline.json says of a session's precision is true of it, and what the CPU emulates is known by session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest

from workflows.builder.pipeline import cut_of_components, make_pipeline
from workflows.bundle import Pipeline
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import GraphError, RecipeError
from workflows.recipe import family_for, resolve_recipe
from workflows.recipe.cut import Cut, make_cut
from workflows.runtime.loading.sessions import emulation_note, is_emulated

ROLES = ("embeddings", "prefill", "decode", "head")
WORDS = {
    "fp32": ("fp32", None),
    "fp16": ("fp16", None),
    "bf16": ("bf16", None),
    "int8": (None, "int8"),
    "int4": (None, "int4"),
    "int8-dynamic": (None, "int8"),
    "w8a16": (None, "int8"),
    "w8a8": (None, "int8"),
}


def described(**options: Any) -> Pipeline:
    """The file of a transformer-only build with these options."""
    checkpoint = open_checkpoint("demo:qwen3")
    recipe = resolve_recipe(checkpoint, {"variant": "transformer-only", "capacity": 128} | options)
    family = family_for("qwen3")
    return make_pipeline(checkpoint, recipe, make_cut(family, recipe, family.geometry(checkpoint.config)))


def evidence(cut: Cut) -> list[dict[str, Any]]:
    """What an export of `cut` notes."""
    return [
        {
            "component": part.name,
            "inputs": [*part.inputs],
            "outputs": [*part.outputs],
            "layers": part.state and [asdict(layer) for layer in part.state.layers],
        }
        for part in cut.components
    ]


@pytest.mark.parametrize("precision", WORDS)
def test_the_words_of_other_readers_are_true(precision: str) -> None:
    """runtime.precision names a type where all is of it, and is absent where integers take part."""
    for session in described(precision=precision).pipeline.sessions.values():
        options = session.session_options
        requires = options.build_requires.quantization if options.build_requires else None
        assert (options.runtime.precision, requires) == WORDS[precision]


def test_one_component_has_a_word_of_its_own() -> None:
    """An fp32 bundle whose decode is int4 says so of that session alone."""
    pipeline = described(quantize={"components": {"decode": "int4"}})
    said = {name: one.session_options.runtime.precision for name, one in pipeline.pipeline.sessions.items()}
    assert said == {"embeddings": "fp32", "prefill": "fp32", "decode": None, "head": "fp32"}
    assert [pipeline.metadata.precision_of(name) for name in ROLES] == ["fp32", "fp32", "int4", "fp32"]


def test_session_options_of_the_recipe_are_the_file_s() -> None:
    """Of all components, and over them of one; a bad one is named, and one that another setting makes."""
    asked = {"all": {"intra_op_num_threads": 2, "session.a": "1"}, "head": {"intra_op_num_threads": 1}}
    sessions = described(session_options=asked).pipeline.sessions
    assert {name: one.session_options.intra_op_num_threads for name, one in sessions.items()} == {
        "embeddings": 2, "prefill": 2, "decode": 2, "head": 1,
    }  # fmt: skip
    assert sessions["head"].session_options.entries == {"session.a": "1"}
    for wrong, told in (
        ({"head": {"intra_op_num_threads": "x"}}, r"session_options\.head\.intra_op_num_threads is wrong"),
        ({"all": {"paging": {}}}, r"paging belongs to session_options\.runtime"),
        ({"head": {"runtime": {}}}, "sets runtime, which other settings"),
        ({"neck": {}}, "session_options names 'neck', and this recipe divides the model into embeddings"),
    ):
        with pytest.raises(RecipeError, match=told):
            described(session_options=wrong)


@pytest.mark.parametrize(
    ("options", "emulated", "told"),
    [
        ({}, [], ""),
        ({"precision": "w8a16"}, list(ROLES), "computes it in float32"),
        ({"quantize": {"components": {"head": "w8a16"}}}, ["head"], "computes head in float32"),
        ({"precision": "w8a16", "quantize": {"components": dict.fromkeys(ROLES[2:], "fp32")}}, list(ROLES[:2]),
         "computes embeddings and prefill in float32"),
    ],
)  # fmt: skip
def test_emulation_is_known_by_session(options: dict[str, Any], emulated: list[str], told: str) -> None:
    """Of a bundle in which one component alone is w8a16 too, and of none on another provider."""
    pipeline = described(**options)
    assert [name for name in ROLES if is_emulated(pipeline, name, "cpu")] == emulated
    said = emulation_note(pipeline, dict.fromkeys(ROLES, "cpu"))
    assert told in said and bool(told) == bool(said)
    assert emulation_note(pipeline, dict.fromkeys(ROLES, "qnn")) == ""


def test_what_is_placed_elsewhere_is_not_emulated() -> None:
    """Each component is told by its own provider, not by the one that the bundle was opened on."""
    pipeline = described(precision="w8a16")
    said = emulation_note(pipeline, dict.fromkeys(ROLES, "qnn") | {"head": "cpu"})
    assert "computes head in float32" in said


def test_a_bundle_from_before_has_the_word_of_the_whole() -> None:
    """Version 0.1 wrote no precision of components."""
    pipeline = described(precision="w8a16")
    bare = [one.model_copy(update={"precision": ""}) for one in pipeline.metadata.components]
    old = pipeline.model_copy(update={"metadata": pipeline.metadata.model_copy(update={"components": bare})})
    assert is_emulated(old, "head", "cpu")


def remade(change: Callable[[list[dict[str, Any]]], object]) -> Cut:
    """The cut that is told from the graphs of a demo behind an encoder, `change`d."""
    checkpoint = open_checkpoint("demo:t5")
    recipe = resolve_recipe(checkpoint, {"task": "translation", "capacity": 128})
    family = family_for("t5")
    components = evidence(make_cut(family, recipe, family.geometry(checkpoint.config)))
    change(components)
    return cut_of_components(checkpoint, recipe, components)


def test_the_cut_of_what_was_built_has_the_windows_that_the_model_showed() -> None:
    """Though its config names none."""

    def slide(components: list[dict[str, Any]]) -> None:
        components[1]["layers"][1]["window"] = 24
        components[1]["inputs"].append("attention_mask_24")

    cut = remade(slide)
    assert cut.cache is not None and cut.cache.windows == (None, 24)
    assert cut.components[1].own_inputs[:4] == ("input_ids", "position_ids", "attention_mask", "attention_mask_24")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda found: found.pop(0), "divided into encoder, decoder, and its graphs are decoder"),
        (lambda found: found.reverse(), "its graphs are decoder, encoder"),
        (lambda found: found[0]["outputs"].pop(),
         r"encoder\.onnx has the outputs .*, and the cut gives the encoder .*: they differ in cross\.1\.value"),
        (lambda found: found[1]["inputs"].append("use_cache_branch"),
         r"decoder\.onnx has the inputs .*use_cache_branch, and the cut .* they differ in use_cache_branch"),
    ],
)  # fmt: skip
def test_graphs_that_contradict_the_cut_are_refused(change: Callable[[Any], object], told: str) -> None:
    """Both are named, and what they differ in."""
    with pytest.raises(GraphError, match=told):
        remade(change)


def test_a_graph_without_a_cache_may_take_more_than_the_cut_says() -> None:
    """Types of tokens: who runs it gives them. What the cut says must be there."""
    recipe = resolve_recipe(open_checkpoint("demo:qwen3"), {}).model_copy(
        update={"task": "fill-mask", "model_type": "bert"}
    )
    entry = {"component": "model", "inputs": ["input_ids", "attention_mask", "token_type_ids"], "outputs": ["logits"]}
    assert cut_of_components(open_checkpoint("demo:qwen3"), recipe, [entry]).names == ("model",)
    with pytest.raises(GraphError, match=r"has the outputs hidden, .* they differ in logits"):
        cut_of_components(open_checkpoint("demo:qwen3"), recipe, [entry | {"outputs": ["hidden"]}])


@pytest.mark.parametrize(
    ("options", "placed"),
    [
        ({}, {}),
        ({"target": "qnn"}, {"embeddings": "cpu", "head": "cpu"}),
        ({"target": "npu", "place": {}}, {}),
        ({"place": {"decode": "npu"}}, {"decode": "qnn"}),
    ],
)
def test_places_are_the_recipe_s(options: dict[str, Any], placed: dict[str, str]) -> None:
    """What the target needs, unless a person says otherwise; and a bundle without any says nothing of it."""
    pipeline = described(**options)
    assert pipeline.metadata.place == placed
    assert ('"place"' in pipeline.to_json()) == bool(placed)


@pytest.mark.parametrize(
    ("place", "told"),
    [({"neck": "cpu"}, "place names 'neck'"), ({"head": "abacus"}, "place.head is wrong in the recipe: .*'cpu'")],
)
def test_a_place_that_cannot_be_is_refused(place: dict[str, str], told: str) -> None:
    with pytest.raises(RecipeError, match=told):
        described(place=place)


def test_a_plain_model_on_the_npu_is_placed_whole() -> None:
    """Its prefill and decode have all there is."""
    assert described(target="qnn", variant="plain").metadata.place == {}


def test_a_fixed_target_fixes_the_slots_of_a_shared_buffer() -> None:
    """GroupQueryAttention takes a buffer of any length; QNN takes no shape that is open."""
    checkpoint = open_checkpoint("demo:qwen3")
    slots = {}
    for target in ("cpu", "qnn"):
        recipe = resolve_recipe(checkpoint, {"variant": "transformer-only", "capacity": 128, "target": target})
        family = family_for("qwen3")
        cut = make_cut(family, recipe, family.geometry(checkpoint.config))
        slots[target] = {part.name: part.slots for part in cut.components}
    assert slots["cpu"] == dict.fromkeys(ROLES)
    assert slots["qnn"] == {"embeddings": None, "prefill": 128, "decode": 128, "head": None}
