"""xLSTM gives its own logits in steps: memory and normalizer of the mLSTM are one state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.workflows.export.own_attention.through_cache import check_steps, load
from workflows.common.errors import RecipeError
from workflows.export.decoder import causal_layers

CONFIG: dict[str, Any] = {"embedding_dim": 64, "num_blocks": 2, "num_heads": 4, "chunk_size": 16}


def test_logits_in_steps_are_the_models_own(tmp_path: Path) -> None:
    layers = check_steps(load("xlstm", tmp_path, **CONFIG), tmp_path)
    assert [[(state.name, state.shape) for state in layer.states] for layer in layers] == [
        [("recurrent", (1, 4, 8, 17))]
    ] * 2


def test_gates_with_a_large_cap_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"not capped at 40 or less \(gate_soft_cap in config.json\)"):
        causal_layers(load("xlstm", tmp_path, **CONFIG, gate_soft_cap=60.0))
