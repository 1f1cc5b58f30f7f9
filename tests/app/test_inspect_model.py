"""Parsing an inspection, and the state of each cache slot."""

from __future__ import annotations

from typing import Any

import pytest

from app.state.inspection import (
    EMPTY,
    EVICTED,
    FILLED,
    HEAD,
    REUSED,
    UNALLOCATED,
    SlotTable,
    Tensor,
    parse_group,
    parse_inspection,
)

BUNDLE: dict[str, Any] = {
    "model_type": "qwen3",
    "task": "text-generation",
    "family": "qwen3",
    "route": "prefill-decode",
    "components": [
        {
            "name": "decode",
            "file": "decode.onnx",
            "role": "decoder",
            "inputs": [{"name": "input_ids", "shape": [1, "tokens"], "dtype": "int64"}],
            "outputs": [{"name": "logits", "shape": [1, "tokens", 512], "dtype": "float32"}],
            "op_counts": {"MatMul": 29, "Add": 11},
            "opset": {"": 23},
            "bytes": 2048,
        }
    ],
    "kv": [
        {
            "group": "all",
            "layout": "static",
            "layers": [0, 1, 2, 3],
            "capacity": 256,
            "window": None,
            "shape": [1, 2, "slots", 32],
            "dtype": "float32",
            "bytes": 524288,
            "writer": "host",
        }
    ],
    "stages": [
        {
            "name": "optimize",
            "component": "decode",
            "passes": [
                {
                    "name": "fuse-rotary",
                    "modified": True,
                    "nodes_before": 50,
                    "nodes_after": 40,
                    "refused": [{"reason": "two consumers", "node": "/model/Add_3"}],
                }
            ],
        }
    ],
    "metadata": {"producer": "joinery"},
    "capacity": 256,
}


def test_parse_bundle() -> None:
    found = parse_inspection("/b/demo", BUNDLE)
    assert found.is_bundle and found.name == "demo"
    (component,) = found.components
    assert component.nodes == 40
    assert component.inputs == (Tensor("input_ids", (1, "tokens"), "int64"),)
    (group,) = found.kv
    assert group.bytes_per_token == 2048
    assert group.bytes_per_slot(3) == 512
    assert group.forms() == ["1 × 2 × slots × 32"]
    (row,) = found.passes
    assert (row.stage, row.component, row.nodes_before, row.nodes_after) == ("optimize", "decode", 50, 40)
    assert row.refused[0].node == "/model/Add_3"
    assert ("capacity", 256) in found.facts
    assert found.metadata == (("producer", "joinery"),)


def test_each_layer_has_its_own_shape() -> None:
    """Rows of one group are one card; a layer's slot has its share of the bytes."""
    row = {**BUNDLE["kv"][0], "bytes_per_token": 0}
    wide = {**row, "layers": [1], "shape": [1, 2, "slots", 64], "bytes": 256 * 1024}
    (group,) = parse_inspection("/b/demo", {**BUNDLE, "kv": [{**row, "layers": [0, 2], "bytes": 256 * 1024}, wide]}).kv
    assert (group.layers, group.bytes_per_token) == ((0, 1, 2), 2048)
    assert group.forms() == ["0, 2: 1 × 2 × slots × 32", "1: 1 × 2 × slots × 64"]
    assert [group.bytes_per_slot(layer) for layer in group.layers] == [512, 1024, 512]
    live = {**row, "layers": [0, 1], "shapes": [[1, 2, 256, 32], [1, 2, 256, 64]]}
    assert parse_group(live).shapes == ((1, 2, 256, 32), (1, 2, 256, 64))


def test_a_composite_that_is_none_is_one_sentence() -> None:
    """As all that cannot be read."""
    with pytest.raises(ValueError, match="composite should have name"):
        parse_inspection("/b/demo", {**BUNDLE, "composite": {"name": "x"}})
    assert parse_inspection("/b/demo", BUNDLE).composite is None


def test_parse_single_graph() -> None:
    found = parse_inspection("/b/decode.onnx", {"components": BUNDLE["components"]})
    assert not found.is_bundle
    assert found.kv == () and found.passes == ()


def test_malformed_is_one_sentence() -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        parse_inspection("/b", {"components": [{"file": "x"}]})


def states(table: SlotTable) -> list[int]:
    return [table.state(slot) for slot in range(table.capacity)]


def test_static_fills_from_the_left() -> None:
    table = SlotTable(6)
    assert states(table) == [HEAD, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY]
    table.update({"layout": "static", "runs": [[0, 0, 3]], "length": 3, "evicted": 0, "allocated": 5})
    assert states(table) == [FILLED, FILLED, FILLED, HEAD, EMPTY, UNALLOCATED]
    assert list(table.positions) == [0, 1, 2, -1, -1, -1]
    table.update({"layout": "static", "runs": [[0, 0, 6]], "length": 6})
    assert states(table) == [FILLED] * 6
    assert table.head is None


def test_window_goes_round() -> None:
    table = SlotTable(4)
    table.update({"layout": "window", "runs": [[0, 4, 2], [2, 2, 2]], "length": 6, "evicted": 2})
    assert list(table.positions) == [4, 5, 2, 3]
    assert states(table) == [REUSED, REUSED, HEAD, FILLED]
    assert (table.used, table.evicted, table.length) == (4, 2, 6)
    table.update({"layout": "window", "runs": [[0, 4, 4]], "length": 8, "evicted": 4})
    assert table.head == 0


def test_rewound_slots_show_as_evicted_until_written_again() -> None:
    table = SlotTable(4)
    table.update({"layout": "static", "runs": [[0, 0, 3]]})
    table.update({"layout": "static", "runs": [[0, 0, 1]]})
    assert states(table) == [FILLED, HEAD, EVICTED, EMPTY]
    assert table.states[1] == EVICTED
    table.update({"layout": "static", "runs": [[0, 0, 3]]})
    assert states(table) == [FILLED, FILLED, FILLED, HEAD]
