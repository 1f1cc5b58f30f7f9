"""Folders as onnxruntime-genai's builder writes them: small real graphs of every shape, with numpy as their oracle.

attention_mask [1, total] int64    one row: the graph itself makes of it who sees whom
past, present                      present is past and the new rows, joined
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from tests.workflows.bundle.genai.configs import Data, config, stage
from tests.workflows.runtime.toy_bundles import AUDIO, FLOAT, IMAGE, INT, D, H, Net, Toy, V, attention, write_reader

FAR = float(np.finfo(np.float32).min)
SIZE: Data = {"head_size": D // H, "hidden_size": D, "num_attention_heads": H, "num_key_value_heads": H}
CONTEXT = 64


@dataclass
class Peer(Toy):
    """A toy whose graphs are in the peer's form. attention: of its layers, by plain nodes or by one that does it all.

    window: positions that a token sees back, its own included.
    """

    attention: str = "plain"
    window: int | None = None

    def _body(
        self, net: Net, x: str, chosen: list[int], columns: int | str, inputs: dict[str, Any], outputs: dict[str, Any]
    ) -> str:
        hidden, before = x, len(net.nodes)
        x = super()._body(net, x, chosen, columns, inputs, outputs)
        after = len(net.nodes)
        total = net("Shape", "attention_mask", start=1, end=2)
        if self.attention == "plain":
            self._mask(net, hidden, total)
        else:
            summed = net("ReduceSum", "attention_mask", net.const([1], np.int64), keepdims=0)
            net("Cast", net("Sub", summed, net.const([1], np.int64)), to=6, out="lengths")
            net("Cast", net("Squeeze", total), to=6, out="total")
        body, ends = net.nodes[before:after], net.nodes[after:]
        for node in body:
            node.input[:] = ["wide_mask" if name == "attention_mask" else name for name in node.input]
        net.nodes[before:] = ends + body
        inputs["attention_mask"] = (INT, [1, "total"])
        if self.attention == "plain":
            self._join(net, inputs, outputs)
        return x

    def _mask(self, net: Net, hidden: str, total: str) -> None:
        """[1, total] of ones → [1, 1, columns, total] to be added."""
        zero, one = net.const(0, np.int64), net.const(1, np.int64)
        start = net("Squeeze", net("Sub", total, net("Shape", hidden, start=1, end=2)))
        end = net("Squeeze", total)
        queries = net("Unsqueeze", net("Range", start, end, one), net.const([1], np.int64))
        keys = net("Unsqueeze", net("Range", zero, end, one), net.const([0], np.int64))
        seen = net("And", net("LessOrEqual", keys, queries), net("Cast", "attention_mask", to=9))
        if self.window is not None:
            near = net("Less", net("Sub", queries, keys), net.const(self.window, np.int64))
            seen = net("And", seen, near)
        wide = net("Where", seen, net.const(0.0), net.const(FAR))
        net("Unsqueeze", wide, net.const([0, 1], np.int64), out="wide_mask")

    def _join(self, net: Net, inputs: dict[str, Any], outputs: dict[str, Any]) -> None:
        for name in [name for name in outputs if name.startswith("present") and "conv" not in name]:
            past = name.replace("present.", "past_key_values.").replace("present_", "past_")
            axis = 3 if self.combined else 2
            for node in net.nodes:
                node.output[:] = [f"{name}.rows" if one == name else one for one in node.output]
            net("Concat", past, f"{name}.rows", axis=axis, out=name)
            kind, shape = outputs[name]
            outputs[name] = (kind, [*shape[:axis], "total", shape[-1]])

    def _layer(
        self, net: Net, x: str, i: int, columns: int | str, inputs: dict[str, Any], outputs: dict[str, Any]
    ) -> str:
        if self.attention == "plain":
            return super()._layer(net, x, i, columns, inputs, outputs)
        w, number = {name: net.const(_eight_wide(self.weights[f"{i}.{name}"], name)) for name in "qkvo"}, self.layers[i]
        pasts = [f"past_key_values.{number}.{role}" for role in ("key", "value")]
        presents = [name.replace("past_key_values", "present") for name in pasts]
        for past, present in zip(pasts, presents, strict=True):
            inputs[past], outputs[present] = (FLOAT, [1, H, "slots", 8]), (FLOAT, [1, H, "total", 8])
        mixed = net("GroupQueryAttention", *(net("MatMul", x, w[name]) for name in "qkv"), *pasts, "lengths", "total",
                    domain="com.microsoft", num_heads=H, kv_num_heads=H, scale=(D // H) ** -0.5)  # fmt: skip
        net.nodes[-1].output.extend(presents)
        return net("Add", x, net("MatMul", mixed, w["o"]))


def _eight_wide(weights: Any, name: str) -> Any:
    """Heads with zeros to a size of 8, the least that GroupQueryAttention takes."""
    width = 8 - D // H
    if name == "o":
        return np.pad(weights.reshape(H, -1, D), ((0, 0), (0, width), (0, 0))).reshape(-1, D)
    return np.pad(weights.reshape(D, H, -1), ((0, 0), (0, 0), (0, width))).reshape(D, -1)


def lay(folder: Path, data: Data) -> Path:
    """Writes the configuration."""
    (folder / "genai_config.json").write_text(json.dumps(data, indent=2), "utf-8")
    return folder


def _said(kind: str, decoder: Data, **more: Any) -> Data:
    ids = {"eos_token_id": V - 1, "vocab_size": V, "context_length": CONTEXT}
    return config(kind, SIZE | {"num_hidden_layers": 2} | decoder, {"max_length": CONTEXT}, **(ids | more))


INPUTS: Data = {
    "input_ids": "input_ids",
    "attention_mask": "attention_mask",
    "position_ids": "position_ids",
    "past_key_names": "past_key_values.%d.key",
    "past_value_names": "past_key_values.%d.value",
}
OUTPUTS: Data = {"logits": "logits", "present_key_names": "present.%d.key", "present_value_names": "present.%d.value"}


def single(folder: Path, **options: Any) -> Peer:
    """One decoder. options: of Peer."""
    toy = Peer(**options)
    toy.write(folder, ["decoder"])
    lay(folder, _said("decoder", {"filename": "decoder.onnx", "inputs": INPUTS, "outputs": OUTPUTS}))
    return toy


def grouped(folder: Path) -> Peer:
    """One decoder by GroupQueryAttention, which takes slots for tokens."""
    toy = single(folder, attention="grouped")
    lay(folder, _said("decoder", {"filename": "decoder.onnx", "inputs": INPUTS, "outputs": OUTPUTS, "head_size": 8}))
    return toy


def combined(folder: Path) -> Peer:
    """Keys and values in one tensor, of a decoder that also sees no further than a window."""
    toy = Peer(combined=True, window=5)
    toy.write(folder, ["decoder"])
    inputs = {key: name for key, name in INPUTS.items() if "past" not in key} | {"past_names": "past_%d"}
    outputs = {"logits": "logits", "present_names": "present_%d"}
    lay(folder, _said("gpt2", {"filename": "decoder.onnx", "inputs": inputs, "outputs": outputs}))
    return toy


PASTS = [f"past_key_values.{i}.{role}" for i in range(2) for role in ("key", "value")]
PRESENTS = [f"present.{i}.{role}" for i in range(2) for role in ("key", "value")]
BODY = ["hidden_in", "position_ids", "attention_mask", *PASTS]


def staged(folder: Path) -> Peer:
    """Embeddings, transformer, head, in the peer's own words for what goes between them."""
    toy = Peer()
    toy.write(folder, ["table", "body", "head"])
    rows = {
        "embeddings": stage("table", ["input_ids"], ["hidden_out"], output_names_forwarder={"hidden_out": "hidden_in"}),
        "transformer": stage("body", BODY, ["hidden_out", *PRESENTS], output_names_forwarder={"hidden_out": "mixed"}),
        "lm_head": stage("head", ["hidden_in"], ["logits"], is_lm_head=True),
    }
    rename(folder / "head.onnx", {"hidden_in": "mixed"})
    rows["lm_head"]["inputs"] = ["mixed"]
    lay(folder, _said("decoder-pipeline", {"pipeline": [rows], "inputs": INPUTS, "outputs": OUTPUTS}))
    return toy


