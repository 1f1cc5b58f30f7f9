"""Units: every weight once, at the very bytes that it then has, and the recipe that a mix is."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest

from tests.workflows.optimize.making import parse, weights
from workflows.common.errors import RecipeError
from workflows.evaluation.goal.search_units import (
    FULL,
    LEVELS,
    PrecisionLevel,
    find_units,
    mix_recipe,
    other_weight_bytes,
)
from workflows.graph.weights import tensor_key
from workflows.optimize.graph_checks import infer_shapes
from workflows.quantize import METHODS, run_method
from workflows.quantize.mixed_precision import MixedPrecision
from workflows.recipe import QuantizeSettings

TEXT = """g (int64[3] ids, float[3,96] x) => (float[3,40] y, float[3,24] z) {
    [table] h = Gather(w, ids)
    t = Transpose <perm = [1, 0]> (w)
    [head] y = MatMul(h, t)
    [plain] z = MatMul(x, v) }"""


def model() -> ir.Model:
    made = parse(TEXT, w=weights(40, 32), v=weights(96, 24))
    infer_shapes(made)
    return made


def stored(made: ir.Model) -> int:
    tensors = {tensor_key(value.const_value): value.const_value for value in made.graph.initializers.values()}
    contents = {(tensor.nbytes, np.asarray(tensor.numpy()).tobytes()) for tensor in tensors.values()}
    return sum(size for size, _ in contents)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_the_bytes_are_those_of_the_graph(level: PrecisionLevel, symmetric: bool) -> None:
    made, settings = model(), QuantizeSettings(symmetric=symmetric)
    units = find_units({"m": made}, settings, LEVELS, tables=True)
    mix = tuple(unit.nearest(level) for unit in units)
    precision, found = mix_recipe(units, mix, settings)
    run_method(made, MixedPrecision(METHODS.get(precision)), found)
    want = other_weight_bytes({"m": model()}, units) + sum(
        u.bytes_at(one, symmetric) for u, one in zip(units, mix, strict=True)
    )
    small = sum(v.const_value.nbytes for v in made.graph.initializers.values() if v.const_value.nbytes < 4)
    assert stored(made) - small == want


def test_a_table_and_the_head_that_is_tied_to_it_are_one_unit() -> None:
    head, plain = find_units({"m": model()}, QuantizeSettings(), LEVELS, tables=True)
    assert (head.products, head.tables, head.parameters) == (["head"], ["table"], 1280)
    assert (plain.products, plain.tables, plain.levels) == (["plain"], [], LEVELS)
    assert PrecisionLevel("int8-dynamic") not in head.levels and PrecisionLevel("int4", 64) not in head.levels
    assert head.nearest(PrecisionLevel("int4", 128)) == PrecisionLevel("int4", 32)


def test_a_table_that_must_stay_costs_its_bytes() -> None:
    head, _ = find_units({"m": model()}, QuantizeSettings(), LEVELS, tables=False)
    assert head.tables == [] and head.bytes_at(FULL, False) == 5120
    assert head.bytes_at(PrecisionLevel("int8", 32), False) == 1280 + 40 * 4 + 40 + 5120


def test_a_recipe_names_what_is_not_as_most_are() -> None:
    units = find_units({"m": model()}, QuantizeSettings(), LEVELS, tables=True)
    precision, settings = mix_recipe(units, (FULL, PrecisionLevel("int4", 64)), QuantizeSettings())
    assert (precision, settings.block_size, settings.exclude, settings.nodes) == ("int4", 64, ("head",), {})
    precision, settings = mix_recipe(units, (PrecisionLevel("int8", 16), PrecisionLevel("fp16")), QuantizeSettings())
    assert (precision, settings.block_size) == ("int8", 16)
    assert {name: str(one.precision) for name, one in settings.nodes.items()} == {"table": "int8", "plain": "fp16"}
    precision, settings = mix_recipe(units, (FULL, PrecisionLevel("fp16")), QuantizeSettings())
    assert precision == "fp32" and list(settings.nodes) == ["plain"] and settings.exclude == ()


def test_what_a_person_excludes_is_no_unit() -> None:
    (left,) = find_units({"m": model()}, QuantizeSettings(exclude=("head", "table")), LEVELS, tables=True)
    assert left.products == ["plain"]
    with pytest.raises(RecipeError, match="no goal can be searched for"):
        find_units({"m": model()}, QuantizeSettings(exclude=("head", "table", "plain")), LEVELS, tables=True)


def test_nodes_of_one_name_in_two_components_are_one_unit() -> None:
    units = find_units({"a": model(), "b": model()}, QuantizeSettings(), LEVELS, tables=True)
    assert [(unit.products, len(unit.matrices)) for unit in units] == [(["head"], 2), (["plain"], 2)]
