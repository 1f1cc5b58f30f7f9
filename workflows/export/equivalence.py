"""Before anything is traced: whether a causal LM cut around a cache still is the model that it was.

    model, its own attention, all tokens at once ────▶ logits ──┐
    model, our seam: at once; in two steps; in many ──▶ logits ──┴──▶ equal, or refused

The tokens go past every length at which a model may do something else: windows, the chunk, a rope scaling's original
length. What the model said at some of them is kept, and the graphs that are made of it are held against that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from workflows.checkpoint.configuration import walk
from workflows.common.errors import LayoutError, RecipeError, printable
from workflows.common.kernel_constraints import layout_violation
from workflows.export.attention import (
    ATTENTION_NAME,
    MODEL_ERRORS,
    HostCacheAdapter,
    LayerFacts,
    using_adapter,
    windows_of,
)
from workflows.export.decoder import run_causal
from workflows.export.reference import STEPS, ReferenceLogits
from workflows.recipe.resolve import check_layer_types
from workflows.recipe.schema import Recipe, cache_writer

_TOKENS_BEYOND = 16  # tokens past the last length of interest
_MIN_TOKENS = 80  # tokens that are compared in every way whatever they cost
_SUMS = 5e11  # multiplications of one run: some ten seconds on two cores
_SCORES = 1 << 28  # bytes of one layer's attention scores
_SCORES_OF_WINDOWS = 1 << 32  # the same where a window wants more: 4,096 tokens of 64 heads
_TOLERANCE = 1e-3  # of the largest logit: sums in another order differ by 1e-6, a wrong mask by whole logits
_ROUTED = 0.75  # share of tokens that must agree where experts are chosen: a near tie of two may fall either way
# Numbers in a config that say from which length on a model does something else.
_LENGTHS = re.compile("window|chunk|topk|original_max_position|local_attention|extent|floor|block_size")
_WINDOWS = re.compile("sliding_window(_size)?|window_size|attention_window_size|local_attention")


def check_layers(layers: Sequence[LayerFacts], cache: str) -> None:
    """Raises LayoutError where the graph cannot write the rows that a layer keeps in place.

    The heads of every layer count, which may be of other sizes than the one that the config names.
    """
    if cache_writer(cache) != "host" and not all(layer.direct for layer in layers):
        raise LayoutError(
            f"This model makes its keys and values of what it keeps, and the {cache} cache attends to what is kept: "
            "build with --cache static or window."
        )
    misfits = (layout_violation(cache, layer.head_dim, layer.value_dim) for layer in layers)
    if misfit := next((one for one in misfits if one), ""):
        raise LayoutError(f"The {cache} cache is not right for this model, for {misfit}: build with --cache static.")


def check_causal(model: Any, layers: Sequence[LayerFacts], recipe: Recipe) -> ReferenceLogits:
    """What the model's own eager attention says, once the logits through a cache are found to be the same.

    Raises RecipeError where they are not, where the model cannot be run, and where a window that its config names was
    neither seen nor compared past; CheckpointError for layers of another type. The model must have been loaded with
    our attention, and is left so.
    """
    check_layer_types(getattr(_config(model), "layer_types", None))  # which a class may derive from other words
    count = comparison_tokens(model, layers, recipe)
    _check_named_windows(model, layers, recipe, count)
    vocabulary = model.get_input_embeddings().weight.shape[0]
    ids = torch.from_numpy(np.random.default_rng(0).integers(0, vocabulary, (1, count)))
    try:
        with torch.no_grad(), _plain_experts(model):
            expected = _eager_logits(model, ids)
            for ends in _step_plans(layers, count, max(_MIN_TOKENS, _affordable_tokens(model))):
                _compare(_logits_in_steps(model, layers, ids, ends), expected[: ends[-1]], ends, _is_routed(model))
    except MODEL_ERRORS as error:
        raise RecipeError(
            f"Run with a cache, this model's own code fails ({type(error).__name__}: {printable(error, 120)}), so it "
            "cannot be built."
        ) from error
    chunk = recipe.compared_chunk
    rows = [*range(chunk - 1, count - STEPS - 1, chunk), *range(max(0, count - STEPS - 1), count)]
    return ReferenceLogits(ids[0].numpy(), np.array(rows), expected[rows].numpy(), _is_routed(model))


def comparison_tokens(model: Any, layers: Sequence[LayerFacts], recipe: Recipe) -> int:
    """How many tokens are compared: past the chunk and past each window below the capacity, whatever the model's size;
    past other lengths of interest where _SUMS and _SCORES allow it.

    One token costs as many multiplications as there are weights: a run of 1,040 tokens through 4e9 weights takes a
    minute or two on two cores, and there are two such runs: the model's own, and one through a cache (see _ways).
    Beside the weights it takes the scores of one layer, which are gone before the next one's, and the logits of all
    tokens twice: 2 GB of 1,040 tokens and a vocabulary of 262,144.
    """
    most = min(recipe.capacity, _tokens_within(model, _SCORES_OF_WINDOWS))
    windows = [*(layer.window or 0 for layer in layers), *_named_windows(model).values()]
    others = [n for n in _numbers(model, _LENGTHS).values() if n + _TOKENS_BEYOND <= _affordable_tokens(model)]
    lengths = [recipe.compared_chunk, *(n for n in (*windows, *others) if n < most)]
    return min(most, max(lengths) + _TOKENS_BEYOND)


def _affordable_tokens(model: Any) -> int:
    """How many tokens any model is compared at in seconds."""
    weights = sum(weight.numel() for weight in model.parameters())
    return min(int(_SUMS / weights), _tokens_within(model, _SCORES))


def _tokens_within(model: Any, scores: int) -> int:
    """How many tokens have one layer's scores in so many bytes."""
    heads = max(4, getattr(_config(model), "num_attention_heads", 0) or 0)
    return int((scores / 4 / heads) ** 0.5)


