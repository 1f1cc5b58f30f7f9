"""Snapshots: the graph of every step in little room, over the weight file of the last one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime as ort
import pytest

from tests.workflows.graph.making import model, node, save, tower
from workflows.common.errors import GraphError
from workflows.graph.load import parse_graph
from workflows.graph.tensor_statistics import describe_tensor
from workflows.graph.weights import large_initializers, save_graphs
from workflows.inspection.build_stages import MADE_BY, read_archive, write_archive
from workflows.inspection.snapshots import ComponentSnapshots, GraphSnapshot


def two_layers(folder: Path) -> ir.Model:
    """x·a·b over a weight file in `folder`."""
    weights = [onnx.numpy_helper.from_array(np.full((4, 64), 1, np.float32), "a")]
    weights.append(onnx.numpy_helper.from_array(np.full((64, 4), 2, np.float32), "b"))
    proto = model([node("MatMul", ["x", "a"], ["h"], "m.up"), node("MatMul", ["h", "b"], ["y"], "m.down")], weights)
    proto.graph.node[0].metadata_props.add(key="pkg.torch.onnx.stack_trace", value="/home/someone/secret.py")
    proto.graph.node[0].doc_string = "/home/someone/secret.py"
    proto.ir_version = 10
    folder.mkdir()
    save_graphs({"a.onnx": ir.from_proto(proto)}, folder)
    return ir.load(folder / "a.onnx")


def double(graph: ir.Model) -> None:
    """What a pass does: a new tensor in place of an old one, and a node more."""
    tensor = ir.tensor(np.full((64, 4), 4, np.float32), name="b2")
    value = ir.Value(name="b2", const_value=tensor, shape=tensor.shape, type=ir.TensorType(tensor.dtype))
    graph.graph.register_initializer(value)
    last = graph.graph.node(1)
    last.replace_input_with(1, value)
    del graph.graph.initializers["b"]


def test_an_archive_of_steps(tmp_path: Path) -> None:
    """Each graph as it was; tensors that the final file still has are read there, the others say why they are not."""
    graph, taken = two_layers(tmp_path / "exported"), ComponentSnapshots()
    taken.take("export", graph)
    double(graph)
    taken.take("double", graph)
    (tmp_path / "final").mkdir()
    regions = save_graphs({"a.onnx": graph}, tmp_path / "final")
    taken.write(tmp_path / "final" / "stages" / "a.tar.xz", regions)
    files = read_archive(tmp_path / "final" / "stages" / "a.tar.xz")
    assert list(files) == ["export.onnx", "double.onnx", MADE_BY] and files[MADE_BY] == b'{"double":["y"]}'
    assert all(b"secret" not in data for data in files.values())

    export = parse_graph(files["export.onnx"], "export", tmp_path / "final")
    after = parse_graph(files["double.onnx"], "double", tmp_path / "final")
    assert export.warnings == after.warnings == ()
    assert describe_tensor(export, "a").mean == 1 and describe_tensor(after, "b2").mean == 4
    with pytest.raises(GraphError, match="values of b at this stage are not kept"):
        describe_tensor(export, "b")


def test_a_snapshot_leaves_the_model_as_it_was_and_can_be_run(tmp_path: Path) -> None:
    """Its weights within it."""
    graph = two_layers(tmp_path / "exported")
    before = [value.const_value for value in large_initializers(graph)]
    snapshot = GraphSnapshot.take(graph)
    assert [value.const_value for value in large_initializers(graph)] == before
    session = ort.InferenceSession(snapshot.whole(), providers=["CPUExecutionProvider"])
    (y,) = session.run(None, {"x": np.ones((1, 4), np.float32)})
    np.testing.assert_array_equal(y, np.full((1, 4), 4 * 64 * 2, np.float32))


def test_ten_steps_take_little_more_room_than_one(tmp_path: Path) -> None:
    """A thousand nodes, one of them changed at each step."""
    graph, taken, sizes = ir.load(save(tower(1000), tmp_path / "a.onnx")), ComponentSnapshots(), []
    for step in range(10):
        graph.graph.node(step).name = f"changed{step}"
        taken.take(f"step{step}", graph)
        taken.write(tmp_path / "a.tar.xz", {})
        sizes.append((tmp_path / "a.tar.xz").stat().st_size)
    assert sizes[-1] < 1.5 * sizes[0]
    assert sizes[0] < (tmp_path / "a.onnx").stat().st_size / 4


@pytest.mark.parametrize("size", [0, 1, 100, 3 << 15, 3 << 20])
def test_a_step_takes_little_more_than_what_it_changes(tmp_path: Path, size: int) -> None:
    """Of what nothing can be packed of: each file is found again in the one before, however long it is."""
    data = np.random.default_rng(0).bytes(size)
    files = {f"{number}.onnx": data[: size // 2] + bytes([number]) + data[size // 2 :] for number in range(6)}
    write_archive(tmp_path / "a.tar.xz", files)
    assert read_archive(tmp_path / "a.tar.xz") == files
    assert (tmp_path / "a.tar.xz").stat().st_size < 1.02 * size + 600


def test_the_same_files_give_the_same_archive(tmp_path: Path) -> None:
    """And what is no archive, or a bomb, is one sentence."""
    for name in ("a", "b"):
        write_archive(tmp_path / name, {"x": b"1" * 1000, "y": b"2"})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert read_archive(tmp_path / "a") == {"x": b"1" * 1000, "y": b"2"}
    (tmp_path / "a").write_bytes((tmp_path / "b").read_bytes()[:-100])
    with pytest.raises(GraphError, match="a is damaged"):
        read_archive(tmp_path / "a")


def test_an_archive_that_unpacks_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit counts before anything is read."""
    monkeypatch.setattr("workflows.inspection.build_stages.READ_LIMIT", 1000)
    write_archive(tmp_path / "a", {"x": bytes(1001)})
    with pytest.raises(GraphError, match="exceeds the size limit of a graph archive"):
        read_archive(tmp_path / "a")
