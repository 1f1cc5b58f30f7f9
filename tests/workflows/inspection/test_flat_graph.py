"""The plain picture of a model: values, nodes, scopes, attributes; bodies laid out flat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.workflows.graph.making import external, model, node, save, value, weight
from workflows.graph.load import load_graph
from workflows.graph.scopes import scope_of_name
from workflows.inspection.flat_graph import FlatGraph, flatten_graph
from workflows.wire.codec import to_fields


def seen(proto: onnx.ModelProto, folder: Path, **made_by: str) -> FlatGraph:
    return flatten_graph(load_graph(save(proto, folder / "a.onnx")), made_by)


def named(view: FlatGraph, indices: list[int]) -> list[str]:
    return ["" if index < 0 else view.values[index].name for index in indices]


def test_values_and_nodes(tmp_path: Path) -> None:
    """Everything of a small graph, field by field."""
    nodes = [node("Clip", ["x", "", "w"], ["c"], "model.layers.0"), node("MatMul", ["c", "m"], ["y"])]
    proto = model(nodes, [weight("w", 2.0), external("m", [4, 8], "w.data", 64)], outputs=[value("y", [1, "n"])])
    proto.graph.value_info.append(value("c", None))
    view = seen(proto, tmp_path, c="clamp")
    assert [to_fields(value) for value in view.values] == [
        {"name": "w", "dtype": "float32", "shape": [], "kind": "initializer", "bytes": 4},
        {"name": "m", "dtype": "float32", "shape": [4, 8], "kind": "initializer", "bytes": 128},
        {"name": "x", "dtype": "float32", "shape": [1, 4], "kind": "input", "bytes": 0},
        {"name": "c", "dtype": "float32", "shape": None, "kind": "value", "bytes": 0},
        {"name": "y", "dtype": "float32", "shape": [1, "n"], "kind": "output", "bytes": 0},
    ]
    assert to_fields(view.nodes[0]) == {
        "name": "n_c",
        "op": "Clip",
        "domain": "",
        "scope": "model/layers/0",
        "in": [2, -1, 0],
        "out": [3],
        "attrs": {},
        "made_by": "clamp",
        "parent": -1,
    }
    assert (named(view, view.nodes[1].inputs), view.nodes[1].made_by) == (["c", "m"], "")
    assert (view.inputs, view.outputs) == ([2], [4])
    facts = view.facts
    assert (facts.bytes, facts.opset, facts.functions) == (132, {"ai.onnx": 21}, 0)
    assert facts.warnings == ["The weights of a.onnx are missing: there is no w.data beside it."]


def test_nodes_come_in_topological_order(tmp_path: Path) -> None:
    """Also where the file's are not."""
    view = seen(model([node("Relu", ["a"], ["y"]), node("Relu", ["x"], ["a"])]), tmp_path)
    assert [one.name for one in view.nodes] == ["n_a", "n_y"]


def test_bodies_are_flat_and_know_their_parent(tmp_path: Path) -> None:
    """Both branches use the same names; each has values of its own, and reads those around it."""

    def branch(op: str) -> onnx.GraphProto:
        return helper.make_graph(
            [node(op, ["x", "w"], ["inner"]), node("Relu", ["inner"], ["out"])],
            op,
            [],
            [value("out")],
            [weight("w", [[1.0] * 4])],
        )

    choice = node("If", ["flag"], ["y"], "model.gate", then_branch=branch("Mul"), else_branch=branch("Add"))
    flag = value("flag", [], TensorProto.BOOL)
    view = seen(model([choice], inputs=[value("x"), flag]), tmp_path)
    assert [(one.op, one.parent, one.scope) for one in view.nodes] == [
        ("If", -1, "model/gate"),
        ("Add", 0, "model/gate/n_y"),
        ("Relu", 0, "model/gate/n_y"),
        ("Mul", 0, "model/gate/n_y"),
        ("Relu", 0, "model/gate/n_y"),
    ]
    assert view.nodes[0].attrs == {"then_branch": "a graph of 2 nodes", "else_branch": "a graph of 2 nodes"}
    assert named(view, view.nodes[1].inputs) == ["x", "w"] and named(view, view.nodes[3].inputs) == ["x", "w (n_y)"]
    assert view.nodes[2].inputs == view.nodes[1].outputs and view.nodes[4].inputs == view.nodes[3].outputs
    names = [one.name for one in view.values]
    assert len(names) == len(set(names))


