"""DeepSeek's sparse attention, built as dense attention for texts in which it is the same.

An indexer selects `index_topk` keys for each token (DeepSeek-V3.2, section 2.1), which are all of them while there are
no more; recipe/family.py limits the positions to that many. The indexer's own keys then need no cache.
"""

from __future__ import annotations

import torch
from transformers import PreTrainedModel

from workflows.export.own_attention.routing import route


def adapt(model: PreTrainedModel) -> None:
    """Leaves the indexers out while a cache adapter is in use, whose attention takes no selection."""
    for module in model.modules():
        if hasattr(module, "index_topk") and type(module).__name__.endswith("Indexer"):
            route(module, "forward", _unused)


def _unused(module: torch.nn.Module, hidden: torch.Tensor, *_: object, **__: object) -> torch.Tensor:
    """[1,S,1]: in the place of the selected keys."""
    return torch.zeros(1, hidden.shape[1], 1, dtype=torch.int32)