def split(folder: Path) -> Peer:
    """Graphs for a prompt and for a token, over the same table and head."""
    toy = staged(folder)
    data = json.loads((folder / "genai_config.json").read_text())
    (rows,) = data["model"]["decoder"]["pipeline"]
    body = rows.pop("transformer")
    (folder / "prompt.onnx").write_bytes((folder / "body.onnx").read_bytes())
    between = {"prompt": body | {"filename": "prompt.onnx", "run_on_token_gen": False},
               "token": body | {"run_on_prompt": False}}  # fmt: skip
    names = ["embeddings", "prompt", "token", "lm_head"]
    data["model"]["decoder"]["pipeline"] = [{name: (rows | between)[name]} for name in names]
    lay(folder, data)
    return toy


def rename(path: Path, names: dict[str, str]) -> None:
    """Gives a graph's tensors other names."""
    model = onnx.load(path)
    for value in (*model.graph.input, *model.graph.output):
        value.name = names.get(value.name, value.name)
    for node in model.graph.node:
        for ends in (node.input, node.output):
            ends[:] = [names.get(name, name) for name in ends]
    onnx.save(model, path)


def renamed(folder: Path) -> Peer:
    """One decoder that calls everything otherwise."""
    toy = single(folder)
    names = {"input_ids": "tokens", "attention_mask": "mask", "position_ids": "places", "logits": "scores"}
    inputs = {key: names.get(name, name) for key, name in INPUTS.items()}
    outputs = {"logits": "scores", "present_key_names": "new_%d_k", "present_value_names": "new_%d_v"}
    inputs |= {"past_key_names": "old_%d_k", "past_value_names": "old_%d_v"}
    for past, present in zip(PASTS, PRESENTS, strict=True):
        _, layer, role = past.split(".")
        names |= {past: f"old_{layer}_{role[0]}", present: f"new_{layer}_{role[0]}"}
    rename(folder / "decoder.onnx", names)
    lay(folder, _said("decoder", {"filename": "decoder.onnx", "inputs": inputs, "outputs": outputs}))
    return toy


