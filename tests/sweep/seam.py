"""The quick comparison, without graphs: the module that would be traced, run by PyTorch, against eager Hugging Face.

It takes a second where a build takes twenty, and sees what the cut makes of a model, not what the exporter does.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from tests.sweep.case import OPTIONS, TEXT, TOLERANCE, Eager, Verdict, save_spread, short
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import JoineryError, LayoutError
from workflows.export.decoder import DecoderModule, causal_layers
from workflows.export.equivalence import check_causal, check_layers
from workflows.export.load import load_model
from workflows.export.signature import ExportSignature, cache_names, decoder_signature
from workflows.recipe import resolve_recipe

ENDS = (1, 64, 65, 128, 130, 131, 132)  # of the steps, after each of which the logits are compared


def seam_case(name: str, config: Any, seed: int = 0) -> Verdict:
    """As decoder_case, for the torch module alone."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        try:
            torch.manual_seed(seed)
            model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval()
            save_spread(model, folder, seed)
            oracle = Eager(folder)
        except Exception as error:  # noqa: BLE001 - whatever transformers raises, the config is not one to judge by
            return Verdict(name, "no config", short(error))
        try:
            wrong = _compared(folder, oracle)
            return Verdict(name, "wrong", wrong) if wrong else Verdict(name, "equal")
        except JoineryError as error:
            return Verdict(name, "refused", str(error).replace(str(folder), "the checkpoint"))
        except Exception as error:  # noqa: BLE001 - that anything else comes out is what is looked for
            return Verdict(name, "traceback", short(error))


def _compared(folder: Path, oracle: Eager) -> str:
    checkpoint = open_checkpoint(str(folder))
    recipe = resolve_recipe(checkpoint, OPTIONS | TEXT)
    model = load_model(checkpoint, recipe.task)
    layers = causal_layers(model)
    try:
        check_layers(layers, recipe.cache)
    except LayoutError:  # a build falls back likewise
        check_layers(layers, "static")
    check_causal(model, layers, recipe)
    signature = decoder_signature(layers, "host")
    decoder = DecoderModule(model, signature, layers).eval()
    ids = [int(i) for i in np.random.default_rng(1).integers(3, oracle.vocabulary, ENDS[-1])]
    names = [past % i for i, kept in enumerate(cache_names(layers)) for past, _ in kept]
    past = {name: signature.inputs[name] for name in names}
    past = {name: one[:, :, :0] if signature.axes[name] else torch.zeros_like(one) for name, one in past.items()}
    for start, end in zip((0, *ENDS), ENDS, strict=False):
        with torch.no_grad():
            logits, *new = decoder(*_inputs(signature, ids, start, end, past))
        for name, rows in zip(names, new, strict=True):
            past[name] = torch.cat([past[name], rows], dim=2) if signature.axes[name] else rows
        wanted = oracle.next_logits(ids[:end])
        off, scale = float(np.abs(logits[0, -1].numpy() - wanted).max()), max(1.0, float(np.abs(wanted).max()))
        if not off <= TOLERANCE * scale:
            return f"after {end} tokens logits of up to {scale:.3g} are off by {off:.3g}"
    return ""


def _inputs(
    signature: ExportSignature, ids: list[int], start: int, end: int, past: dict[str, torch.Tensor]
) -> list[torch.Tensor]:
    """In the signature's order; every slot of the past holds a token."""
    assert signature.facts is not None
    given = {"input_ids": torch.tensor([ids[start:end]]), "position_ids": torch.arange(start, end)[None]}
    back = torch.arange(start, end)[:, None] - torch.arange(end)
    for group in signature.facts.groups:
        seen = (back >= 0) & (back < (group.window or end))
        if group.chunked and group.window:
            seen &= torch.arange(start, end)[:, None] // group.window == torch.arange(end) // group.window
        given[group.mask] = torch.where(seen, 0.0, torch.finfo(torch.float32).min)[None, None]
    given |= past
    return [given[name] for name in signature.inputs]
