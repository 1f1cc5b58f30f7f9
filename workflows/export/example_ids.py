"""Token ids of example texts, on which an exported model is compared with the model itself."""

from __future__ import annotations

import torch
from transformers import PreTrainedModel

# In config.json: an id, or a list of them. Models give them another meaning than text: M2M100's padding has no position
# of its own, and counts differently through a cache.
_SPECIAL = ("pad", "bos", "eos", "decoder_start", "image", "video", "audio")


def without_special(model: PreTrainedModel, ids: torch.Tensor) -> torch.Tensor:
    """ids [1,S], int64, of the model's vocabulary, in which an ordinary token replaces each special one."""
    special = _special_tokens(model)
    vocabulary = model.get_input_embeddings().weight.shape[0]
    plain = next((token for token in range(vocabulary) if token not in special), 0)
    return torch.where(torch.isin(ids, torch.tensor(sorted(special), dtype=ids.dtype)), plain, ids)


def _special_tokens(model: PreTrainedModel) -> set[int]:
    configs = (model.config, model.config.get_text_config())
    values = [getattr(config, f"{name}_token_id", None) for config in configs for name in _SPECIAL]
    listed = [one for value in values for one in (value if isinstance(value, list) else [value])]
    return {one for one in listed if isinstance(one, int)}
