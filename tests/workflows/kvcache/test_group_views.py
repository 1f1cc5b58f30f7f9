"""What the window is told of a cache: the lengths that can be gone back to, and the encoder's group."""

from __future__ import annotations

import numpy as np

from tests.workflows.kvcache.fake import feed, make
from workflows.kvcache import KVCache, StateTensor
from workflows.kvcache.cache import cross_view
from workflows.kvcache.layouts import layout_named


def test_view_names_the_legal_lengths() -> None:
    static, window = make("static", 8), make("window", 4)
    assert static.view()[0].rewindable == [(0, 0)]
    for token in range(6):
        feed(static, [token])
        feed(window, [token])
    assert static.view()[0].rewindable == [(0, 6)]
    for first, last in window.view()[0].rewindable:
        assert any(first in legal and last in legal for legal in window.rewindable())
    assert window.view()[0].rewindable == [(0, 0), (5, 6)]


def test_layers_of_other_shapes_are_told_each() -> None:
    """In the order of the layers, though the memory is by shape; nothing where one shape is true for all."""
    assert make("static", 8).view()[0].shapes == []
    state = [
        StateTensor(f"past.{i}.{role}", f"present.{i}.{role}", i, role, (1, 2, "c", size), "float32", "host")
        for i, size in enumerate((4, 8, 4))
        for role in ("key", "value")
    ]
    (group,) = KVCache(state, layout_named("static"), 16).view()
    assert group.shapes == [[1, 2, group.allocated, size] for size in (4, 8, 4)]
    handed = {f"cross.{i}.key": np.zeros((1, 2, 5, size), np.float32) for i, size in enumerate((4, 8))}
    assert cross_view(handed, 3)[0].shapes == [[1, 2, 5, 4], [1, 2, 5, 8]]


def test_cross_group() -> None:
    row = np.zeros((1, 2, 5, 4), np.float32)
    handed = {"cross.1.key": row, "cross.1.value": row, "cross.0.key": row, "cross.0.value": row, "hidden": row}
    (group,) = cross_view(handed, 3)
    assert (group.name, group.layers, group.capacity, group.length) == ("cross", [0, 1], 5, 3)
    assert (group.runs, group.bytes, group.writer) == ([(0, 0, 3)], 4 * row.nbytes, "encoder")
    assert cross_view({"hidden": row}, 3) == ()
