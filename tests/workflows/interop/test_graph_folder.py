"""Graphs and their weights in one folder: each file once, no two of one name, and nothing from elsewhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import helper

from tests.workflows.graph.making import external, model, node, save, value
from workflows.common.errors import GraphError, RequestError
from workflows.interop.graph_folder import GraphFolder


def put(folder: Path, weights: bytes, location: str = "weights.data", graph: str = "g.onnx", offset: int = 0) -> Path:
    """A graph y = x + w over a weight file of these bytes."""
    file = folder / location
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(weights)
    return refer(folder, location, graph, offset)


def refer(folder: Path, location: str, graph: str = "g.onnx", offset: int = 0) -> Path:
    """The same over a file that is there, or is not."""
    folder.mkdir(parents=True, exist_ok=True)
    made = model([node("Add", ["x", "w"], ["y"])], [external("w", [4], location, offset)], ir_version=10)
    return save(made, folder / graph)


def rows(*numbers: float) -> bytes:
    return np.array(numbers, np.float32).tobytes()


def ran(path: Path) -> list[float]:
    """y for x = 0: the weights that the graph finds."""
    session = ort.InferenceSession(path)
    return session.run(None, {"x": np.zeros((1, 4), np.float32)})[0][0].tolist()


def inside(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("link", [True, False])
def test_a_shared_file_is_there_once_and_another_of_its_name_is_renamed(link: bool, tmp_path: Path, out: Path) -> None:
    first = put(tmp_path / "a", rows(1, 2, 3, 4, 5))
    second = refer(tmp_path / "a", "weights.data", "h.onnx", offset=4)
    other = put(tmp_path / "b", rows(9, 8, 7, 6))
    folder = GraphFolder(out, link=link)
    for number, source in enumerate((first, second, other)):
        folder.add(source, f"{number}.onnx")
    assert inside(out) == ["0.onnx", "1.onnx", "2.onnx", "weights-2.data", "weights.data"]
    assert [ran(out / f"{i}.onnx") for i in range(3)] == [[1, 2, 3, 4], [2, 3, 4, 5], [9, 8, 7, 6]]
    assert (out / "0.onnx").read_bytes() == first.read_bytes()
    assert (out / "weights.data").samefile(tmp_path / "a" / "weights.data") == link


@pytest.mark.parametrize("location", ["onnx::MatMul_1", "sub/w.bin", "manifest.json", "G.ONNX", ".hidden", "ü.data"])
def test_a_name_that_a_bundle_cannot_hold_is_changed(location: str, tmp_path: Path, out: Path) -> None:
    folder = GraphFolder(out)
    folder.add(put(tmp_path / "a", rows(1, 2, 3, 4), location), "g.onnx")
    assert ran(out / "g.onnx") == [1, 2, 3, 4]
    (kept,) = {*inside(out)} - {"g.onnx"}
    assert kept in ("onnx_MatMul_1.data", "w.bin", "manifest.data", "G.data", "hidden.data", "_.data")


def test_a_changed_copy_goes_in_place_of_the_file(tmp_path: Path, out: Path) -> None:
    """Its weights are those beside the file; the copy itself is left as it is."""
    source = put(tmp_path / "a", rows(1, 2, 3, 4), "odd name.data")
    changed = onnx.load(source, load_external_data=False)
    changed.graph.node[0].op_type = "Sub"
    before = changed.SerializeToString()
    GraphFolder(out).add(source, "g.onnx", changed)
    assert ran(out / "g.onnx") == [-1, -2, -3, -4]
    assert changed.SerializeToString() == before


def test_of_a_file_that_a_copy_hardly_uses_its_part_is_taken(tmp_path: Path, out: Path) -> None:
    """The tensors keep their bytes at new places; a copy that comes after the whole refers to the whole."""
    numbers = np.arange(4096, dtype=np.float32)
    source = put(tmp_path / "a", numbers.tobytes(), offset=4000)
    changed = onnx.load(source, load_external_data=False)
    folder = GraphFolder(out)
    folder.add(source, "part.onnx", changed)
    assert (out / "weights.data").stat().st_size == 16
    folder.add(source, "whole.onnx")
    folder.add(source, "after.onnx", changed)
    assert inside(out) == ["after.onnx", "part.onnx", "weights-2.data", "weights.data", "whole.onnx"]
    assert [ran(out / f"{name}.onnx") for name in ("part", "whole", "after")] == [[1000, 1001, 1002, 1003]] * 3


def test_weights_in_bodies_and_attributes_come_along(tmp_path: Path, out: Path) -> None:
    """The branches of an If, each over a file of its own: one by an initializer, one by a Constant's tensor."""
    (tmp_path / "one").write_bytes(rows(1, 2, 3, 4))
    (tmp_path / "two").write_bytes(rows(5, 6, 7, 8))
    ends = [value("b", (4,))]
    yes = helper.make_graph([node("Identity", ["w"], ["b"])], "yes", [], ends, [external("w", [4], "one")])
    no = helper.make_graph([node("Constant", [], ["b"], value=external("v", [4], "two"))], "no", [], ends)
    nodes = [node("If", ["c"], ["w0"], then_branch=yes, else_branch=no), node("Add", ["x", "w0"], ["y"])]
    made = model(nodes, inputs=[value("c", (), onnx.TensorProto.BOOL), value("x")])
    GraphFolder(out).add(save(made, tmp_path / "g.onnx"), "g.onnx")
    found = onnx.load(out / "g.onnx").graph.node[0]  # with its external data
    kept = {body.name: body.g for body in found.attribute}
    assert onnx.numpy_helper.to_array(kept["then_branch"].initializer[0]).tolist() == [1, 2, 3, 4]
    assert inside(out) == ["g.onnx", "one", "two"]


