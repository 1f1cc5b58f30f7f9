"""Small real graphs of every kind of composite, and the same in numpy over the whole sequence, without a cache.

    ids ─▶ table (+ rows of features in their places) + positions ─▶ layers ─▶ (convolution) ─▶ (cross) ─▶ logits

`Toy` says which of these there are; `Toy.truth` is the oracle, `Toy.write` the graphs, cut as `parts` says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from workflows.common.tensors import Array

V, D, H, LONGEST = 40, 8, 2, 128
IMAGE, AUDIO = 38, 39
FLOAT, INT = TensorProto.FLOAT, TensorProto.INT64
OPSETS = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]


class Net:
    """A graph in the making: a call adds a node and gives its output's name."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def __call__(self, op: str, *inputs: str, out: str = "", **attributes: Any) -> str:
        name = out or f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], **attributes))
        return name

    def const(self, value: Any, dtype: Any = np.float32) -> str:
        name = f"c{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def reshape(self, x: str, *shape: int, out: str = "") -> str:
        return self("Reshape", x, self.const(shape, np.int64), out=out)

    def save(self, path: Path, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        values = [
            [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in side.items()]
            for side in (inputs, outputs)
        ]
        graph = helper.make_graph(self.nodes, path.stem, *values, self.weights)
        model = helper.make_model(graph, opset_imports=OPSETS, ir_version=9)
        onnx.checker.check_model(model)
        onnx.save(model, path)


@dataclass
class Toy:
    """layers: their numbers in the names. grid: positions of three numbers. exposes: gives hidden_states, too."""

    layers: Sequence[int] = (0, 1)
    combined: bool = False
    convolves: bool = False
    attends: bool = False
    grid: bool = False
    exposes: bool = False
    modalities: Sequence[str] = ()
    weights: dict[str, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        chances = np.random.default_rng(0)
        shapes = {"table": (V, D), "head": (D, V), "places": (3, LONGEST, D), "kernel": (3,)}
        shapes |= {f"{i}.{name}": (D, D) for i in range(len(self.layers)) for name in "qkvo"}
        shapes |= {f"cross.{name}": (D, D) for name in "qkvo"} | {"image": (3, D), "audio": (5, D), "source": (V, D)}
        self.weights = {name: chances.normal(size=shape) * 0.6 for name, shape in shapes.items()}

    # -- the oracle --------------------------------------------------------------------------------------------

    def truth(
        self,
        ids: Sequence[int],
        rows: Mapping[str, Array] | None = None,
        source: Sequence[int] = (),
        positions: Array | None = None,
        visible: Array | None = None,
    ) -> Array:
        """Logits [n, V]. rows: by modality. positions: [3, n]. visible: [n, n], or one a layer, other than what came
        before."""
        w, n = self.weights, len(ids)
        x = w["table"][list(ids)].copy()
        for kind, token in (("image", IMAGE), ("audio", AUDIO)):
            if kind in self.modalities and rows and kind in rows:
                x[np.asarray(ids) == token] = rows[kind] @ w[kind]
        told = np.broadcast_to(np.arange(n), (3, n)) if positions is None else positions
        x = x + (sum(w["places"][axis][told[axis]] for axis in range(3)) if self.grid else w["places"][0][told[0]])
        seen = np.tril(np.ones((n, n), bool)) if visible is None else visible
        for i, own in enumerate(np.broadcast_to(seen, (len(self.layers), n, n))):
            x = x + _attend(x, x, own, [w[f"{i}.{name}"] for name in "qkvo"])
        if self.convolves:
            past = np.concatenate((np.zeros((2, D)), x))
            x = x + sum(w["kernel"][i] * past[i : i + n] for i in range(3))
        if self.attends:
            heard = w["source"][list(source)]
            x = x + _attend(x, heard, np.ones((n, len(source)), bool), [w[f"cross.{name}"] for name in "qkvo"])
        return np.asarray(x @ w["head"])

    # -- the graphs --------------------------------------------------------------------------------------------

    def write(self, folder: Path, parts: Sequence[str], columns: int | str = "n", tag: str = "") -> None:
        """One file a part: `table`, `head` and `body`, whole (`decoder`), layers alone (`body0`, `body1`), `tail`: body
        and head."""
        for part in parts:
            net, inputs, outputs = Net(), dict[str, Any](), dict[str, Any]()
            x = "hidden_in"
            if part in ("table", "decoder"):
                inputs["input_ids"] = (INT, [1, columns])
                x = self._table(net, inputs)
            else:
                inputs[x] = (FLOAT, [1, columns, D])
            if part in ("decoder", "tail") or part.startswith("body"):
                chosen = [int(part[-1])] if part[-1].isdecimal() else range(len(self.layers))
                x = self._body(net, x, list(chosen), columns, inputs, outputs)
            if part in ("head", "tail", "decoder"):
                net("MatMul", x, net.const(self.weights["head"]), out="logits")
                outputs["logits"] = (FLOAT, [1, columns, V])
                if self.exposes:
                    net("Identity", x, out="hidden_states")
                    outputs["hidden_states"] = (FLOAT, [1, columns, D])
            else:
                net("Identity", x, out="hidden_out")
                outputs["hidden_out"] = (FLOAT, [1, columns, D])
            net.save(folder / f"{part}{tag}.onnx", inputs, outputs)

    def _table(self, net: Net, inputs: dict[str, Any]) -> str:
        x = net("Gather", net.const(self.weights["table"]), "input_ids")
        for kind, token in (("image", IMAGE), ("audio", AUDIO)):
            if kind not in self.modalities:
                continue
            name = f"{kind}_features"
            inputs[name] = (FLOAT, [f"{kind}_rows", D])
            flat = net.reshape(net("Cast", net("Equal", "input_ids", net.const(token, np.int64)), to=INT), -1)
            place = net("Sub", net("CumSum", flat, net.const(0, np.int64)), net.const(1, np.int64))
            padded = net("Concat", name, net.const(np.zeros((1, D))), axis=0)  # no rows at all can be gathered from
            safe = net("Max", place, net.const(0, np.int64))
            rows = net("Gather", padded, safe)
            here = net("Unsqueeze", net("Cast", flat, to=TensorProto.BOOL), net.const([1], np.int64))
            x = net("Where", net("Unsqueeze", here, net.const([0], np.int64)),
                    net("Unsqueeze", rows, net.const([0], np.int64)), x)  # fmt: skip
        return x

    def _body(
        self, net: Net, x: str, chosen: list[int], columns: int | str, inputs: dict[str, Any], outputs: dict[str, Any]
    ) -> str:
        if 0 in chosen:
            inputs["position_ids"] = (INT, [3, 1, columns] if self.grid else [1, columns])
            tables = [net.const(self.weights["places"][axis]) for axis in range(3 if self.grid else 1)]
            for axis, table in enumerate(tables):
                told = net("Gather", "position_ids", net.const(axis, np.int64)) if self.grid else "position_ids"
                x = net("Add", x, net("Gather", table, told))
        inputs["attention_mask"] = (FLOAT, [1, 1, columns, "total"])
        for i in chosen:
            x = self._layer(net, x, i, columns, inputs, outputs)
        last = len(self.layers) - 1 in chosen
        if self.convolves and last:
            inputs["past_conv.0"], outputs["present_conv.0"] = (FLOAT, [1, D, 2]), (FLOAT, [1, D, 2])
            turned = net("Concat", "past_conv.0", net("Transpose", x, perm=[0, 2, 1]), axis=2)
            net("Slice", turned, net.const([-2], np.int64), net.const([1 << 30], np.int64), net.const([2], np.int64),
                out="present_conv.0")  # fmt: skip
            kernel = net.const(np.tile(self.weights["kernel"], (D, 1, 1)))
            x = net("Add", x, net("Transpose", net("Conv", turned, kernel, group=D), perm=[0, 2, 1]))
        if self.attends and last:
            inputs["encoder_hidden_states"] = (FLOAT, [1, "source", D])
            inputs["encoder_attention_mask"] = (INT, [1, "source"])
            heard = net("Cast", "encoder_attention_mask", to=FLOAT)
            far = net("Mul", net("Sub", net.const(1.0), heard), net.const(-1e9))
            mask = net("Unsqueeze", far, net.const([1, 2], np.int64))
            w = {name: net.const(self.weights[f"cross.{name}"]) for name in "qkvo"}
            keys, values = (heads(net, net("MatMul", "encoder_hidden_states", w[name])) for name in "kv")
            x = net("Add", x, attention(net, x, keys, values, mask, w["q"], w["o"]))
        return x

    def _layer(
        self, net: Net, x: str, i: int, columns: int | str, inputs: dict[str, Any], outputs: dict[str, Any]
    ) -> str:
        w = {name: net.const(self.weights[f"{i}.{name}"]) for name in "qkvo"}
        new, number = [heads(net, net("MatMul", x, w[name])) for name in "kv"], self.layers[i]
        if self.combined:
            past, present = f"past_{number}", f"present_{number}"
            inputs[past], outputs[present] = (FLOAT, [2, 1, H, "slots", D // H]), (FLOAT, [2, 1, H, columns, D // H])
            pasts = [net("Gather", past, net.const(one, np.int64)) for one in range(2)]
            net("Concat", *(net("Unsqueeze", one, net.const([0], np.int64)) for one in new), axis=0, out=present)
        else:
            pasts = [f"past_key_values.{number}.{role}" for role in ("key", "value")]
            for name, one in zip(pasts, new, strict=True):
                present = name.replace("past_key_values", "present")
                inputs[name], outputs[present] = (FLOAT, [1, H, "slots", D // H]), (FLOAT, [1, H, columns, D // H])
                net("Identity", one, out=present)
        keys, values = (net("Concat", past, one, axis=2) for past, one in zip(pasts, new, strict=True))
        return net("Add", x, attention(net, x, keys, values, "attention_mask", w["q"], w["o"]))


def write_reader(folder: Path, toy: Toy, kind: str, batched: bool = False) -> None:
    """vision or speech: patches [n, size] (or [pictures, n, size]) → rows of features [n, D]."""
    net, size = Net(), toy.weights[kind].shape[0]
    name = {"image": "pixel_values", "audio": "audio_embeds"}[kind]
    flat = net.reshape(name, -1, size) if batched else name
    net("MatMul", flat, net.const(toy.weights[kind]), out=f"{kind}_features")
    inputs: dict[str, Any] = {name: (FLOAT, ["pictures", "patches", size] if batched else ["patches", size])}
    if toy.grid:
        inputs["image_grid_thw"] = (INT, ["pictures", 3])
    net.save(folder / f"{kind}.onnx", inputs, {f"{kind}_features": (FLOAT, ["rows", D])})


def write_encoder(folder: Path, toy: Toy) -> None:
    """ids and their mask, as other exporters name it → hidden states."""
    net = Net()
    hidden = net("Gather", net.const(toy.weights["source"]), "input_ids")
    kept = net("Unsqueeze", net("Cast", "attention_mask", to=FLOAT), net.const([2], np.int64))
    net("Mul", hidden, kept, out="last_hidden_state")
    tokens = {"input_ids": (INT, [1, "s"]), "attention_mask": (INT, [1, "s"])}
    net.save(folder / "encoder.onnx", tokens, {"last_hidden_state": (FLOAT, [1, "s", D])})


def write_scorer(folder: Path) -> None:
    """The last step's hidden row → its sum."""
    net = Net()
    net("ReduceSum", "row", net.const([1, 2], np.int64), keepdims=0, out="score")
    net.save(folder / "scorer.onnx", {"row": (FLOAT, [1, "n", D])}, {"score": (FLOAT, [1])})


def heads(net: Net, x: str) -> str:
    return net("Transpose", net.reshape(x, 1, -1, H, D // H), perm=[0, 2, 1, 3])


def attention(net: Net, x: str, keys: str, values: str, mask: str, q: str, o: str) -> str:
    query = heads(net, net("MatMul", x, q))
    scores = net("Mul", net("MatMul", query, net("Transpose", keys, perm=[0, 1, 3, 2])), net.const((D // H) ** -0.5))
    mixed = net("MatMul", net("Softmax", net("Add", scores, mask), axis=-1), values)
    return net("MatMul", net.reshape(net("Transpose", mixed, perm=[0, 2, 1, 3]), 1, -1, D), o)


def _attend(x: Array, heard: Array, seen: Array, weights: Sequence[Array]) -> Array:
    q, k, v = ((one @ w).reshape(len(one), H, -1) for one, w in zip((x, heard, heard), weights, strict=False))
    scores = np.einsum("qhd,khd->hqk", q, k) * (D // H) ** -0.5
    scores = np.where(seen, scores, -np.inf)
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = np.einsum("hqk,khd->qhd", shares / shares.sum(-1, keepdims=True), v)
    return np.asarray(mixed.reshape(len(x), D) @ weights[3])