def test_a_scan_body_has_inputs_of_its_own(tmp_path: Path) -> None:
    """They are values of the picture, not inputs of the model."""
    body = helper.make_graph([node("Add", ["s", "e"], ["t"])], "body", [value("s"), value("e")], [value("t")])
    view = seen(model([node("Scan", ["x", "x"], ["y"], body=body, num_scan_inputs=1)]), tmp_path)
    assert named(view, view.inputs) == ["x"]
    assert named(view, view.nodes[1].inputs) == ["s", "e"]
    assert {one.name: one.kind for one in view.values} == {
        "x": "input",
        "y": "output",
        "s": "value",
        "e": "value",
        "t": "value",
    }


def test_old_models_list_weights_among_the_inputs(tmp_path: Path) -> None:
    """They are weights all the same."""
    proto = model([node("Add", ["x", "w"], ["y"])], [weight("w", [1.0])], inputs=[value("x"), value("w", [1])])
    view = seen(proto, tmp_path)
    assert named(view, view.inputs) == ["x"]
    assert [one.kind for one in view.values] == ["initializer", "input", "output"]


ATTRIBUTES: list[tuple[Any, str]] = [
    (3, "3"),
    (0.1, "0.1"),
    ("text\x1b", "text�"),
    ([1, 2], "[1, 2]"),
    ([0.5, 1.5], "[0.5, 1.5]"),
    (["a", "b"], "['a', 'b']"),
    (numpy_helper.from_array(np.float32(2.5)), "float32 [] = 2.5"),
    (numpy_helper.from_array(np.zeros((2, 3), np.int64)), "int64 [2, 3]"),
]


@pytest.mark.parametrize(("given", "text"), ATTRIBUTES)
def test_attributes_are_texts(tmp_path: Path, given: Any, text: str) -> None:
    """What a person reads, without control characters."""
    view = seen(model([node("Any", ["x"], ["y"], attribute=given)]), tmp_path)
    assert view.nodes[0].attrs["attribute"] == text


def test_a_long_attribute_is_cut(tmp_path: Path) -> None:
    """At 200 characters, whatever its length."""
    view = seen(model([node("Any", ["x"], ["y"], ints=list(range(10**5)), text="x" * 10**6)]), tmp_path)
    assert [len(text) for text in view.nodes[0].attrs.values()] == [200, 200]
    assert view.nodes[0].attrs["ints"].startswith("[0, 1, 2, ")


def test_functions_are_noted_and_not_taken_apart(tmp_path: Path) -> None:
    """A call is one node."""
    proto = model([node("Twice", ["x"], ["y"], domain="mine")])
    body = [helper.make_node("Add", ["a", "a"], ["b"])]
    proto.functions.append(helper.make_function("mine", "Twice", ["a"], ["b"], body, [helper.make_opsetid("", 21)]))
    view = seen(proto, tmp_path)
    assert [(one.op, one.domain) for one in view.nodes] == [("Twice", "mine")]
    assert view.facts.functions == 1 and "(Twice)" in view.facts.warnings[0]


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        ("/model/layers.0/self_attn/MatMul", "model/layers/0/self_attn"),
        ("model.layers.3.mlp.Gelu", "model/layers/3/mlp"),
        ("/MatMul_3", ""),
        ("Conv_12", ""),
        ("", ""),
    ],
)
def test_a_scope_is_read_from_a_name(name: str, scope: str) -> None:
    """Where the exporter noted none."""
    assert scope_of_name(name) == scope


def test_digests_distinguish_weights_without_their_names(tmp_path: Path) -> None:
    """By bytes inside the file, by place outside it."""
    tensors = [weight("a", [1, 2]), weight("b", [1, 2]), weight("c", [1, 3]), weight("d", [[1, 2]])]
    tensors += [external("e", [2], "w", 0), external("f", [2], "w", 8), external("g", [2], "w", 0)]
    view = seen(model([node("Sum", [t.name for t in tensors], ["y"])], tensors), tmp_path)
    a, b, c, d, e, f, g = (view.digests[index] for index in range(7))
    assert not a.differs(b) and a.differs(c) and a.differs(d) and a.differs(e)
    assert e.differs(f) and not e.differs(g)
    assert not e._replace(folder="elsewhere").differs(f)  # two files: nothing is known
