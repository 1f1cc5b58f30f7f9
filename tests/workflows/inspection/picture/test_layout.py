"""The layout: whatever the composite, no box covers another, no text a box that it is not in, no line goes back."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import Phase, given, settings

from tests.workflows.inspection.picture.making import composites, decoder, encoder_decoder, seams
from workflows.inspection.picture.columns import (
    ColumnItem,
    assign_heights,
    column_ranks,
    crossings,
    link_neighbours,
    order_columns,
)
from workflows.inspection.picture.drawing import (
    SIZES,
    CompositeDrawing,
    DrawnEdge,
    TextLine,
    cell_count,
    shorten,
    text_width,
)
from workflows.inspection.picture.layout import lay_out
from workflows.wire.reports.composite import Composite, format_ranges

SLACK = 1.0  # a pixel: places are rounded, and sums of them more than once
Rect = tuple[float, float, float, float]  # left, top, right, bottom
QUICKLY = tuple(phase for phase in Phase if phase not in (Phase.shrink, Phase.explain))  # a shrink takes minutes
KNOWN = [decoder(4), decoder(4, 8, 4), seams(), encoder_decoder()]


def boxes(drawing: CompositeDrawing) -> dict[str, Rect]:
    return {node.key: (node.x, node.y, node.x + node.w, node.y + node.h) for node in drawing.nodes}


def bounds(line: TextLine) -> Rect:
    return line.x, line.y - SIZES[line.style] * 0.75, line.x + text_width(line.text, line.style), line.y + 3


def meet(one: Rect, other: Rect) -> bool:
    return all(one[i] + SLACK < other[i + 2] and other[i] + SLACK < one[i + 2] for i in (0, 1))


def check(drawing: CompositeDrawing) -> None:
    """Every property at once: a random composite is dear."""
    rects = boxes(drawing)
    for (name, one), (second, other) in combinations(rects.items(), 2):
        assert not meet(one, other), f"{name} covers {second}"
    labels = [(link, line) for link in drawing.links for line in link.lines]
    for link, line in labels:
        for name, rect in rects.items():
            assert not meet(bounds(line), rect), f"the label {line.text!r} of {link.description} covers {name}"
    for (_, one), (_, other) in combinations(labels, 2):
        assert not meet(bounds(one), bounds(other)), f"{one.text!r} covers {other.text!r}"
    for node in drawing.nodes:
        for text in (*map(bounds, node.lines), *((p.x, p.y, p.x + p.w, p.y + p.h) for p in node.pills)):
            assert within(text, rects[node.key]), f"{node.key} is too small for its texts"
    for link in drawing.links:
        check_link(link, rects)
    for rect in rects.values():
        assert within(rect, (0, 0, drawing.width, drawing.height))


def within(inner: Rect, outer: Rect) -> bool:
    return all(inner[i] + SLACK >= outer[i] and inner[i + 2] <= outer[i + 2] + SLACK for i in (0, 1))


def check_link(link: DrawnEdge, rects: dict[str, Rect]) -> None:
    """From the right of one box to the left of another, or straight down; on the way it crosses no box."""
    (x, y), (to_x, to_y) = link.points[0], link.points[-1]
    source, target = rects[link.source], rects[link.target]
    if x == to_x:
        assert source[3] == pytest.approx(y, abs=SLACK) and target[1] == pytest.approx(to_y, abs=SLACK) and y < to_y
        return
    assert source[2] == pytest.approx(x, abs=SLACK) and target[0] == pytest.approx(to_x, abs=SLACK)
    assert source[1] < y < source[3] and target[1] < to_y < target[3]
    assert all(a[0] <= b[0] for a, b in pairwise(link.points)), "it goes back"
    for a, b in pairwise(link.points):
        for name, rect in rects.items():
            if name not in (link.source, link.target):
                assert not meet((a[0], min(a[1], b[1]) - 0.1, b[0], max(a[1], b[1]) + 0.1), rect), (
                    f"{link.description} crosses {name}"
                )


@pytest.mark.parametrize("composite", KNOWN)
def test_nothing_overlaps(composite: Composite) -> None:
    """In the composites that there are."""
    check(lay_out(composite))


@settings(max_examples=40, deadline=None, phases=QUICKLY, derandomize=True)
@given(composites())
def test_nothing_overlaps_whatever_there_is(composite: Composite) -> None:
    """Ten sessions, any edges without a circle, names of any letters."""
    drawing = lay_out(composite)
    check(drawing)
    joined = {(link.source, link.target) for link in drawing.links}
    assert joined >= {(f"session:{edge.source[0]}", f"session:{edge.target[0]}") for edge in composite.edges}


@given(composites())
@settings(max_examples=10, deadline=None, phases=QUICKLY)
def test_one_composite_has_one_drawing(composite: Composite) -> None:
    """So that the window and the file show the same, and a file changes with its bundle alone."""
    assert lay_out(composite) == lay_out(composite)


def test_the_order_is_the_flow() -> None:
    """Left to right; the encoder stands before what it hands over, which stands before the decoder."""
    place = {node.key: node.x for node in lay_out(encoder_decoder()).nodes}
    assert place["session:reader"] < place["state:1"] < place["session:writer"] < place["state:0"]
    place = {node.key: node.x for node in lay_out(seams()).nodes}
    assert place["session:table"] < place["session:first"] == place["session:later"] < place["session:head"]


def test_arrows_show_who_writes_and_reads() -> None:
    """A cache has both at the session that does both; the cross state is written at its left and read at its right."""
    links = {(link.source, link.target): (link.ahead, link.back) for link in lay_out(encoder_decoder()).links}
    assert links["session:writer", "state:0"] == (True, True)
    assert links["session:reader", "state:1"] == (True, False)
    assert links["state:1", "session:writer"] == (True, False)
    description = [link.description for link in lay_out(encoder_decoder()).links]
    assert {"writer ⇄ KV cache", "reader → Cross cache", "writer ← Cross cache"} <= set(description)
    description = [node.description for node in lay_out(encoder_decoder()).nodes]
    assert any(
        one.startswith("reader → Cross cache (cross) → writer, written once, then read: ") for one in description
    )


def test_a_line_is_of_the_runs_of_its_session() -> None:
    """Though the state that it leads to is used in others, too."""
    drawing = lay_out(encoder_decoder())
    runs = {(link.source, link.target): link.runs for link in drawing.links}
    assert runs["session:reader", "state:1"] == ("source",)
    assert runs["state:1", "session:writer"] == ("prefill", "decode")
    runs = {(link.source, link.target): link.runs for link in lay_out(seams()).links}
    assert (runs["session:first", "state:0"], runs["session:later", "state:0"]) == (("prefill",), ("decode",))


def test_an_edge_has_both_its_names() -> None:
    """Under each other where the two sessions call it differently, and its shape once."""
    drawing = lay_out(seams())
    labels = {link.target: [line.text for line in link.lines] for link in drawing.links if link.lines}
    assert labels["session:later"] == ["hidden", "float32", "[1, n, 8]"]
    assert labels["session:head"] == ["hidden", "float32", "→ rows", "[1, n, 8]", "decode"]


def test_many_tensors_are_counted() -> None:
    """The first few are named, the rest is a number, and the words have all."""
    composite = decoder(*range(1, 12))
    (state,) = (node for node in lay_out(composite).nodes if node.kind == "state")
    texts = [line.text for line in state.lines]
    assert texts[:3] == ["KV cache", "layer 0", "float32"] and "+ 7 more" in texts
    assert "layer 10: key [1, 2, slots, 11] float32" in state.description


def test_ranks() -> None:
    """The longest way counts; who is led to by nobody stands right before whom it leads to."""
    edges = [("a", "b"), ("b", "c"), ("a", "c"), ("late", "c"), ("c", "d")]
    assert column_ranks(["a", "b", "c", "d", "late", "alone"], edges) == {
        "a": 0, "b": 1, "c": 2, "d": 3, "late": 1, "alone": 0,
    }  # fmt: skip


def test_lines_that_cross_are_untangled() -> None:
    """Two pairs that stand the wrong way round."""
    a, b, c, d = (ColumnItem(column, 10, 10, 5) for column in (0, 0, 1, 1))
    link_neighbours([a, d])
    link_neighbours([b, c])
    columns = [[a, b], [c, d]]
    assert crossings(columns) == 1
    assert crossings(order_columns(columns)) == 0


def test_heights_follow_neighbours() -> None:
    """One between two stands in their middle, and both keep their distance."""
    one, other, last = ColumnItem(0, 10, 20, 10), ColumnItem(0, 10, 20, 10), ColumnItem(1, 10, 20, 10)
    link_neighbours([one, last])
    link_neighbours([other, last])
    assign_heights([[one, other], [last]], gap=10)
    assert other.y - one.y == 30 and last.middle == pytest.approx((one.middle + other.middle) / 2, abs=SLACK)


@pytest.mark.parametrize(
    ("numbers", "text"),
    [([0, 1, 2], "0–2"), ([0, 2, 3], "0, 2–3"), ([5], "5"), ([], ""), ([1, 3, 5], "1, 3, 5")],
)
def test_ranges(numbers: list[int], text: str) -> None:
    """As a person writes them."""
    assert format_ranges(numbers) == text


def test_long_names_are_cut_in_the_middle() -> None:
    """At most so many cells; what cannot be printed is replaced."""
    assert shorten("past_key_values.0.key", 30) == "past_key_values.0.key"
    assert shorten("abcdefghij", 5) == "ab…ij"
    assert shorten("a\x00b\nc", 9) == "a�b�c"
    assert cell_count(shorten("日本語" * 9, 10)) <= 10
