"""The sizes that a config gives, held against what the weights hold, before anything is made of either.

A loader makes every layer that a config asks for before it looks into the files: a config of a few bytes could keep a
machine busy for hours and fill its memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from workflows.checkpoint.safetensors_header import TensorInfo
from workflows.common.errors import CheckpointError, printable

LAYER_COUNTS = (
    "num_hidden_layers",
    "num_layers",
    "n_layer",
    "n_layers",
    "num_encoder_layers",
    "num_decoder_layers",
    "n_decoder_layer",
    "encoder_layers",
    "decoder_layers",
    "num_hidden_groups",
    "num_blocks",
)
_MODULE_COUNTS = (*LAYER_COUNTS, "num_experts", "num_local_experts", "n_routed_experts", "num_attention_heads")
_ROTATION = {"rope_theta": 1 << 55, "rotary_emb_base": 1 << 55, "factor": 1 << 31,
             "original_max_position_embeddings": 1 << 31}  # fmt: skip
"""What each stays below: from there on a float cannot tell the turn of some pair, over all positions there could be."""
_LARGEST = (2 - 2**-23) * 2.0**127
"""Of a float32, in which models compute."""
_NO_LIMIT = int(1e30)  # as transformers writes that a length has no limit
# Layers that share weights, or are counted in another way (EfficientNet's four to a block), are more than the tensors.
_LAYERS_A_TENSOR, _ALWAYS = 4, 256


def check_sizes(config: Mapping[str, object], tensors: Mapping[str, TensorInfo]) -> None:
    """Raises CheckpointError for a number of layers or experts, at any depth of `config`, beyond what `tensors` could
    be the weights of, however they share them."""
    elements = sum(tensor.elements for tensor in tensors.values())
    counts = {**dict.fromkeys(_MODULE_COUNTS, elements), **dict.fromkeys(LAYER_COUNTS, len(tensors) * _LAYERS_A_TENSOR)}
    for key, value in _numbers(config):
        limit = max(counts.get(key, value), _ALWAYS)
        if value > limit:
            raise CheckpointError(
                f"config.json says {key} = {printable(value, 24)}, and the {len(tensors):,} tensors of the checkpoint "
                "cannot hold as many: the two do not belong together, so get the checkpoint again."
            )


def check_values(config: Mapping[str, object]) -> None:
    """Raises CheckpointError for a number, at any depth of `config`, that no model could compute with."""
    for key, value in _numbers(config):
        small = key == "eps" or key.endswith(("_eps", "epsilon"))  # which norms add, so as not to divide by nothing
        if small and not 0 <= value < 1:
            limits = "from 0 up to 1, for it is added to what it is to be small beside"
        elif value != _NO_LIMIT and not abs(value) <= (_LARGEST if isinstance(value, float) else (1 << 63) - 1):
            limits = "a number that a model can compute with"
        else:
            continue
        raise CheckpointError(
            f"config.json says {printable(key, 60)} = {printable(value, 24)}, which must be {limits}: get config.json "
            "again."
        )


def check_layers(config: Mapping[str, object], tensors: Iterable[str]) -> None:
    """Raises CheckpointError for a number of layers beyond the highest that a tensor's name counts to.

    For models whose every layer has weights of its own.
    """
    held = 1 + max((int(part) for name in tensors for part in name.split(".") if part.isdecimal()), default=0)
    for key, value in _numbers(config):
        if key in LAYER_COUNTS and value > held:
            raise CheckpointError(
                f"config.json says {key} = {printable(value, 24)}, and the weights hold {held} of each kind of layer "
                "at most: the two do not belong together, so get the whole checkpoint."
            )


def check_rotation(config: Mapping[str, object]) -> None:
    """Raises CheckpointError for rotary positions that nothing could turn by: transformers builds them all the same."""
    said = {key: value for key, value in config.items() if key.startswith(("rope", "rotary"))}
    for key, value in _numbers(said):
        if key in _ROTATION and not 0 < value < _ROTATION[key]:
            raise CheckpointError(
                f"config.json says {key} = {printable(value, 24)} of its rotary positions, which must be above 0 and "
                f"below {_ROTATION[key]:.1g}: get config.json again."
            )
    for part in config.values():
        if isinstance(part, dict):
            check_rotation(part)


def _numbers(config: Mapping[str, object]) -> Iterator[tuple[str, int | float]]:
    """Every number that stands under a name, at every depth but within lists."""
    pending = [config]
    while pending:
        for key, value in pending.pop().items():
            if isinstance(value, dict):
                pending.append(value)
            elif isinstance(value, int | float) and not isinstance(value, bool):
                yield key, value