@pytest.mark.parametrize(
    ("location", "told"),
    [
        ("../w.data", r"keeps weights in \.\./w\.data, outside its own folder"),
        ("/etc/passwd", "outside its own folder"),
        ("link.data", "a symbolic link: such a file is not opened"),
        ("nowhere.data", "The weights of g.onnx are missing: there is no nowhere.data beside it"),
        ("", "The weights of g.onnx are missing: there is no file of that name beside it"),
        ("short.data", r"short\.data has 15 bytes and the initializer w of g\.onnx ends at 16: the file is truncated"),
    ],
)
def test_weights_from_elsewhere_or_cut_short_are_refused(location: str, told: str, tmp_path: Path, out: Path) -> None:
    (tmp_path / "w.data").write_bytes(rows(1, 2, 3, 4))
    source = refer(tmp_path / "a", location)
    (tmp_path / "a" / "link.data").symlink_to(tmp_path / "w.data")
    (tmp_path / "a" / "short.data").write_bytes(rows(1, 2, 3, 4)[:-1])
    with pytest.raises(GraphError, match=told):
        GraphFolder(out).add(source, "g.onnx")
    assert not inside(out)


def test_what_is_no_graph_or_has_no_name_is_refused(tmp_path: Path, out: Path) -> None:
    folder = GraphFolder(out)
    (tmp_path / "g.onnx").write_bytes(b"no graph")
    with pytest.raises(GraphError, match=r"g\.onnx is not an ONNX file"):
        folder.add(tmp_path / "g.onnx", "g.onnx")
    with pytest.raises(GraphError, match="There is no file"):
        folder.add(tmp_path / "h.onnx", "h.onnx")
    good = put(tmp_path / "a", rows(1, 2, 3, 4))
    folder.add(good, "g.onnx")
    for name in ("G.onnx", "../h.onnx", "", ".h.onnx"):
        with pytest.raises(RequestError, match="is not a valid file name for a graph, or already exists"):
            folder.add(good, name)
