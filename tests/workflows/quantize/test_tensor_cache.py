"""Tensors in files of their own: computed once, whatever kills the build, and made anew where they are damaged."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest

from tests.workflows.optimize.making import parse, weights
from workflows.graph.weights import load_saved_graph, save_graphs
from workflows.quantize import METHODS, block_quantization, run_method
from workflows.quantize.tensor_cache import TensorCache
from workflows.recipe import QuantizeSettings

TEXT = """g (int64[1,S] ids) => (float[1,S,96] logits) {
    x = Gather(table, ids)
    y = MatMul(x, a)
    z = MatMul(y, b)
    t = Transpose <perm = [1,0]> (table)
    logits = MatMul(z, t)
}"""
SETTINGS = QuantizeSettings(symmetric=True, embedding=None)


@pytest.fixture
def stage(tmp_path: Path) -> Path:
    """A folder with a graph over a weight file; onnx's checker is shown tensors of 1 KiB, and none of these."""
    model = parse(TEXT, table=weights(96, 128), a=weights(128, 128, seed=1), b=weights(128, 128, seed=2))
    save_graphs({"g.onnx": model}, tmp_path)
    return tmp_path


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The shapes of the matrices that were quantized."""
    shapes: list[tuple[int, ...]] = []
    plain = block_quantization.quantize_rows

    def noted(rows: block_quantization.Weights, *how: Any) -> tuple[np.ndarray, ...]:
        shapes.append(rows.shape)
        return plain(rows, *how)

    monkeypatch.setattr(block_quantization, "quantize_rows", noted)
    return shapes


def quantize(stage: Path, out: Path, kill_at: int = -1) -> bytes:
    """The weight file of the stage's graph in int4, its parts kept beside it; killed before a tensor if so asked."""
    model = load_saved_graph(stage / "g.onnx")
    run_method(model, METHODS["int4"], SETTINGS)

    def tell(done: int, total: int) -> None:
        assert 0 <= done < total
        if done == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    TensorCache(stage / "parts").store({"g.onnx": model}, tell)
    out.mkdir()
    save_graphs({"g.onnx": model}, out)
    return (out / "weights.data").read_bytes()


def plain(stage: Path, out: Path) -> bytes:
    """The same without parts."""
    model = load_saved_graph(stage / "g.onnx")
    run_method(model, METHODS["int4"], SETTINGS)
    out.mkdir()
    save_graphs({"g.onnx": model}, out)
    return (out / "weights.data").read_bytes()


def test_parts_make_the_same_file_and_the_table_and_its_head_are_computed_and_stored_once(
    stage: Path, computed: list[tuple[int, ...]]
) -> None:
    made = quantize(stage, stage / "made")
    assert sorted(computed) == [(96, 128), (128, 128), (128, 128)]
    assert made == plain(stage, stage / "plain")
    model = ir.load(stage / "made" / "g.onnx")
    one, other = (model.graph.initializers[f"table.int4{end}"].const_value for end in ("", ".rows"))
    assert isinstance(one, ir.ExternalTensor) and isinstance(other, ir.ExternalTensor)
    assert (one.offset, one.nbytes) == (other.offset, other.nbytes)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the process that is killed is a fork of this one")
@pytest.mark.parametrize("kill_at", [1, 3, 5])
def test_a_killed_quantization_goes_on_with_the_tensors_that_were_whole(
    stage: Path, kill_at: int, computed: list[tuple[int, ...]]
) -> None:
    child = os.fork()
    if child == 0:
        try:
            quantize(stage, stage / "killed", kill_at)
        finally:
            os._exit(1)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    kept = {path.name: path.stat().st_mtime_ns for path in (stage / "parts").glob("*.data")}
    assert kept
    made = quantize(stage, stage / "made")
    assert len(computed) == 3 - kill_at // 2  # a matrix of whose two tensors one was there is computed again
    assert kept.items() <= {path.name: path.stat().st_mtime_ns for path in (stage / "parts").glob("*.data")}.items()
    assert made == plain(stage, stage / "plain")


@pytest.mark.parametrize("damage", ["half", "other bytes", "empty"])
def test_a_part_that_is_not_what_it_was_is_made_anew(stage: Path, damage: str) -> None:
    made = quantize(stage, stage / "made")
    spoiled = max((stage / "parts").glob("*.data"), key=lambda path: path.stat().st_size)
    data = spoiled.read_bytes()
    spoiled.write_bytes({"half": data[: len(data) // 2], "other bytes": b"\1" + data[1:], "empty": b""}[damage])
    assert spoiled.read_bytes() != data
    assert quantize(stage, stage / "again") == made
    assert spoiled.read_bytes() == data
