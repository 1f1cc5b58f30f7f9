"""Files of someone else: each fault one sentence, or a warning where the graph can still be shown."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from tests.workflows.graph.making import external, model, node, save, value, weight
from workflows.common.errors import GraphError
from workflows.graph.load import load_graph, parse_graph, topological_order
from workflows.inspection.contents import inspect_path

GOOD = model([node("Add", ["x", "w"], ["y"])], [weight("w", [[1, 2, 3, 4]])])


def over(location: str) -> onnx.ModelProto:
    return model([node("Add", ["x", "w"], ["y"])], [external("w", [1, 4], location)])


def truncated(folder: Path) -> Path:
    path = save(GOOD, folder / "a.onnx")
    path.write_bytes(path.read_bytes()[:-40])
    return path


def garbage(folder: Path) -> Path:
    (folder / "a.onnx").write_bytes(os.urandom(64) + b"\xff" * 64)
    return folder / "a.onnx"


def empty(folder: Path) -> Path:
    (folder / "a.onnx").touch()
    return folder / "a.onnx"


def cyclic(folder: Path) -> Path:
    return save(
        model([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"]), node("Relu", ["b"], ["y"])]),
        folder / "a.onnx",
    )


def own_body(folder: Path) -> Path:
    """An If whose branch reads what the If gives."""
    branch = helper.make_graph([node("Relu", ["y"], ["inner"])], "branch", [], [value("inner")])
    return save(model([node("If", ["x"], ["y"], then_branch=branch, else_branch=branch)]), folder / "a.onnx")


def no_text(folder: Path) -> Path:
    path = save(model([node("Relu", ["x"], ["y"])]), folder / "a.onnx")
    path.write_bytes(path.read_bytes().replace(b"n_y", b"\xff\xfe\xfd"))
    return path


def linked(folder: Path) -> Path:
    (folder / "elsewhere.bin").write_bytes(bytes(16))
    (folder / "w.data").symlink_to(folder / "elsewhere.bin")
    return save(over("w.data"), folder / "a.onnx")


def linked_folder(folder: Path) -> Path:
    (folder / "far").mkdir()
    (folder / "far" / "w.data").write_bytes(bytes(16))
    (folder / "near").symlink_to(folder / "far")
    return save(over("near/w.data"), folder / "a.onnx")


def pointing(location: str) -> Callable[[Path], Path]:
    return lambda folder: save(over(location), folder / "a.onnx")


def no_place(folder: Path) -> Path:
    proto = over("w.data")
    proto.graph.initializer[0].external_data[1].value = "here"
    return save(proto, folder / "a.onnx")


def piped(folder: Path) -> Path:
    os.mkfifo(folder / "w.data")
    return save(over("w.data"), folder / "a.onnx")


def to_folder(folder: Path) -> Path:
    (folder / "w.data").mkdir()
    return save(over("w.data"), folder / "a.onnx")


def text_of(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Each place of a name that nobody reads before the file is shown, with a mark for the bytes that are no text."""
    proto.metadata_props.add(key="k", value="NAME-A")
    proto.opset_import.add(domain="NAME-B", version=1)
    proto.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "NAME-C"
    proto.graph.initializer[0].external_data[0].value = "NAME-D"
    proto.graph.node[0].attribute.add(name="NAME-E", i=1, type=onnx.AttributeProto.INT)
    proto.functions.add(name="NAME-F", domain="own")
    return proto


@pytest.mark.parametrize("mark", "ABCDEF")
def test_a_name_that_is_no_text_is_refused_wherever_it_stands(tmp_path: Path, mark: str) -> None:
    data = text_of(over("w.data")).SerializeToString()
    name = b"NAME-" + mark.encode()
    assert data.count(name) == 1
    with pytest.raises(GraphError, match="contains a name that is not UTF-8"):
        parse_graph(data.replace(name, b"\xb7" + name[1:]), "a.onnx", tmp_path)


def test_what_nobody_reads_may_say_what_it_likes(tmp_path: Path) -> None:
    """Exporters write paths of their own source into it, in whatever their system speaks."""
    proto = over("w.data")
    proto.graph.doc_string = "HERE"
    assert parse_graph(proto.SerializeToString().replace(b"HERE", b"H\xb7RE"), "a.onnx", tmp_path).proto.graph.output


