"""What encoders of pictures and sound have in common: the token in whose place their rows stand, plain positions."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch

from workflows.export.sound_encoder import SoundWindowsModule
from workflows.export.vision import TilesModule


def test_each_has_its_own_placeholder_and_output() -> None:
    config = SimpleNamespace(image_token_id=7, audio_token_id=9)
    tower: Any = torch.nn.Module()
    tower.set_attn_implementation = lambda name: None
    inner = SimpleNamespace(audio_tower=tower)
    model: Any = SimpleNamespace(config=config, model=inner)
    sees, hears = TilesModule(model), SoundWindowsModule(model)
    assert (sees.placeholder, sees.features) == (7, "image_features")
    assert (hears.placeholder, hears.features) == (9, "audio_features")
    assert sees.positions(model, torch.zeros(1, 4)).tolist() == [[0, 1, 2, 3]]
