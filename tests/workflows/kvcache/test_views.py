"""What the window is told of a cache: the lengths that can be gone back to, and the encoder's group."""

from __future__ import annotations

import numpy as np

from tests.workflows.kvcache.fake import feed, make
from workflows.kvcache.cross import cross_view


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


def test_cross_group() -> None:
    row = np.zeros((1, 2, 5, 4), np.float32)
    handed = {"cross.1.key": row, "cross.1.value": row, "cross.0.key": row, "cross.0.value": row, "hidden": row}
    (group,) = cross_view(handed, 3)
    assert (group.name, group.layers, group.capacity, group.length) == ("cross", [0, 1], 5, 3)
    assert (group.runs, group.bytes, group.writer) == ([(0, 0, 3)], 4 * row.nbytes, "encoder")
    assert cross_view({"hidden": row}, 3) == ()