REFUSED: dict[str, tuple[Callable[[Path], Path], str]] = {
    "truncated": (truncated, "is not an ONNX file, or is incomplete"),
    "garbage": (garbage, "is not an ONNX file, or is incomplete"),
    "empty": (empty, "has no graph with an output"),
    "cyclic": (cyclic, r"cycle through the node n_a \(Add\)"),
    "cycle through a body": (own_body, r"cycle through the node n_y \(If\)"),
    "no text": (no_text, "not UTF-8|not an ONNX file"),
    "symbolic link": (linked, "w.data, a symbolic link"),
    "linked folder": (linked_folder, "near/w.data, a symbolic link"),
    "pipe": (piped, "w.data, a pipe where a file should be"),
    "folder": (to_folder, "w.data, a folder where a file should be"),
    "outside": (pointing("../w.data"), "outside its own folder"),
    "outside by a detour": (pointing("sub/../../w.data"), "outside its own folder"),
    "absolute": (pointing("/etc/passwd"), "outside its own folder"),
    "drive": (pointing("C:\\w.data"), "outside its own folder"),
    "share": (pointing("\\\\host\\share\\w.data"), "outside its own folder"),
    "offset": (no_place, "location of the initializer w is not a number"),
    "not there": (lambda folder: folder / "none.onnx", "There is no file"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_shown_is_one_sentence(tmp_path: Path, name: str) -> None:
    """One line that ends with a full stop, the same from every reader."""
    make, expected = REFUSED[name]
    path = make(tmp_path)
    with pytest.raises(GraphError, match=expected) as raised:
        load_graph(path)
    assert str(raised.value).endswith(".") and "\n" not in str(raised.value)
    if path.exists():
        with pytest.raises(GraphError, match=expected):
            inspect_path(path)


def test_a_good_file_has_no_warning(tmp_path: Path) -> None:
    """And its weights, where they are beside it, are not opened: they may not even be readable."""
    assert load_graph(save(GOOD, tmp_path / "a.onnx")).warnings == ()
    (tmp_path / "w.data").write_bytes(bytes(16))
    path = save(over("w.data"), tmp_path / "b.onnx")
    (tmp_path / "w.data").chmod(0)
    assert load_graph(path).warnings == ()


def test_the_hub_s_own_cache_is_followed(tmp_path: Path) -> None:
    """A snapshot's links to blobs of the same model; one to another model's is refused."""
    root = tmp_path / "models--a--b"
    blobs, snapshot = root / "blobs", root / "snapshots" / ("0" * 40)
    for folder in (blobs, snapshot):
        folder.mkdir(parents=True)
    (blobs / "1").write_bytes(bytes(16))
    (snapshot / "w.data").symlink_to("../../blobs/1")
    save(over("w.data"), snapshot / "a.onnx")
    assert load_graph(snapshot / "a.onnx").warnings == ()
    (tmp_path / "other").write_bytes(bytes(16))
    (snapshot / "w.data").unlink()
    (snapshot / "w.data").symlink_to(tmp_path / "other")
    with pytest.raises(GraphError, match="symbolic link"):
        load_graph(snapshot / "a.onnx")


def short(folder: Path) -> Path:
    (folder / "w.data").write_bytes(bytes(15))
    return save(over("w.data"), folder / "a.onnx")


def sparse(folder: Path) -> Path:
    """A few bytes that stand for 4 TB."""
    proto = model([node("Relu", ["x"], ["y"])])
    values = helper.make_tensor("w", TensorProto.FLOAT, [1], [1.0])
    indices = helper.make_tensor("w_indices", TensorProto.INT64, [1], [5])
    proto.graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [1 << 20, 1 << 20]))
    return save(proto, folder / "a.onnx")


def overlarge(folder: Path) -> Path:
    """A dense tensor whose shape says 4 TB and whose bytes are four."""
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[1 << 20, 1 << 20], raw_data=bytes(4))
    return save(model([node("Add", ["x", "w"], ["y"])], [tensor]), folder / "a.onnx")


def unknown_domain(folder: Path) -> Path:
    return save(model([node("Warp", ["x"], ["y"], domain="org.example")]), folder / "a.onnx")


def unsorted(folder: Path) -> Path:
    return save(model([node("Relu", ["a"], ["y"]), node("Relu", ["x"], ["a"])]), folder / "a.onnx")


def no_opset(folder: Path) -> Path:
    proto = model([node("Relu", ["x"], ["y"])])
    del proto.opset_import[:]
    return save(proto, folder / "a.onnx")


def no_version(folder: Path) -> Path:
    proto = model([node("Relu", ["x"], ["y"])])
    proto.ir_version = 0
    return save(proto, folder / "a.onnx")


def hard_linked(folder: Path) -> Path:
    (folder / "elsewhere.bin").write_bytes(bytes(16))
    os.link(folder / "elsewhere.bin", folder / "w.data")
    return save(over("w.data"), folder / "a.onnx")


WARNED: dict[str, tuple[Callable[[Path], Path], str]] = {
    "missing": (pointing("w.data"), "The weights of a.onnx are missing: there is no w.data beside it."),
    "short": (short, "w.data has 15 bytes and the initializer w ends at 16: it is cut short."),
    "hard link": (hard_linked, "w.data has another name elsewhere, a hard link"),
    "sparse": (sparse, "The sparse initializer w stands for 4,398,046,511,104 bytes"),
    "overlarge": (overlarge, "The initializer w holds 4 bytes, and float32 [1048576, 1048576] takes"),
    "unknown domain": (unknown_domain, "The domain org.example of Warp is not one that onnxruntime knows"),
    "unsorted": (unsorted, "The nodes of a.onnx are not in topological order"),
    "no version": (no_version, "a.onnx declares no version of the format"),
    "no opset": (no_opset, "a.onnx declares no operator set"),
}


@pytest.mark.parametrize("name", WARNED)
def test_what_can_be_shown_is_warned_of(tmp_path: Path, name: str) -> None:
    """One sentence each, and the report of `inspect` is there with it."""
    make, expected = WARNED[name]
    path = make(tmp_path)
    (warning,) = load_graph(path).warnings
    assert warning.startswith(expected) and warning.endswith(".")
    assert expected in inspect_path(path).metadata["warnings"]


def test_a_function_s_domain_is_known(tmp_path: Path) -> None:
    """It came with the model."""
    proto = model([node("Twice", ["x"], ["y"], domain="mine")])
    proto.functions.append(
        helper.make_function(
            "mine", "Twice", ["a"], ["b"], [helper.make_node("Add", ["a", "a"], ["b"])], [helper.make_opsetid("", 21)]
        )
    )
    assert load_graph(save(proto, tmp_path / "a.onnx")).warnings == ()


def test_topological_order_keeps_the_file_s_where_it_can() -> None:
    """Only what must move moves."""
    nodes = [node("Relu", ["b"], ["y"]), node("Relu", ["x"], ["a"]), node("Relu", ["x"], ["b"])]
    assert topological_order(model(nodes).graph) == [1, 2, 0]
    assert topological_order(model(nodes[1:] + nodes[:1]).graph) == [0, 1, 2]
