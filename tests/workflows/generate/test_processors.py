"""Processors against transformers' own, value for value; sampling against the distribution that it draws from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import transformers.generation.logits_process as reference

from workflows.common.errors import RequestError
from workflows.generate.options import GenerateOptions, check_options
from workflows.generate.processors import Processor, compile_choice, compile_processors, softmax

VOCABULARY = 499
IDS = [3, 3, 7, 120, 498]


def logits(seed: int, spread: float = 3.0) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, spread, VOCABULARY).astype(np.float32)


def processed(values: np.ndarray, **options: Any) -> np.ndarray:
    process = compile_processors(GenerateOptions(**options))
    return values.copy() if process is None else process(IDS, values.copy())


def by_transformers(values: np.ndarray, *processors: Any) -> np.ndarray:
    scores = torch.tensor(values[None].copy())
    for processor in processors:
        scores = processor(torch.tensor([IDS]), scores)
    return scores[0].numpy()


CASES: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "temperature 0.7": ({"temperature": 0.7}, [reference.TemperatureLogitsWarper(0.7)]),
    "temperature 3": ({"temperature": 3}, [reference.TemperatureLogitsWarper(3.0)]),
    "top-k 1": ({"temperature": 1, "top_k": 1}, [reference.TopKLogitsWarper(1)]),
    "top-k 20": ({"temperature": 1, "top_k": 20}, [reference.TopKLogitsWarper(20)]),
    "top-k of all": ({"temperature": 1, "top_k": 10_000}, [reference.TopKLogitsWarper(10_000)]),
    "top-p 0.9": ({"temperature": 1, "top_p": 0.9}, [reference.TopPLogitsWarper(0.9)]),
    "top-p of one": ({"temperature": 1, "top_p": 1e-6}, [reference.TopPLogitsWarper(1e-6)]),
    "min-p 0.05": ({"temperature": 1, "min_p": 0.05}, [reference.MinPLogitsWarper(0.05)]),
    "min-p 1": ({"temperature": 1, "min_p": 1}, [reference.MinPLogitsWarper(1.0)]),
    "penalty 1.3": ({"repetition_penalty": 1.3}, [reference.RepetitionPenaltyLogitsProcessor(1.3)]),
    "penalty 0.8": ({"repetition_penalty": 0.8}, [reference.RepetitionPenaltyLogitsProcessor(0.8)]),
    "all of them": (
        {"repetition_penalty": 1.2, "temperature": 0.8, "top_k": 50, "top_p": 0.85, "min_p": 0.02},
        [
            reference.RepetitionPenaltyLogitsProcessor(1.2),
            reference.TemperatureLogitsWarper(0.8),
            reference.TopKLogitsWarper(50),
            reference.TopPLogitsWarper(0.85),
            reference.MinPLogitsWarper(0.02),
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", range(4))
def test_values_are_those_of_transformers(name: str, seed: int) -> None:
    """The same tokens removed, the same numbers for the rest."""
    options, processors = CASES[name]
    values = logits(seed)
    expected = by_transformers(values, *processors)
    found = processed(values, **options)
    np.testing.assert_array_equal(np.isneginf(found), np.isneginf(expected))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def chain(**options: float) -> Processor:
    """The chain of options that ask for something."""
    process = compile_processors(GenerateOptions(**options))
    assert process is not None
    return process


def test_nothing_requested_is_no_chain() -> None:
    """Greedy decoding looks at the logits as they are."""
    assert compile_processors(GenerateOptions()) is None


def test_literal_values() -> None:
    """A row that can be checked by hand: ids 0 and 2 occurred."""
    row = np.array([2.0, 1.0, -1.0, 0.5], np.float32)
    penalty = chain(repetition_penalty=2.0)
    assert penalty([0, 2, 2], row.copy()).tolist() == [1.0, 1.0, -2.0, 0.5]
    top = chain(temperature=0.5, top_k=2)
    assert top([], row.copy()).tolist() == [4.0, 2.0, -np.inf, -np.inf]
    halves = np.log(np.array([0.5, 0.3, 0.15, 0.05], np.float32))
    kept = chain(temperature=1, top_p=0.7)([], halves.copy())
    assert np.isfinite(kept).tolist() == [True, True, False, False]


def test_ties_at_the_kth_place_stay() -> None:
    """As in transformers: a token is removed where it is smaller than the k-th, not where it is equal."""
    row = np.array([1.0, 3.0, 1.0, 0.0], np.float32)
    found = chain(temperature=1, top_k=2)([], row.copy())
    assert np.isfinite(found).tolist() == [True, True, True, False]


def test_greedy_ignores_what_is_for_sampling() -> None:
    """Temperature 0: top-k, top-p and min-p change nothing, and the first of equal tokens is taken."""
    values = logits(1)
    np.testing.assert_array_equal(processed(values, top_k=3, top_p=0.1, min_p=0.5), values)
    choose = compile_choice(GenerateOptions())
    assert choose(np.array([1.0, 5.0, 5.0], np.float32)) == 1


def test_a_seed_gives_the_same_tokens_and_another_gives_others() -> None:
    """Drawn three times over: equal seeds agree at every step, no seed and another seed do not."""

    def draws(seed: int | None) -> list[int]:
        choose = compile_choice(GenerateOptions(temperature=1, seed=seed))
        return [choose(logits(step, 0.5)) for step in range(40)]

    assert draws(5) == draws(5)
    assert draws(5) != draws(6)
    assert draws(None) != draws(None)


def test_draws_follow_the_distribution() -> None:
    """20,000 draws: each frequency within five standard deviations, and nothing that was removed."""
    values = processed(logits(2, 2.0), temperature=0.9, top_k=12)
    choose = compile_choice(GenerateOptions(temperature=1, seed=0))
    count = 20_000
    frequencies = np.bincount([choose(values) for _ in range(count)], minlength=VOCABULARY) / count
    expected = torch.softmax(torch.tensor(values), -1).numpy()
    assert np.count_nonzero(expected) == 12
    assert frequencies[expected == 0].sum() == 0
    deviation = np.sqrt(expected * (1 - expected) / count)
    assert (np.abs(frequencies - expected) <= 5 * deviation + 1e-12).all()


@pytest.mark.parametrize("temperature", [1e-45, 1e-38, 1e-20, 1e-6])
def test_a_temperature_near_zero_is_greedy_and_finite(temperature: float) -> None:
    """float32 would overflow to infinity and the draw be of NaN."""
    values = logits(3)
    found = processed(values, temperature=temperature)
    assert np.isfinite(found).all()
    choose = compile_choice(GenerateOptions(temperature=temperature, seed=1))
    assert {choose(found) for _ in range(50)} == {int(values.argmax())}


def test_softmax_is_torch_s() -> None:
    """Removed tokens have probability 0; large logits do not overflow."""
    values = logits(4) * 100
    values[5] = -np.inf
    np.testing.assert_allclose(softmax(values), torch.softmax(torch.tensor(values), -1).numpy(), atol=1e-7)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"temperature": -1}, "temperature cannot be -1"),
        ({"temperature": float("nan")}, "temperature cannot be nan"),
        ({"temperature": float("inf")}, "temperature cannot be inf"),
        ({"top_p": 0}, "top_p cannot be 0"),
        ({"top_p": 1.5}, "top_p cannot be 1.5"),
        ({"top_p": float("nan")}, "top_p cannot be nan"),
        ({"min_p": 2}, "min_p cannot be 2"),
        ({"top_k": -1}, "top_k cannot be -1"),
        ({"repetition_penalty": 0}, "repetition_penalty cannot be 0"),
        ({"repetition_penalty": float("nan")}, "repetition_penalty cannot be nan"),
        ({"max_new_tokens": 0}, "max_new_tokens cannot be 0"),
        ({"seed": -3}, "seed cannot be -3"),
        ({"stop": [""]}, "stop.0 cannot be"),
        ({"warmth": 1}, "warmth cannot be 1"),
    ],
)
def test_an_option_out_of_range_is_named(options: dict[str, Any], names: str) -> None:
    """With the value that was given, in one sentence."""
    with pytest.raises(RequestError, match=names) as raised:
        check_options(options)
    assert "\n" not in str(raised.value)
