"""Where the pictures of a prompt are among its tokens.

ids ──places of the token that features replace──▶ dealt out by the rows of each picture ──▶ runs
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

Run = tuple[int, int]
"""(first position, count) of tokens that are side by side."""


def picture_runs(ids: Sequence[int], token: int, rows: Sequence[int]) -> list[list[Run]]:
    """The runs of each picture, in order. token: what features replace. rows: the number of tokens of each picture.

    Two pictures side by side have runs of their own, and so have the tiles of one that other tokens separate.
    """
    places = iter([place for place, one in enumerate(ids) if one == token])
    pictures = list[list[Run]]()
    for count in rows:
        runs = list[Run]()
        for place in islice(places, count):
            first, length = runs[-1] if runs else (place, 0)
            if first + length == place:
                runs[-1:] = [(first, length + 1)]
            else:
                runs.append((place, 1))
        pictures.append(runs)
    return pictures
