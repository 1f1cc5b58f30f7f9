"""The header of an .onnx file is what onnxruntime and the onnx package say of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from workflows.bundle import read_bundle
from workflows.common.errors import GraphError
from workflows.common.tensors import TensorSpec
from workflows.runtime.loading.graph_header import WeightBytes, read_header
from workflows.runtime.loading.sessions import SessionPlan, open_session
from workflows.runtime.providers import device_named


@pytest.mark.parametrize("bundle", ["demo_bundle", "default_bundle", "demo_split_bundle"])
def test_of_demos(bundle: str, request: pytest.FixtureRequest) -> None:
    folder: Path = request.getfixturevalue(bundle)
    for file in sorted(folder.glob("*.onnx")):
        header, model = read_header(file), onnx.load(file, load_external_data=False)
        opened = open_session(SessionPlan("one", file, device_named("cpu")))
        assert header.signature.inputs == opened.inputs and header.signature.outputs == opened.outputs
        assert header.signature.metadata == opened.metadata
        sizes = [4 * int(np.prod(one.dims)) for one in model.graph.initializer if one.data_type == TensorProto.FLOAT]
        assert header.weights == WeightBytes(full=sum(size for size in sizes if size >= 4096))
        assert read_header(file, file.read_bytes()) == header


def test_of_packed_weights(built: object) -> None:
    folder = built("demo:qwen3", precision="int4")  # type: ignore[operator]
    (file,) = (read_bundle(folder).file(one.file) for one in read_bundle(folder).pipeline.pipeline.sessions.values())
    model = onnx.load(file, load_external_data=False)
    bits = {TensorProto.UINT8: 8, TensorProto.INT8: 8, TensorProto.UINT4: 4, TensorProto.INT4: 4}
    packed = [one for one in model.graph.initializer if one.data_type in bits]
    sizes = [int(np.prod(one.dims)) * bits[one.data_type] // 8 for one in packed]
    assert read_header(file).weights.packed == sum(size for size in sizes if size >= 4096) > 0


def weight(name: str, dtype: type, count: int = 5000) -> TensorProto:
    return numpy_helper.from_array(np.zeros((2, count), dtype), name)


def test_every_place_and_kind(tmp_path: Path) -> None:
    """Inline tensors, a subgraph's, a constant's; an input that an initializer fills, one without a shape."""
    branch = helper.make_graph(
        [helper.make_node("Identity", ["inner"], ["b"])], "branch", [],
        [helper.make_tensor_value_info("b", TensorProto.FLOAT16, [2, 5000])], [weight("inner", np.float16)],
    )  # fmt: skip
    nodes = [
        helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch),
        helper.make_node("Constant", [], ["k"], value=weight("k", np.int64)),
    ]
    inputs = [
        helper.make_tensor_value_info("c", TensorProto.BOOL, []),
        helper.make_tensor_value_info("w", TensorProto.FLOAT, [2, 5000]),
        helper.make_tensor_value_info("free", TensorProto.BFLOAT16, ["batch", None, 3]),
        helper.make_tensor_sequence_value_info("odd", TensorProto.FLOAT, [1]),
    ]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT16, [2, 5000])]
    kinds = [weight("w", np.float32), weight("u", np.uint8), weight("small", np.float32, 3)]
    model = helper.make_model(helper.make_graph(nodes, "g", inputs, outputs, kinds))
    helper.set_model_props(model, {"one": "1", "ü": "two"})
    path = tmp_path / "g.onnx"
    path.write_bytes(model.SerializeToString())
    header = read_header(path)
    assert header.weights == WeightBytes(half=2 * 20_000, packed=10_000, inline=40_000 + 80_000)
    assert header.weights.total == 170_000
    assert header.signature.metadata == {"one": "1", "ü": "two"}
    assert header.signature.inputs == (TensorSpec("c", (), "bool"), TensorSpec("free", ("batch", "?", 3), "bfloat16"))
    assert header.signature.outputs == (TensorSpec("y", (2, 5000), "float16"),)


def test_files_that_are_cut_short_or_no_graph(default_bundle: Path, tmp_path: Path) -> None:
    data = (default_bundle / "decoder.onnx").read_bytes()
    path = tmp_path / "x.onnx"
    for content in (b"", b"not a graph", b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", data[:-1]):
        path.write_bytes(content)
        with pytest.raises(GraphError, match=r"x\.onnx is not an ONNX file, or is incomplete"):
            read_header(path)
    for end in range(1, len(data), len(data) // 150):
        path.write_bytes(data[:end])
        try:
            read_header(path)
        except GraphError:
            continue
