"""What a graph computes of sizes is a number where the sizes are given, and nothing else is."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.workflows.graph.making import model, node, value
from workflows.interop.graph_edits import with_known_sizes

INT = TensorProto.INT64


def numbers(name: str, *found: int, shape: tuple[int, ...] | None = None) -> onnx.NodeProto:
    array = np.array(found, np.int64).reshape(shape if shape is not None else (len(found),))
    return node("Constant", [], [name], value=numpy_helper.from_array(array))


def folded(nodes: list[onnx.NodeProto], axes: tuple[int | str, ...] = ("batch", "n", 4)) -> dict[str, list[int] | int]:
    """The constants of x [1, n, 4] after a batch of one is known, by name."""
    outputs = [value(nodes[-1].output[0], None, INT)]
    made = with_known_sizes(model(nodes, inputs=[value("x", axes)], outputs=outputs), {("x", 0): 1})
    return {
        one.output[0]: numpy_helper.to_array(one.attribute[0].t).tolist()
        for one in made.graph.node
        if one.op_type == "Constant"
    }


def test_an_axis_that_is_known_of_a_shape_that_is_not() -> None:
    """The batch is, and the length is not, by whichever end it is counted from."""
    first = [node("Shape", ["x"], ["s"]), numbers("zero", 0, shape=()), numbers("one", 1, shape=()),
             numbers("last", -1, shape=())]  # fmt: skip
    reads = [node("Gather", ["s", index], [f"at {index}"]) for index in ("zero", "one", "last")]
    found = folded([*first, *reads, node("Sum", [f"at {index}" for index in ("zero", "one", "last")], ["out"])])
    assert (found["at zero"], found["at last"], "at one" in found) == (1, 4, False)


def test_a_way_that_numbers_go() -> None:
    """Each operator that a traced mask or position is made with gives what onnxruntime gives."""
    nodes = [
        node("Shape", ["x"], ["s"]), numbers("zero", 0, shape=()), numbers("step", 1, shape=()), numbers("axis", 0),
        numbers("three", 3), numbers("pair", 2, 3), node("Gather", ["s", "zero"], ["batch"]),
        node("Add", ["batch", "step"], ["two"]), node("Mul", ["two", "two"], ["four"]),
        node("Sub", ["four", "batch"], ["more"]), node("Range", ["zero", "more", "step"], ["range"]),
        node("Unsqueeze", ["range", "axis"], ["row"]), node("Cast", ["row"], ["cast"], to=INT),
        node("Concat", ["axis", "three"], ["both"], axis=0), node("Tile", ["row", "pair"], ["tile"]),
        node("ConstantOfShape", ["pair"], ["ones"], value=helper.make_tensor("", INT, [1], [7])),
        node("Expand", ["row", "pair"], ["wide"]), node("Reshape", ["tile", "three9"], ["flat"]),
        node("Identity", ["flat"], ["same"]),
        node("Sum", ["same", "cast", "both", "ones", "wide"], ["out"]),
    ]  # fmt: skip
    nodes.insert(0, numbers("three9", 3, 6))
    found = folded(nodes)
    assert (found["two"], found["four"], found["more"]) == (2, 4, 3)
    assert found["range"] == [0, 1, 2] and found["cast"] == [[0, 1, 2]]
    assert found["both"] == [0, 3] and found["ones"] == [[7, 7, 7]] * 2
    assert found["tile"] == [[0, 1, 2] * 3] * 2 and found["wide"] == [[0, 1, 2]] * 2
    assert found["same"] == np.reshape(found["tile"], (3, 6)).tolist()


@pytest.mark.parametrize(
    "last",
    [
        node("ConstantOfShape", ["huge"], ["out"], value=helper.make_tensor("", INT, [1], [0])),
        node("ConstantOfShape", ["huge"], ["out"]),
        node("Range", ["zero", "far", "zero"], ["out"]),
        node("Range", ["zero", "far", "step"], ["out"]),
        node("Tile", ["huge", "huge"], ["out"]),
        node("Expand", ["huge", "huge"], ["out"]),
        node("Concat", ["huge", "zero"], ["out"], axis=3),
        node("Concat", ["huge"], ["out"]),
        node("Gather", ["huge", "far"], ["out"]),
        node("Cast", ["huge"], ["out"], to=TensorProto.FLOAT),
        node("Reshape", ["huge", "zero"], ["out"]),
        node("Unsqueeze", ["huge"], ["out"]),
        node("Add", ["huge"], ["out"]),
        node("Tile", ["nowhere", "huge"], ["out"]),
    ],
)
def test_what_cannot_be_computed_is_left_as_it_is(last: onnx.NodeProto) -> None:
    """Too large, wrong, or not whole numbers: no traceback, no memory, no constant."""
    before = [numbers("huge", 1 << 30, 1 << 30), numbers("zero", 0, shape=()), numbers("far", 1 << 40, shape=()),
              numbers("step", 1, shape=())]  # fmt: skip
    assert "out" not in folded([*before, last])
