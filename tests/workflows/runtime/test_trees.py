"""Tokens that branch, fed in one run: the logits of each are those of a run along its path, in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.workflows.conftest import Built, make_qwen3
from tests.workflows.runtime.test_composites import IDS, STEP, fed, opened
from tests.workflows.runtime.toy_bundles import Toy
from workflows.bundle import read_bundle
from workflows.common.errors import CapacityError, GraphError, RequestError
from workflows.runtime import Machine, device_named, open_machine

PARENTS = (-1, 0, 0, 1, 1, 2, 3, 0)
NODES = [11, 3, 17, 3, 29, 5, 8, 30]
PATH = (0, 1, 3, 6)
CLOSE: dict[str, float] = {"atol": 2e-4, "rtol": 1e-4}  # numpy reckons in float64


def along(parents: Sequence[int], node: int) -> list[int]:
    """The tokens' places from the first to `node`."""
    return [*(along(parents, parents[node]) if parents[node] >= 0 else []), node]


def check_tree(machine: Machine, toy: Toy, ids: Sequence[int], **more: Any) -> NDArray[Any]:
    """Every node against numpy; the cache is as it was before."""
    before = machine.cache.length
    rows = machine.step(NODES, machine.verify_phase or "decode", len(NODES), PARENTS).copy()
    for node in range(len(NODES)):
        text = [*ids, *(NODES[place] for place in along(PARENTS, node))]
        np.testing.assert_allclose(rows[node], toy.truth(text, **more)[-1], **CLOSE, err_msg=f"node {node}")
    assert machine.cache.length == before
    return rows


@pytest.mark.parametrize("length", [1, 7, 19])
@pytest.mark.parametrize("kind", ["plain", "combined", "grid", "gaps"])
def test_each_node_is_what_a_run_along_its_path_is(kind: str, length: int, tmp_path: Path) -> None:
    """And after a path was kept, the cache is as if it had been fed alone."""
    made = {"combined": {"combined": True}, "grid": {"grid": True}, "gaps": {"layers": (1, 4)}}
    toy = Toy(**made.get(kind, {}))
    toy.write(tmp_path, ["decoder"])
    named = {"state": {"kv_cache": {"format": "combined"}}} if kind == "combined" else {}
    machine, ids = opened(tmp_path, STEP, **named), IDS[:length]
    fed(machine, ids)
    check_tree(machine, toy, ids)
    machine.commit_path(PATH)
    kept = [*ids, *(NODES[place] for place in PATH)]
    assert machine.cache.length == len(kept)
    assert machine.cache.groups[0].table.tolist()[: len(kept)] == [*range(len(kept))]
    np.testing.assert_allclose(machine.step([4])[-1], toy.truth([*kept, 4])[-1], **CLOSE)
    machine.cache.rewind(len(ids) + 1)
    np.testing.assert_allclose(machine.step([9])[-1], toy.truth([*ids, NODES[0], 9])[-1], **CLOSE)


def test_a_tree_through_a_prefill_of_fixed_width(tmp_path: Path) -> None:
    toy = Toy()
    for tag, columns in (("8", 8), ("1", 1)):
        toy.write(tmp_path, ["decoder"], columns, tag)
    flow = [{"run": "prefill", "when": "init"}, {"run": "decoder"}]
    machine = opened(tmp_path, flow, files={"prefill": "decoder8.onnx", "decoder": "decoder1.onnx"})
    assert machine.verify_phase == "prefill"
    fed(machine, IDS[:13])
    check_tree(machine, toy, IDS[:13])
    few = machine.step(NODES[:3], "prefill", 3, PARENTS[:3])  # five columns are padding
    np.testing.assert_allclose(few[2], toy.truth([*IDS[:13], NODES[0], NODES[2]])[-1], **CLOSE)
    machine.commit_path((0, 2))
    np.testing.assert_allclose(machine.step([4])[-1], toy.truth([*IDS[:13], NODES[0], NODES[2], 4])[-1], **CLOSE)


