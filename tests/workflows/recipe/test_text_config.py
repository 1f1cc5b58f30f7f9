"""Published files name few sizes of their text part: the others are transformers' defaults."""

from __future__ import annotations

import pytest

from workflows.common.errors import CheckpointError
from workflows.recipe import family_for
from workflows.recipe.text_config import text_config

PUBLISHED = [
    ("llava", {"max_position_embeddings": 4096, "model_type": "llama", "vocab_size": 32064},
     (32, 4096, 32, 128, 32064)),
    ("qwen2_audio", {"max_position_embeddings": 8192, "model_type": "qwen2", "vocab_size": 156032},
     (32, 4096, 32, 128, 156032)),
    ("gemma3", {"hidden_size": 2560, "intermediate_size": 10240, "model_type": "gemma3_text", "num_hidden_layers": 34},
     (34, 2560, 4, 256, 262208)),
]  # fmt: skip
"""Model type, the sizes in the text part of a published file, and (layers, hidden, kv heads, head size, vocabulary)."""


@pytest.mark.parametrize(("model_type", "text", "sizes"), PUBLISHED)
def test_sizes_that_a_file_leaves_out_are_those_of_its_class(
    model_type: str, text: dict[str, object], sizes: tuple[int, ...]
) -> None:
    geometry = family_for(model_type).geometry({"model_type": model_type, "text_config": text})
    assert (geometry.layers, geometry.hidden_size, geometry.kv_heads, geometry.head_dim, geometry.vocabulary) == sizes


def test_what_a_file_says_counts_and_what_no_one_knows_is_reported() -> None:
    names = {"layers": ("num_layers", "num_hidden_layers"), "other": ("nobody_knows",)}
    config = {"model_type": "llava", "text_config": {"model_type": "llama", "num_hidden_layers": 3}}
    assert text_config(config, "text_config", names) == config["text_config"]
    old = {"model_type": "llava", "num_hidden_layers": 3}
    assert text_config(old, "text_config", names) is old
    for wrong in ({"model_type": "llama", "hidden_size": "wide"}, {"model_type": "nobody"}):
        with pytest.raises(CheckpointError, match=r"config\.json"):
            family_for("llava").geometry({"model_type": "llava", "text_config": wrong})
