"""Small real graphs in the forms in which others export them; `Toy` has their weights, and the truth in numpy.

write_halves   optimum's: decoder_model, decoder_with_past_model, and decoder_model_merged, an If over both
rename         tensors of a graph called otherwise
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from tests.workflows.runtime.toy_bundles import FLOAT, INT, D, H, Net, Toy, V

SIZE = D // H


def write_halves(folder: Path, toy: Toy, *, external: bool = False) -> None:
    """The decoder of `toy` (one layer, which attends or not) for its first run, for every other, and for both.

    As traced graphs do, the first takes the batch for the encoder's keys from its own hidden states, and the other
    knows one token: it sees all there is.
    """
    for name, past in (("decoder_model", False), ("decoder_with_past_model", True)):
        net, inputs, outputs = Net(), dict[str, Any](), dict[str, Any]()
        _decoder(net, toy, past, inputs, outputs)
        net.save(folder / f"{name}.onnx", inputs, outputs)
    merged = _merged(*(onnx.load(folder / f"{name}.onnx") for name in ("decoder_model", "decoder_with_past_model")))
    onnx.checker.check_model(merged)
    onnx.save(merged, folder / "decoder_model_merged.onnx")
    for path in folder.glob("decoder_*.onnx") if external else ():
        location = f"{path.name}_data"
        onnx.save(onnx.load(path), path, save_as_external_data=True, location=location, size_threshold=100)


def _decoder(net: Net, toy: Toy, past: bool, inputs: dict[str, Any], outputs: dict[str, Any]) -> None:
    w, own = toy.weights, "decoder." if toy.attends else ""
    if toy.attends:
        inputs["encoder_attention_mask"] = (INT, ["batch", "heard"])
    inputs["input_ids"] = (INT, ["batch", "length"])
    pasts = [f"past_key_values.0.{own}{role}" for role in ("key", "value")]
    before = net.const(0, np.int64)
    if past:
        inputs |= {name: (FLOAT, ["batch", H, "past", SIZE]) for name in pasts}
        before = net("Gather", net("Shape", pasts[0]), net.const(2, np.int64))
    length = net("Gather", net("Shape", "input_ids"), net.const(1, np.int64))
    positions = net("Range", before, net("Add", before, length), net.const(1, np.int64))
    x = net("Gather", net.const(w["table"]), "input_ids")
    x = net("Add", x, net("Gather", net.const(w["places"][0]), _for_each(net, positions)))
    new = [_heads(net, net("MatMul", x, net.const(w[f"0.{name}"])), x) for name in "kv"]
    both = []
    for name, one in zip(pasts, new, strict=True):
        present = name.replace("past_key_values", "present")
        both.append(net("Concat", name, one, axis=2, out=present) if past else net("Identity", one, out=present))
        outputs[present] = (FLOAT, ["batch", H, "past + length", SIZE])
    x = net("Add", x, _attention(net, x, *both, "", w["0.q"], w["0.o"]))
    x = net("Add", x, _heard(net, toy, x, past, inputs, outputs)) if toy.attends else x
    net("MatMul", x, net.const(w["head"]), out="logits")
    outputs["logits"] = (FLOAT, ["batch", "length", V])


def _for_each(net: Net, positions: str) -> str:
    """Positions [n] for each of the batch [batch, n], as Whisper's graphs make them of sizes."""
    batch = net("Unsqueeze", net("Gather", net("Shape", "input_ids"), net.const(0, np.int64)), net.const([0], np.int64))
    times = net("Concat", batch, net.const([1], np.int64), axis=0)
    one = helper.make_tensor("", INT, [1], [1])
    row = net("Expand", net("Unsqueeze", positions, net.const([0], np.int64)),
              net("ConstantOfShape", net("Shape", times), value=one))  # fmt: skip
    return net("Tile", row, times)