@pytest.mark.parametrize(
    ("cache", "length", "sinks"),
    [("window", 5, 0), ("window", 11, 0), ("window", 30, 0), ("window", 30, 2), ("fifo", 11, 0), ("fifo", 30, 0)],
)
def test_a_tree_over_a_window_that_slides(cache: str, length: int, sinks: int, tmp_path: Path) -> None:
    """Full or not, the nodes see the window behind their own place; a kept path takes the oldest slots."""
    toy, window = Toy(layers=(0,)), 12
    toy.write(tmp_path, ["decoder"])
    asked = {"runtime": {"sliding_window": {"size": window, "sink_tokens": sinks}}}
    sessions = {"decoder": {"file": "decoder.onnx", "session_options": asked}}
    metadata = {"metadata": {"model_type": "toy", "vocabulary": 40, "chunk": 8, "layout": cache}}
    machine, ids = opened(tmp_path, STEP, sessions=sessions, **metadata), IDS[:length]
    fed(machine, ids)

    def truth(text: Sequence[int]) -> NDArray[Any]:
        query, key = np.arange(len(text))[:, None], np.arange(len(text))[None]
        near = (query - key < window - sinks) | (key < sinks)
        return np.asarray(toy.truth(text, visible=(key <= query) & near)[-1])

    rows = machine.step(NODES, rows=len(NODES), parents=PARENTS).copy()
    for node in range(len(NODES)):
        text = [*ids, *(NODES[place] for place in along(PARENTS, node))]
        np.testing.assert_allclose(rows[node], truth(text), **CLOSE, err_msg=f"node {node}")
    machine.commit_path(PATH)
    kept = [*ids, *(NODES[place] for place in PATH)]
    np.testing.assert_allclose(machine.step([4])[-1], truth([*kept, 4]), **CLOSE)


def test_a_tree_at_the_end_of_the_cache(tmp_path: Path) -> None:
    """Its depth must fit, and not its number of nodes: only a path is kept."""
    toy = Toy()
    toy.write(tmp_path, ["decoder"])
    machine, ids = opened(tmp_path, STEP, capacity=16), IDS[:12]
    fed(machine, ids)
    assert (machine.draft_room, machine.tree_room) == (3, 7)
    check_tree(machine, toy, ids)
    machine.commit_path(PATH)
    assert machine.cache.length == 16 and not machine.cache.has_room
    machine.cache.rewind(13)
    with pytest.raises(CapacityError, match="holds 16 tokens, and position 16"):
        machine.step(NODES, rows=8, parents=PARENTS)
    assert machine.cache.length == 13


def test_what_is_no_tree_is_refused(tmp_path: Path) -> None:
    """A child before its parent, a path with a gap, a step that did not branch, one that was kept already."""
    Toy().write(tmp_path, ["decoder"])
    machine = opened(tmp_path, STEP)
    for parents in ((0, 0), (1, -1), (-1,), (-2, 0)):
        with pytest.raises(GraphError, match="form no tree of 2 tokens"):
            machine.step([1, 2], rows=2, parents=parents)
    machine.step(NODES, rows=8, parents=PARENTS)
    for path in ((1,), (0, 3), (0, 0), (8,), (0, -1)):
        with pytest.raises(GraphError, match="form no path"):
            machine.commit_path(path)
    machine.commit_path(())
    assert machine.cache.length == 0
    for again in (False, True):
        with pytest.raises(RequestError, match="did not branch"):
            machine.commit_path((0,))
        if not again:
            machine.step([1])
    machine.step([1, 2], rows=2, parents=(-1, -1))
    machine.step([5])
    with pytest.raises(RequestError, match="did not branch"):
        machine.commit_path((0,))


@pytest.mark.slow
@pytest.mark.parametrize("cache", ["static", "window"])
def test_rotary_positions_and_layers_with_a_window_of_their_own(cache: str, built: Built, tmp_path: Path) -> None:
    """An exported model with a full and a sliding layer: each node against plain runs along its path."""
    sliding = {"layer_types": ["sliding_attention", "full_attention"], "use_sliding_window": True, "sliding_window": 6}
    folder = built(make_qwen3(tmp_path, **sliding, max_position_embeddings=64), capacity=24, cache="static")
    with open_machine(read_bundle(folder), device_named("cpu"), cache=cache) as machine:
        assert {group.window for group in machine.cache.groups} == {6, None if cache == "static" else 24}
        for length in (1, 11) if cache == "static" else (11, 40):
            ids, plain = IDS[:length], list[NDArray[Any]]()
            for node in range(len(NODES)):
                machine.cache.reset()
                text = [*ids, *(NODES[place] for place in along(PARENTS, node))]
                plain.append([machine.step([token])[-1].copy() for token in text][-1])
            machine.cache.reset()
            for chunk, phase in machine.chunks(ids):
                machine.step(chunk, phase)
            rows = machine.step(NODES, machine.verify_phase or "decode", len(NODES), PARENTS).copy()
            np.testing.assert_allclose(rows, plain, **CLOSE)
            machine.commit_path((0, 1, 3))
            again = machine.step([NODES[6]])[-1]
            np.testing.assert_allclose(again, plain[6], **CLOSE)
