"""Token for token what eager Hugging Face generates, for every family and every cache layout that is right for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.workflows.families.models import (
    CORE_DECODERS,
    DECODERS,
    ENCODER_DECODERS,
    VOCABULARY,
    greedy,
    greedy_from_source,
    save_decoder,
    save_encoder_decoder,
)
from workflows.builder import BuildRequest, build
from workflows.builder.work import EVIDENCE
from workflows.errors import RecipeError
from workflows.events import GenerationDone
from workflows.generate import GenerateOptions, open_engine

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
    assert FUSED & {entry["name"] for entry in stage["passes"] if entry["modified"]}, bundle.name


def check_decoder(model_type: str, folder: Path) -> None:
    checkpoint = save_decoder(model_type, folder / "checkpoint")
    for cache in ("static", "gqa", "scatter"):
        build(BuildRequest(str(checkpoint), folder / cache, {"cache": cache, "capacity": 256}))
        check_passes(folder / cache)
        check(folder / cache, checkpoint, greedy, 8)
    check(folder / "static", checkpoint, greedy, 8, cache="window")


@pytest.mark.parametrize("model_type", CORE_DECODERS)
def test_decoders(model_type: str, tmp_path: Path) -> None:
    check_decoder(model_type, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("model_type", [name for name in DECODERS if name not in CORE_DECODERS])
def test_more_decoders(model_type: str, tmp_path: Path) -> None:
    check_decoder(model_type, tmp_path)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name == "t5" else pytest.mark.slow) for name in ENCODER_DECODERS],
)
def test_encoder_decoders(name: str, tmp_path: Path) -> None:
    checkpoint = save_encoder_decoder(name, tmp_path / "checkpoint")
    legal = ("static", "scatter") if name.startswith("t5") else ("static", "gqa", "scatter")
    for cache in legal:
        build(BuildRequest(str(checkpoint), tmp_path / cache, {"cache": cache, "capacity": 128, "task": "translation"}))
        check(tmp_path / cache, checkpoint, greedy_from_source, 20)
    if "gqa" in legal:
        check(tmp_path / "static", checkpoint, greedy_from_source, 20, cache="window")


@pytest.mark.parametrize("cache", ["gqa", "scatter"])
def test_in_place_caches_with_fixed_shapes(cache: str, tmp_path: Path) -> None:
    checkpoint = save_decoder("llama", tmp_path / "checkpoint")
    build(
        BuildRequest(str(checkpoint), tmp_path / "out", {"cache": cache, "capacity": 256, "graphs": "prefill-decode"})
    )
    check(tmp_path / "out", checkpoint, greedy, 8)
    engine = open_engine(tmp_path / "out")
    prompt = [int(i) for i in np.random.default_rng(0).integers(3, VOCABULARY, 250)]
    *_, done = engine.generate(prompt, GenerateOptions(max_new_tokens=50))
    assert isinstance(done, GenerationDone)
    assert (done.token_ids, done.finish_reason) == (greedy(checkpoint, prompt, 7), "capacity")


def test_a_layout_that_is_not_legal_says_why(tmp_path: Path) -> None:
    checkpoint = save_encoder_decoder("t5", tmp_path / "checkpoint")
    for cache, why in (("window", "needs left-aligned slots"), ("gqa", "takes no position bias")):
        with pytest.raises(RecipeError, match=why):
            build(BuildRequest(str(checkpoint), tmp_path / cache, {"cache": cache, "task": "translation"}))
    build(BuildRequest(str(checkpoint), tmp_path / "t5", {"task": "translation", "capacity": 64}))
    with pytest.raises(RecipeError, match="takes slots for positions"):
        open_engine(tmp_path / "t5", cache="window")
    llama = save_decoder("llama", tmp_path / "llama")
    build(BuildRequest(str(llama), tmp_path / "bundle", {"cache": "gqa", "capacity": 64}))
    with pytest.raises(RecipeError, match="was built for the cache gqa, and window needs another graph"):
        open_engine(tmp_path / "bundle", cache="window")
