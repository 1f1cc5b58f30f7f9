"""What a build gives where nobody chose a cache: eager Hugging Face's tokens at every length, back and forth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.workflows.conftest import Built
from tests.workflows.generate.test_identity import LENGTHS, NEW, generate, prompt_of
from workflows.generate import Engine, GenerateOptions, open_engine
from workflows.wire.events import GenerationDone

CAPACITY = 640  # the buffers grow, and shrink again
Eager = Callable[..., list[int]]


@pytest.fixture(scope="module")
def bundle(sharp_qwen3: Path, built: Built) -> Path:
    return built(sharp_qwen3, capacity=CAPACITY)


@pytest.fixture
def engine(bundle: Path) -> Iterator[Engine]:
    with open_engine(bundle) as engine:
        assert engine.machine.cache.layout.name == "gqa"
        yield engine


def test_every_length_matches_eager(engine: Engine, sharp_qwen3: Path, eager: Eager) -> None:
    for length in (*LENGTHS, 127, 128, 129, 500):
        prompt = prompt_of(length, 997)
        assert generate(engine, prompt).token_ids == eager(sharp_qwen3, prompt, NEW), f"{length} tokens"


def test_up_to_the_last_slot_and_back_into_the_middle(engine: Engine, sharp_qwen3: Path, eager: Eager) -> None:
    for spare in (0, 1, 6):
        prompt = prompt_of(CAPACITY - spare, 997)
        done = generate(engine, prompt, 20)
        assert (done.token_ids, done.finish_reason) == (eager(sharp_qwen3, prompt, spare + 1), "capacity")
    whole = prompt_of(CAPACITY - 1, 997)
    generate(engine, whole, 2)
    for length in (600, 321, 65, 64, 63, 1, 0):
        engine.rewind(length)
        other = [*whole[:length], *prompt_of(9, 997, seed=length)]
        assert generate(engine, other, 4).token_ids == eager(sharp_qwen3, other, 4), f"back to {length}"


def test_a_short_text_after_a_long_one_takes_little(engine: Engine, sharp_qwen3: Path, eager: Eager) -> None:
    cache, prompt = engine.machine.cache, prompt_of(20, 997)
    fresh = generate(engine, prompt).token_ids
    before = cache.bytes
    generate(engine, prompt_of(500, 997), 4)
    assert cache.bytes >= 8 * before
    engine.reset()
    assert generate(engine, prompt).token_ids == fresh == eager(sharp_qwen3, prompt, NEW)
    assert cache.bytes == before


def test_several_tokens_a_run(engine: Engine, sharp_qwen3: Path, eager: Eager) -> None:
    """What n-grams draft, some of it wrong and taken back, to the last slot."""
    pattern = [5, 6, 7, 8, 9, 10, 11]
    for length in (70, 200, CAPACITY - 30):
        engine.reset()
        prompt = [pattern[i % 7] if i % 40 < 30 else 300 + i for i in range(length)]
        options = GenerateOptions(max_new_tokens=40, ngram=True, draft_tokens=5)
        *_, done = engine.generate(prompt, options)
        assert isinstance(done, GenerationDone)
        assert done.token_ids == eager(sharp_qwen3, prompt, len(done.token_ids)), f"{length} tokens"
        assert len(done.token_ids) == min(40, CAPACITY - length + 1)


def test_a_prompt_cache_goes_on_where_it_was(
    engine: Engine, bundle: Path, sharp_qwen3: Path, eager: Eager, tmp_path: Path
) -> None:
    prompt = prompt_of(200, 997)
    generate(engine, prompt, 1)
    engine.save_cache(tmp_path / "cache")
    rows = {name: engine.machine.cache.past(name)[..., :200, :].copy() for name in engine.machine.cache.names}
    with open_engine(bundle) as other:
        generate(other, prompt_of(600, 997), 1)
        other.load_cache(tmp_path / "cache")
        cache = other.machine.cache
        assert all(np.array_equal(cache.past(name)[..., :200, :], kept) for name, kept in rows.items())
        longer = [*prompt, *prompt_of(30, 997, seed=3)]
        assert generate(other, longer).token_ids == eager(sharp_qwen3, longer, NEW)
