"""GPT-J and its relatives give their own logits through a cache, and GPT-Neo's local layers have a window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.workflows.export.own_attention.through_cache import check_steps, load

_GPT = {"n_embd": 64, "n_layer": 2, "n_head": 4, "rotary_dim": 8}
_NEO = {"num_layers": 2, "num_heads": 4, "window_size": 9, "attention_layers": ["local", "global"]}


@pytest.mark.parametrize(
    ("model_type", "config", "windows"),
    [
        ("gptj", _GPT, [None, None]),
        ("codegen", _GPT, [None, None]),
        ("gpt_neo", _NEO | {"attention_types": [[["local", "global"], 1]]}, [9, None]),
        ("gpt_neox_japanese", {"rotary_pct": 0.5, "intermediate_multiple_size": 2}, [None, None]),
    ],
)
def test_logits_in_steps_are_the_models_own(
    model_type: str, config: dict[str, Any], windows: list[int | None], tmp_path: Path
) -> None:
    """The table of rotary positions is one for all layers."""
    model = load(model_type, tmp_path, **config)
    layers = check_steps(model, tmp_path)
    assert [layer.window for layer in layers] == windows
    tables = [module.embed_positions for module in model.modules() if hasattr(module, "embed_positions")]
    assert all(table is tables[0] for table in tables)
