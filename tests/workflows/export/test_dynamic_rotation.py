"""Rotary angles by the rule `dynamic` are fixed at those of the model's own length."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM

from tests.workflows.families.models import VOCABULARY, save_decoder
from workflows.checkpoint import open_checkpoint
from workflows.export.dynamic_rotation import fix_dynamic_rotations
from workflows.export.load import load_model

LONGEST = 40
RULE = {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10000.0}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return save_decoder("llama", tmp_path / "m", rope_parameters=RULE, max_position_embeddings=LONGEST)


def logits(model: torch.nn.Module, length: int) -> torch.Tensor:
    ids = torch.randint(3, VOCABULARY, (1, length), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        found: torch.Tensor = model(ids, use_cache=False).logits
    return found


def test_logits_are_the_models_own_up_to_its_length(folder: Path) -> None:
    """And not beyond, where the model's angles change; after which it goes back to them."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    ours = load_model(open_checkpoint(str(folder)), "text-generation", attention="eager")
    for length in (1, LONGEST - 1, LONGEST):
        torch.testing.assert_close(logits(ours, length), logits(model, length), rtol=1e-5, atol=1e-5)
    assert (logits(ours, LONGEST + 8) - logits(model, LONGEST + 8)).abs().max() > 1e-4


def test_one_of_several_kinds_of_layers() -> None:
    module = torch.nn.Module()
    module.rope_type = {"sliding_attention": "default", "full_attention": "dynamic", "other": "yarn"}
    fix_dynamic_rotations(module)
    assert module.rope_type == {"sliding_attention": "default", "full_attention": "default", "other": "yarn"}
