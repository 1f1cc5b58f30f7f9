"""Special tokens do not stand in example texts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch

from workflows.export.example_ids import without_special


def model(text: dict[str, Any], **config: Any) -> Any:
    """What without_special reads of a model of 8 tokens."""
    whole = SimpleNamespace(**config, get_text_config=lambda: SimpleNamespace(**text))
    return SimpleNamespace(config=whole, get_input_embeddings=lambda: SimpleNamespace(weight=torch.zeros(8, 1)))


def test_an_ordinary_token_replaces_each_special_one() -> None:
    several = model({"pad_token_id": 0, "eos_token_id": [1, 3]}, image_token_id=7, pad_token_id=None)
    assert without_special(several, torch.arange(8)[None]).tolist() == [[2, 2, 2, 2, 4, 5, 6, 2]]


def test_ids_without_special_tokens_are_unchanged() -> None:
    assert without_special(model({}), torch.arange(8)[None]).tolist() == [list(range(8))]
