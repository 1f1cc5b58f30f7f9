"""Bundles as Joinery builds them, by hand: a wide mask for every group of layers, present of the new rows alone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import onnx

from tests.workflows.runtime.toy_bundles import Net, Toy, V
from workflows.bundle.write import publish
from workflows.kvcache.geometry import FACTS_KEY

Data = dict[str, Any]


@dataclass
class Grouped(Toy):
    """A toy whose second layer has a mask of its own. narrow: how far back that sees, its own place included."""

    narrow: int | None = None

    def _layer(
        self, net: Net, x: str, i: int, columns: int | str, inputs: dict[str, Any], outputs: dict[str, Any]
    ) -> str:
        before = len(net.nodes)
        x = super()._layer(net, x, i, columns, inputs, outputs)
        if self.narrow is not None and i == 1:
            own = f"attention_mask_{self.narrow}"
            inputs[own] = inputs["attention_mask"]
            for node in net.nodes[before:]:
                node.input[:] = [own if name == "attention_mask" else name for name in node.input]
        return x

    def facts(self) -> Data:
        """What a graph of Joinery's notes of its cache."""
        groups = [{"name": "all", "mask": "attention_mask", "layers": [0, 1], "window": None}]
        if self.narrow is not None:
            groups[0]["layers"] = [0]
            groups.append({"name": "narrow", "mask": f"attention_mask_{self.narrow}", "layers": [1],
                           "window": self.narrow})  # fmt: skip
        return {"writer": "host", "groups": groups, "left_aligned": False}


class Convolved(Toy):
    """A toy with a convolution behind its layers, whose state has Joinery's names, of a layer of its own."""

    def __init__(self) -> None:
        super().__init__(convolves=True)

    def _body(self, net: Net, x: str, chosen: Any, columns: Any, inputs: Data, outputs: Data) -> str:
        x = super()._body(net, x, chosen, columns, inputs, outputs)
        names = {"past_conv.0": f"past.{len(self.layers)}.conv", "present_conv.0": f"present.{len(self.layers)}.conv"}
        for ends in (inputs, outputs):
            for old, new in names.items():
                if old in ends:
                    ends[new] = ends.pop(old)
        for node in net.nodes:
            node.input[:] = [names.get(name, name) for name in node.input]
            node.output[:] = [names.get(name, name) for name in node.output]
        return x


def note(path: Path, facts: Data) -> None:
    """Writes the facts of a cache into a graph."""
    model = onnx.load(path)
    model.metadata_props.add(key=FACTS_KEY, value=json.dumps(facts))
    onnx.save(model, path)


def built(out: Path, toy: Toy, parts: tuple[str, ...] = ("decoder",), **changes: Any) -> Path:
    """A bundle over the toy's graphs: one decoder, or parts that hand on what is hidden.

    changes: of the decoded pipeline.json, `words` of the tokenizer's files, `columns` of the graphs.
    """
    draft = out.with_name(f"{out.name}.draft")
    (draft / "tokenizer").mkdir(parents=True)
    columns = changes.pop("columns", "n")
    toy.write(draft, parts, columns)
    if isinstance(toy, Grouped):
        for part in parts:
            if part in ("decoder", "body"):
                note(draft / f"{part}.onnx", toy.facts())
    for name, text in changes.pop("words", {}).items():
        (draft / "tokenizer" / name).write_text(text, "utf-8")
    edges = [{"from": f"{one}.hidden_out", "to": f"{two}.hidden_in"} for one, two in pairwise(parts)]
    flow = {
        "sessions": {part: {"file": f"{part}.onnx"} for part in parts},
        "flow": [{"run": part} for part in parts],
        "dataflow": edges,
        "state": {"kv_cache": {"format": "combined"} if toy.combined else {}},
    }
    data = {
        "version": 2,
        "pipeline": flow | changes.pop("pipeline", {}),
        "tokens": {"eos": [V - 1]},
        "generation": {"max_length": 64},
        "metadata": {"model_type": "toy", "name": "toy", "vocabulary": V, "chunk": 8} | changes.pop("metadata", {}),
    }
    (draft / "pipeline.json").write_text(json.dumps(data | changes), "utf-8")
    publish(draft, out, force=False)
    return out
