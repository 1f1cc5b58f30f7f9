"""RoBERTa's relatives count positions from behind the padding token's id: token n of a text has padding_idx + 1 + n.

Their attention goes through the interface. Padding tokens, which no text contains, would not be counted.
"""

from __future__ import annotations

from typing import Any

import torch
from transformers import PreTrainedModel

from workflows.export.own_attention.routing import Layer, route


def adapt(model: PreTrainedModel) -> None:
    """See adapt_attention."""
    embeddings = model.base_model.embeddings
    own = embeddings.forward

    def shifted(module: Layer, *args: Any, position_ids: torch.Tensor, **named: Any) -> torch.Tensor:
        embedded: torch.Tensor = own(*args, position_ids=position_ids + module.padding_idx + 1, **named)
        return embedded

    route(embeddings, "forward", shifted)
