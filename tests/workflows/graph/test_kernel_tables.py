"""A provider's table of kernels, held against onnx's own schemas, and graphs held against the table."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from onnx import defs

from tests.workflows.optimize.making import parse, weights
from workflows.graph.kernel_tables import KernelTable, kernel_table, nodes_without_kernel

# of which onnx has no schema: dropped before its first release, or registered by onnxruntime under onnx's name
ODD = {
    *(("Affine", 1), ("Crop", 1), ("GroupNorm", 21), ("If", 7), ("ImageScaler", 1), ("LayerNormalization", 1)),
    *(("MeanVarianceNormalization", 1), ("ParametricSoftplus", 1), ("ScaledTanh", 1), ("Scatter", 13)),
    *(("SimplifiedLayerNormalization", 1), ("ThresholdedRelu", 1)),
}


@pytest.fixture(scope="module")
def dml() -> KernelTable:
    table = kernel_table("dml")
    assert table is not None
    return table


def left(model: ir.Model, table: KernelTable) -> list[tuple[str, str]]:
    return [(node.op, node.reason) for node in nodes_without_kernel(ir.to_proto(model), table)]


def test_the_table_says_where_it_is_from(dml: KernelTable) -> None:
    assert dml.provider == "DmlExecutionProvider" and dml.title == "DirectML"
    assert "/microsoft/onnxruntime/blob/001d12d2623fd411ce0f83d05abb5e82304a3389/" in dml.source
    assert dml.licence.startswith("MIT")
    counts = {domain: len(operators) for domain, operators in dml.operators.items()}
    assert counts == {"": 156, "com.microsoft": 29}
    assert kernel_table("cpu") is None


def test_its_kernels_are_of_versions_and_constraints_that_onnx_has(dml: KernelTable) -> None:
    """A slip of the transcription would name a version or a constraint that the operator never had."""
    schemas = {(one.name, one.since_version): one for one in defs.get_all_schemas_with_history() if not one.domain}
    checked = 0
    for name, operator in dml.operators[""].items():
        for kernel in operator.kernels:
            schema = schemas.get((name, kernel.since))
            if schema is None:
                assert (name, kernel.since) in ODD
                continue
            assert set(kernel.types) <= {one.type_param_str for one in schema.type_constraints}, (name, kernel.since)
            assert all(types in dml.types for types in kernel.types.values()), (name, kernel.since)
            checked += 1
    assert checked > 330


@pytest.mark.parametrize(("opset", "why"), [
    (21, ""),
    (23, "DirectML has kernels for Reshape of version 5, 13, 14, 19, 21, and the graph's is of 23."),
])  # fmt: skip
def test_a_kernel_serves_its_version_alone(dml: KernelTable, opset: int, why: str) -> None:
    model = parse("g (float[2,3] x) => (float[6] y) { y = Reshape(x, to) }", opset=opset, to=np.array([6]))
    assert left(model, dml) == ([("Reshape", why)] if why else [])


def test_a_newer_version_that_is_older_than_the_opset_counts(dml: KernelTable) -> None:
    model = parse("g (float[4] x, int64[1,1] at, float[1] new) => (float[4] y) { y = ScatterND(x, at, new) }", opset=21)
    assert left(model, dml) == [
        ("ScatterND", "DirectML has kernels for ScatterND of version 11, 13, 16, and the graph's is of 18.")
    ]


def test_an_operator_without_any_kernel_is_named(dml: KernelTable) -> None:
    model = parse("g (float[1,4] x) => (float[1,4] y) { y = RMSNormalization(x, scale) }", scale=weights(4))
    assert left(model, dml) == [("RMSNormalization", "DirectML has no kernel for RMSNormalization.")]
    own = parse("g (float[1,4] x) => (float[1,4] y) { y = SimplifiedLayerNormalization(x, scale) }", opset=21,
                scale=weights(4))  # fmt: skip
    assert left(own, dml) == []


def test_types_count(dml: KernelTable) -> None:
    model = parse(
        "g (int64[4] x, float[4] z) => (int64[4] y, double[4] w) { y = Mod(x, x) w = Cast<to = 11>(z) }", opset=21
    )
    ((operator, why),) = left(model, dml)
    assert operator == "Mod" and why.startswith("DirectML's kernel for Mod takes no int64 as T, but float, float16,")


def test_types_are_followed_where_the_graph_notes_none(dml: KernelTable) -> None:
    """Behind an operator of onnxruntime's own, of which onnx infers nothing."""
    text = """g (double[1,4] x) => (double[1,4] y)
    { a = com.microsoft.Gelu(x) b = Identity(a) c = Shape(b) d = Relu(b) y = Reshape(d, c) }"""
    model = parse(text, opset=21, contrib=True)
    proto = ir.to_proto(model)
    del proto.graph.value_info[:]
    found = {node.op: node.reason for node in nodes_without_kernel(proto, dml)}
    assert sorted(found) == ["Relu", "com.microsoft.Gelu"]
    assert "takes no double as T" in found["Relu"]


