"""Where pictures are among the tokens: tiles apart, pictures side by side, fewer tokens than rows."""

from __future__ import annotations

from workflows.generate.picture_runs import picture_runs


def test_each_picture_has_the_runs_of_its_rows() -> None:
    ids = [1, 9, 9, 5, 9, 9, 2, 9, 9, 9]
    assert picture_runs(ids, 9, [4, 3]) == [[(1, 2), (4, 2)], [(7, 3)]]
    assert picture_runs([9, 9, 9], 9, [1, 2]) == [[(0, 1)], [(1, 2)]]  # side by side
    assert picture_runs([9, 3], 9, [1, 1]) == [[(0, 1)], []]
    assert picture_runs(ids, 9, []) == []
