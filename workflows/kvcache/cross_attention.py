"""The cross-attention cache: keys and values that an encoder computes once per source."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workflows.common.tensors import Array
from workflows.kvcache.slot_table import differing_shapes
from workflows.wire.events import GroupView

_KEY = re.compile(r"cross\.(\d+)\.key")


def cross_view(arrays: Mapping[str, Array], tokens: int) -> tuple[GroupView, ...]:
    """The group as the window draws it; empty before a source was read.

    arrays: [1, H, width, D] by the decoder's input name; the first `tokens` of the width are the source, the rest
    padding.
    """
    keys = {int(match[1]): array for name, array in arrays.items() if (match := _KEY.fullmatch(name))}
    if not keys:
        return ()
    layers = sorted(keys)
    first = keys[layers[0]]
    width = first.shape[2]
    view = GroupView(
        name="cross",
        layout="cross",
        layers=layers,
        capacity=width,
        allocated=width,
        window=None,
        shape=[*first.shape],
        dtype=str(first.dtype),
        bytes=sum(array.nbytes for name, array in arrays.items() if name.startswith("cross.")),
        writer="encoder",
        length=tokens,
        evicted=0,
        runs=[(0, 0, tokens)] if tokens else [],
        shapes=differing_shapes([list(keys[layer].shape) for layer in layers]),
    )
    return (view,)
