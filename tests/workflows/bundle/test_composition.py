"""The route of a file: a table of structures, none of which is told by a model's name."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

import workflows.bundle.composition
from workflows.bundle.schema import parse_pipeline

INIT, KV = {"when": "init"}, {"kv_cache": {}}


def file(*stages: dict[str, Any] | str, edges: tuple[str, ...] = (), **pipeline: Any) -> dict[str, Any]:
    """A file whose stages are these; edges as `a.x > b.y`."""
    flow = [{"run": stage} if isinstance(stage, str) else stage for stage in stages]
    body = {
        "sessions": {stage["run"]: {"file": f"{stage['run']}.onnx"} for stage in flow},
        "flow": flow,
        "dataflow": [dict(zip(("from", "to"), edge.split(" > "), strict=True)) for edge in edges],
        "state": KV,
    }
    return {"pipeline": body | pipeline, "generation": {"max_length": 8}, "metadata": {"model_type": "whisper"}}


def at_init(name: str, **more: str) -> dict[str, Any]:
    return {"run": name, **INIT, **more}


PLUGIN = {"library": "l.so", "entry_point": "f"}
SEES = ("eyes.image_features > words.image_features", "words.rows > body.rows")
HEARS = ("ears.audio_features > words.audio_features",)
TABLE: list[tuple[str, dict[str, Any]]] = [
    ("decoder", file("body")),
    ("decoder", {**file(), "pipeline": {"extends": "autoregressive-decoder", "sessions": {"decoder": {"file": "m"}}}}),
    ("prefill-decode", file(at_init("wide"), "narrow")),
    ("decoder-pipeline", file("words", "body", "head")),
    ("prefill-decode", file(at_init("words"), at_init("wide"), at_init("head"), "words", "body", "head")),
    ("encoder-decoder", file(at_init("reader"), "body", state={**KV, "cross_cache": {"source": "reader"}})),
    ("encoder-decoder", file(at_init("reader"), {"run": "body", "cross_attention_from": "reader"})),
    ("vision-language", file(at_init("eyes", loop="per_image"), at_init("words"), "body", edges=SEES)),
    ("speech-language", file(at_init("ears"), "words", "body", edges=HEARS)),
    ("multimodal", file(at_init("eyes"), at_init("ears"), "words", "body", edges=SEES + HEARS)),
    ("combined", file("body", state={"kv_cache": {"format": "combined"}})),
    ("single", file(at_init("graph"), state={})),
    ("plugin", {**file(), "pipeline": {"plugin": PLUGIN, "sessions": {"a": {"file": "a"}}}}),
]


@pytest.mark.parametrize(("route", "data"), TABLE, ids=[f"{route} {i}" for i, (route, _) in enumerate(TABLE)])
def test_the_structure_determines_the_route(route: str, data: dict[str, Any]) -> None:
    """All are said to be of one model type, which is none of theirs."""
    assert parse_pipeline(data, "x").route == route


@pytest.mark.parametrize("folder", ["bundle", "runtime", "kvcache", "generate"])
def test_no_model_type_decides_what_runs(folder: str) -> None:
    """Where files are read and run, `model_type` is handed on or told, and never compared."""
    root = Path(workflows.bundle.composition.__file__).parents[1] / folder
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Compare | ast.Match | ast.Subscript | ast.IfExp | ast.If):
                tested = node.test if isinstance(node, ast.If | ast.IfExp) else node
                names = {one.attr for one in ast.walk(tested) if isinstance(one, ast.Attribute)}
                assert "model_type" not in names, f"{path.name}:{node.lineno} asks for model_type"
