"""The names of tensors that graphs, cache and pipeline agree on; `%d` stands for the layer.

What one graph gives and another takes has one name on both sides.
"""

from __future__ import annotations

from collections.abc import Iterable

IDS, POSITIONS, PIXELS = "input_ids", "position_ids", "pixel_values"
EMBEDS, HIDDEN, LOGITS = "inputs_embeds", "hidden_states", "logits"
MASK, SOURCE_MASK = "attention_mask", "source_mask"
LOGITS_START, LOGITS_END = "logits_start", "logits_end"  # optional inputs [1]: which rows the logits are to be of
LOGITS_ROWS = "logits_rows"  # the axis that counts them
PLAIN_SOURCE_MASK = "encoder_attention_mask"  # other exporters': 1 where there is a token
SEQLENS, TOTAL_LENGTH = "seqlens_k", "total_sequence_length"  # of GroupQueryAttention
WRITE_INDICES, VALID_LENGTH = "write_indices", "nonpad_kv_seqlen"  # of TensorScatter and Attention
PAST_KEY, PAST_VALUE = "past_key_values.%d.key", "past_key_values.%d.value"
PRESENT_KEY, PRESENT_VALUE = "present.%d.key", "present.%d.value"
CROSS_KEY, CROSS_VALUE = "cross.%d.key", "cross.%d.value"  # what an encoder hands to a decoder, once
POSITIONS_KEY = "joinery.positions"  # in a graph's metadata: how many positions the model has
DEFAULT_CAPACITY = 4096  # slots of a cache, where nobody says how many


def window_masks(windows: Iterable[int | None]) -> dict[int | None, str]:
    """Window → the mask of the layers that see that far back, None for all; the mask that hides nothing comes first.

    windows: each layer's. Where all see equally far, there is one mask without a number.
    """
    kinds = sorted(set(windows), key=lambda window: (window is not None, window or 0))
    alone = len(kinds) == 1
    return {window: MASK if alone or window is None else f"{MASK}_{window}" for window in kinds}


def is_layered(pattern: str) -> bool:
    """Whether a pattern stands for one name a layer: one %d, and no other % that a format would read."""
    return pattern.count("%") == pattern.count("%d") == 1