def _named_windows(model: Any) -> dict[str, int]:
    """The windows that the config names, of a model that may have layers with one."""
    kinds = getattr(_config(model), "layer_types", None)
    return {} if kinds and not any("sliding" in str(kind) for kind in kinds) else _numbers(model, _WINDOWS)


def _check_named_windows(model: Any, layers: Sequence[LayerFacts], recipe: Recipe, count: int) -> None:
    seen = {layer.window for layer in layers}
    for name, window in _named_windows(model).items():
        if window not in seen and count <= window < recipe.capacity:
            raise RecipeError(
                f"config.json names a window ({printable(name)} = {window:,}) that no layer of this model was seen to "
                f"keep, and comparing past it would take too much memory: build with --capacity {window}, which never "
                "reaches it."
            )


def _config(model: Any) -> Any:
    """That of the part which reads text."""
    return model.config.get_text_config()


def _numbers(model: Any, names: re.Pattern[str]) -> dict[str, int]:
    """The whole numbers above 1 in the config, at any depth, whose name has such a word."""
    found = walk(_config(model).to_dict())
    return {name: value for name, value in found if type(value) is int and value > 1 and names.search(name)}


@contextmanager
def _plain_experts(model: Any) -> Iterator[None]:
    """Experts one after another: what the graphs do gathers the weights of each token's, too many for a long text."""
    before = getattr(model.config, "_experts_implementation", None)
    model.set_experts_implementation("eager")
    try:
        yield
    finally:
        model.set_experts_implementation(before)


def _eager_logits(model: Any, ids: torch.Tensor) -> torch.Tensor:
    """[S,V]: the model as transformers runs it."""
    model.set_attn_implementation("eager")
    try:
        logits: torch.Tensor = model(input_ids=ids, use_cache=False).logits[0]
    finally:
        model.set_attn_implementation(ATTENTION_NAME)
    return logits


def _step_plans(layers: Sequence[LayerFacts], count: int, at_ease: int) -> list[list[int]]:
    """Where the steps end: one step; two, cut within the smallest window; many, the last of a single token each.

    The many alone go to `count` where that is more than what is compared at ease: they say the most.
    """
    windows = [layer.window for layer in layers if layer.window]
    few = min(count, at_ease)
    two, cut = (max(1, min([length, *windows]) // 2) for length in (few, count))
    many = [min(cut + 1, count), *range(max(cut + 2, count - STEPS), count + 1)]
    return [[few], [two, few], sorted({*many, count})]


def _logits_in_steps(model: Any, layers: Sequence[LayerFacts], ids: torch.Tensor, ends: Sequence[int]) -> torch.Tensor:
    """Logits [S,V], the keys and values of each step kept in a cache for the next."""
    past = [torch.zeros(1, layer.kv_heads, 0, size) for layer in layers for size in (layer.head_dim, layer.value_dim)]
    rows = []
    for start, end in zip((0, *ends), ends, strict=False):
        masks = {layer.window: _mask(start, end, layer.window) for layer in layers}
        seam = HostCacheAdapter(past[0::2], past[1::2], torch.tensor(start), windows=windows_of(layers), masks=masks)
        with using_adapter(seam):
            rows.append(run_causal(model, seam, ids[:, start:end], torch.arange(start, end)[None])[0])
        new = [tensor for i in range(len(layers)) for tensor in seam.present[i]]
        past = [torch.cat(both, dim=2) for both in zip(past, new, strict=True)]
    return torch.cat(rows)


def _mask(start: int, end: int, window: int | None) -> torch.Tensor:
    """[1,1,S,end] additive: a query sees itself and what is before it, within the window."""
    back = torch.arange(start, end)[:, None] - torch.arange(end)[None]
    seen = (back >= 0) & (back < (window or end))
    return torch.where(seen, 0.0, torch.finfo(torch.float32).min)[None, None]


def _is_routed(model: Any) -> bool:
    return any("expert" in name for name, _ in model.named_modules())


def _compare(found: torch.Tensor, expected: torch.Tensor, ends: Sequence[int], routed: bool) -> None:
    """Raises RecipeError where a step's logits [S,V] are not the model's own; single tokens count as one step."""
    largest = max(float(row.abs().max()) for row in expected)  # row by row: there may be gigabytes of them
    off = torch.stack([(one - other).abs().max() for one, other in zip(found, expected, strict=True)])
    off /= max(1.0, largest)
    for start, end in zip((0, *ends), ends, strict=False):
        rows = off[start:end] if end - start > 1 else off[-STEPS:]
        worst = float(rows.quantile(_ROUTED)) if routed else float(rows.max())
        if not worst <= _TOLERANCE:
            raise RecipeError(
                f"Cut around a cache, this model's logits differ from its own by {worst:.2g} of the largest, among the "
                f"tokens {start:,} to {end:,} of {len(off):,}: it does something with positions, masks or what it "
                "keeps that Joinery does not know, so it cannot be built."
            )
