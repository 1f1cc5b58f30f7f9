"""Rows of one cache: sequences that come and go keep their own tokens, whatever the others do."""

from __future__ import annotations

import os
import random

import numpy as np
import pytest

from workflows.common.errors import CapacityError
from workflows.common.tensors import TensorSpec
from workflows.kvcache.cache_rows import CacheRows, rows_refusal
from workflows.kvcache.geometry import GroupFacts, StateFacts, StateTensor
from workflows.kvcache.layouts import LAYOUTS
from workflows.kvcache.step_planner import Step

CAPACITY, ROWS = 12, 4
STATE = [
    StateTensor(f"past.{layer}.{role}", f"present.{layer}.{role}", layer, role, ("batch", 2, "slots", width), "float32",
                "graph", "buffer")
    for layer in range(2) for role, width in (("key", 3), ("value", 5))
]  # fmt: skip
FACTS = StateFacts("gqa", (GroupFacts("all", "attention_mask", (0, 1), None),), joins="place")
INPUTS = {
    name: TensorSpec(name, shape, dtype)
    for name, shape, dtype in (
        ("input_ids", ("batch", "sequence"), "int64"), ("position_ids", ("batch", "sequence"), "int64"),
        ("seqlens_k", ("batch",), "int32"), ("total_sequence_length", (), "int32"),
    )
}  # fmt: skip
SCHEDULES = 10_000 if os.environ.get("JOINERY_EVERY_LAYOUT") else 300


def cache_of(rows: int = ROWS) -> CacheRows:
    return CacheRows(STATE, LAYOUTS["gqa"], CAPACITY, rows, FACTS, INPUTS)


def write(cache: CacheRows, inputs: dict[str, np.ndarray], count: int, columns: int, first: int = 0) -> None:
    """What GroupQueryAttention writes: each column's row, here its token, at the row's own length."""
    lengths = inputs["seqlens_k"] + 1 - columns
    assert inputs["total_sequence_length"] == (inputs["seqlens_k"] + 1).max()
    for tensor in STATE:
        past = cache.past(tensor.past, first + count)[first:]
        assert past.shape[0] == count and past.base is not None  # the cache's own memory
        for row in range(count):
            for column in range(columns):
                past[row, :, lengths[row] + column, :] = inputs["input_ids"][row, column] + tensor.layer


def read_prompt(cache: CacheRows, row: int, ids: list[int]) -> None:
    """Binds the row alone."""
    step: Step = cache.rows[row].plan(ids)
    write(cache, step.inputs, 1, len(ids), row)
    cache.rows[row].commit(step)


def check(cache: CacheRows, texts: dict[int, list[int]]) -> None:
    for row, text in texts.items():
        own = cache.rows[row]
        assert own.length == len(text)
        for tensor in STATE:
            rows = own.rows()[1][tensor.past]
            wanted = np.array(text, np.float32) + tensor.layer
            np.testing.assert_array_equal(rows, np.broadcast_to(wanted[None, None, :, None], rows.shape))


@pytest.mark.parametrize("seed", range(5))
def test_rows_that_come_and_go_keep_their_tokens(seed: int) -> None:
    """Prompts in chunks, steps of some rows, rewinds, resets and full rows, in any order."""
    cache = cache_of()
    for number in range(SCHEDULES // 5):
        chances, texts = random.Random(f"{seed} {number}"), {row: list[int]() for row in range(ROWS)}
        for own in cache.rows:
            own.reset()
        for _ in range(chances.randrange(1, 20)):
            row, room = chances.randrange(ROWS), 0
            room = CAPACITY - len(texts[row])
            match chances.choice(("prompt", "step", "step", "rewind", "leave")):
                case "prompt" if room:
                    ids = [chances.randrange(1, 99) for _ in range(chances.randrange(1, room + 1))]
                    read_prompt(cache, row, ids)
                    texts[row] += ids
                case "step":
                    free = [one for one in texts if len(texts[one]) < CAPACITY and chances.random() < 0.7]
                    if free:
                        fed = {one: chances.randrange(1, 99) for one in free}
                        step = cache.plan(fed)
                        write(cache, step.inputs, step.count, 1)
                        if chances.random() < 0.9:  # else it was cancelled, and leaves nothing behind
                            cache.commit(step)
                            for one, token in fed.items():
                                texts[one].append(token)
                case "rewind":
                    length = chances.randrange(len(texts[row]) + 1)
                    cache.rows[row].rewind(length)
                    del texts[row][length:]
                case "leave":
                    cache.rows[row].reset()
                    texts[row].clear()
            check(cache, texts)


def test_a_step_s_inputs() -> None:
    cache = cache_of()
    read_prompt(cache, 0, [5, 6])
    read_prompt(cache, 2, [7, 8, 9])
    step = cache.plan({2: 4})
    assert step.count == 3
    assert step.inputs["input_ids"].tolist() == [[0], [0], [4]]
    assert step.inputs["position_ids"].tolist() == [[0], [0], [3]]
    assert step.inputs["seqlens_k"].tolist() == [2, 0, 3], "rows that are not fed write behind their last token"
    assert step.inputs["total_sequence_length"] == 4


def test_a_full_row_is_refused_and_takes_part_as_an_idle_one() -> None:
    cache = cache_of()
    texts = {0: list(range(1, CAPACITY + 1)), 1: [3]}
    for row, ids in texts.items():
        read_prompt(cache, row, ids)
    with pytest.raises(CapacityError):
        cache.plan({0: 1, 1: 1})
    step = cache.plan({1: 9})
    write(cache, step.inputs, step.count, 1)
    cache.commit(step)
    check(cache, {0: texts[0], 1: [3, 9]})


@pytest.mark.parametrize(
    ("layout", "facts", "inputs", "shape", "reason"),
    [
        ("gqa", FACTS, INPUTS, "batch", ""),
        ("static", FACTS, INPUTS, "batch", "the static cache takes one mask for all columns of a run: build with"),
        ("scatter", FACTS, INPUTS, "batch", "the scatter cache takes one mask"),
        ("gqa", FACTS, INPUTS, 1, "its graphs take one text: build with --set batch=N"),
        ("gqa", FACTS, {**INPUTS, "attention_mask": TensorSpec("attention_mask", (1, 1), "int64")}, "batch",
         "its graphs take attention_mask, which is the same for all rows"),
        ("gqa", StateFacts("gqa", FACTS.groups, left_aligned=True), INPUTS, "batch", "depends on more than the number"),
        ("gqa", StateFacts("gqa", FACTS.groups, mutual="pictures"), INPUTS, "batch", "depends on more than the number"),
    ],
)  # fmt: skip
def test_what_has_no_rows_says_why(
    layout: str, facts: StateFacts, inputs: dict[str, TensorSpec], shape: int | str, reason: str
) -> None:
    state = [StateTensor("p", "q", 0, "key", (shape, 2, "slots", 3), "float32", "graph", "buffer")]
    refused = rows_refusal(state, LAYOUTS[layout], facts, inputs, carries=False)
    assert reason in refused and bool(refused) == bool(reason)
    assert "state of fixed size" in rows_refusal(state, LAYOUTS["gqa"], FACTS, INPUTS, carries=True)
