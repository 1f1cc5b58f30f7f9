"""A causal XLM gives its own logits through a cache; one that is not is refused like others whose tokens look ahead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from transformers import AutoConfig, AutoModelForCausalLM

from tests.workflows.export.own_attention.through_cache import check_steps, load
from workflows.common.errors import RecipeError
from workflows.export.own_attention import adapt_attention

_XLM: dict[str, Any] = {"emb_dim": 64, "n_heads": 4, "n_layers": 2}
_CPM: dict[str, Any] = {"dim_head": 16, "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}
_XLNET: dict[str, Any] = {"d_model": 64, "n_head": 4, "n_layer": 2, "d_inner": 96}
_PROPHET: dict[str, Any] = {"num_decoder_layers": 2, "num_encoder_layers": 1, "decoder_ffn_dim": 96,
                            "num_decoder_attention_heads": 4, "num_encoder_attention_heads": 4,
                            "hidden_size": 64}  # fmt: skip


def test_logits_in_steps_are_the_models_own(tmp_path: Path) -> None:
    check_steps(load("xlm", tmp_path, causal=True, **_XLM), tmp_path)


@pytest.mark.parametrize(
    ("model_type", "config", "why"),
    [
        ("xlm", _XLM, "attend to later tokens"),
        ("cpmant", _CPM, "attend to later tokens"),
        ("xlnet", _XLNET, "attend to later tokens"),
        ("xlnet", _XLNET | {"attn_type": "uni"}, "adds a learned position to each key"),
        ("prophetnet", _PROPHET, "second stream of hidden states"),
    ],
)
def test_what_no_cache_fits_is_refused(model_type: str, config: dict[str, Any], why: str) -> None:
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(model_type, vocab_size=50, **config))
    with pytest.raises(RecipeError, match=why):
        adapt_attention(model)
