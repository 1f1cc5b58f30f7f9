"""Doge's numbers for each key go with its value, wherever the cache keeps it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import PreTrainedModel

from tests.workflows.export.own_attention.through_cache import check_steps, load
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import LayoutError
from workflows.export.equivalence import check_layers
from workflows.export.load import load_model
from workflows.recipe import family_for


def load_spread(folder: Path, **config: Any) -> PreTrainedModel:
    """With factors other than 0, with which all numbers are 1."""
    load("doge", folder, **config)
    (file,) = folder.glob("*.safetensors")
    chances = torch.Generator().manual_seed(0)
    weights = load_file(file)
    spread = {name: torch.randn(one.shape, generator=chances) for name, one in weights.items() if name.endswith(".A")}
    save_file(weights | spread, file, {"format": "pt"})
    return load_model(open_checkpoint(str(folder)), "text-generation")


def test_the_dynamic_mask_is_added_to_the_scores(tmp_path: Path) -> None:
    """In a window of 24 positions."""
    layers = check_steps(load_spread(tmp_path, sliding_window=24), tmp_path)
    assert [(layer.biased, layer.direct, layer.window) for layer in layers] == [(False, False, 24)] * 2
    for cache in ("static", "window"):
        check_layers(layers, cache)
    for cache in ("gqa", "scatter"):
        with pytest.raises(LayoutError, match="build with --cache static or window"):
            check_layers(layers, cache)


def test_beyond_its_window_the_model_is_another(tmp_path: Path) -> None:
    """A token then attends to some keys alone, so that the positions end there."""
    model = load_spread(tmp_path, keep_window_size=20)
    with pytest.raises(AssertionError, match="logits are off by"):
        check_steps(model, tmp_path)
    assert family_for("doge").geometry(model.config.to_dict()).max_positions == 20
