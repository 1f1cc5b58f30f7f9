"""Bundles whose file asks for drafts: toys of two models, the target of two layers and a draft of one."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from tests.workflows.runtime.toy_bundles import Toy, V
from workflows.bundle.manifest import write_manifest

DRAFTED: dict[str, Any] = {"draft": {"session": "draft"}, "num_speculative_tokens": 4}
CHAIN = ("table", "body0", "head")


def target(seed: int = 0) -> Toy:
    """Two layers whose greedy text does not end in one token at once."""
    toy, random = Toy(), np.random.default_rng(seed)
    toy.weights = {name: random.normal(size=value.shape) for name, value in toy.weights.items()}
    return toy


def duo(folder: Path, strategy: dict[str, Any] | None = None, draft: str = "first", **more: Any) -> Path:
    """A bundle that asks for `strategy`; more: keys of `pipeline` besides, `capacity`, or of `metadata`.

    draft: `first` layer of the target as one graph, a `chain` of three, `other` weights, the target `itself`, or none.
    """
    toy, names = target(), list[str]()
    folder.mkdir(exist_ok=True)
    toy.write(folder, ["decoder"])
    edges = []
    if draft:
        own = target(0 if draft != "other" else 5)
        own.layers = (0, 1) if draft == "itself" else (0,)
        parts = CHAIN if draft == "chain" else ("decoder",)
        own.write(folder, parts, tag="_draft")
        names = [*parts] if draft == "chain" else ["draft"]
        edges = [(f"{a}.hidden_out", f"{b}.hidden_in") for a, b in pairwise(names)]
    files = {name: f"{name if name in CHAIN else 'decoder'}_draft.onnx" for name in names}
    data: dict[str, Any] = {
        "pipeline": {
            "sessions": {
                name: {"file": file, "session_options": {"runtime": {"precision": "fp32"}}}
                for name, file in {"decoder": "decoder.onnx", **files}.items()
            },
            "flow": [{"run": "decoder"}],
            "dataflow": [{"from": source, "to": taker} for source, taker in edges],
            "state": {"kv_cache": {}},
        },
        "generation": {"max_length": more.pop("capacity", 64)},
        "metadata": {"model_type": "toy", "vocabulary": V, "chunk": 8} | more.pop("metadata", {}),
    }
    data["pipeline"] |= ({"strategy": strategy} if strategy is not None else {}) | more
    (folder / "pipeline.json").write_text(json.dumps(data), "utf-8")
    write_manifest(folder)
    return folder
