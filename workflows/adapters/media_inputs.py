"""What transformers' processors give for pictures and sound, as a bundle takes it.

pixel_values, image_grid_thw, input_features, masks ──encoder_inputs──▶ the inputs of the encoders, by name
input_features, attention_mask ──spectrograms──▶ [mels, frames] of each recording, to be transcribed
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import torch
from numpy.typing import NDArray

from workflows.common.errors import RequestError, printable
from workflows.common.tensor_names import PIXELS, SOUND_MASK
from workflows.generate import Engine
from workflows.runtime.execution.prompt_inputs import NamedInputs

_NAMES = {"feature_attention_mask": SOUND_MASK}  # transformers' → ours, where they differ
_PIXEL_MASK = "pixel_attention_mask"
_DERIVED = ("token_type_ids", "mm_token_type_ids")  # a bundle finds the placeholders among the ids
_TILES = 5  # axes of pixel_values with a batch before the tiles


def encoder_inputs(engine: Engine, tensors: Mapping[str, torch.Tensor]) -> NamedInputs:
    """The inputs of a bundle's encoders for one prompt. Raises RequestError for a tensor that no encoder takes."""
    source = engine.machine.program.source
    known = set() if source is None else {name for _, name in source.fed_by("given")}
    arrays = {}
    for name, tensor in tensors.items():
        ours = _NAMES.get(name, name)
        if ours in known:
            whole = tensor.flatten(0, 1) if ours == PIXELS and tensor.ndim == _TILES else tensor
            arrays[ours] = whole.numpy()
        elif name == _PIXEL_MASK and not bool(tensor.all()):
            raise RequestError("The pictures differ in size, so some tiles are padded: give them one at a time.")
        elif name not in (_PIXEL_MASK, *_DERIVED):
            raise RequestError(
                f"The bundle does not read {printable(name)}: it reads {', '.join(sorted(known)) or 'text alone'}."
            )
    return arrays


def spectrograms(features: torch.Tensor, mask: torch.Tensor | None, window: int) -> Iterator[NDArray[np.float32]]:
    """[B,mels,frames], [B,frames] → [mels,frames] of each recording; one of at most a window is padded to it."""
    masks = torch.ones(len(features), features.shape[-1]) if mask is None else mask
    for row, one in zip(features, masks, strict=True):
        yield row[:, : max(int(one.sum()), min(window, row.shape[-1]))].numpy().astype(np.float32)
