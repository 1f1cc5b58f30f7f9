"""Compares the sizes in config.json with the weights before a model is created from them.

A loader creates every layer that a config declares before it reads the files: a config of a few bytes could occupy a
machine for hours and fill its memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from workflows.checkpoint.weights import TensorInfo
from workflows.common.errors import CheckpointError, printable

LAYER_COUNTS = ("num_hidden_layers", "num_layers", "n_layer", "n_layers", "num_encoder_layers", "num_decoder_layers",
                "n_decoder_layer", "encoder_layers", "decoder_layers", "num_hidden_groups", "num_blocks")  # fmt: skip
_CYCLED = "num_layers_per_stack"  # of stacks that run several times, each time with other keys and values
_MODULE_COUNTS = (*LAYER_COUNTS, "num_experts", "num_local_experts", "n_routed_experts", "num_attention_heads")
_ROTATION = {"rope_theta": 1 << 55, "rotary_emb_base": 1 << 55, "factor": 1 << 31,
             "original_max_position_embeddings": 1 << 31}  # fmt: skip
"""The upper bound of each value: above it a float cannot represent the rotation of some pair at all positions."""
_LARGEST = (2 - 2**-23) * 2.0**127
"""The largest float32; models compute in float32."""
_NO_LIMIT = int(1e30)  # how transformers writes that a length has no limit
# Layers that share weights, or are counted differently (EfficientNet: four per block), can outnumber the tensors.
_LAYERS_A_TENSOR, _ALWAYS = 4, 256


def check_sizes(config: Mapping[str, object], tensors: Mapping[str, TensorInfo]) -> None:
    """Raises CheckpointError for more layers or experts, at any depth of `config`, than `tensors` can hold."""
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
    """Raises CheckpointError for a number, at any depth of `config`, with which no model can compute."""
    for key, value in _numbers(config):
        small = key == "eps" or key.endswith(("_eps", "epsilon"))  # added by norms to avoid a division by zero
        if small and not 0 <= value < 1:
            limits = "from 0 up to 1: a small constant that avoids a division by zero"
        elif value != _NO_LIMIT and not abs(value) <= (_LARGEST if isinstance(value, float) else (1 << 63) - 1):
            limits = "a number that a model can compute with"
        else:
            continue
        raise CheckpointError(
            f"config.json says {printable(key, 60)} = {printable(value, 24)}, which must be {limits}: get config.json "
            "again."
        )


def check_layers(config: Mapping[str, object], tensors: Iterable[str]) -> None:
    """Raises CheckpointError for more layers than tensor names; for models whose layers each have weights."""
    held = 1 + max((int(part) for name in tensors for part in name.split(".") if part.isdecimal()), default=0)
    counts = LAYER_COUNTS if config.get(_CYCLED) is None else (_CYCLED,)
    for key, value in _numbers(config):
        if key in counts and value > held:
            raise CheckpointError(
                f"config.json says {key} = {printable(value, 24)}, and the weights hold {held} of each kind of layer "
                "at most: the two do not belong together, so get the whole checkpoint."
            )


def check_rotation(config: Mapping[str, object]) -> None:
    """Raises CheckpointError for rotary parameters that transformers accepts and that cannot be computed."""
    limit = {key: value for key, value in config.items() if key.startswith(("rope", "rotary"))}
    for key, value in _numbers(limit):
        if key in _ROTATION and not 0 < value < _ROTATION[key]:
            raise CheckpointError(
                f"config.json says {key} = {printable(value, 24)} of its rotary positions, which must be above 0 and "
                f"below {_ROTATION[key]:.1g}: get config.json again."
            )
    for part in config.values():
        if isinstance(part, dict):
            check_rotation(part)


def _numbers(config: Mapping[str, object]) -> Iterator[tuple[str, int | float]]:
    """Yields every number with its key, at every depth except in lists."""
    pending = [config]
    while pending:
        for key, value in pending.pop().items():
            if isinstance(value, dict):
                pending.append(value)
            elif isinstance(value, int | float) and not isinstance(value, bool):
                yield key, value
