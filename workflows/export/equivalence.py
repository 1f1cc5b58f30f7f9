"""Checks before tracing that a causal LM with an explicit cache still computes the model's own logits.

    model, its own attention, all tokens at once ────────▶ logits ──┐
    model, our adapter: at once; in two steps; in many ──▶ logits ──┴──▶ equal, or refused

The sequence is longer than every length at which a model may change its behaviour: windows, the chunk, a rope scaling's
original length. The model's logits at some tokens are saved, and the exported graphs are compared with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import numpy as np
import torch
from transformers import PreTrainedConfig, PreTrainedModel

from workflows.checkpoint.configuration import walk
from workflows.common.errors import LayoutError, RecipeError, printable
from workflows.common.kernel_constraints import layout_violation
from workflows.export.attention import ATTENTION_NAME, MODEL_ERRORS, LayerFacts
from workflows.export.decoder import cached_steps, run_step
from workflows.export.example_ids import without_special
from workflows.export.layerwise import run_layerwise
from workflows.export.own_attention import reference_implementation, set_attention
from workflows.export.reference import QUICK_STEPS, STEPS, ReferenceLogits
from workflows.export.stand_ins import StandIns
from workflows.recipe.cache_layout import CHUNKS_IN_PLACE
from workflows.recipe.compatibility import check_layer_types
from workflows.recipe.schema import Recipe, cache_writer

_TOKENS_BEYOND = 16  # tokens past the last such length
_MIN_TOKENS = 80  # tokens compared in every way, whatever their cost
_SUMS = 5e11  # multiplications of one run: about ten seconds on two cores
_SCORES = 1 << 28  # bytes of one layer's attention scores
_SCORES_OF_WINDOWS = 1 << 32  # the same where a window needs more: 4,096 tokens of 64 heads
_TOLERANCE = 1e-3  # of the largest logit: another summation order differs by 1e-6, a wrong mask by whole logits
_ROUTED = 0.75  # share of tokens that must agree in a model with experts, where a near tie may tip
# Config keys of lengths at which a model may change its behaviour.
_LENGTHS = re.compile("window|chunk|topk|original_max_position|local_attention|extent|floor|block_size")
_WINDOWS = re.compile("sliding_window(_size)?|window_size|attention_window_size|local_attention")


def check_layers(layers: Sequence[LayerFacts], cache: str, target: str = "cpu") -> None:
    """Raises LayoutError where the graph cannot write a layer's rows in place, or the cache cannot keep them apart.

    The heads of every layer are checked, since their sizes may differ from the config.
    """
    if cache_writer(cache) != "host" and not all(layer.direct for layer in layers):
        raise LayoutError(
            "This model computes the keys and values of its attention from those that it caches, and the "
            f"{cache} cache attends to these as they are: build with --cache static or window."
        )
    if any(layer.biased for layer in layers):
        _check_bias(cache, target)
    if cache == "gqa" and any(layer.chunked for layer in layers):
        raise LayoutError(f"{CHUNKS_IN_PLACE[0].upper()}{CHUNKS_IN_PLACE[1:]}: build with --cache static or scatter.")
    misfits = (layout_violation(cache, layer.head_dim, layer.value_dim) for layer in layers if layer.attends)
    if misfit := next((one for one in misfits if one), ""):
        raise LayoutError(f"The {cache} cache is not right for this model, for {misfit}: build with --cache static.")


def _check_bias(cache: str, target: str) -> None:
    """Raises LayoutError for a cache that a model whose attention adds a bias of positions cannot have."""
    what = "This model's attention adds a bias of positions, which"
    if cache == "window":
        raise LayoutError(f"{what} needs left-aligned slots, unlike a ring buffer's: build with --cache static.")
    if cache == "gqa" and target != "cpu":
        raise LayoutError(f"{what} GroupQueryAttention takes on the CPU alone: build with --cache static.")


def check_causal(
    model: PreTrainedModel, layers: Sequence[LayerFacts], recipe: Recipe, stand_ins: StandIns | None = None
) -> ReferenceLogits:
    """Returns the model's own eager logits if the logits through a cache are equal.

    stand_ins: of a model without weights, which is then run layer by layer. Raises RecipeError where they differ, where
    the model cannot be run, and where a window in its config was neither detected nor exceeded; CheckpointError for
    unknown layer types. The model must have been loaded with our attention, and keeps it.
    """
    check_layer_types(getattr(_config(model), "layer_types", None))  # a config class may derive it from other keys
    count = comparison_tokens(model, layers, recipe)
    _check_named_windows(model, layers, recipe, count)
    vocabulary = model.get_input_embeddings().weight.shape[0]
    ids = torch.from_numpy(np.random.default_rng(0).integers(0, vocabulary, (1, count)))
    ids = without_special(model, ids)
    singles = QUICK_STEPS if recipe.check == "quick" else STEPS
    plans = _step_plans(layers, count, max(_MIN_TOKENS, _affordable_tokens(model)), singles)
    plans = plans[-1:] if recipe.check == "quick" else plans
    try:
        with torch.no_grad(), _plain_experts(model):
            computed = _all_logits(model, layers, ids, plans, stand_ins)
            expected = next(computed)
            for ends, logits in zip(plans, computed, strict=True):
                _compare(logits, expected[: ends[-1]], ends, is_routed(model), singles)
    except MODEL_ERRORS as error:
        raise RecipeError(
            f"Run with a cache, this model's own code fails ({type(error).__name__}: {printable(error, 120)}), so it "
            "cannot be built."
        ) from error
    chunk = recipe.compared_chunk
    rows = [*range(chunk - 1, count - singles - 1, chunk), *range(max(0, count - singles - 1), count)]
    return ReferenceLogits(ids[0].numpy(), np.array(rows), expected[rows].numpy(), is_routed(model), singles)


def comparison_tokens(model: PreTrainedModel, layers: Sequence[LayerFacts], recipe: Recipe) -> int:
    """The number of compared tokens: past the chunk and past each window below the capacity, whatever the model's size;
    past other lengths of interest where _SUMS and _SCORES allow it.

    One token costs as many multiplications as there are weights: a run of 1,040 tokens through 4e9 weights takes a
    minute or two on two cores, and there are two such runs: the model's own, and one through a cache (see _step_plans).
    Memory besides the weights: the scores of one layer at a time, and the logits of all tokens twice, 2 GB for 1,040
    tokens and a vocabulary of 262,144.
    """
    most = min(recipe.capacity, _tokens_within(model, _SCORES_OF_WINDOWS))
    windows = [*(layer.window or 0 for layer in layers), *_named_windows(model).values()]
    others = [n for n in _numbers(model, _LENGTHS).values() if n + _TOKENS_BEYOND <= _affordable_tokens(model)]
    lengths = [recipe.compared_chunk, *(n for n in (*windows, *others) if n < most)]
    return min(most, max(lengths) + _TOKENS_BEYOND)


def _affordable_tokens(model: PreTrainedModel) -> int:
    """The number of tokens that can be compared within seconds."""
    weights = sum(weight.numel() for weight in model.parameters())
    return min(int(_SUMS / weights), _tokens_within(model, _SCORES))


def _tokens_within(model: PreTrainedModel, scores: int) -> int:
    """The number of tokens for which one layer's scores fit in `scores` bytes."""
    heads = max(4, getattr(_config(model), "num_attention_heads", 0) or 0)
    return int((scores / 4 / heads) ** 0.5)


