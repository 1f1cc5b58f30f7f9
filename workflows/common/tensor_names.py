"""The tensor names that graphs, cache and pipeline share; `%d` is the layer.

An output of one graph and the input of another that it feeds have the same name.
"""

from __future__ import annotations

from collections.abc import Iterable

IDS, POSITIONS, PIXELS = "input_ids", "position_ids", "pixel_values"
GRIDS = "image_grid_thw"  # [pictures, 3]: frames, rows and columns of patches
SIZES = "image_sizes"  # [pictures, 2]: height and width in pixels
PLACES, WEIGHTS = "feature_places", "feature_weights"  # [rows, taps]: the encoder's rows of which each row is the sum
FEATURES = "image_features"  # the rows that take the place of the placeholders of pictures
SOUND_FEATURES = "audio_features"  # and of the placeholders of recordings
DEEPSTACK = "deepstack_embeds"  # [1, S, layers · E]: what the first layers add at the placeholders of pictures
PER_LAYER = "per_layer_inputs"  # [1, S, layers · P]: a token's own embedding for each layer
SOUND = "input_features"  # a log-mel spectrogram [windows, mels, frames]
SOUND_MASK = "input_features_mask"  # [windows, frames]: 1 at every frame of sound, 0 behind its end
EMBEDS, HIDDEN, LOGITS = "inputs_embeds", "hidden_states", "logits"
MASK, SOURCE_MASK = "attention_mask", "source_mask"
ALIGNMENT = "alignment"  # [1, S, heads · rows]: how much each token attends to the rows of a sound
LOGITS_START, LOGITS_END = "logits_start", "logits_end"  # optional inputs [1]: the rows that logits are computed for
LOGITS_ROWS = "logits_rows"  # the axis of these rows
PLAIN_SOURCE_MASK = "encoder_attention_mask"  # of other exporters: 1 at every token
SEQLENS, TOTAL_LENGTH = "seqlens_k", "total_sequence_length"  # of GroupQueryAttention
WRITE_INDICES, VALID_LENGTH = "write_indices", "nonpad_kv_seqlen"  # of TensorScatter and Attention
PAST_KEY, PAST_VALUE = "past_key_values.%d.key", "past_key_values.%d.value"
PRESENT_KEY, PRESENT_VALUE = "present.%d.key", "present.%d.value"
PAST_STATE, PRESENT_STATE = "past.%d.{}", "present.%d.{}"  # of fixed size, by its name, as in genai's graphs
CROSS_KEY, CROSS_VALUE = "cross.%d.key", "cross.%d.value"  # computed by the encoder, once
CACHE_SCALE = "{}.scale"  # [1, H, 1, D]: by a past input's name, what its integers are multiplied by
ADAPTER_RIGHT, ADAPTER_LEFT = "lora_A.{}", "lora_B.{}"  # [K, r] and [r, N], by the path of a linear layer x · [K, N]
POSITIONS_KEY = "joinery.positions"  # graph metadata: number of positions of the model
DEFAULT_CAPACITY = 4096  # default number of cache slots


def window_masks(windows: Iterable[int | None]) -> dict[int | None, str]:
    """Window size → the name of the mask of the layers with it; the mask without a window (None) comes first.

    windows: the window of each layer. If all are equal, the one mask's name has no number.
    """
    kinds = sorted(set(windows), key=lambda window: (window is not None, window or 0))
    alone = len(kinds) == 1
    return {window: MASK if alone or window is None else f"{MASK}_{window}" for window in kinds}


def is_layered(pattern: str) -> bool:
    """Whether a pattern gives one name per layer: it has one %d and no other % of a format."""
    return pattern.count("%") == pattern.count("%d") == 1
