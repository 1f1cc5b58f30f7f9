"""Before anything is traced: whether a causal LM cut around a cache still is the model that it was.

    model, its own attention, all tokens at once ──▶ logits ──┐
    model, our seam, four tokens and then three  ──▶ logits ──┴──▶ equal, or refused
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from workflows.errors import RecipeError
from workflows.export.attention import NAME, HostSeam, LayerFacts, attending
from workflows.export.decoder import run_causal
from workflows.recipe.schema import writer_of

_FIRST, _TOKENS = 4, 7
_TOLERANCE = 1e-3  # of the largest logit: sums in another order differ by 1e-6, a wrong mask by whole logits


def check_layers(layers: Sequence[LayerFacts], cache: str) -> None:
    """Raises RecipeError where the graph cannot write the rows that a layer keeps in place."""
    if writer_of(cache) != "host" and not all(layer.direct for layer in layers):
        raise RecipeError(
            f"This model makes its keys and values of what it keeps, and the {cache} cache attends to what is kept: "
            "build with --cache static or window."
        )


def check_causal(model: Any, layers: Sequence[LayerFacts]) -> None:
    """Raises RecipeError where the logits through a cache are not those of the model's own eager attention.

    The model must have been loaded with our attention, and is left so.
    """
    vocabulary = model.get_input_embeddings().weight.shape[0]
    ids = (torch.arange(1, _TOKENS + 1) * 7919 % vocabulary)[None]
    with torch.no_grad():
        model.set_attn_implementation("eager")
        expected = model(input_ids=ids, use_cache=False).logits[0]
        model.set_attn_implementation(NAME)
        found = _in_two_steps(model, layers, ids)
    difference = float((found - expected).abs().max())
    if not difference <= _TOLERANCE * max(1.0, float(expected.abs().max())):
        raise RecipeError(
            f"Cut around a cache, this model's logits differ from its own by {difference:.2g}: it does something "
            "between its layers and its cache that Joinery does not know, so it cannot be built."
        )


def _in_two_steps(model: Any, layers: Sequence[LayerFacts], ids: torch.Tensor) -> torch.Tensor:
    """Logits [S,V], the first tokens' keys and values kept in a cache for the others."""
    past = [torch.zeros(1, layer.kv_heads, 0, size) for layer in layers for size in (layer.head_dim, layer.value_dim)]
    rows = []
    for start, end in ((0, _FIRST), (_FIRST, ids.shape[1])):
        masks = {layer.window: _mask(start, end, layer.window) for layer in layers}
        seam = HostSeam(keys=past[0::2], values=past[1::2], start=torch.tensor(start), masks=masks)
        with attending(seam):
            rows.append(run_causal(model, seam, ids[:, start:end], torch.arange(start, end)[None])[0])
        new = [tensor for i in range(len(layers)) for tensor in seam.present[i]]
        past = [torch.cat(both, dim=2) for both in zip(past, new, strict=True)]
    return torch.cat(rows)


def _mask(start: int, end: int, window: int | None) -> torch.Tensor:
    """[1,1,S,end] additive: a query sees itself and what is before it, within the window."""
    back = torch.arange(start, end)[:, None] - torch.arange(end)[None]
    seen = (back >= 0) & (back < (window or end))
    return torch.where(seen, 0.0, torch.finfo(torch.float32).min)[None, None]
