"""Tall levels in columns: where they break, and how lines lead from one column to the next."""

from __future__ import annotations

from itertools import pairwise

from app.graph_scene.column_wrap import GAP_X, GAP_Y, LANE, MIN_COLUMN, Gutter, wrap_ranks
from app.graph_scene.layered_layout import arrange_boxes, rank_boxes
from app.jobs.time_slices import run_at_once


def chain(ranks: int, sources: dict[int, int] | None = None) -> list[int]:
    """The last ranks of the columns of `ranks` boxes of 150 × 100, with one line from each to the next."""
    lines = [(sources or {}).get(rank, 1) for rank in range(ranks)]
    columns = wrap_ranks([100.0] * ranks, [(-75.0, 75.0)] * ranks, lines)
    return list(columns.gutters)


def test_a_level_that_a_screen_shows_is_one_column() -> None:
    columns = wrap_ranks([100.0] * 4, [(-75.0, 75.0), (-20.0, 90.0), (0.0, 10.0), (0.0, 10.0)], [1, 1, 1, 0])
    assert columns.gutters == {} and columns.tops == [0, 136, 272, 408]
    assert columns.shifts == [75.0] * 4 and (columns.width, columns.height) == (165.0, 508.0)
    assert wrap_ranks([], [], []).height == 0


def test_layers_fill_columns_of_equal_height() -> None:
    columns = wrap_ranks([100.0] * 12, [(-75.0, 75.0)] * 12, [1] * 11 + [0])
    assert list(columns.gutters) == [3, 7] or len(columns.gutters) == 2
    ends = [*columns.gutters, 11]
    assert [columns.tops[end + 1] for end in ends[:-1]] == [2 * LANE] * 2, (
        "the second and third column begin at the top"
    )
    assert columns.height <= MIN_COLUMN + 4 * LANE
    assert columns.width == 3 * 150 + 2 * (2 * GAP_X + LANE)
    assert columns.width / columns.height < 2


def test_a_break_is_where_few_lines_are_cut() -> None:
    (middle,) = chain(8)
    assert middle == 3
    assert chain(8, {3: 4}) in ([2], [4])


def test_one_tall_rank_is_not_cut_and_empties_no_column() -> None:
    tall = [100.0, 3000.0, 100.0, 100.0]
    columns = wrap_ranks(tall, [(0.0, 400.0)] * 4, [1, 1, 1, 0])
    ends = [-1, *columns.gutters, 3]
    assert all(first < last for first, last in pairwise(ends)) and len(columns.tops) == 4


def test_lanes_of_a_gutter_do_not_cross() -> None:
    gutter = Gutter(x=500.0, low=900.0, high=40.0, lanes=2)
    inner, outer = gutter.path(0, 300.0, 600.0), gutter.path(1, 100.0, 700.0)
    assert inner == [(300.0, 910.0), (500.0, 910.0), (500.0, 20.0), (600.0, 20.0)]
    assert outer == [(100.0, 920.0), (510.0, 920.0), (510.0, 30.0), (700.0, 30.0)]


def test_lines_to_the_next_column_pass_no_box() -> None:
    """A chain with a residual around each pair of boxes, as of a decoder's layers."""
    count, size = 24, (150.0, 100.0)
    edges = [(i, i + 1) for i in range(count - 1)] + [(i, i + 2) for i in range(0, count - 2, 2)]
    ranking = run_at_once(rank_boxes(count, edges))
    layout = run_at_once(arrange_boxes([size] * count, edges, ranking))
    assert len({round(x) for x in layout.xs}) >= 3 and layout.height < MIN_COLUMN + 100 + GAP_Y
    wrapped = [route for route in layout.routes if route and any(b[1] < a[1] for a, b in pairwise(route))]
    assert len(wrapped) >= 2
    for route in wrapped:
        assert all(0 <= x <= layout.width and 0 <= y <= layout.height for x, y in route)
        for (x0, y0), (x1, y1) in pairwise(route):
            if x0 != x1 and y0 != y1:
                continue  # a curve within a column
            for x, y in zip(layout.xs, layout.ys, strict=True):
                apart = max(x0, x1) <= x or min(x0, x1) >= x + 150 or max(y0, y1) <= y or min(y0, y1) >= y + 100
                assert apart, (route, x, y)
