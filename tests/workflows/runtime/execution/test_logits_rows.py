"""Graphs whose rows of logits can be chosen: what is computed, and that it is what numpy says of the whole text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from numpy.typing import NDArray

from tests.workflows.optimize.making import apply
from tests.workflows.runtime.test_composites import IDS, STEP, opened
from tests.workflows.runtime.test_trees import check_tree
from tests.workflows.runtime.toy_bundles import D, Toy
from workflows.common.errors import GraphError
from workflows.optimize import PASSES
from workflows.runtime import Machine

CLOSE: dict[str, float] = {"atol": 2e-4, "rtol": 1e-4}  # numpy reckons in float64
SPLIT = [{"run": "prefill", "when": "init"}, {"run": "decoder"}]


def choosable(path: Path) -> None:
    """Lets the rows of its logits be chosen, as a build does; toys do not note the shape of what their heads read."""
    model = ir.load(path)
    logits = next(value for value in model.graph.outputs if value.name == "logits")
    hidden = logits.producer().inputs[0]  # type: ignore[union-attr]
    hidden.shape, hidden.type = ir.Shape([1, logits.shape[1], D]), logits.type  # type: ignore[union-attr, index]
    assert apply(model, "logits_rows")[0].modified
    ir.save(model, path)


def computed(machine: Machine, ids: Sequence[int], rows: int = 1) -> tuple[NDArray[Any], list[int]]:
    """The logits after the last chunk of `ids`, and how many rows each of the runs computed."""
    counts = list[int]()
    made = machine.bindings.get

    def noted(*told: Any, **more: Any) -> Any:
        bound = made(*told, **more)
        counts.append(bound.logits.shape[1])
        return bound

    machine.bindings.get = noted  # type: ignore[method-assign]
    for tokens, phase in machine.chunks(ids):
        logits = machine.step(tokens, phase, min(rows, len(tokens)))
    machine.bindings.get = made  # type: ignore[method-assign]
    return logits, counts


@pytest.mark.parametrize("exposes", [False, True])
@pytest.mark.parametrize("length", [1, 3, 4, 5, 11])
def test_a_prompt_gives_the_row_of_its_last_token_alone(length: int, exposes: bool, tmp_path: Path) -> None:
    toy, ids = Toy(exposes=exposes), IDS[:length]
    toy.write(tmp_path, ["decoder"])
    choosable(tmp_path / "decoder.onnx")
    machine = opened(tmp_path, STEP)
    machine.chunk = 4
    heard: dict[int, int] = {}
    if exposes:
        machine.listen(SimpleNamespace(on_hidden_states=lambda start, rows: heard.update({start: len(rows)})))
    logits, counts = computed(machine, ids)
    np.testing.assert_allclose(logits, toy.truth(ids)[-1:], **CLOSE)
    assert counts == [1] * -(-length // 4)
    assert sum(heard.values()) == (length if exposes else 0)  # hidden states are of every token


def test_as_many_rows_as_are_requested(tmp_path: Path) -> None:
    toy, ids = Toy(), IDS[:11]
    toy.write(tmp_path, ["decoder"])
    choosable(tmp_path / "decoder.onnx")
    machine = opened(tmp_path, STEP)
    machine.chunk, truth = 11, toy.truth(ids)
    for rows in (3, 11, 1, 3):  # a binding that was kept is of the rows that it is asked for
        machine.cache.reset()
        logits, counts = computed(machine, ids, rows)
        np.testing.assert_allclose(logits, truth[-rows:], **CLOSE)
        assert counts == [rows]
    with pytest.raises(GraphError, match="the logits of 2 of 2 tokens, and 3 were requested"):
        machine.step([1, 2], "prefill", 3)
    check_tree(machine, toy, ids)


def test_a_fixed_chunk_keeps_its_fixed_rows(tmp_path: Path) -> None:
    """All its axes are numbers, as providers without open shapes need them; the row before the padding is taken."""
    toy, ids = Toy(), IDS[:13]
    for tag, columns in (("8", 8), ("1", 1)):
        toy.write(tmp_path, ["decoder"], columns, tag)
    why = PASSES["logits_rows"].requires(ir.load(tmp_path / "decoder8.onnx"))
    assert why is not None and why.reason == "its sequence axis is fixed to 8, and so are the rows of its logits"
    machine = opened(tmp_path, SPLIT, files={"prefill": "decoder8.onnx", "decoder": "decoder1.onnx"})
    logits, counts = computed(machine, ids, 2)
    np.testing.assert_allclose(logits, toy.truth(ids)[-2:], **CLOSE)
    assert counts == [8, 8]


def test_a_head_of_its_own(tmp_path: Path) -> None:
    toy, ids = Toy(), IDS[:7]
    toy.write(tmp_path, ["table", "body", "head"])
    choosable(tmp_path / "head.onnx")
    edges = [("table.hidden_out", "body.hidden_in"), ("body.hidden_out", "head.hidden_in")]
    machine = opened(tmp_path, [{"run": name} for name in ("table", "body", "head")], edges)
    logits, counts = computed(machine, ids)
    np.testing.assert_allclose(logits, toy.truth(ids)[-1:], **CLOSE)
    assert counts == [1]


def test_who_observes_sees_every_row(tmp_path: Path) -> None:
    toy, ids = Toy(), IDS[:7]
    toy.write(tmp_path, ["decoder"])
    choosable(tmp_path / "decoder.onnx")
    seen: list[Mapping[str, Any]] = []
    plain = opened(tmp_path, STEP)
    kept = plain.pipeline, plain.program, plain.sessions, plain.cache, plain.device
    machine = Machine(*kept, lambda name, outputs: seen.append(outputs))
    logits, counts = computed(machine, ids)
    np.testing.assert_allclose(logits, toy.truth(ids)[-1:], **CLOSE)
    assert counts == [len(ids)] and len(seen) == 1
