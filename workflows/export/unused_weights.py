"""Checks that no weight of a checkpoint is dropped silently."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from safetensors import safe_open

from workflows.checkpoint import Checkpoint
from workflows.common.errors import CheckpointError, printable

if TYPE_CHECKING:
    from transformers import PreTrainedModel

# Stored by older versions, but computed from the config: angles, positions, causal masks.
_COMPUTED = ("inv_freq", "position_ids", "masked_bias", "relative_position_index")


def check_unused_weights(checkpoint: Checkpoint, model: PreTrainedModel, names: Sequence[str], one_head: bool) -> None:
    """Raises CheckpointError where one of `names`, which `model` did not load, is a weight that it needs.

    one_head: other heads are errors; otherwise they are allowed, as in BERT's files. transformers has already excluded
    the names that the model's class ignores.
    """
    buffers = {name for name, _ in model.named_buffers()}
    lost = [
        name
        for name in names
        if name not in buffers
        and name.rsplit(".", 1)[-1] not in _COMPUTED
        and (one_head or not _is_another_head(model, name))
        and not _is_tied(checkpoint, model, name)
    ]
    if lost:
        what = printable(", ".join(checkpoint.architectures)) or checkpoint.model_type
        raise CheckpointError(
            f"{checkpoint.source}: the weight {printable(lost[0])}{and_more(lost)} does not exist in "
            f"{type(model).__name__}, as which Joinery would build this {what}: config.json and the weights do not "
            "belong together."
        )


def and_more(names: Sequence[str]) -> str:
    """The suffix of a message that names only the first of `names`."""
    return f" and {len(names) - 1} more" if len(names) > 1 else ""


def _is_another_head(model: PreTrainedModel, name: str) -> bool:
    """Whether the weight is beside the model's body, or pools its output."""
    prefix = f"{model.base_model_prefix}."
    if name.startswith(prefix) or model.base_model is model:
        first, *rest = name.removeprefix(prefix).split(".")
        return first == "pooler" or (bool(rest) and first not in dict(model.base_model.named_children()))
    return True


def _is_tied(checkpoint: Checkpoint, model: PreTrainedModel, name: str) -> bool:
    """Whether the weight is a copy of the embedding or the head."""
    stored = checkpoint.tensors.get(name)
    ends = [end.weight for end in (model.get_input_embeddings(), model.get_output_embeddings()) if end is not None]
    candidates = [weight for weight in ends if stored is not None and tuple(weight.shape) == stored.shape]
    if stored is None or not candidates:
        return False
    with safe_open(checkpoint.folder / stored.file, "pt") as file:
        tensor = file.get_tensor(name).to(torch.float32)
    return any(torch.equal(tensor, weight) for weight in candidates)
