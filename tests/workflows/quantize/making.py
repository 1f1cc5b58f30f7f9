"""Bundles whose weights are wrong on purpose, as quantization makes them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

from workflows.bundle import read_bundle
from workflows.graph.scopes import scope_of


def perturbed(bundle: Path, out: Path, amount: float, scope: str = "") -> Path:
    """A copy whose float weights are `amount` × their spread away, in nodes whose scope holds `scope`."""
    shutil.copytree(bundle, out)
    noise = np.random.default_rng(0)
    done = set()
    for session in read_bundle(out).pipeline.pipeline.sessions.values():
        model = onnx.load(out / session.file, load_external_data=False)
        wanted = {name for node in model.graph.node if scope in scope_of(node) for name in node.input}
        for file, offset, length in _floats(model, wanted):
            if (file, offset) not in done:
                done.add((file, offset))
                array = np.memmap(out / file, np.float32, "r+", offset, (length // 4,))
                array += noise.standard_normal(len(array)).astype(np.float32) * amount * array.std()
                array.flush()
    assert done
    return out


def renamed_source(bundle: Path, out: Path) -> Path:
    """A copy that was not built from a demo, as far as its recipe says."""
    shutil.copytree(bundle, out)
    return edit_json(out, "recipe.json", source="somewhere")


def dequantized(bundle: Path, out: Path) -> Path:
    """A copy whose MatMul weights are 4 bits in an int8, each behind a DequantizeLinear, as QDQ models have them."""
    shutil.copytree(bundle, out)
    for session in read_bundle(out).pipeline.pipeline.sessions.values():
        model = onnx.load(out / session.file)
        weights = {tensor.name: tensor for tensor in model.graph.initializer}
        made = []
        for node in model.graph.node:
            if node.op_type == "MatMul" and node.input[1] in weights:
                made.append(_dequantize(model.graph, weights[node.input[1]]))
                node.input[1] = made[-1].output[0]
        nodes = [*made, *model.graph.node]
        del model.graph.node[:]
        model.graph.node.extend(nodes)
        (out / session.file).write_bytes(model.SerializeToString())
        _note_size(out, session.file)
    return out


def _dequantize(graph: onnx.GraphProto, tensor: onnx.TensorProto) -> onnx.NodeProto:
    values = numpy_helper.to_array(tensor)
    scale = np.float32(np.abs(values).max() / 7)
    parts = {"q": np.round(values / scale).astype(np.int8), "scale": scale, "zero": np.int8(0)}
    for part, array in parts.items():
        graph.initializer.append(numpy_helper.from_array(np.asarray(array), f"{tensor.name}.{part}"))
    names = [f"{tensor.name}.{part}" for part in parts]
    return helper.make_node("DequantizeLinear", names, [f"{tensor.name}.dq"], f"{tensor.name}.dq")


def with_integer_products(bundle: Path, out: Path, static: bool = False) -> Path:
    """A copy whose MatMuls multiply integers, weights of 4 bits in an int8, as onnxruntime's quantizers make them.

    static: QLinearMatMul between ranges that are fixed; else MatMulInteger of what is quantized as it comes.
    """
    shutil.copytree(bundle, out)
    for session in read_bundle(out).pipeline.pipeline.sessions.values():
        model = onnx.load(out / session.file)
        weights = {tensor.name: tensor for tensor in model.graph.initializer}
        nodes = [
            made
            for node in model.graph.node
            for made in (
                (_static_product if static else _integer_product)(model.graph, node, weights[node.input[1]])
                if node.op_type == "MatMul" and node.input[1] in weights
                else [node]
            )
        ]
        del model.graph.node[:]
        model.graph.node.extend(nodes)
        (out / session.file).write_bytes(model.SerializeToString())
        _note_size(out, session.file)
    return out


def _integer_product(graph: onnx.GraphProto, node: onnx.NodeProto, tensor: onnx.TensorProto) -> list[onnx.NodeProto]:
    weight = _dequantize(graph, tensor)
    result = node.output[0]
    own = [f"{result}.{part}" for part in ("q", "scale", "zero", "sum", "float", "scales")]
    quantized, scale, zero, total, cast, scales = own
    return [
        helper.make_node("DynamicQuantizeLinear", [node.input[0]], [quantized, scale, zero]),
        helper.make_node("MatMulInteger", [quantized, weight.input[0], zero], [total]),
        helper.make_node("Cast", [total], [cast], to=onnx.TensorProto.FLOAT),
        helper.make_node("Mul", [scale, weight.input[1]], [scales]),
        helper.make_node("Mul", [cast, scales], [result]),
    ]


def _static_product(graph: onnx.GraphProto, node: onnx.NodeProto, tensor: onnx.TensorProto) -> list[onnx.NodeProto]:
    weight, result = _dequantize(graph, tensor), node.output[0]
    ranges: dict[str, list[str]] = {}
    for side, scale in (("in", 0.05), ("out", 0.2)):
        ranges[side] = [f"{result}.{side}.scale", f"{result}.{side}.zero"]
        for name, value in zip(ranges[side], (np.float32(scale), np.uint8(128)), strict=True):
            graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
    quantized, product = f"{result}.q", f"{result}.product"
    inputs = [quantized, *ranges["in"], *weight.input, *ranges["out"]]
    return [
        helper.make_node("QuantizeLinear", [node.input[0], *ranges["in"]], [quantized]),
        helper.make_node("QLinearMatMul", inputs, [product]),
        helper.make_node("DequantizeLinear", [product, *ranges["out"]], [result]),
    ]


def without_scopes(bundle: Path, out: Path) -> Path:
    """A copy whose graphs do not note which layer a node belongs to."""
    shutil.copytree(bundle, out)
    for session in read_bundle(out).pipeline.pipeline.sessions.values():
        model = onnx.load(out / session.file, load_external_data=False)
        for node in model.graph.node:
            del node.metadata_props[:]
        (out / session.file).write_bytes(model.SerializeToString())
        _note_size(out, session.file)
    return out


def edit_json(bundle: Path, name: str, **changes: object) -> Path:
    """Changes top-level keys of a JSON file of the bundle, and its entry in the manifest."""
    file = bundle / name
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | changes), "utf-8")
    _note_size(bundle, name)
    return bundle


def _note_size(bundle: Path, name: str) -> None:
    manifest = bundle / "manifest.json"
    listed = json.loads(manifest.read_text("utf-8"))
    listed["files"][name]["bytes"] = (bundle / name).stat().st_size
    manifest.write_text(json.dumps(listed), "utf-8")


def _floats(model: onnx.ModelProto, wanted: set[str]) -> Iterator[tuple[str, int, int]]:
    for tensor in model.graph.initializer:
        if tensor.name in wanted and tensor.data_type == onnx.TensorProto.FLOAT and tensor.external_data:
            where = {entry.key: entry.value for entry in tensor.external_data}
            yield where["location"], int(where.get("offset", 0)), int(where["length"])
