"""RoBERTa's relatives count positions from behind the padding token, which takes rows of their table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.export.own_attention.through_cache import check_steps, load
from workflows.recipe import family_for
from workflows.recipe.family import PADDED_POSITIONS


@pytest.mark.parametrize("model_type", PADDED_POSITIONS)
def test_logits_in_steps_are_the_models_own(model_type: str, tmp_path: Path) -> None:
    config = {"default_language": "en_XX"} if model_type == "xmod" else {}
    check_steps(load(model_type, tmp_path, is_decoder=True, pad_token_id=2, **config), tmp_path)


def test_the_first_rows_of_the_table_are_no_positions() -> None:
    """Those up to the padding token's, 1 by default."""
    config = {"model_type": "roberta", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2,
              "vocab_size": 50, "max_position_embeddings": 514}  # fmt: skip
    family = family_for("roberta", "text-generation")
    assert family.geometry(config).max_positions == 512
    assert family.geometry(config | {"pad_token_id": 0}).max_positions == 513
    assert family.geometry(config | {"model_type": "bert"}).max_positions == 514