def _named_windows(model: PreTrainedModel) -> dict[str, int]:
    """The windows that the config names, if the model may have layers with one."""
    kinds = getattr(_config(model), "layer_types", None)
    return {} if kinds and not any("sliding" in str(kind) for kind in kinds) else _numbers(model, _WINDOWS)


def _check_named_windows(model: PreTrainedModel, layers: Sequence[LayerFacts], recipe: Recipe, count: int) -> None:
    seen = {layer.window for layer in layers}
    for name, window in _named_windows(model).items():
        if window not in seen and count <= window < recipe.capacity:
            raise RecipeError(
                f"config.json names a window ({printable(name)} = {window:,}) that was not detected in any layer, "
                f"and comparing past it would take too much memory: build with --capacity {window}, which never "
                "reaches it."
            )


def _config(model: PreTrainedModel) -> PreTrainedConfig:
    """The config of the text model."""
    return model.config.get_text_config()


def _numbers(model: PreTrainedModel, names: re.Pattern[str]) -> dict[str, int]:
    """The integers above 1 in the config, at any depth, whose key matches."""
    numbers = walk(_config(model).to_dict())
    return {name: value for name, value in numbers if type(value) is int and value > 1 and names.search(name)}


@contextmanager
def _plain_experts(model: PreTrainedModel) -> Iterator[None]:
    """Runs experts one after another: gathering each token's experts, as the graphs do, takes too much memory."""
    before = getattr(model.config, "_experts_implementation", None)
    model.set_experts_implementation("eager")
    try:
        yield
    finally:
        model.set_experts_implementation(before)


