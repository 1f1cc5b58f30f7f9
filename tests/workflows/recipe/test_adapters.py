"""The adapters of a recipe: options, the source of an adapter's folder, and what a recipe says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.checkpoint.peft.test_adapter import write
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
