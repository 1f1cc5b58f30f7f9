"""One run of a graph: random inputs, given ones, what comes out, and files that hold no inputs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from workflows.common.errors import GraphError, RequestError
from workflows.inspection.trial_run import try_graph
from workflows.wire.requests import TryGraph


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """sum [rows, n] = a [rows, n] + b [rows, n]; low = the least of it; all of a is divided by zero in `odd`."""
    floats, shape = TensorProto.FLOAT, ["rows", "n"]
    inputs = [helper.make_tensor_value_info(name, floats, shape) for name in "ab"]
    outputs = [helper.make_tensor_value_info("sum", floats, shape), helper.make_tensor_value_info("odd", floats, shape)]
    zero = onnx.numpy_helper.from_array(np.array(0, np.float32), "zero")
    nodes = [helper.make_node("Add", ["a", "b"], ["sum"]), helper.make_node("Div", ["a", "zero"], ["odd"])]
    model = helper.make_model(
        helper.make_graph(nodes, "g", inputs, outputs, [zero]),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=10,
    )
    onnx.save(model, tmp_path / "g.onnx")
    return tmp_path / "g.onnx"


def test_given_arrays_are_taken_and_the_others_agree_with_them(graph: Path, tmp_path: Path) -> None:
    a = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    np.savez(tmp_path / "in.npz", a=a)
    out = tmp_path / "out.npz"
    report = try_graph(TryGraph(str(graph), str(tmp_path / "in.npz"), str(out), sizes={"n": 9}))
    assert report.random == ["b"] and report.ms > 0
    assert [(one.name, one.shape) for one in report.inputs] == [("a", [2, 3]), ("b", [2, 3])]
    added, odd = report.outputs
    assert added.inf == added.nan == 0 and added.histogram is not None and sum(added.histogram.counts) == 6
    assert (odd.name, odd.dtype, odd.inf, odd.mean) == ("odd", "float32", 6, None)
    with np.load(out) as written:
        assert added.mean == pytest.approx(float(written["sum"].mean()), abs=1e-6)
        b = np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32)
        assert np.array_equal(written["sum"], a + b)


def test_symbolic_axes_have_the_sizes_that_are_asked_for(graph: Path) -> None:
    report = try_graph(TryGraph(str(graph), sizes={"n": 7}))
    assert report.random == ["a", "b"] and report.outputs[0].shape == [1, 7]


def test_what_is_no_file_of_inputs_is_one_sentence(graph: Path, tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("no", "utf-8")
    np.save(tmp_path / "one.npy", np.zeros(2, np.float32))
    np.savez(tmp_path / "objects.npz", a=np.array([{}], dtype=object))
    np.savez(tmp_path / "other.npz", c=np.zeros((1, 1), np.float32))
    np.savez(tmp_path / "wrong.npz", a=np.zeros((1, 1), np.float64))
    for name, error, words in (
        ("text.npz", RequestError, "is no .npz file of numbers"),
        ("objects.npz", RequestError, "is no .npz file of numbers"),
        ("one.npy", RequestError, "holds one array without a name"),
        ("absent.npz", RequestError, "cannot read or write"),
        ("other.npz", RequestError, "has no input c: its inputs are a, b"),
        ("wrong.npz", GraphError, "a is float64 and the graph takes float32"),
    ):
        with pytest.raises(error, match=words):
            try_graph(TryGraph(str(graph), str(tmp_path / name)))
    with pytest.raises(RequestError, match="The size of n cannot be 0"):
        TryGraph(str(graph), sizes={"n": 0})
