"""A small model with own attention, run through a cache and compared with transformers' own code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, PreTrainedModel

from tests.workflows.families.models import VOCABULARY, save_decoder
from workflows.checkpoint import open_checkpoint
from workflows.export.attention import LayerFacts
from workflows.export.decoder import cached_steps, causal_layers, run_step
from workflows.export.load import load_model

ENDS = (7, 40, 41, 42)  # of the steps; past the windows of these models


def load(model_type: str, folder: Path, **config: Any) -> PreTrainedModel:
    """A seeded model, as an export loads it."""
    return load_model(open_checkpoint(str(save_decoder(model_type, folder, **config))), "text-generation")


def check_steps(
    model: PreTrainedModel,
    folder: Path,
    implementation: str = "eager",
    prepare: Callable[[PreTrainedModel], None] = lambda own: None,
) -> tuple[LayerFacts, ...]:
    """The facts of the model's layers; asserts that its logits in steps are those of the unchanged model.

    prepare: receives that model before it runs.
    """
    layers = causal_layers(model)
    ids = torch.randint(3, VOCABULARY, (1, ENDS[-1]), generator=torch.Generator().manual_seed(0))
    own = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation=implementation).eval()
    prepare(own)
    with torch.no_grad():
        found = torch.cat([run_step(model, ids, step) for step in cached_steps(layers, ENDS)])
        wanted = own(input_ids=ids, use_cache=False).logits[0]
    off = float((found - wanted).abs().max())
    assert off < 2e-5 * float(wanted.abs().max()), f"logits are off by {off:.3g}"
    return layers
