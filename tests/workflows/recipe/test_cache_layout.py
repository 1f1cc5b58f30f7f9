"""The cache of a build for which nobody chose one: in place on the CPU where that is right, and why not elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from workflows.checkpoint import open_checkpoint
from workflows.common.errors import RecipeError
from workflows.inspection.probe.checkpoint_facts import plan_report
from workflows.recipe import family_for, resolve_recipe
from workflows.recipe.cache_layout import default_layout, layout_notice
from workflows.recipe.families import BART, DECODER, MU, T5
from workflows.recipe.family import Family
from workflows.recipe.schema import Recipe

KEPT = "GroupQueryAttention attends to cached keys"
LACKING = "is for providers that may lack GroupQueryAttention"


SIZES = {"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 99}
ODD = {"head_dim": 12}
WHOLE = "GroupQueryAttention takes heads of a multiple of 8, and this model's have 12"


def recipe(**changes: Any) -> Recipe:
    settings = {"source": "x", "model_type": "llama", "family": "decoder-only", "task": "text-generation"}
    return Recipe.model_validate(settings | changes)


@pytest.mark.parametrize(
    ("family", "config", "changes", "cache", "why"),
    [
        (DECODER, {}, {}, "gqa", ""),
        (DECODER, {"sliding_window": 24}, {"precision": "int4"}, "gqa", ""),
        (DECODER, {}, {"precision": "int8-dynamic", "quantize": {"components": {"decoder": "int8"}}}, "gqa", ""),
        (BART, {}, {}, "gqa", ""),
        (T5, {}, {}, "static", "GroupQueryAttention takes no position bias"),
        (MU, {}, {}, "static", "its attention is its own code, which does not write a cache in place"),
        (DECODER, {"kv_lora_rank": 16}, {}, "static", KEPT),
        (DECODER, {"kv_lora_rank": None}, {}, "gqa", ""),
        (DECODER, ODD, {}, "static", WHOLE),
        (DECODER, {"hidden_size": 48}, {"precision": "int4"}, "static", WHOLE),
        (DECODER, {"head_dim": 24}, {}, "gqa", ""),
        (BART, ODD, {}, "static", WHOLE),
        (DECODER, {}, {"graphs": "prefill-decode"}, "static", "lack GroupQueryAttention"),
        (DECODER, {}, {"expose": "hidden_states"}, "static", "draft trees"),
        (DECODER, {}, {"precision": "w8a16"}, "static", f"w8a16 {LACKING}"),
        (DECODER, {}, {"precision": "bf16"}, "static", f"bf16 {LACKING}"),
        (DECODER, {}, {"quantize": {"components": {"decoder": "w8a8"}}}, "static", f"w8a8 {LACKING}"),
        (DECODER, {}, {"target": "webgpu"}, "static", ""),
        (DECODER, {}, {"target": "dml"}, "static", ""),
        (DECODER, {}, {"variant": "transformer-only", "target": "qnn"}, "gqa", ""),
    ],
)
def test_the_usual_cache_and_why_it_is_not_gqa(
    family: Family, config: dict[str, Any], changes: dict[str, Any], cache: str, why: str
) -> None:
    config = SIZES | config
    found = default_layout(recipe(**changes), family, config)
    assert found.cache == cache and (why in found.why if why else not found.why)
    notice = layout_notice(recipe(**changes), family, config, {})
    assert notice == (f"The cache is static, for {found.why}." if why else "")
    assert layout_notice(recipe(**changes), family, config, {"cache": "static"}) == ""


@pytest.mark.parametrize(
    ("source", "options", "cache"),
    [
        ("demo:qwen3", {}, "gqa"),
        ("demo:qwen3", {"cache": None}, "gqa"),
        ("demo:qwen3", {"cache": "window"}, "window"),
        ("demo:qwen3", {"cache": "static"}, "static"),
        ("demo:qwen3", {"precision": "w8a16"}, "static"),
        ("demo:qwen3", {"kv_dtype": "float16"}, "gqa"),
        ("demo:t5", {}, "static"),
    ],
)
def test_what_a_person_chose_stands(source: str, options: dict[str, Any], cache: str) -> None:
    checkpoint = open_checkpoint(source)
    made = resolve_recipe(checkpoint, options)
    assert made.cache == cache
    family = family_for(made.model_type, made.task)
    told = layout_notice(made, family, checkpoint.config, options)
    assert bool(told) == (cache == "static" and "cache" not in options)


@pytest.mark.parametrize(
    ("options", "chunk", "compared"),
    [
        ({}, 128, 64),
        ({"cache": "gqa"}, 128, 64),
        ({"capacity": 100}, 100, 64),
        ({"capacity": 20}, 20, 20),
        ({"chunk": 300}, 300, 64),
        ({"chunk": 16}, 16, 16),
        ({"cache": "static"}, 64, 64),
        ({"cache": "window", "capacity": 40}, 40, 40),
        ({"graphs": "prefill-decode"}, 64, 64),
        ({"graphs": "prefill-decode", "chunk": 96}, 96, 96),
    ],
)
def test_the_chunk_that_goes_with_a_cache(options: dict[str, Any], chunk: int, compared: int) -> None:
    """Wider where no row is copied; graphs of a fixed width are compared at just that."""
    found = resolve_recipe(open_checkpoint("demo:qwen3"), options)
    assert (found.chunk, found.compared_chunk) == (chunk, compared)


@pytest.mark.parametrize("size", [2, 4, 10, 12, 18, 20, 22, 80, 96, 128, 192, 256])
def test_every_head_size_has_a_cache_and_the_others_are_refused_before_anything_is_loaded(size: int) -> None:
    """What the sweep builds of them is in DECODERS.md."""
    demo = open_checkpoint("demo:qwen3")
    checkpoint = replace(demo, config={**demo.config, "head_dim": size})
    fits = size % 8 == 0
    assert resolve_recipe(checkpoint, {}).cache == ("gqa" if fits else "static")
    for cache in ("static", "window", "scatter"):
        assert resolve_recipe(checkpoint, {"cache": cache}).cache == cache
    offers = {offer.name: offer for offer in plan_report(checkpoint, {}).layouts}
    assert [name for name, offer in offers.items() if not offer.available] == ([] if fits else ["gqa"])
    if fits:
        assert resolve_recipe(checkpoint, {"cache": "gqa"}).cache == "gqa"
        return
    why = f"GroupQueryAttention takes heads of a multiple of 8, and this model's have {size}"
    assert offers["gqa"].note == why
    for options, sentence in (
        ({"cache": "gqa"}, f"The gqa cache is not right for qwen3: {why}; build with --cache static."),
        (
            {"kv_dtype": "float16"},
            f"needs the gqa layout, which is not right for this model: {why}; leave kv_dtype out.",
        ),
    ):
        with pytest.raises(RecipeError) as raised:
            resolve_recipe(checkpoint, options)
        assert sentence in str(raised.value)


@pytest.mark.parametrize(("size", "fits"), [(8, False), (12, False), (24, False), (16, True), (80, True)])
def test_a_variant_whose_operator_rotates_is_refused_by_the_size_of_heads(size: int, fits: bool) -> None:
    demo = open_checkpoint("demo:qwen3")
    checkpoint = replace(demo, config={**demo.config, "head_dim": size})
    offer = next(one for one in plan_report(checkpoint, {}).variants if one.name == "transformer-only")
    assert offer.available == fits
    options = {"variant": "transformer-only", "target": "qnn"}
    if fits:
        assert resolve_recipe(checkpoint, options).cache == "gqa"
        return
    why = f"takes heads of a multiple of 16, and this model's have {size}; build the plain variant."
    with pytest.raises(RecipeError, match=why):
        resolve_recipe(checkpoint, options)


def test_latent_attention_is_not_judged_by_the_heads_of_its_config() -> None:
    demo = open_checkpoint("demo:qwen3")
    checkpoint = replace(demo, config={**demo.config, "head_dim": 12, "kv_lora_rank": 16})
    assert resolve_recipe(checkpoint, {}).cache == "static"
    assert resolve_recipe(checkpoint, {"cache": "gqa"}).cache == "gqa"  # the export sees what it keeps
