"""Token for token what eager Hugging Face generates, for every family and every cache layout that is right for it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.conftest import Built
from tests.workflows.families.models import (
    DECODERS,
    ENCODER_DECODERS,
    VOCABULARY,
    greedy,
    greedy_from_source,
    save_decoder,
    save_encoder_decoder,
)
from workflows.builder import BuildRequest, build
from workflows.bundle.evidence import EVIDENCE
from workflows.common.errors import RecipeError
from workflows.generate import GenerateOptions, open_engine
from workflows.wire.events import GenerationDone

LENGTHS = (1, 7, 63, 64, 65, 100, 190)
Oracle = Callable[[Path, list[int], int], list[int]]


def check(bundle: Path, checkpoint: Path, oracle: Oracle, count: int, cache: str | None = None) -> None:
    engine = open_engine(bundle, cache=cache)
    for length in LENGTHS:
        prompt = [int(i) for i in np.random.default_rng(length).integers(3, VOCABULARY, length)]
        *_, done = engine.generate(prompt, GenerateOptions(max_new_tokens=count))
        assert isinstance(done, GenerationDone)
        tokens = done.token_ids  # it may end at its end token
        assert tokens == oracle(checkpoint, prompt, len(tokens)), f"{cache or bundle.name}, {length} tokens"
        assert len(tokens) == count or done.finish_reason == "eos"


FUSED = {"pack_qkv", "pack_gate_up", "skip_layernorm", "gqa_attention", "gelu_fusion", "fold_tied_head"}


def check_passes(bundle: Path) -> None:
    """The default passes did something, so that what is compared with eager Hugging Face is what they made."""
    (stage,) = [entry for entry in json.loads((bundle / EVIDENCE).read_text()) if entry["name"] == "optimize"]
    modified = {entry["name"] for entry in stage["passes"] if entry["modified"]}
    assert FUSED & modified and "logits_rows" in modified, bundle.name


LAYOUTS = ("static", "gqa", "scatter")
QUICK = {("llama", layout) for layout in LAYOUTS}
WHOLE = {"llama", "gemma3_text", "qwen3"}  # with every layout; each other one has its turn


def chosen() -> Iterator[Any]:
    """The cases of a run; JOINERY_EVERY_LAYOUT=1 has every architecture with every layout, three quarters of an hour.

    A case is slow unless it is one of the few that show the like.
    """
    for index, model_type in enumerate(DECODERS):
        for turn, layout in enumerate(LAYOUTS):
            if model_type in WHOLE or index % 3 == turn or os.environ.get("JOINERY_EVERY_LAYOUT"):
                marks = () if (model_type, layout) in QUICK else pytest.mark.slow
                yield pytest.param(model_type, layout, marks=marks)


@pytest.mark.parametrize(("model_type", "cache"), chosen())
def test_decoders(model_type: str, cache: str, built: Built, tmp_path: Path) -> None:
    checkpoint = save_decoder(model_type, tmp_path / "checkpoint")
    bundle = built(checkpoint, cache=cache, capacity=256)
    check_passes(bundle)
    check(bundle, checkpoint, greedy, 8)
    if cache == "static":
        check(bundle, checkpoint, greedy, 8, cache="window")


def legal_caches(name: str) -> tuple[str, ...]:
    return ("static", "scatter") if name.startswith("t5") else ("static", "gqa", "scatter")


@pytest.mark.parametrize(
    ("name", "cache"),
    [
        pytest.param(name, cache, marks=() if (name, cache) == ("t5", "static") else pytest.mark.slow)
        for name in ENCODER_DECODERS
        for cache in legal_caches(name)
    ],
)
def test_encoder_decoders(name: str, cache: str, built: Built, tmp_path: Path) -> None:
    checkpoint = save_encoder_decoder(name, tmp_path / "checkpoint")
    bundle = built(checkpoint, cache=cache, capacity=128, task="translation")
    check(bundle, checkpoint, greedy_from_source, 20)
    if cache == "static" and "gqa" in legal_caches(name):
        check(bundle, checkpoint, greedy_from_source, 20, cache="window")


@pytest.mark.slow
@pytest.mark.parametrize("cache", ["gqa", "scatter"])
def test_in_place_caches_with_fixed_shapes(cache: str, built: Built, tmp_path: Path) -> None:
    checkpoint = save_decoder("llama", tmp_path / "checkpoint")
    bundle = built(checkpoint, cache=cache, capacity=256, graphs="prefill-decode")
    check(bundle, checkpoint, greedy, 8)
    engine = open_engine(bundle)
    prompt = [int(i) for i in np.random.default_rng(0).integers(3, VOCABULARY, 250)]
    *_, done = engine.generate(prompt, GenerateOptions(max_new_tokens=50))
    assert isinstance(done, GenerationDone)
    assert (done.token_ids, done.finish_reason) == (greedy(checkpoint, prompt, 7), "capacity")


def test_a_layout_that_is_not_legal_gives_the_reason(built: Built, tmp_path: Path) -> None:
    checkpoint = save_encoder_decoder("t5", tmp_path / "checkpoint")
    for cache, why in (("window", "needs left-aligned slots"), ("gqa", "takes no position bias")):
        with pytest.raises(RecipeError, match=why):
            build(BuildRequest(str(checkpoint), tmp_path / cache, {"cache": cache, "task": "translation"}))
    with pytest.raises(RecipeError, match="uses slots as positions"):
        open_engine(built(checkpoint, cache="static", capacity=128, task="translation"), cache="window")
    llama = save_decoder("llama", tmp_path / "llama")
    with pytest.raises(RecipeError, match="was built for the cache gqa, and window needs another graph"):
        open_engine(built(llama, cache="gqa", capacity=256), cache="window")
