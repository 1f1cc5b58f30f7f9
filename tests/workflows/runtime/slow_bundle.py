"""A decoder whose every run takes as long as one likes: after its logits a loop counts to a number of rounds."""

from __future__ import annotations

from pathlib import Path

import onnx
from onnx import TensorProto, helper

from tests.workflows.runtime.toy_bundles import FLOAT, INT, Toy
from workflows.interop.assemble import assemble


def slow_bundle(folder: Path, rounds: int) -> Path:
    """A bundle; ten million rounds take about ten seconds."""
    Toy().write(folder, ["decoder"])
    path = folder / "decoder.onnx"
    model = onnx.load(path)
    graph = model.graph
    for node in graph.node:
        node.output[:] = ["fast" if name == "logits" else name for name in node.output]
    graph.initializer.append(helper.make_tensor("rounds", INT, [], [rounds]))
    graph.initializer.append(helper.make_tensor("nothing", FLOAT, [], [0.0]))
    graph.node.extend(
        [
            helper.make_node("ReduceSum", ["fast"], ["sum"], keepdims=0),
            helper.make_node("Loop", ["rounds", "", "sum"], ["counted"], body=_body()),
            helper.make_node("Mul", ["counted", "nothing"], ["zero"]),
            helper.make_node("Add", ["fast", "zero"], ["logits"]),
        ]
    )
    onnx.save(model, path)
    assemble({"decoder": path}, folder / "bundle", None, None)
    return folder / "bundle"


def _body() -> onnx.GraphProto:
    """A round: one is taken from the sum."""

    def value(name: str, kind: int) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, kind, [])

    nodes = [
        helper.make_node("Identity", ["go"], ["go_on"]),
        helper.make_node("Sub", ["x", "nothing"], ["y"]),
    ]
    inputs = [value("round", INT), value("go", TensorProto.BOOL), value("x", FLOAT)]
    return helper.make_graph(nodes, "round", inputs, [value("go_on", TensorProto.BOOL), value("y", FLOAT)])
