"""Token for token what eager Hugging Face generates: both caches, both cuts, every length that has caught a peer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.workflows.conftest import Built
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import PromptError
from workflows.generate import Engine, GenerateOptions, open_engine
from workflows.wire.events import GenerationDone, NoticeEvent

LENGTHS = (1, 7, 63, 64, 65, 100, 190)
NEW = 12
Eager = Callable[..., list[int]]


def generate(engine: Engine, prompt: list[int], count: int = NEW) -> GenerationDone:
    *_, done = engine.generate(prompt, GenerateOptions(max_new_tokens=count))
    assert isinstance(done, GenerationDone)
    return done


def prompt_of(length: int, vocabulary: int, seed: int = 0) -> list[int]:
    return [int(i) for i in np.random.default_rng(seed + length).integers(3, vocabulary, length)]


@pytest.fixture(scope="module", params=["single", "prefill-decode"])
def sharp_bundle(request: pytest.FixtureRequest, sharp_qwen3: Path, built: Built) -> Path:
    return built(sharp_qwen3, graphs=request.param, cache="static", capacity=256, chunk=64)


@pytest.mark.parametrize("cache", ["static", "window"])
def test_every_length_matches_eager(sharp_bundle: Path, sharp_qwen3: Path, eager: Eager, cache: str) -> None:
    for length in LENGTHS:
        prompt = prompt_of(length, 997)
        done = generate(open_engine(sharp_bundle, cache=cache), prompt)
        assert done.token_ids == eager(sharp_qwen3, prompt, NEW), f"{cache} cache, {length} tokens"
        assert done.finish_reason == "length"
        assert done.prompt_ids == prompt


@pytest.mark.parametrize("cache", ["static", "window"])
def test_the_demo_matches_eager(demo_bundle: Path, eager: Eager, cache: str) -> None:
    folder = open_checkpoint("demo:qwen3").folder
    for length in LENGTHS:
        prompt = prompt_of(length, 640, seed=5)
        tokens = generate(open_engine(demo_bundle, cache=cache), prompt).token_ids
        assert tokens == eager(folder, prompt, len(tokens)), f"{cache} cache, {length} tokens"


def test_a_static_cache_ends_at_its_capacity(sharp_bundle: Path, sharp_qwen3: Path, eager: Eager) -> None:
    prompt = prompt_of(250, 997)
    done = generate(open_engine(sharp_bundle), prompt, 100)
    # slots 250 … 255 take six tokens; the seventh comes from the last slot's logits and cannot be fed
    assert done.token_ids == eager(sharp_qwen3, prompt, 7)
    assert done.finish_reason == "capacity"
    assert (done.cache.used, done.cache.capacity, done.cache.evicted) == (256, 256, 0)


def test_a_prompt_of_exactly_the_capacity(sharp_bundle: Path, sharp_qwen3: Path, eager: Eager) -> None:
    prompt = prompt_of(256, 997)
    done = generate(open_engine(sharp_bundle), prompt, 5)
    assert (done.token_ids, done.finish_reason) == (eager(sharp_qwen3, prompt, 1), "capacity")


def test_a_prompt_beyond_the_capacity_is_refused(sharp_bundle: Path) -> None:
    with pytest.raises(PromptError, match=r"has 257 tokens and the cache holds 256"):
        generate(open_engine(sharp_bundle), prompt_of(257, 997))


@pytest.mark.parametrize("length", [1, 31, 32, 33, 64, 65, 100, 190])
def test_a_window_slides_as_banded_attention_does(
    sharp_bundle: Path, sharp_qwen3: Path, eager: Eager, length: int
) -> None:
    prompt = prompt_of(length, 997, seed=9)
    engine = open_engine(sharp_bundle, cache="window", capacity=32)
    *events, done = engine.generate(prompt, GenerateOptions(max_new_tokens=40))
    assert isinstance(done, GenerationDone)
    assert done.token_ids == eager(sharp_qwen3, prompt, 40, window=32)
    assert done.cache.used == 32
    assert done.cache.evicted == length + 39 - 32
    assert [event.code for event in events if isinstance(event, NoticeEvent)] == ["window_slid"]


@pytest.mark.parametrize("cache", ["static", "window"])
def test_a_conversation_equals_one_long_prompt(sharp_bundle: Path, sharp_qwen3: Path, eager: Eager, cache: str) -> None:
    engine = open_engine(sharp_bundle, cache=cache)
    history: list[int] = []
    for turn, length in enumerate((5, 64, 1, 30)):
        history += prompt_of(length, 997, seed=turn)
        done = generate(engine, history, 6)
        assert done.token_ids == eager(sharp_qwen3, history, 6), f"turn {turn}"
        history += done.token_ids


def test_an_edited_turn_goes_back_to_what_is_shared(sharp_bundle: Path, sharp_qwen3: Path, eager: Eager) -> None:
    engine = open_engine(sharp_bundle)
    first = prompt_of(90, 997)
    generate(engine, first)
    edited = [*first[:70], 5, 6, 7]
    assert generate(engine, edited).token_ids == eager(sharp_qwen3, edited, NEW)
    assert generate(engine, first).token_ids == eager(sharp_qwen3, first, NEW)


def test_a_generation_left_half_way_leaves_no_trace(sharp_bundle: Path, sharp_qwen3: Path, eager: Eager) -> None:
    engine = open_engine(sharp_bundle)
    generate(engine, prompt_of(20, 997, seed=1))
    left = engine.generate(prompt_of(130, 997, seed=2), GenerateOptions(max_new_tokens=50))
    for _ in range(6):
        next(left)
    left.close()
    prompt = [*prompt_of(130, 997, seed=2)[:100], 9]
    assert generate(engine, prompt).token_ids == eager(sharp_qwen3, prompt, NEW)


def test_cancelling_is_a_finish_reason(sharp_bundle: Path) -> None:
    asked = False
    events = open_engine(sharp_bundle).generate(prompt_of(7, 997), GenerateOptions(max_new_tokens=100), lambda: asked)
    tokens = 0
    for event in events:
        tokens += event.event == "token"
        asked = tokens >= 3
    assert isinstance(event, GenerationDone)
    assert (event.finish_reason, len(event.token_ids)) == ("cancelled", 3)
