"""No option is dropped: for each kind of model a field of the recipe changes the build, is refused, or has no meaning.

The kinds are the demos', and an encoder of texts and one of pictures, which keep no cache.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.families.models import save_decoder
from workflows.checkpoint import Checkpoint, open_checkpoint
from workflows.common.errors import JoineryError, RecipeError
from workflows.recipe import Recipe, family_for, resolve_recipe
from workflows.recipe.compatibility import no_effect_notice
from workflows.recipe.cut import Cut, make_cut

KINDS = ("demo:qwen3", "demo:qwen3_5", "demo:t5", "demo:whisper", "demo:vision", "bert", "resnet")
# field → values that a person may choose; the cut of the model, or the recipe, must show each
SHAPES: dict[str, list[Any]] = {
    "variant": ["transformer-only"], "graphs": ["prefill-decode"], "cache": ["static", "window", "scatter", "gqa"],
    "early_exit": [1], "fast_prefill": [True], "expose": ["hidden_states", "alignment"],
}  # fmt: skip
VALUES: dict[str, list[Any]] = {
    "kv_dtype": ["float16", "int8"], "capacity": [96], "chunk": [48], "source_length": [40], "target": ["qnn", "dml"],
    "precision": ["fp16", "bf16", "int8", "int4", "int8-dynamic", "w8a16", "w8a8", "stored"],
    "preset": ["compact", "balanced", "accurate"],
    "opset": [24],
    "compile": [True], "tokenizer": [False], "check": ["quick"],
    "quantize": [{"block_size": 128}], "passes": [{"graph_cleanup": False}],
    "session_options": [{"all": {"intra_op_num_threads": 1}}], "place": [], "adapters": ["runtime"],
    "batch": [4],
}  # fmt: skip
IDENTITY = {"version", "source", "adapter", "model_type", "family", "task"}
PRECISION = {"fast_prefill": "int4"}


@cache
def _without_cache(kind: str, folder: Path) -> Checkpoint:
    import transformers

    sizes: dict[str, Any] = {
        "bert": {"vocab_size": 60, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
                 "intermediate_size": 16},
        "resnet": {"embedding_size": 8, "hidden_sizes": [8, 8], "depths": [1, 1]},
    }[kind]  # fmt: skip
    auto = {"bert": "BertModel", "resnet": "ResNetForImageClassification"}[kind]
    model = getattr(transformers, auto)
    model(model.config_class(**sizes)).save_pretrained(folder / kind)
    return open_checkpoint(str(folder / kind))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("checkpoints")


def checkpoint_of(kind: str, folder: Path) -> Checkpoint:
    return open_checkpoint(kind) if kind.startswith("demo:") else _without_cache(kind, folder)


def cut_of(checkpoint: Checkpoint, recipe: Recipe) -> Cut:
    family = family_for(recipe.model_type, recipe.task)
    return make_cut(family, recipe, family.geometry(checkpoint.config) if family.cached else None)


def test_every_field_is_tried() -> None:
    assert {*SHAPES, *VALUES} == set(Recipe.model_fields) - IDENTITY


@pytest.mark.parametrize("kind", KINDS)
def test_a_shape_is_seen_in_the_components_or_refused(kind: str, folder: Path) -> None:
    checkpoint = checkpoint_of(kind, folder)
    for field, values in SHAPES.items():
        shared = {"precision": PRECISION[field]} if field in PRECISION else {}
        plain = resolve_recipe(checkpoint, shared)
        for value in values:
            try:
                recipe = resolve_recipe(checkpoint, {**shared, field: value})
            except JoineryError as error:
                assert str(error).endswith("."), (kind, field, value)
                continue
            if getattr(plain, field) == value:
                continue  # the default, or chosen by itself
            without_meaning = no_effect_notice({field: value}, family_for(recipe.model_type, recipe.task))
            assert without_meaning or getattr(recipe, field) == value, (kind, field, value)
            assert without_meaning or cut_of(checkpoint, recipe) != cut_of(checkpoint, plain), (kind, field, value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_is_in_the_recipe_or_refused(kind: str, folder: Path) -> None:
    checkpoint = checkpoint_of(kind, folder)
    for field, values in VALUES.items():
        for value in values:
            try:
                recipe = resolve_recipe(checkpoint, {field: value})
            except JoineryError as error:
                assert str(error).endswith("."), (kind, field, value)
                continue
            if no_effect_notice({field: value}, family_for(recipe.model_type, recipe.task)):
                continue
            stored = getattr(recipe, field)
            if field == "quantize":
                assert stored.block_size == value["block_size"]
            elif isinstance(value, dict):
                assert stored.items() >= value.items(), (kind, field, value)
            else:
                assert stored == value, (kind, field, value)


@pytest.mark.parametrize(("kind", "options", "why"), [
    ("bert", {"kv_dtype": "int8"}, "kv_dtype=int8 is about a KV cache, and"),
    ("bert", {"cache": "window"}, "cache=window is about a KV cache, and"),
    ("resnet", {"source_length": 9}, "source_length=9 is about a KV cache, and"),
    ("demo:vision", {"early_exit": 1}, "early_exit drafts with the first layers of a decoder that reads text alone"),
    ("demo:vision", {"expose": "hidden_states"}, "cannot expose hidden_states: only a decoder that reads text alone"),
])  # fmt: skip
def test_what_is_refused(kind: str, options: dict[str, Any], why: str, folder: Path) -> None:
    with pytest.raises(JoineryError, match=why):
        resolve_recipe(checkpoint_of(kind, folder), options)


def test_sizes_of_a_cache_are_noted_where_there_is_none(folder: Path) -> None:
    recipe = resolve_recipe(checkpoint_of("bert", folder), {"capacity": 96, "chunk": 8})
    family = family_for(recipe.model_type, recipe.task)
    note = no_effect_notice({"capacity": 96, "chunk": 8, "cache": None}, family)
    assert note == f"Without effect, for {family.name} has no KV cache: capacity, chunk."
    assert not no_effect_notice({"capacity": 96}, family_for("qwen3", "text-generation"))


def test_an_integer_cache_takes_the_layout_that_can_have_it() -> None:
    recipe = resolve_recipe(open_checkpoint("demo:qwen3"), {"expose": "hidden_states", "kv_dtype": "int8"})
    assert (recipe.cache, recipe.kv_dtype, recipe.expose) == ("gqa", "int8", "hidden_states")


@pytest.mark.parametrize("options", [{}, {"cache": "gqa"}, {"cache": "static"}], ids=str)
def test_an_integer_cache_of_latent_vectors_is_refused_at_once(options: dict[str, Any], tmp_path: Path) -> None:
    """Not by sending the person from one layout to the other and back."""
    checkpoint = open_checkpoint(str(save_decoder("deepseek_v2", tmp_path)))
    with pytest.raises(RecipeError, match="which is not right for this model: the model computes its keys and values"):
        resolve_recipe(checkpoint, {"kv_dtype": "int8", **options})
