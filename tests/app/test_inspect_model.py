"""Parsing an inspection, and the state of each cache slot."""

from __future__ import annotations

from dataclasses import replace

from app.state.inspection import (
    EMPTY,
    EVICTED,
    FILLED,
    FROZEN,
    HEAD,
    PICTURE,
    REUSED,
    UNALLOCATED,
    SlotOccupancy,
    cached_tokens,
    inspection_of,
)
from tests.fakes.inspections import BUNDLE, DECODE, group, single
from workflows.wire.events import PictureSpan
from workflows.wire.reports.inspection import TensorFacts


def test_of_a_bundle() -> None:
    found = inspection_of("/b/demo", BUNDLE)
    assert found.is_bundle and found.name == "demo"
    (component,) = found.components
    assert component.nodes == 40
    assert component.inputs == [TensorFacts("input_ids", [1, "tokens"], "int64")]
    (group,) = found.kv
    assert group.bytes_per_token == 2048
    assert group.bytes_per_slot(3) == 512
    assert group.shape_texts() == ["1 × 2 × slots × 32"]
    (row,) = found.passes
    assert (row.stage, row.component, row.done.nodes_before, row.done.nodes_after) == ("optimize", "decode", 50, 40)
    assert row.done.refused[0].node == "/model/Add_3"
    assert ("capacity", 256) in found.facts
    assert found.metadata == (("producer", "joinery"),)


def test_an_assembled_bundle_is_called_as_its_folder() -> None:
    assert inspection_of("/b/mine", replace(BUNDLE, name="")).name == "mine"


def test_each_layer_has_its_own_shape() -> None:
    """Rows of one group are one card; a layer's slot has its share of the bytes."""
    row = replace(BUNDLE.kv[0], layers=[0, 2], bytes=256 * 1024, bytes_per_token=1024)
    wide = replace(row, layers=[1], shape=[1, 2, "slots", 64])
    (group,) = inspection_of("/b/demo", replace(BUNDLE, kv=[row, wide])).kv
    assert (group.layers, group.bytes_per_token) == ((0, 1, 2), 2048)
    assert group.shape_texts() == ["0, 2: 1 × 2 × slots × 32", "1: 1 × 2 × slots × 64"]
    assert [group.bytes_per_slot(layer) for layer in group.layers] == [512, 1024, 512]


def test_of_a_single_graph() -> None:
    found = inspection_of("/b/decode.onnx", single(DECODE))
    assert not found.is_bundle
    assert found.kv == () and found.passes == ()


def states(table: SlotOccupancy) -> list[int]:
    return [table.state(slot) for slot in range(table.capacity)]


def test_static_fills_from_the_left() -> None:
    table = SlotOccupancy(6)
    assert states(table) == [HEAD, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY]
    table.update(group("static", [(0, 0, 3)], length=3, evicted=0, allocated=5))
    assert states(table) == [FILLED, FILLED, FILLED, HEAD, EMPTY, UNALLOCATED]
    assert list(table.positions) == [0, 1, 2, -1, -1, -1]
    table.update(group("static", [(0, 0, 6)], length=6))
    assert states(table) == [FILLED] * 6
    assert table.head is None


def test_window_goes_round() -> None:
    table = SlotOccupancy(4)
    table.update(group("window", [(0, 4, 2), (2, 2, 2)], length=6, evicted=2))
    assert list(table.positions) == [4, 5, 2, 3]
    assert states(table) == [REUSED, REUSED, HEAD, FILLED]
    assert (table.used, table.evicted, table.length) == (4, 2, 6)
    table.update(group("window", [(0, 4, 4)], length=8, evicted=4))
    assert table.head == 0


def test_slots_of_pictures_are_told_from_others() -> None:
    """By their positions, wherever the slots are; only what is still there counts."""
    a, b = PictureSpan(path="a.png", runs=[(1, 1), (3, 2)]), PictureSpan(path="b.png", runs=[(6, 2)])
    table = SlotOccupancy(8)
    held = group("static", [(0, 0, 7)], length=7)
    table.update(held, (a, b))
    assert states(table) == [FILLED, PICTURE, FILLED, PICTURE, PICTURE, FILLED, PICTURE, HEAD]
    assert [table.picture_at(slot) for slot in (0, 1, 4, 6, 7)] == [None, a, a, b, None]
    assert [cached_tokens(one, held) for one in (a, b)] == [3, 1] and a.count == 3
    table.update(group("static", [(0, 0, 4)], length=4), (a, b))
    assert states(table) == [FILLED, PICTURE, FILLED, PICTURE, HEAD, EVICTED, EVICTED, EMPTY]
    ring = SlotOccupancy(4)
    moved = group("window", [(0, 4, 2), (2, 2, 2)], length=6, evicted=2)
    ring.update(moved, (a,))
    assert states(ring) == [PICTURE, REUSED, HEAD, PICTURE] and cached_tokens(a, moved) == 2
    ring.update(group("cross", [(0, 0, 4)], length=4), (a,))
    assert states(ring) == [FROZEN] * 4 and ring.picture_at(1) is None


def test_rewound_slots_show_as_evicted_until_written_again() -> None:
    table = SlotOccupancy(4)
    table.update(group("static", [(0, 0, 3)]))
    table.update(group("static", [(0, 0, 1)]))
    assert states(table) == [FILLED, HEAD, EVICTED, EMPTY]
    assert table.states[1] == EVICTED
    table.update(group("static", [(0, 0, 3)]))
    assert states(table) == [FILLED, FILLED, FILLED, HEAD]
