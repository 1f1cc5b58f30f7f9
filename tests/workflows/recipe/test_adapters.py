"""The adapters of a recipe: options, the source of an adapter's folder, and what a recipe says of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.checkpoint.peft.test_adapter import PAIR, PATH, write
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import CheckpointError, RecipeError
from workflows.inspection.probe import plan, probe
from workflows.recipe import resolve_recipe
from workflows.recipe.adapters import adapter_notice, open_adapters, parse_adapter, split_source


def test_a_scale_follows_the_last_sign(tmp_path: Path) -> None:
    assert parse_adapter("some/dir") == {"folder": "some/dir"}
    assert parse_adapter("a=b=0.5") == {"folder": "a=b", "scale": 0.5}
    (tmp_path / "x=2").mkdir()
    assert parse_adapter(str(tmp_path / "x=2")) == {"folder": str(tmp_path / "x=2")}
    with pytest.raises(RecipeError, match="'half' after the last = is no number"):
        parse_adapter("dir=half")


def test_an_adapter_as_the_source_is_a_base_and_the_first_adapter(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    adapter = write(tmp_path / "one", base_model_name_or_path=str(tmp_path / "base"))
    more = {"adapter": [{"folder": "two"}], "precision": "int8"}
    assert split_source(str(adapter), more) == (
        str(tmp_path / "base"), {"precision": "int8", "adapter": [{"folder": str(adapter)}, {"folder": "two"}]},
    )  # fmt: skip
    for other in ("demo:qwen3", "org/model", "", str(tmp_path / "base")):
        assert split_source(other, more) == (other, more)


def test_a_recipe_names_its_adapters(tmp_path: Path) -> None:
    options = {"adapter": [{"folder": str(write(tmp_path / "one")), "scale": 0.25}]}
    checkpoint = open_adapters(open_checkpoint("demo:qwen3"), options)
    recipe = resolve_recipe(checkpoint, options)
    assert [(one.folder, one.scale, len(one.sha256)) for one in recipe.adapter] == [(str(tmp_path / "one"), 0.25, 64)]
    assert adapter_notice(checkpoint) == ("The bundle has one (scale 0.25) merged into the weights of demo:qwen3.")
    again = recipe.model_dump()
    assert open_adapters(open_checkpoint("demo:qwen3"), again).adapters == checkpoint.adapters
    again["adapter"][0]["sha256"] = "0" * 64
    with pytest.raises(RecipeError, match="is not the one that the recipe was made with"):
        open_adapters(open_checkpoint("demo:qwen3"), again)
    assert adapter_notice(open_checkpoint("demo:qwen3")) == ""


@pytest.mark.parametrize("value", [[{"scale": 1}], "text", [{"folder": "x", "scale": float("nan")}], [{"other": 1}]])
def test_options_of_another_form_are_refused(value: object) -> None:
    with pytest.raises(RecipeError, match="adapter"):
        open_adapters(open_checkpoint("demo:qwen3"), {"adapter": value})


def test_the_wizard_sees_the_base_of_an_adapter(tmp_path: Path) -> None:
    """Its path is the source of the plan and of the build; others are added to it."""
    base = open_checkpoint("demo:qwen3").root
    first, second = (write(tmp_path / name, base_model_name_or_path=str(base)) for name in ("one", "two"))
    found = probe(str(first), lambda _: None, lambda: False)
    assert (found.model_type, found.supported, found.path) == ("qwen3", True, str(base))
    planned = plan(str(first), {"adapter": [{"folder": str(second), "scale": 3}]}, lambda: False)
    assert [(one["folder"], one["scale"]) for one in planned.recipe["adapter"]] == [
        (str(first), 1.0),
        (str(second), 3.0),
    ]
    with pytest.raises(CheckpointError, match="is no adapter of peft"):
        plan("demo:qwen3", {"adapter": [{"folder": str(base)}]}, lambda: False)


def switched(*folders: Path, **more: Any) -> dict[str, Any]:
    return {"adapter": [{"folder": str(folder)} for folder in folders], "adapters": "runtime", **more}


def test_adapters_are_held_beside_the_weights(tmp_path: Path) -> None:
    """None is merged: the checkpoint's own weights are the bundle's, and its stored form stays the default."""
    options = switched(write(tmp_path / "one"), write(tmp_path / "two"))
    checkpoint = open_adapters(open_checkpoint("demo:qwen3"), options)
    assert checkpoint.adapters == () and [one.name for one in checkpoint.switched] == ["one", "two"]
    recipe = resolve_recipe(checkpoint, options)
    assert recipe.adapters == "runtime" and [Path(one.folder).name for one in recipe.adapter] == ["one", "two"]
    assert adapter_notice(checkpoint) == (
        "The bundle holds one (scale 1), two (scale 1) beside its weights: a generation chooses one, or none."
    )
    assert open_adapters(open_checkpoint("demo:qwen3"), recipe.model_dump()).switched == checkpoint.switched


@pytest.mark.parametrize(
    ("tensors", "settings", "reason"),
    [
        (PAIR | {f"{PATH}.lora_magnitude_vector": np.ones(6, np.float32)}, {"use_dora": True}, "it is of DoRA"),
        (PAIR | {"base_model.model.lm_head.weight": np.ones((4, 8), np.float32)}, {}, "it replaces lm_head.weight as"),
        (PAIR | {f"{PATH}.lora_B.bias": np.ones(6, np.float32)}, {"lora_bias": True}, "it adds a bias to model.layers"),
        (PAIR, {"target_parameters": ["mlp.experts.down_proj"]}, "it changes parameters of experts"),
        (
            {"base_model.model.model.embed_tokens.lora_embedding_A": np.ones((2, 9), np.float32),
             "base_model.model.model.embed_tokens.lora_embedding_B": np.ones((8, 2), np.float32)},
            {}, "it changes the embedding model.embed_tokens",
        ),
        (
            {f"{PATH}.lora_A.weight": np.ones((2, 8, 3), np.float32),
             f"{PATH}.lora_B.weight": np.ones((6, 2, 1), np.float32)},
            {}, "it changes the convolution model.layers.0.self_attn.q_proj",
        ),
    ],
)  # fmt: skip
def test_what_factors_cannot_say_is_refused(
    tmp_path: Path, tensors: dict[str, Any], settings: dict[str, Any], reason: str
) -> None:
    """With the reason, and merged instead."""
    folder = write(tmp_path / "one", tensors, **settings)
    with pytest.raises(RecipeError, match=f"The adapter one cannot be switched while the model runs: {reason}"):
        open_adapters(open_checkpoint("demo:qwen3"), switched(folder))
    assert open_adapters(open_checkpoint("demo:qwen3"), {"adapter": [{"folder": str(folder)}]}).adapters


def test_two_adapters_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="Two adapters are called one, by which a generation chooses"):
        open_adapters(
            open_checkpoint("demo:qwen3"), switched(write(tmp_path / "a" / "one"), write(tmp_path / "b" / "one"))
        )


@pytest.mark.parametrize(
    ("source", "more", "reason"),
    [
        ("demo:qwen3", {"target": "qnn"}, "not on the target qnn"),
        ("demo:qwen3", {"target": "dml"}, "not on the target dml"),
        ("demo:qwen3", {"target": "openvino"}, "not on the target openvino"),
        ("demo:qwen3", {"target": "webgpu"}, "not on the target webgpu"),
        ("demo:qwen3", {"early_exit": 1}, "early_exit drafts with layers that have no adapter"),
        ("demo:qwen3", {"precision": "w8a16"}, "and fp16, and not with w8a16"),
        ("demo:qwen3", {"precision": "w8a8"}, "and fp16, and not with w8a8"),
        ("demo:qwen3", {"precision": "bf16"}, "and fp16, and not with bf16"),
        ("demo:qwen3", {"variant": "transformer-only", "cache": "gqa"}, "for a decoder that reads text alone"),
        ("demo:t5", {}, "for a decoder that reads text alone"),
    ],
)
def test_recipes_without_a_place_for_factors_are_refused(source: str, more: dict[str, Any], reason: str) -> None:
    with pytest.raises(RecipeError, match=reason):
        resolve_recipe(open_checkpoint(source), {"adapters": "runtime", **more})
