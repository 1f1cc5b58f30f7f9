"""What is told of a graph that notes nothing, and what cannot be."""

from __future__ import annotations

import json

import pytest

from tests.workflows.kvcache.test_geometry import PATTERNS
from workflows.common.errors import GraphError
from workflows.common.tensors import TensorSpec
from workflows.kvcache import find_state
from workflows.kvcache.geometry import StateFacts
from workflows.kvcache.layouts import LAYOUTS, choose_layout
from workflows.kvcache.state_inference import infer_facts

IDS, POSITIONS = TensorSpec("input_ids", ("b", "s"), "int64"), TensorSpec("position_ids", ("b", "s"), "int64")
ROW, SQUARE = ("b", "p + s"), ("b", 1, "s", "p + s")
PLACES = TensorSpec("cache_position", ("s",), "int64")
BOTH = ("write_indices", "nonpad_kv_seqlen")


def facts(
    present: int | str,
    mask: tuple | None = ROW,
    *others: str | TensorSpec,
    past: int | str = "p",
    rank: int = 4,
    positions: bool = True,
) -> StateFacts:
    """Of a graph with one layer; `others` are further inputs."""

    def shape(slots: int | str) -> tuple:
        return ("b", 2, slots, 8) if rank == 4 else ("b", slots, 16)

    inputs = [IDS, *([POSITIONS] if positions else [])]
    inputs += [TensorSpec("attention_mask", mask, "int64")] if mask else []
    inputs += [spec if isinstance(spec, TensorSpec) else TensorSpec(spec, (1,), "int64") for spec in others]
    inputs += [TensorSpec(f"past_key_values.0.{role}", shape(past), "float16") for role in ("key", "value")]
    outputs = [TensorSpec(f"present.0.{role}", shape(present), "float16") for role in ("key", "value")]
    return infer_facts(find_state(inputs, outputs, PATTERNS), inputs)


@pytest.mark.parametrize(
    ("told", "writer", "joins", "right", "counts"),
    [
        (facts("s", SQUARE), "host", "append", False, False),
        (facts("s"), "host", "append", True, False),
        (facts("p + s"), "host", "append", True, False),
        (facts("total"), "host", "append", True, False),
        (facts("s", ("b", "p")), "host", "slide", True, False),
        (facts("p", ("b", "p")), "host", "slide", True, False),
        (facts("s", ("b", "p"), PLACES), "host", "place", False, False),
        (facts("p + s", positions=False), "host", "append", False, True),
        (facts("p + s", None), "host", "append", False, True),
        (facts("s", ("b", 320), past=256), "host", "append", True, False),
        (facts("p", None, "seqlens_k"), "gqa", "place", False, False),
        (facts("p", None, *BOTH, rank=3), "scatter", "place", False, False),
    ],
)
def test_what_a_graph_does(told: StateFacts, writer: str, joins: str, right: bool, counts: bool) -> None:
    assert (told.writer, told.joins, told.right_aligned, told.counts) == (writer, joins, right, counts)
    assert told.note == ""


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (facts("p", ("b", 1, "s", "p"), *BOTH), "has 4 axes and the scatter cache has 3"),
        (facts("p", ("b", 1, "s", "p"), BOTH[0]), "it declares write_indices without nonpad_kv_seqlen"),
        (facts("s", SQUARE, BOTH[1]), "it declares nonpad_kv_seqlen without write_indices"),
        (facts("s", SQUARE, *BOTH, rank=3), "present.0.key is not the whole buffer"),
    ],
)
def test_scatter_by_halves_is_static_with_a_reason(told: StateFacts, why: str) -> None:
    assert why in told.note
    assert choose_layout(None, "scatter", told) == LAYOUTS["static"]


@pytest.mark.parametrize(
    ("case", "sentence"),
    [
        ({"present": "p", "mask": ("b", 1, "s", "p"), "rest": (BOTH[1],)}, "has no input write_indices"),
        ({"present": "p", "mask": None, "rest": ()}, "has no input write_indices"),
        ({"present": "s", "mask": None, "rest": (), "past": 64}, "64 slots and no attention_mask to mark"),
        ({"present": "s", "mask": ROW, "rest": (PLACES,), "past": 64}, "takes cache_position besides"),
    ],
)
def test_what_cannot_be_kept(case: dict, sentence: str) -> None:
    rest = case.pop("rest")
    with pytest.raises(GraphError, match=sentence):
        facts(case.pop("present"), case.pop("mask"), *rest, **case)


def test_the_layout_follows_what_the_graph_does() -> None:
    right = facts("s")
    assert choose_layout("window", "static", right) is LAYOUTS["fifo"]
    assert (choose_layout(None, "static", right).slides, choose_layout(None, "static", right).evicts) == (True, False)
    assert choose_layout("window", "static", facts("s", SQUARE)) is LAYOUTS["window"]
    assert choose_layout("fifo", "static", facts("s", SQUARE)) is LAYOUTS["fifo"]


def test_present_that_fits_nothing_is_named() -> None:
    ids = TensorSpec("input_ids", (1, 16), "int64")
    inputs = [ids, *(TensorSpec(f"past_key_values.0.{r}", (1, 2, 64, 8), "float32") for r in ("key", "value"))]
    outputs = [TensorSpec(f"present.0.{r}", (1, 2, 70, 8), "float32") for r in ("key", "value")]
    with pytest.raises(GraphError, match="70 slots, which are neither the 64 of past, nor the 16 of the step"):
        find_state(inputs, outputs, PATTERNS)


def test_the_metadata_may_say_it() -> None:
    def said(**more: object) -> dict[str, str]:
        text = json.loads(facts("s", SQUARE).to_json()) | more
        return {"joinery.kv": json.dumps(text)}

    plain, right = StateFacts.of_metadata(said()), StateFacts.of_metadata(said(right_aligned=True, joins="slide"))
    assert plain is not None and right is not None
    assert (plain.right_aligned, plain.joins, right.right_aligned, right.joins) == (False, "append", True, "slide")
    for wrong in ({"right_aligned": True, "left_aligned": True}, {"joins": "somehow"}, {"writer": "me"}):
        with pytest.raises(GraphError, match="is malformed"):
            StateFacts.of_metadata(said(**wrong))
