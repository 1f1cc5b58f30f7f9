"""`joinery inspect --picture`, and the rows of a cache whose layers are unlike or that an encoder hands over."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from onnx import helper

from tests.workflows.inspection.picture.making import (
    CROSS,
    DRIVERS,
    IDS,
    LOGITS,
    SOURCE,
    Specs,
    cache,
    described,
    graph,
)
from workflows.bundle.manifest import MANIFEST, make_manifest
from workflows.cli import run
from workflows.common.tensors import TensorSpec
from workflows.runtime.program.signature import FileSignature

Inspect = Callable[..., tuple[int, str, str]]


@pytest.fixture
def inspect(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Inspect:
    """Runs `joinery inspect` in this process: (exit code, stdout, stderr)."""
    monkeypatch.setenv("COLUMNS", "200")

    def call(*arguments: object) -> tuple[int, str, str]:
        code = run(["inspect", *map(str, arguments)])
        return (code, *capsys.readouterr())

    return call


def write(path: Path, made: FileSignature) -> Path:
    """A graph with this signature that computes nothing of use."""
    types = {"int64": 7, "float32": 1}

    def value(spec: TensorSpec) -> Any:
        return helper.make_tensor_value_info(spec.name, types[spec.dtype], spec.shape)

    sides = [[value(spec) for spec in side] for side in (made.inputs, made.outputs)]
    first = made.inputs[0].name
    nodes = [helper.make_node("Identity", [first], [spec.name]) for spec in made.outputs]
    path.write_bytes(helper.make_model(helper.make_graph(nodes, "made", *sides)).SerializeToString())
    return path


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """An encoder, and a decoder whose second layer is wider than the others."""
    folder = tmp_path / "bundle"
    folder.mkdir()
    past, present = cache(4, 8, 4)
    source: Specs = {"input_ids": ((1, "source"), "int64"), **SOURCE}
    graphs = {
        "encoder": graph(source, CROSS),
        "decoder": graph({**IDS, **DRIVERS, **past, **CROSS, **SOURCE}, {**LOGITS, **present}),
    }
    state = {"kv_cache": {}, "cross_cache": {"source": "encoder"}}
    edges = [f"encoder.{name} decoder.{name}" for name in CROSS]
    pipeline = described(graphs, ["encoder init", "decoder step"], edges, state)
    for name, made in graphs.items():
        write(folder / f"{name}.onnx", made)
    (folder / "pipeline.json").write_text(pipeline.to_json(), "utf-8")
    (folder / MANIFEST).write_text(make_manifest(folder).model_dump_json(), "utf-8")
    return folder


def test_a_row_is_true_for_all_its_layers(inspect: Inspect, bundle: Path) -> None:
    """Layers of another shape have a row of their own, and so has what the encoder hands over."""
    code, out, err = inspect(bundle, "--json")
    rows = json.loads(out)["kv"]
    assert (code, err) == (0, "joinery: The bundle has no tokenizer.json: prompts and replies are ids alone.\n")
    assert [(row["group"], row["layout"], row["layers"], row["shape"], row["writer"]) for row in rows] == [
        ("all", "static", [0, 2], [1, 2, "slots", 4], "host"),
        ("all", "static", [1], [1, 2, "slots", 8], "host"),
        ("cross", "cross", [0, 1], [1, 2, "source", 4], "encoder"),
    ]
    keys_and_values, heads, item = 2, 2, 4
    assert [row["bytes"] for row in rows] == [
        32 * 2 * keys_and_values * heads * 4 * item,
        32 * 1 * keys_and_values * heads * 8 * item,
        None,
    ]
    assert {frozenset(row) for row in rows} == {frozenset(rows[0])}


def test_rows_as_text(inspect: Inspect, bundle: Path) -> None:
    """With the layers that they are of."""
    out = inspect(bundle)[1]
    assert "KV cache all: static, layers 0, 2, capacity 32, float32 [1, 2, 'slots', 4]" in out
    assert "KV cache cross: cross, layers 0–1, float32 [1, 2, 'source', 4], size set when it is opened" in out


def test_the_picture_of_a_bundle(inspect: Inspect, bundle: Path, tmp_path: Path) -> None:
    """Written beside the report, which stays what it is, and again over itself."""
    file = tmp_path / "picture.svg"
    plain = inspect(bundle, "--json")
    assert inspect(bundle, "--json", "--picture", file) == plain
    first = file.read_bytes()
    assert inspect(bundle, "--picture", file)[0] == 0 and file.read_bytes() == first
    text = "\n".join(ElementTree.parse(file).getroot().itertext())
    for name in ("encoder", "decoder", "KV cache", "Cross cache", "layers 0, 2", "layer 1", "attention_mask", "logits"):
        assert name in text


def test_the_picture_of_a_graph(inspect: Inspect, bundle: Path, tmp_path: Path) -> None:
    """One box with its cache."""
    assert inspect(bundle / "decoder.onnx", "--picture", tmp_path / "one.svg")[0] == 0
    text = "\n".join(ElementTree.parse(tmp_path / "one.svg").getroot().itertext())
    assert "decoder.onnx" in text and "encoder" not in text and "KV cache" in text


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--picture", "picture.png"], "picture.png does not end in .svg"),
        (["--picture", "own.svg"], "own.svg exists, and Joinery did not write it"),
        (["--stage", "export", "--picture", "new.svg"], "--picture draws a bundle or an .onnx file as a whole"),
    ],
)
def test_what_cannot_be_drawn(
    inspect: Inspect, bundle: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str], told: str
) -> None:
    """One sentence, and nothing is written or lost."""
    monkeypatch.chdir(tmp_path)
    Path("own.svg").write_text("mine")
    code, out, err = inspect(bundle, *arguments)
    assert (code, out) == (2, "") and told in err and err.count("\n") == 1
    assert Path("own.svg").read_text() == "mine" and not Path("new.svg").exists()
