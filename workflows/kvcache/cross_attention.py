"""What an encoder hands to a decoder's cross-attention, once: a group that no step writes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workflows.common.tensors import Array
from workflows.kvcache.views import differing_shapes
from workflows.wire.events import GroupView

_KEY = re.compile(r"cross\.(\d+)\.key")


def cross_view(handed: Mapping[str, Array], tokens: int) -> tuple[GroupView, ...]:
    """The group as the window draws it; none where nothing was handed over.

    handed: arrays [1, H, width, D] by the decoder's input name; the first `tokens` of the width are the source, the
    rest padding.
    """
    keys = {int(match[1]): array for name, array in handed.items() if (match := _KEY.fullmatch(name))}
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
        bytes=sum(array.nbytes for name, array in handed.items() if name.startswith("cross.")),
        writer="encoder",
        length=tokens,
        evicted=0,
        runs=[(0, 0, tokens)] if tokens else [],
        shapes=differing_shapes([list(keys[layer].shape) for layer in layers]),
    )
    return (view,)
