"""Excerpts for Netron: a small valid model of a scope, without weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from tests.workflows.graph.making import model, node, save, tower, value, weight
from workflows.common.errors import RequestError
from workflows.inspection.graph_excerpt import write_excerpt
from workflows.inspection.opened_graph import GraphLocation, open_graph


def test_a_scope_has_its_boundary_as_ends(tmp_path: Path) -> None:
    """What is read from outside comes in, what is read outside goes out; the weights are named, not held."""
    large = weight("w", np.ones((64, 64)))
    nodes = [
        node("Relu", ["x"], ["a"], "m.pre"),
        node("MatMul", ["a", "w"], ["b"], "m.mlp.up"),
        node("Add", ["b", "s"], ["c"], "m.mlp"),
        node("Mul", ["c", "b"], ["y"], "m.mlp2"),
    ]
    proto = model(nodes, [large, weight("s", 2.0)])
    proto.graph.value_info.append(value("a", [1, 64]))
    opened = open_graph(GraphLocation(save(proto, tmp_path / "a.onnx")))
    found = write_excerpt(opened, "m/mlp")
    excerpt = onnx.load(found.file, load_external_data=False)
    assert found.nodes == 2
    assert [one.name for one in excerpt.graph.node] == ["n_b", "n_c"]
    assert [one.name for one in excerpt.graph.input] == ["a"]
    assert [one.name for one in excerpt.graph.output] == ["b", "c"]
    assert [axis.dim_value for axis in excerpt.graph.input[0].type.tensor_type.shape.dim] == [1, 64]
    tensors = {one.name: one for one in excerpt.graph.initializer}
    assert tensors["w"].data_location == TensorProto.EXTERNAL and list(tensors["w"].dims) == [64, 64]
    assert tensors["s"].raw_data == np.float32(2).tobytes()
    assert Path(found.file).stat().st_size < 2000


def test_a_whole_component(demo_bundle: Path) -> None:
    """Its ends are the component's own; a layer of it is less."""
    opened = open_graph(GraphLocation(demo_bundle))
    found = write_excerpt(opened)
    excerpt = onnx.load(found.file, load_external_data=False)
    whole = onnx.load(demo_bundle / "decoder.onnx", load_external_data=False)
    assert found.nodes == len(whole.graph.node)
    assert {one.name for one in excerpt.graph.input} == {one.name for one in whole.graph.input}
    assert {one.name for one in excerpt.graph.output} == {one.name for one in whole.graph.output}
    layer = write_excerpt(opened, "model/model/layers/1/self_attn")
    assert 0 < layer.nodes < found.nodes


def test_a_body_comes_with_its_node(tmp_path: Path) -> None:
    """What it reads from around it is an input; what it makes for itself is none."""
    branch = helper.make_graph([node("Add", ["a", "a"], ["t"]), node("Relu", ["t"], ["u"])], "b", [], [value("u")])
    nodes = [node("Relu", ["x"], ["a"], "m.pre"), node("If", ["c"], ["y"], "m.gate", then_branch=branch)]
    proto = model(nodes, inputs=[value("x"), value("c", [], TensorProto.BOOL)])
    found = write_excerpt(open_graph(GraphLocation(save(proto, tmp_path / "a.onnx"))), "m/gate")
    excerpt = onnx.load(found.file)
    assert found.nodes == 3
    assert [one.name for one in excerpt.graph.input] == ["c", "a"]


def test_too_many_nodes_and_no_such_scope(tmp_path: Path) -> None:
    """A sentence that says what to do; a scope of the same graph is drawn."""
    opened = open_graph(GraphLocation(save(tower(1230), tmp_path / "a.onnx")))
    with pytest.raises(RequestError, match=r"a\.onnx has 1,230 nodes; Netron draws up to 500: choose a scope\."):
        write_excerpt(opened)
    assert write_excerpt(opened, "model/layers/7").nodes == 10
    with pytest.raises(RequestError, match="has no scope 'nowhere'"):
        write_excerpt(opened, "nowhere")


def test_only_the_last_excerpts_are_kept(tmp_path: Path) -> None:
    """Their folder does not grow."""
    opened = open_graph(GraphLocation(save(tower(500), tmp_path / "a.onnx")))
    files = {write_excerpt(opened, f"model/layers/{layer}").file for layer in range(40)}
    assert len(files) == 40
    assert len(list(Path(next(iter(files))).parent.glob("*.onnx"))) <= 32
