"""The layered layout: edges downwards, no overlaps, circles and long edges without a line."""

from __future__ import annotations

import random
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from app.graph_scene.column_wrap import GAP_X
from app.graph_scene.layered_layout import MAX_LINE_RANKS, LayeredLayout, Ranking, arrange_boxes, rank_boxes
from app.jobs.time_slices import run_at_once

SIZE = (100.0, 40.0)


def lay(count: int, edges: list[tuple[int, int]]) -> tuple[Ranking, LayeredLayout]:
    ranking = run_at_once(rank_boxes(count, edges))
    return ranking, run_at_once(arrange_boxes([SIZE] * count, edges, ranking))


def test_chain_is_a_straight_column() -> None:
    ranking, layout = lay(3, [(0, 1), (1, 2)])
    assert ranking.ranks == [0, 1, 2]
    assert len(set(layout.xs)) == 1
    assert layout.routes[0] == [(50.0, 40.0), (50.0, layout.ys[1])]
    assert (layout.width, layout.height) == (100.0, layout.ys[2] + 40)


def test_residual_bends_around_what_it_passes() -> None:
    _, layout = lay(4, [(0, 1), (1, 2), (2, 3), (0, 3)])
    route = layout.routes[3]
    assert route is not None and len(route) == 6
    for x, y in route[1:-1]:
        inside = [i for i in (1, 2) if layout.ys[i] <= y <= layout.ys[i] + 40]
        assert all(not layout.xs[i] <= x <= layout.xs[i] + 100 for i in inside)


def test_long_edge_is_no_line() -> None:
    count = MAX_LINE_RANKS + 2
    edges = [(i, i + 1) for i in range(count - 1)] + [(0, count - 1)]
    ranking, layout = lay(count, edges)
    assert ranking.drawn == [True] * (count - 1) + [False]
    assert layout.routes[-1] is None


def test_hub_reaches_the_next_rank_only() -> None:
    edges = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 2), (0, 3), (0, 4)]
    ranking, _ = lay(5, edges)
    assert ranking.drawn == [True, True, True, True, False, False, False]


def test_circle_of_scopes_is_cut_once() -> None:
    ranking, _ = lay(3, [(0, 1), (1, 2), (2, 0)])
    assert ranking.drawn == [True, True, False]
    assert ranking.ranks == [0, 1, 2]


def test_constant_stands_above_its_consumer() -> None:
    ranking, _ = lay(5, [(0, 1), (1, 2), (2, 3), (4, 3)])
    assert ranking.ranks == [0, 1, 2, 3, 2]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 40), st.integers(0, 100), st.integers(0, 10**6))
def test_never_an_overlap_and_downwards_within_a_column(count: int, edges: int, seed: int) -> None:
    draw = random.Random(seed)
    pairs = {(draw.randrange(count), draw.randrange(count)) for _ in range(edges)}
    chosen = sorted((a, b) for a, b in pairs if a != b)
    sizes = [(draw.uniform(20, 300), draw.uniform(20, 200)) for _ in range(count)]
    ranking = run_at_once(rank_boxes(count, chosen))
    layout = run_at_once(arrange_boxes(sizes, chosen, ranking))
    for i in range(count):
        for j in range(i):
            apart_x = layout.xs[i] + sizes[i][0] <= layout.xs[j] or layout.xs[j] + sizes[j][0] <= layout.xs[i]
            apart_y = layout.ys[i] + sizes[i][1] <= layout.ys[j] or layout.ys[j] + sizes[j][1] <= layout.ys[i]
            assert apart_x or apart_y
            if ranking.ranks[i] == ranking.ranks[j]:
                gap = max(layout.xs[i] - layout.xs[j] - sizes[j][0], layout.xs[j] - layout.xs[i] - sizes[i][0])
                assert gap >= GAP_X - 1e-6
    for route, (a, b), drawn in zip(layout.routes, chosen, ranking.drawn, strict=True):
        assert (route is not None) == drawn
        assert not drawn or ranking.ranks[a] < ranking.ranks[b]
        upwards = [x0 == x1 for (x0, y0), (x1, y1) in pairwise(route or []) if y0 > y1]
        assert all(upwards), "only a gutter leads up"
        assert upwards or not drawn or layout.ys[a] + sizes[a][1] <= layout.ys[b]
