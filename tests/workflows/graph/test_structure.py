"""What no runtime takes is told: every kind of fault alone, and none of a graph that onnxruntime opens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

from tests.workflows.graph.making import model, node, save, value, weight
from workflows.graph.load import load_graph
from workflows.graph.structure import structure_faults
from workflows.inspection.contents import inspect_path


def good() -> onnx.ModelProto:
    """x + w, its sum over an axis that an attribute names, and a body that reads both."""
    body = helper.make_graph([node("Mul", ["sum", "w"], ["inner"])], "body", [], [value("inner")])
    nodes = [
        node("Add", ["x", "w"], ["sum"]),
        node("Softmax", ["sum"], ["soft"], axis=-1),
        node("If", ["yes"], ["y"], then_branch=body, else_branch=body),
    ]
    yes = helper.make_tensor("yes", TensorProto.BOOL, [], [True])
    return model(nodes, [weight("w", [[1, 2, 3, 4]]), yes], outputs=[value("y"), value("soft")])


def function(name: str, calls: str, domain: str = "own") -> onnx.FunctionProto:
    inner = helper.make_node(calls, ["a"], ["b"], domain=domain)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("own", 1)]
    return helper.make_function("own", name, ["a"], ["b"], [inner], opsets)


def without_weight(proto: onnx.ModelProto) -> None:
    proto.graph.initializer.pop(0)


def body_reads_nothing(proto: onnx.ModelProto) -> None:
    proto.graph.node[2].attribute[0].g.node[0].input[0] = "nowhere"


def output_unmade(proto: onnx.ModelProto) -> None:
    proto.graph.output[1].name = "nowhere"


def twice(field: str) -> Callable[[onnx.ModelProto], None]:
    def repeat(proto: onnx.ModelProto) -> None:
        entries = getattr(proto.graph, field)
        entries.append(entries[0])

    return repeat


def result_twice(proto: onnx.ModelProto) -> None:
    proto.graph.node.append(node("Relu", ["x"], ["sum"]))


def result_over_a_weight(proto: onnx.ModelProto) -> None:
    proto.graph.node.append(node("Relu", ["x"], ["w"]))


def no_operator(proto: onnx.ModelProto) -> None:
    proto.graph.node[1].op_type = ""


def no_such_operator(proto: onnx.ModelProto) -> None:
    proto.graph.node[1].op_type = "Softmaks"


def wrong_attribute(proto: onnx.ModelProto) -> None:
    proto.graph.node[1].attribute[0].type = onnx.AttributeProto.STRING
    proto.graph.node[1].attribute[0].s = b"x"


def lacks_attribute(proto: onnx.ModelProto) -> None:
    proto.graph.node[2].attribute.pop()


def calls_itself(proto: onnx.ModelProto) -> None:
    proto.functions.append(function("f", "f"))


def calls_itself_over_another(proto: onnx.ModelProto) -> None:
    proto.functions.extend([function("f", "g"), function("g", "f")])


def untyped(proto: onnx.ModelProto) -> None:
    proto.graph.initializer[0].data_type = 99


def unplaced(proto: onnx.ModelProto) -> None:
    tensor = proto.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="")


def of_version(version: int) -> Callable[[onnx.ModelProto], None]:
    def spoil(proto: onnx.ModelProto) -> None:
        proto.opset_import[0].version = version

    return spoil


FAULTS: dict[str, tuple[Callable[[onnx.ModelProto], None], str]] = {
    "without a weight": (without_weight, "The node n_sum (Add) of a.onnx reads w, which nothing makes"),
    "in a body": (body_reads_nothing, "The node n_inner (Mul) of a.onnx reads nowhere, which nothing makes"),
    "output": (output_unmade, "Nothing in a.onnx makes its output nowhere"),
    "input twice": (twice("input"), "a.onnx has the input x twice"),
    "output twice": (twice("output"), "a.onnx has the output y twice"),
    "weight twice": (twice("initializer"), "a.onnx has the initializer w twice"),
    "result twice": (result_twice, "a.onnx has the result sum twice"),
    "result over a weight": (result_over_a_weight, "a.onnx has the result w twice"),
    "no operator": (no_operator, "The node n_soft of a.onnx has no operator"),
    "unknown operator": (no_such_operator, "The node n_soft (Softmaks) of a.onnx is no operator of ai.onnx 21"),
    "type of an attribute": (wrong_attribute, "The attribute axis of the node n_soft (Softmax) in a.onnx is of the"),
    "no attribute": (lacks_attribute, "The node n_y (If) of a.onnx lacks the attribute"),
    "version beyond": (of_version((1 << 63) - 1), "a.onnx asks for the operators of ai.onnx in version 9223372036"),
    "version below": (of_version(-1), "a.onnx asks for the operators of ai.onnx in version -1"),
    "recursion": (calls_itself, "The function f of a.onnx calls itself"),
    "recursion over another": (calls_itself_over_another, "The function f of a.onnx calls itself"),
    "type": (untyped, "The initializer w of a.onnx has the type 99, which is none of ONNX's"),
    "place": (unplaced, "The initializer w of a.onnx is in a file without a name: its 16 bytes are missing."),
}


def test_what_onnxruntime_opens_has_no_fault(tmp_path: Path) -> None:
    """Bodies that read from around them, defaults of inputs, functions that call others."""
    proto = good()
    proto.graph.input.append(value("w"))  # an input whose default is the initializer
    proto.functions.extend([function("f", "g"), function("g", "Relu", "")])
    proto.ir_version = 10  # what onnxruntime takes
    path = save(proto, tmp_path / "a.onnx")
    assert ort.InferenceSession(path, providers=["CPUExecutionProvider"]).get_outputs()
    assert load_graph(path).warnings == ()


RUNTIME = [schema for schema in get_all_operator_schema() if schema.domain in ("", "ai.onnx.ml")]


@pytest.mark.parametrize("version", [1, 7, 13, 17, 21, 22, 23])
def test_no_operator_that_onnxruntime_registers_is_a_fault(version: int) -> None:
    """onnxruntime registers operators in onnx's own domain that onnx does not have: peers' folders use them."""
    names = sorted({(one.domain, one.name) for one in RUNTIME if one.since_version <= version})
    opsets = [helper.make_opsetid("", version), helper.make_opsetid("ai.onnx.ml", version)]
    nodes = [helper.make_node(name, [], [f"y{i}"], domain=domain) for i, (domain, name) in enumerate(names)]
    proto = helper.make_model(helper.make_graph(nodes, "all", [], []), opset_imports=opsets)
    faults = list(structure_faults(proto, [proto.graph], "a.onnx"))
    assert ("", "SimplifiedLayerNormalization") in names and ("", "LayerNormalization") in names
    assert not [fault for fault in faults if "is no operator" in fault]


@pytest.mark.parametrize(("operator", "version"), [("SimplifiedLayerNormalization", 22), ("LayerNormalization", 14)])
def test_operators_of_the_runtime_in_the_standard_domain_open(operator: str, version: int, tmp_path: Path) -> None:
    """The first as genai's builder writes it, the second as exporters below opset 17 do."""
    proto = model([node(operator, ["x", "w"], ["y"], axis=-1)], [weight("w", [1, 2, 3, 4])], outputs=[value("y")])
    proto.opset_import[0].version, proto.ir_version = version, 8
    path = save(proto, tmp_path / "a.onnx")
    assert ort.InferenceSession(path, providers=["CPUExecutionProvider"]).get_outputs()
    assert load_graph(path).warnings == ()


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_one_sentence_that_names_it(tmp_path: Path, name: str) -> None:
    """And the graph can still be looked at: inspect shows it with the sentence."""
    spoil, expected = FAULTS[name]
    proto = good()
    spoil(proto)
    path = save(proto, tmp_path / "a.onnx")
    faults = load_graph(path).faults
    assert [fault for fault in faults if fault.startswith(expected)], faults
    assert all(fault.endswith(".") and "\n" not in fault for fault in faults)
    assert expected in str(inspect_path(path).metadata["warnings"])
