"""Nodes that a pattern leaves alone: by name, by module, and none that it does not fit."""

from __future__ import annotations

import onnx_ir as ir
import pytest

from workflows.common.errors import RecipeError
from workflows.graph.scopes import SCOPES_KEY
from workflows.quantize import check_excluded
from workflows.quantize.base import expand_node_patterns
from workflows.recipe import QuantizeSettings, Recipe

NODES = {
    "embed": "",
    "linear": "['', 'model', 'model.layers.0', 'model.layers.0.mlp.down_proj', 'linear']",
    "linear_1": "['', 'model', 'model.layers.1', 'model.layers.1.mlp.down_proj', 'linear_1']",
    "odd[1]": "['', 'model', 'model.layers.1', 'odd']",
}


def model() -> ir.Model:
    nodes = [
        ir.Node("", "Relu", [None], name=name, metadata_props={SCOPES_KEY: scope} if scope else {})
        for name, scope in NODES.items()
    ]
    return ir.Model(ir.Graph([], [], nodes=nodes, name="g"), ir_version=10)


def excluded(*wanted: str) -> tuple[str, ...]:
    quantize = QuantizeSettings(exclude=wanted)
    recipe = Recipe(source="demo:qwen3", model_type="qwen3", family="qwen3", task="text-generation", quantize=quantize)
    return expand_node_patterns(recipe, [model()]).quantize.exclude


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("linear*", ("linear", "linear_1")),
        ("linear_?", ("linear_1",)),
        ("model/layers/1/*", ("linear_1", "odd[1]")),
        ("*/down_proj", ("linear", "linear_1")),
        ("*[1]", ("odd[1]",)),
    ],
)
def test_a_pattern_is_the_nodes_that_it_fits(pattern: str, names: tuple[str, ...]) -> None:
    assert excluded(pattern) == names


def test_names_stay_and_none_is_named_twice() -> None:
    assert excluded("linear_1", "*_1", "embed") == ("linear_1", "embed")


def test_a_pattern_that_fits_none_is_refused_by_its_own_message() -> None:
    assert excluded("*/no_proj") == ("*/no_proj",)
    with pytest.raises(RecipeError, match=r"quantize.exclude names '\*/no_proj', and no graph has such a node"):
        check_excluded([model()], QuantizeSettings(exclude=excluded("*/no_proj")))