def _all_logits(
    model: PreTrainedModel,
    layers: Sequence[LayerFacts],
    ids: torch.Tensor,
    plans: Sequence[Sequence[int]],
    stand_ins: StandIns | None,
) -> Iterator[torch.Tensor]:
    """[S,V] of the unmodified model, then of each plan of steps through a cache."""
    planned = [cached_steps(layers, ends) for ends in plans]
    if stand_ins is None:
        yield _eager_logits(model, ids)
        for plan in planned:
            yield torch.cat([run_step(model, ids, step) for step in plan])
        return
    own = (reference_implementation(model), partial(_own_logits, model, ids))
    steps = [(ATTENTION_NAME, partial(run_step, model, ids, step)) for plan in planned for step in plan]
    try:
        logits = iter(run_layerwise(model, len(layers), [own, *steps], stand_ins))
    finally:
        set_attention(model, ATTENTION_NAME)
    yield next(logits)
    for plan in planned:
        yield torch.cat([next(logits) for _ in plan])


def _own_logits(model: PreTrainedModel, ids: torch.Tensor) -> torch.Tensor:
    logits: torch.Tensor = model(input_ids=ids, use_cache=False).logits[0]
    return logits


def _eager_logits(model: PreTrainedModel, ids: torch.Tensor) -> torch.Tensor:
    """[S,V]: the logits of the unmodified model, without a cache adapter."""
    set_attention(model, reference_implementation(model))
    try:
        return _own_logits(model, ids)
    finally:
        set_attention(model, ATTENTION_NAME)


def _step_plans(layers: Sequence[LayerFacts], count: int, at_ease: int, singles: int) -> list[list[int]]:
    """The ends of the steps: one step; two, divided within the smallest window; many, the last `singles` of one token.

    Only the plan of many steps goes to `count` where that exceeds `at_ease`: it is the most thorough.
    """
    windows = [layer.window for layer in layers if layer.window]
    few = min(count, at_ease)
    two, cut = (max(1, min([length, *windows]) // 2) for length in (few, count))
    many = [min(cut + 1, count), *range(max(cut + 2, count - singles), count + 1)]
    return [[few], [two, few], sorted({*many, count})]


def is_routed(model: PreTrainedModel) -> bool:
    """Whether the model selects experts, where rounding may tip a near tie."""
    return any("expert" in name for name, _ in model.named_modules())


def _compare(logits: torch.Tensor, expected: torch.Tensor, ends: Sequence[int], routed: bool, singles: int) -> None:
    """Raises RecipeError where a step's logits [S,V] differ from the model's; single tokens count as one step."""
    largest = max(float(row.abs().max()) for row in expected)  # row by row: all of them may be gigabytes
    off = torch.stack([(one - other).abs().max() for one, other in zip(logits, expected, strict=True)])
    off /= max(1.0, largest)
    for start, end in zip((0, *ends), ends, strict=False):
        rows = off[start:end] if end - start > 1 else off[-singles:]
        worst = float(rows.quantile(_ROUTED)) if routed else float(rows.max())
        if not worst <= _TOLERANCE:
            raise RecipeError(
                f"With a cache, this model's logits differ from its own by {worst:.2g} of the largest, in the "
                f"tokens {start:,} to {end:,} of {len(off):,}: it uses positions, masks or state in a way that "
                "Joinery does not support, so it cannot be built."
            )
