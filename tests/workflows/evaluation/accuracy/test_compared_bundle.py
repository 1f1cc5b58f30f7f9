"""Where layers end: by the scopes of the export, with and without fused normalizations."""

from __future__ import annotations

import json

import onnx
import pytest
from onnx import TensorProto, helper

from workflows.evaluation.accuracy.compared_bundle import LayerOutput, add_layer_outputs


def node(op: str, inputs: str, outputs: str, scope: str | None = None) -> onnx.NodeProto:
    made = helper.make_node(op, inputs.split(), outputs.split(), outputs.split()[0])
    if scope is not None:
        made.metadata_props.add(key="pkg.torch.onnx.name_scopes", value=str(["", *scope.split(), outputs]))
    return made


def model(*nodes: onnx.NodeProto) -> onnx.ModelProto:
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, "N", 4]) for name in ("x", "y")]
    return helper.make_model(helper.make_graph(nodes, "g", ends[:1], ends[1:]))


def test_the_last_value_that_leaves_a_layer() -> None:
    found = model(
        node("Cos", "x", "angles", "m.layers.0"),  # used by every layer, and no hidden state
        node("Add", "x angles", "h0", "m.layers.0"),
        node("Add", "h0 angles", "a1", "m.layers.1"),
        node("Relu", "a1", "h1", "m.layers.1.mlp"),
        node("Relu", "h1", "y", "m.norm"),
    )
    assert add_layer_outputs(found) == (LayerOutput(0, "h0"), LayerOutput(1, "h1"))
    assert [output.name for output in found.graph.output] == ["y", "h0", "h1"]


def test_the_sum_that_a_fused_normalization_makes() -> None:
    found = model(
        node("Relu", "x", "down0", "m.layers.0.mlp"),
        node("SkipSimplifiedLayerNormalization", "x down0 w", "n1", "m.layers.1.input_layernorm"),
        node("Relu", "n1", "down1", "m.layers.1.mlp"),
        node("SkipSimplifiedLayerNormalization", "n1 down1 w", "y", "m.norm"),
    )
    assert add_layer_outputs(found) == (LayerOutput(0, "n1.sum"), LayerOutput(1, "y.sum"))
    assert list(found.graph.node[1].output) == ["n1", "", "", "n1.sum"]


def test_what_a_pass_made_without_a_scope_is_where_its_input_is() -> None:
    found = model(
        node("Relu", "x", "a0", "m.layers.0"),
        node("MatMulNBits", "a0 packed", "down0"),
        node("QuantizeLinear", "down0 scale", "q0"),
        node("DequantizeLinear", "q0 scale", "d0"),
        node("Relu", "d0", "y", "m.layers.1"),
        node("Relu", "y", "z", "m.norm"),
    )
    assert add_layer_outputs(found) == (LayerOutput(0, "d0"), LayerOutput(1, "y"))


def test_an_encoder_is_no_decoder_for_the_projections_that_it_holds() -> None:
    found = model(
        node("Relu", "x", "a0", "m.encoder.block.0"),
        node("Relu", "a0", "h0", "m.encoder.block.0"),
        node("MatMul", "h0 w", "c0", "m.decoder.block.0.k"),
        node("Relu", "c0", "y", "m.out"),
    )
    assert add_layer_outputs(found) == (LayerOutput(0, "h0"),)


@pytest.mark.parametrize("scope", [None, "m.norm"])
def test_a_graph_without_layers(scope: str | None) -> None:
    found = model(node("Relu", "x", "y", scope))
    assert add_layer_outputs(found) == ()
    assert json.dumps([output.name for output in found.graph.output]) == '["y"]'
