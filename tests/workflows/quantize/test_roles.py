"""Roles of weights: each node has what the recipe says of its role, by the graph's structure and module paths."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import pytest

from tests.workflows.conftest import Built
from tests.workflows.optimize.making import parse, values, weights
from workflows.graph.load import load_graph
from workflows.optimize.graph_checks import infer_shapes
from workflows.quantize import METHODS, run_method
from workflows.quantize.mixed_precision import MixedPrecision
from workflows.quantize.roles import find_roles, settings_by_role
from workflows.recipe import QuantizeSettings

LAYER = """
    [q] q{0} = MatMul(x{0}, a)
    t{0} = Transpose <perm = [1, 0]> (q{0})
    s{0} = MatMul(q{0}, t{0})
    p{0} = Softmax(s{0})
    v{0} = MatMul(p{0}, q{0})
    [o] o{0} = MatMul(v{0}, a)
    n{0} = LayerNormalization(o{0}, scale)
    [gate] g{0} = MatMul(n{0}, up)
    [up] u{0} = MatMul(n{0}, up)
    z{0} = Sigmoid(g{0})
    y{0} = Mul(g{0}, z{0})
    h{0} = Mul(y{0}, u{0})
    [down] d{0} = MatMul(h{0}, down)
    x{1} = Add(x{0}, d{0})
"""
TABLE = weights(40, 32, seed=3)
SHARED = {"a": weights(32, 32), "up": weights(32, 64, seed=1), "down": weights(64, 32, seed=2), "table": TABLE,
          "scale": np.ones(32, np.float32)}  # fmt: skip


def model() -> ir.Model:
    """Three layers between a token table and the head that is tied to it; a node's name has its module's path."""
    layers = "".join(LAYER.format(index, index + 1) for index in range(3))
    made = parse(
        f"""g (int64[3] input_ids) => (float[3,40] logits) {{
        [embed] x0 = Gather(table, input_ids)
        {layers}
        turned = Transpose <perm = [1, 0]> (table)
        [head] logits = MatMul(x3, turned) }}""",
        **SHARED,
    )
    for node in made.graph:
        if node.name in ("q", "o", "gate", "up", "down"):
            layer = int(str(node.outputs[0].name)[-1])
            node.name = f"/model/layers.{layer}/{node.name}_proj/MatMul"
    infer_shapes(made)
    return made


def name(layer: int, product: str) -> str:
    return f"/model/layers.{layer}/{product}_proj/MatMul"


def test_the_roles_of_a_decoder() -> None:
    found = find_roles(model())
    assert (found["embed"], found["head"]) == (["embedding"], ["head"])
    assert found[name(0, "o")] == ["attention_output", "first_layer"]
    assert found[name(1, "down")] == ["down_projection"] and found[name(1, "gate")] == found[name(1, "q")] == []
    assert found[name(2, "up")] == ["last_layer"]


def test_the_more_exact_of_two_roles_counts_and_a_name_counts_most() -> None:
    nodes = {name(1, "down"): {"precision": "int8", "block_size": 16}}
    settings, missing = by_role(
        attention_output="int4/16", first_layer="fp16", last_layer="fp32", down_projection="int4/32", nodes=nodes
    )
    assert settings.nodes[name(0, "o")].precision == "fp16"
    assert (settings.nodes[name(1, "o")].precision, settings.nodes[name(1, "o")].block_size) == ("int4", 16)
    assert set(settings.exclude) == {name(2, product) for product in ("q", "o", "gate", "up", "down")}
    assert settings.nodes[name(1, "down")].block_size == 16 and missing == []


def by_role(**quantize: Any) -> tuple[QuantizeSettings, list[str]]:
    settings, missing = settings_by_role(model(), QuantizeSettings.model_validate(quantize), "int4")
    return settings, [one.reason for one in missing]


def test_a_recipe_without_roles_stays_as_it_is() -> None:
    for quantize in ({}, {"head": False, "embedding": True}, {"head": "fp32"}):
        settings = QuantizeSettings.model_validate(quantize)
        assert settings_by_role(model(), settings, "int4") == (settings, [])


def test_a_tied_matrix_exists_twice_where_head_and_table_differ() -> None:
    made, ids = model(), np.array([3, 0, 39])
    asked = QuantizeSettings(head="int8/16", embedding=None, accuracy_level=1)
    settings, _ = settings_by_role(made, asked, "int4")
    run_method(made, MixedPrecision(METHODS["int4"]), settings)
    by_name = {str(node.name): node for node in made.graph}
    assert by_name["head"].attributes.get_int("bits") == 8 and by_name["embed"].attributes.get_int("bits") == 4
    assert "table" not in made.graph.initializers  # the float matrix is gone
    plain = model()
    run_method(plain, METHODS["int4"], QuantizeSettings(head="fp32", embedding="fp32", accuracy_level=1))
    rows = values(made, {"input_ids": ids})[0]
    assert not np.array_equal(rows, values(plain, {"input_ids": ids})[0])


def test_blocks_of_a_table_divide_its_rows() -> None:
    settings, _ = by_role(embedding="int8/128", head="int8/128")
    assert (settings.nodes["embed"].block_size, settings.nodes["head"].block_size) == (32, 128)


def test_a_role_that_a_graph_does_not_have_is_reported() -> None:
    made = parse("g (float[3,32] x) => (float[3,32] y) { [a] y = MatMul(x, a) }", a=SHARED["a"])
    settings = QuantizeSettings(head="int8", down_projection="int8")
    _, missing = settings_by_role(made, settings, "int4")
    assert [one.reason for one in missing] == [
        "the graph has no node in the role head",
        "the graph has no node in the role down_projection",
    ]


@pytest.mark.parametrize("text", ["int5", "int8/48", "fp16/32", "bf16"])
def test_a_precision_that_no_role_has_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="head"):
        QuantizeSettings(head=text)


def test_a_bundle_has_each_role_in_its_precision(built: Built) -> None:
    quantize = {"head": "int8", "embedding": "int4/16", "down_projection": "fp16"}
    bundle = built("demo:qwen3", precision="int4", quantize=quantize)
    nodes = load_graph(bundle / "decoder.onnx").proto.graph.node
    bits = {node.name: next(one.i for one in node.attribute if one.name == "bits") for node in nodes
            if node.op_type in ("MatMulNBits", "GatherBlockQuantized")}  # fmt: skip
    tables = [node for node in nodes if node.op_type == "GatherBlockQuantized"]
    assert [next(one.i for one in node.attribute if one.name == "block_size") for node in tables] == [16]
    assert sorted(bits.values()).count(8) == 1
    assert not [one for one in bits if "down_proj" in one]
