"""Conversations that go on in one cache, caches that get full or forget, and going back: token for token."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.workflows.conftest import Built
from tests.workflows.families.models import STATE_DECODERS, VOCABULARY, greedy, greedy_in_window, save_decoder
from workflows.generate import Engine, GenerateOptions, open_engine
from workflows.wire.events import ChunkEvent, GenerationDone

CAPACITY = 160
BUILT = {"static": "static", "gqa": "gqa", "scatter": "scatter", "window": "static", "fifo": "static"}
TURNS = (7, 20, 1, 64, 65, 30)  # tokens of what is asked; with the answers more than the capacity
Oracle = Callable[[list[int], int], list[int]]


def prompt_of(length: int) -> list[int]:
    return [int(i) for i in np.random.default_rng(length).integers(3, VOCABULARY, length)]


def ask(engine: Engine, prompt: list[int], count: int) -> tuple[list[int], str, int]:
    """(tokens, why it ended, how many prompt tokens were fed)."""
    events = list(engine.generate(prompt, GenerateOptions(max_new_tokens=count)))
    done = events[-1]
    assert isinstance(done, GenerationDone)
    fed = sum(event.tokens for event in events if isinstance(event, ChunkEvent))
    return done.token_ids, done.finish_reason, fed


@pytest.mark.slow
@pytest.mark.parametrize("model_type", ["llama", "gemma3_text", "mistral", "gpt2", "phi3"])
def test_every_layout(model_type: str, built: Built, tmp_path: Path) -> None:
    checkpoint = save_decoder(model_type, tmp_path / "checkpoint")
    for layout, cache in BUILT.items():
        engine = open_engine(built(checkpoint, cache=cache, capacity=256), cache=layout, capacity=CAPACITY)
        evicts = engine.machine.cache.layout.evicts
        oracle: Oracle = partial(greedy, checkpoint)
        if evicts:
            oracle = partial(greedy_in_window, checkpoint, window=CAPACITY)
        check_turns(engine, oracle, 6 if evicts else 4)
        check_regenerated(engine, oracle)
        (check_forgetting if evicts else check_full)(engine, oracle)


@pytest.mark.parametrize(
    "model_type", [pytest.param(name, marks=() if name == "lfm2" else pytest.mark.slow) for name in STATE_DECODERS]
)
def test_state_of_fixed_size(model_type: str, built: Built, tmp_path: Path) -> None:
    """A text that goes on feeds what is new alone; one that was changed, what follows the nearest snapshot."""
    checkpoint = save_decoder(model_type, tmp_path / "checkpoint")
    engine = open_engine(built(checkpoint, capacity=256, chunk=64))
    oracle: Oracle = partial(greedy, checkpoint)
    check_turns(engine, oracle, 5)
    engine.reset()
    prompt = prompt_of(190)
    ask(engine, prompt, 9)
    assert [lengths[0] for lengths in engine.machine.cache.rewindable()][:3] == [0, 64, 128]
    engine.save_cache(tmp_path / "saved")
    for changed, fed in ((189, 190 - 128), (130, 190 - 128), (127, 190 - 64), (3, 190)):
        edited = [*prompt[:changed], prompt[changed] % 200 + 1, *prompt[changed + 1 :]]
        answer = ask(engine, edited, 9)
        assert (answer[0], answer[2]) == (oracle(edited, 9), fed), changed
    engine.load_cache(tmp_path / "saved")
    answer, _, fed = ask(engine, longer := prompt + oracle(prompt, 9) + [7], 9)
    assert (answer, fed) == (oracle(longer, 9), len(longer) - 198)


@pytest.mark.slow
def test_state_of_fixed_size_beside_operators_of_npus(built: Built, tmp_path: Path) -> None:
    """The transformer-only variant of a hybrid, whose state is an input of the transformer alone."""
    checkpoint = save_decoder("qwen3_5_text", tmp_path / "checkpoint", head_dim=64)
    engine = open_engine(built(checkpoint, capacity=256, chunk=64, variant="transformer-only"))
    assert engine.machine.cache.carried
    check_turns(engine, partial(greedy, checkpoint), 5)


def check_turns(engine: Engine, oracle: Oracle, turns: int) -> None:
    """Each turn feeds what is new alone, and answers as one long prompt does."""
    said: list[int] = []
    for turn in TURNS[:turns]:
        held = engine.machine.cache.length
        prompt = said + prompt_of(turn)
        answer, _, fed = ask(engine, prompt, 9)
        assert answer == oracle(prompt, 9), f"{engine.machine.cache.layout.name}, turn of {turn}"
        assert fed == len(prompt) - held
        said = prompt + answer


def check_regenerated(engine: Engine, oracle: Oracle) -> None:
    engine.reset()
    prompt = prompt_of(50)
    answer, _, _ = ask(engine, prompt, 20)
    for length in (50, 49, 63, 1, 0):
        engine.rewind(length)
        assert ask(engine, prompt, 20)[0] == answer, f"back to {length}"
    assert answer == oracle(prompt, 20)


def check_full(engine: Engine, oracle: Oracle) -> None:
    """A prompt as long as the cache, and ones that run into it."""
    for spare in (0, 1, 5):
        engine.reset()
        prompt = prompt_of(CAPACITY - spare)
        tokens, reason, _ = ask(engine, prompt, 20)
        assert (tokens, reason) == (oracle(prompt, spare + 1), "capacity")
        assert engine.machine.cache.length == CAPACITY


def check_forgetting(engine: Engine, oracle: Oracle) -> None:
    """Prompts at the capacity and beyond it."""
    for length in (CAPACITY - 1, CAPACITY, CAPACITY + 1, CAPACITY + 70):
        engine.reset()
        tokens, reason, _ = ask(engine, prompt_of(length), 12)
        assert (tokens, reason) == (oracle(prompt_of(length), 12), "length")
    assert engine.machine.cache.evicted == engine.machine.cache.length - CAPACITY


def test_no_byte_is_copied_where_the_graph_writes(built: Built, tmp_path: Path) -> None:
    """Past and present are one buffer, at one place, from the first step to the last; other layouts keep theirs too."""
    checkpoint = save_decoder("llama", tmp_path / "checkpoint")
    for layout in ("gqa", "scatter", "static"):
        machine = open_engine(built(checkpoint, cache=layout, capacity=256), capacity=64).machine
        cache = machine.cache
        places = [cache.past(name).ctypes.data for name in cache.names]
        presents = [tensor.present for tensor in cache.tensors.values()]
        bound: list[tuple[int, ...]] = []
        for chunk, phase in machine.chunks(prompt_of(40)):
            machine.step(chunk, phase)
        before = [cache.past(name).copy() for name in cache.names]
        for token in range(20):
            machine.step([token], "decode")
            assert [cache.past(name).ctypes.data for name in cache.names] == places
            bound.append(tuple(cache.buffers.fresh(name, 1).ctypes.data for name in presents))
        assert len(set(bound)) == 1
        assert (bound[0] == tuple(places)) == (layout != "static")
        for name, rows in zip(cache.names, before, strict=True):  # what was written stays as it was
            assert np.array_equal(cache.past(name)[..., :40, :], rows[..., :40, :])
            assert np.any(cache.past(name)[..., 40:60, :])