def test_types_that_onnx_infers_need_not_be_noted(dml: KernelTable) -> None:
    model = parse("g (float[4] x) => (double[4] y) { a = Cast<to = 11>(x) b = Relu(a) y = Neg(b) }", opset=21)
    proto = ir.to_proto(model)
    del proto.graph.value_info[:]
    assert [node.op for node in nodes_without_kernel(proto, dml)] == ["Relu", "Neg"]


def test_a_type_that_nobody_knows_is_no_silent_yes(dml: KernelTable) -> None:
    model = parse("g (float[4] x) => (float[4] y) { a = mine.Unheard(x) y = Relu(a) }", opset=21)
    proto = ir.to_proto(model)
    proto.graph.output[0].type.tensor_type.elem_type = 0
    proto.opset_import.add(domain="mine", version=1)
    found = {node.op: node.reason for node in nodes_without_kernel(proto, dml)}
    assert found["mine.Unheard"] == "DirectML has no kernel for Unheard."
    assert found["Relu"].startswith("DirectML's kernel for Relu takes no unknown type as T")


def test_constants_are_no_nodes_of_a_provider(dml: KernelTable) -> None:
    model = parse("g (float[1] x) => (float[1] y) { c = Constant<value = float[1] {1.5}>() y = Add(x, c) }", opset=21)
    assert left(model, dml) == []


def attention(columns: int = 1, attributes: str = "", more: str = "") -> ir.Model:
    text = f"""g (float[1,{columns},64] q, float[1,{columns},32] k, float[1,2,8,16] p, int32[1,1] s, int32[1] t,
       float[8,8] table)
    => (float[1,{columns},64] y, float[1,2,8,16] a, float[1,2,8,16] b)
    {{ y, a, b = com.microsoft.GroupQueryAttention<num_heads = 4, kv_num_heads = 2{attributes}>
       (q, k, k, p, p, s, t{more}) }}"""
    return parse(text, opset=21, contrib=True)


@pytest.mark.parametrize(("given", "why"), [
    ({}, ""),
    ({"columns": 2}, "takes one column alone: it takes the cache for empty wherever a run has more than one token."),
    ({"attributes": ", do_rotary = 1"}, "takes no do_rotary of 1."),
    ({"attributes": ", local_window_size = 4"}, "takes no local_window_size of 4."),
    ({"attributes": ", local_window_size = -1"}, ""),
    ({"more": ", table, table"}, "takes 5 to 7 inputs, and not 9."),
])  # fmt: skip
def test_what_group_query_attention_leaves_out_on_directml(dml: KernelTable, given: dict[str, Any], why: str) -> None:
    found = left(attention(**given), dml)
    wanted = [("com.microsoft.GroupQueryAttention", f"DirectML's kernel for GroupQueryAttention {why}")] if why else []
    assert found == wanted


def test_products_in_blocks_want_zero_points_and_no_bias(dml: KernelTable) -> None:
    for inputs, fits in (("x, w, s, z", True), ("x, w, s", False), ("x, w, s, z, , b", False)):
        model = parse(
            f"""g (float[1,1,32] x, uint8[8,1,16] w, float[8] s, uint8[8] z, float[8] b) => (float[1,1,8] y)
            {{ y = com.microsoft.MatMulNBits<K = 32, N = 8, bits = 4, block_size = 32>({inputs}) }}""",
            opset=21,
            contrib=True,
        )
        assert (left(model, dml) == []) == fits, inputs


@pytest.mark.parametrize(("head", "rotary", "nowhere"), [
    (16, 0, ""),
    (12, 0, "takes heads of a multiple of 8, and this model's have 12"),
    (24, 1, "with rotary positions takes heads of a multiple of 16, and this model's have 24"),
])  # fmt: skip
def test_what_the_cpu_would_have_to_take_and_cannot_is_reported(
    dml: KernelTable, head: int, rotary: int, nowhere: str
) -> None:
    """A node that the provider leaves out is the CPU's, whose kernels have a table of their own."""
    model = parse(
        f"""g (float[1,2,{4 * head}] q, float[1,2,{2 * head}] k, float[1,2,8,{head}] p, int32[1] s, int32[1] t)
        => (float[1,2,{4 * head}] y)
        {{ y, a, b = com.microsoft.GroupQueryAttention<num_heads = 4, kv_num_heads = 2, do_rotary = {rotary}>
           (q, k, k, p, p, s, t) }}""",
        opset=21,
        contrib=True,
    )
    ((_, why),) = left(model, dml)
    assert why.endswith(f" The CPU cannot run it either: GroupQueryAttention {nowhere}." if nowhere else ".")
    assert ("cannot run it either" in why) == bool(nowhere)


def test_weights_are_not_read(dml: KernelTable) -> None:
    model = parse("g (float[1,4] x) => (float[1,4] y) { y = MatMul(x, w) }", opset=21, w=weights(4, 4))
    proto = ir.to_proto(model)
    tensor = proto.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="nowhere.data")
    assert nodes_without_kernel(proto, dml) == []