def hearing(folder: Path) -> Peer:
    """An encoder that is given sound and hands over keys and values, and a decoder that attends to them."""
    toy = Crossed(attends=True)
    toy.write(folder, ["decoder"])
    net, outputs = Net(), dict[str, Any]()
    for half, name in (("key", "k"), ("value", "v")):
        made = net.reshape(net("MatMul", "audio_features", net.const(toy.weights[f"cross.{name}"])), 1, -1, H, D // H)
        net("Transpose", made, perm=[0, 2, 1, 3], out=f"present_{half}_cross_0")
        outputs[f"present_{half}_cross_0"] = (FLOAT, [1, H, "frames", D // H])
    net.save(folder / "encoder.onnx", {"audio_features": (FLOAT, [1, "frames", D])}, outputs)
    halves = ("key", "value")
    encoder = {
        "filename": "encoder.onnx", "inputs": {"audio_features": "audio_features"},
        "outputs": {f"cross_present_{half}_names": f"present_{half}_cross_%d" for half in halves},
    }  # fmt: skip
    inputs = INPUTS | {f"cross_past_{half}_names": f"past_{half}_cross_%d" for half in halves}
    decoder = {"filename": "decoder.onnx", "inputs": inputs, "outputs": OUTPUTS, "num_hidden_layers": 1}
    lay(folder, _said("whisper", decoder, encoder=encoder, decoder_start_token_id=1))
    return toy


@dataclass
class Crossed(Peer):
    """One layer, then one that attends to keys and values that were handed over."""

    layers: Any = (0,)

    def _body(
        self, net: Net, x: str, chosen: list[int], columns: int | str, inputs: dict[str, Any], outputs: dict[str, Any]
    ) -> str:
        self.attends = False
        x = super()._body(net, x, chosen, columns, inputs, outputs)
        self.attends = True
        crossed = [f"past_{half}_cross_0" for half in ("key", "value")]
        inputs |= dict.fromkeys(crossed, (FLOAT, [1, H, "frames", D // H]))
        q, o = (net.const(self.weights[f"cross.{name}"]) for name in "qo")
        return net("Add", x, attention(net, x, *crossed, net.const(0.0), q, o))


def seeing(folder: Path, *kinds: str) -> Peer:
    """Pictures, sound or both: readers, an embedding that places their rows, a decoder of embeddings."""
    toy = Peer(modalities=kinds or ("image",))
    toy.write(folder, ["table", "tail"])
    parts: Data = {
        "embedding": {
            "filename": "table.onnx",
            "inputs": {"input_ids": "input_ids"} | {f"{kind}_features": f"{kind}_features" for kind in toy.modalities},
            "outputs": {"inputs_embeds": "hidden_out"},
        }
    }
    for kind, part in (("image", "vision"), ("audio", "speech")):
        if kind in toy.modalities:
            write_reader(folder, toy, kind)
            given = {"image": "pixel_values", "audio": "audio_embeds"}[kind]
            parts[part] = {"filename": f"{kind}.onnx", "inputs": {given: given}}
            parts[part]["outputs"] = {f"{kind}_features": f"{kind}_features"}
            parts[f"{kind}_token_id"] = {"image": IMAGE, "audio": AUDIO}[kind]
    inputs = {key: name for key, name in INPUTS.items() if key != "input_ids"} | {"inputs_embeds": "hidden_in"}
    decoder = {"filename": "tail.onnx", "inputs": inputs, "outputs": OUTPUTS}
    lay(folder, _said("phi3v" if toy.modalities == ("image",) else "phi4mm", decoder, **parts))
    return toy
