"""What the graphs' own names and shapes say of the cache, and every way in which they can be wrong."""

from __future__ import annotations

import json

import pytest

from workflows.common.errors import GraphError
from workflows.common.tensors import TensorSpec
from workflows.kvcache import find_state
from workflows.kvcache.geometry import FACTS_KEY, GroupFacts, StateFacts, StatePatterns

PATTERNS = StatePatterns()


def past(layer: object, role: str = "key", shape: tuple = (1, 2, "capacity", 8), dtype: str = "float32") -> TensorSpec:
    return TensorSpec(f"past_key_values.{layer}.{role}", shape, dtype)


def present(layer: object, role: str = "key", shape: tuple = (1, 2, "sequence", 8)) -> TensorSpec:
    return TensorSpec(f"present.{layer}.{role}", shape, "float32")


def layers(*numbers: object) -> tuple[list[TensorSpec], list[TensorSpec]]:
    roles = ("key", "value")
    return [past(n, r) for n in numbers for r in roles], [present(n, r) for n in numbers for r in roles]


def test_pairs_come_by_layer_and_role() -> None:
    inputs, outputs = layers(10, 2, 0, 1, 3, 4, 5, 6, 7, 8, 9)
    state = find_state([TensorSpec("input_ids", (1, "sequence"), "int64"), *inputs], outputs, PATTERNS)
    assert [(t.layer, t.role) for t in state] == [(i, r) for i in range(11) for r in ("key", "value")]
    assert {(t.sized(5), t.writer, t.capacity, t.bytes_per_slot) for t in state} == {((1, 2, 5, 8), "host", None, 64)}


def test_a_graph_that_gives_the_whole_buffer_back_is_the_writer() -> None:
    state = find_state(
        [past(0, r) for r in ("key", "value")],
        [present(0, r, (1, 2, "capacity", 8)) for r in ("key", "value")],
        PATTERNS,
    )
    assert {tensor.writer for tensor in state} == {"graph"}


@pytest.mark.parametrize(
    ("inputs", "outputs", "sentence"),
    [
        (layers("0.bad")[0], layers(0)[1], "'0.bad' is not a layer number"),
        (layers("01")[0], layers(1)[1], "'01' is not a layer number"),
        (layers("-1")[0], layers(0)[1], "'-1' is not a layer number"),
        (layers("+1")[0], layers(0)[1], r"'\+1' is not a layer number"),
        (layers("")[0], layers(0)[1], "'' is not a layer number"),
        (layers("١")[0], layers(0)[1], "is not a layer number"),  # a digit, but not of ours
        (layers(0)[0], layers("0.bad")[1], "'0.bad' is not a layer number"),
        (layers(0)[0], layers(0)[1] + [present(0)], "Layer 0 has two tensors"),
        (layers(0, 1)[0][:3], layers(0, 1)[1][:3], "has a key for layer 1 and no value"),
        (layers(0)[0] + [past(0)], layers(0)[1], "Layer 0 has two tensors"),
        (layers(0, 1)[0][1:], layers(0, 1)[1][1:], "has a value for layer 0 and no key"),
        (layers(0)[0], layers(0)[1][:1], "lacks present.0.value"),
        (layers(0)[0][:1], layers(0)[1], "lacks past_key_values.0.value"),
        ([past(0, r, (1, 8)) for r in ("key", "value")], layers(0)[1], r"should be \[1, kv_heads, slots, head_dim\]"),
        ([past(0, r, (2, 2, "c", 8)) for r in ("key", "value")], layers(0)[1], "batch must be 1"),
        ([past(0, r, (1, 2, "c", 9)) for r in ("key", "value")], layers(0)[1], "does not fit past_key_values.0.key"),
        ([past(0, r, dtype="float16") for r in ("key", "value")], layers(0)[1], "does not fit past_key_values.0.key"),
    ],
)
def test_what_is_wrong_is_named(inputs: list[TensorSpec], outputs: list[TensorSpec], sentence: str) -> None:
    with pytest.raises(GraphError, match=sentence):
        find_state(inputs, outputs, PATTERNS)


def test_chunks_are_in_the_metadata_where_there_are_any() -> None:
    whole, chunked = GroupFacts("full", "mask", (1,), None), GroupFacts("chunk8", "mask_8", (0, 2), 8, chunked=True)
    facts = StateFacts("host", (whole, chunked))
    text = facts.to_json()
    assert StateFacts.of_metadata({FACTS_KEY: text}) == facts
    assert [group.get("chunked") for group in json.loads(text)["groups"]] == [None, True]
    for wrong in ('"chunked": 1', '"chunked": "yes"'):
        with pytest.raises(GraphError, match=r"metadata joinery\.kv is malformed"):
            StateFacts.of_metadata({FACTS_KEY: text.replace('"chunked": true', wrong)})
    with pytest.raises(GraphError, match="malformed"):  # chunks have a size
        StateFacts.of_metadata({FACTS_KEY: text.replace('"window": 8', '"window": null')})


def test_which_tokens_attend_to_each_other_is_in_the_metadata() -> None:
    facts = StateFacts("host", (GroupFacts("full", "mask", (0,), None),), mutual="prompt")
    text = facts.to_json()
    assert StateFacts.of_metadata({FACTS_KEY: text}) == facts
    older = StateFacts.of_metadata({FACTS_KEY: text.replace('"prompt"', "true")})
    assert older is not None and older.mutual == "pictures"
    with pytest.raises(GraphError, match="malformed"):
        StateFacts.of_metadata({FACTS_KEY: text.replace('"prompt"', '"all"')})