def _heard(net: Net, toy: Toy, x: str, past: bool, inputs: dict[str, Any], outputs: dict[str, Any]) -> str:
    w, found = toy.weights, []
    if not past:
        inputs["encoder_hidden_states"] = (FLOAT, ["batch", "heard", D])
    for role, name in (("key", "k"), ("value", "v")):
        shape = (FLOAT, ["batch", H, "heard", SIZE])
        if past:
            inputs[f"past_key_values.0.encoder.{role}"] = shape
            found.append(f"past_key_values.0.encoder.{role}")
        else:
            rows = net("MatMul", "encoder_hidden_states", net.const(w[f"cross.{name}"]))
            found.append(net("Identity", _heads(net, rows, x), out=f"present.0.encoder.{role}"))
            outputs[f"present.0.encoder.{role}"] = shape
    far = net("Mul", net("Sub", net.const(1.0), net("Cast", "encoder_attention_mask", to=FLOAT)), net.const(-1e9))
    mask = net("Unsqueeze", far, net.const([1, 2], np.int64))
    return _attention(net, x, found[0], found[1], mask, w["cross.q"], w["cross.o"])


def _heads(net: Net, rows: str, batch_of: str) -> str:
    batch = net("Unsqueeze", net("Gather", net("Shape", batch_of), net.const(0, np.int64)), net.const([0], np.int64))
    shape = net("Concat", batch, net.const([-1, H, SIZE], np.int64), axis=0)
    return net("Transpose", net("Reshape", rows, shape), perm=[0, 2, 1, 3])


def _attention(net: Net, x: str, keys: str, values: str, mask: str, q: Any, o: Any) -> str:
    query = _heads(net, net("MatMul", x, net.const(q)), x)
    scores = net("Mul", net("MatMul", query, net("Transpose", keys, perm=[0, 1, 3, 2])), net.const(SIZE**-0.5))
    mixed = net("MatMul", net("Softmax", net("Add", scores, mask) if mask else scores, axis=-1), values)
    rows = net("Reshape", net("Transpose", mixed, perm=[0, 2, 1, 3]), net.const([0, -1, D], np.int64))
    return net("MatMul", rows, net.const(o))


def _merged(first: onnx.ModelProto, then: onnx.ModelProto) -> onnx.ModelProto:
    """An If over both. Weights stand around it, but for the first of each branch, which stands within."""
    graphs, weights = {"else_branch": first.graph, "then_branch": then.graph}, []
    for branch, graph in graphs.items():
        kept = {tensor.name: f"{branch}.{tensor.name}" for tensor in graph.initializer}
        for tensor in graph.initializer:
            tensor.name = kept[tensor.name]
        for node in graph.node:
            node.input[:] = [kept.get(name, name) for name in node.input]
        weights += graph.initializer[1:]
        del graph.initializer[1:]
    inputs = {value.name: value for graph in graphs.values() for value in graph.input}
    outputs = {value.name: value for value in first.graph.output}
    for graph in graphs.values():
        del graph.input[:]
    lacking = [name for name in outputs if name not in {value.name for value in then.graph.output}]
    for name in lacking:  # what the second run does not compute anew
        empty = helper.make_tensor("", FLOAT, [1, H, 1, SIZE], [0.0] * D)
        then.graph.node.append(helper.make_node("Constant", [], [name], value=empty))
        then.graph.output.append(outputs[name])
    order = {value.name: value for value in then.graph.output}
    del then.graph.output[:]
    then.graph.output.extend(order[name] for name in outputs)
    chosen = helper.make_tensor_value_info("use_cache_branch", TensorProto.BOOL, [1])
    node = helper.make_node("If", ["use_cache_branch"], [*outputs], name="if", **graphs)
    graph = helper.make_graph([node], "merged", [*inputs.values(), chosen], [*outputs.values()], weights)
    return helper.make_model(graph, opset_imports=first.opset_import, ir_version=9)


def rename(path: Path, names: Mapping[str, str]) -> None:
    """Calls tensors of a graph's otherwise, old → new, in its file."""
    model = onnx.load(path)
    for node in model.graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
    for value in (*model.graph.input, *model.graph.output):
        value.name = names.get(value.name, value.name)
    onnx.save(model, path)
