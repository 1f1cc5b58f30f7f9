"""BART's relatives with own attention give their own logits through a cache, with positions of each kind of table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from transformers import PreTrainedModel

from tests.workflows.export.own_attention.through_cache import check_steps, load

_BART: dict[str, Any] = {"d_model": 64, "decoder_layers": 2, "encoder_layers": 2, "decoder_attention_heads": 4,
                         "encoder_attention_heads": 4, "decoder_ffn_dim": 96, "encoder_ffn_dim": 96}  # fmt: skip


@pytest.mark.parametrize(
    ("model_type", "config"),
    [
        ("mvp", _BART),
        ("trocr", _BART),
        ("xglm", {"d_model": 64, "num_layers": 2, "attention_heads": 4, "ffn_dim": 96}),
    ],
)
def test_logits_in_steps_are_the_models_own(model_type: str, config: dict[str, Any], tmp_path: Path) -> None:
    check_steps(load(model_type, tmp_path, **config), tmp_path)


def test_a_table_without_values_is_computed(tmp_path: Path) -> None:
    """That of TrOCR's sines, without which transformers' own model does not run either."""
    model = load("trocr", tmp_path, **_BART, use_learned_position_embeddings=False)
    table = model.get_decoder().embed_positions.weights
    assert not table.is_meta

    def complete(own: PreTrainedModel) -> None:
        assert own.get_decoder().embed_positions.weights.is_meta
        own.get_decoder().embed_positions.weights = table.clone()

    check_steps(model, tmp_path, prepare=complete)
