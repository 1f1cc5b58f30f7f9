"""Beam search: the tokens of transformers, over beams, length penalties, ways to end, layouts, models."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.workflows.conftest import Built, make_qwen3
from tests.workflows.families.models import VOCABULARY, save_decoder, save_encoder_decoder
from workflows.common.errors import RequestError
from workflows.generate import GenerateOptions, open_engine
from workflows.generate.beam_search import BeamOptions, BeamSearch
from workflows.generate.options import check_options
from workflows.wire.events import GenerationDone, TokenEvent

SEARCHES = [
    {"num_beams": beams, "length_penalty": penalty, "early_stopping": early}
    for beams in (2, 4)
    for penalty in (0.0, 1.0, 2.0, -1.0)
    for early in (False, True, "never")
]
LAYOUTS: list[dict[str, Any]] = [
    {"cache": "static", "capacity": 96}, {"capacity": 96}, {"cache": "scatter", "capacity": 96},
    {"cache": "window", "capacity": 96}, {"graphs": "prefill-decode", "capacity": 96, "chunk": 16},
]  # fmt: skip


@pytest.fixture(scope="module")
def flat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random Qwen3 whose logits are flat: the best text is seldom that of the best tokens."""
    import torch
    from transformers import AutoModelForCausalLM

    folder = make_qwen3(tmp_path_factory.mktemp("flat-qwen3"), vocab_size=60)
    model = AutoModelForCausalLM.from_pretrained(folder)
    with torch.no_grad():
        model.lm_head.weight.mul_(0.35)
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def oracle(flat: Path) -> Callable[..., list[int]]:
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(flat, dtype=torch.float32, attn_implementation="eager").eval()

    def searched(prompt: list[int], eos: list[int], **search: Any) -> list[int]:
        ids = torch.tensor([prompt])
        with torch.no_grad():
            found = model.generate(
                ids, attention_mask=torch.ones_like(ids), max_new_tokens=14, do_sample=False, pad_token_id=0,
                eos_token_id=eos or None, **search,
            )  # fmt: skip
        tokens: list[int] = found[0, len(prompt) :].tolist()
        end = next((i for i, token in enumerate(tokens) if token in eos), len(tokens) - 1)
        return tokens[: end + 1]

    return searched


@pytest.mark.parametrize("layout", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, len(LAYOUTS)))])
def test_the_tokens_are_those_of_transformers(
    flat: Path, built: Built, oracle: Callable[..., list[int]], layout: int
) -> None:
    """With two end tokens, one and none; the cache then holds what a search of one beam leaves."""
    searches = SEARCHES if layout == 0 else SEARCHES[:: len(LAYOUTS)]
    greedy = 0
    with open_engine(built(flat, **LAYOUTS[layout])) as engine:
        for n, search in enumerate(searches):
            prompt = [(7 * n + i) % 60 for i in range(1 + 9 * (n % 3))]
            eos = [[3, 17], [3], []][n % 3]
            *_, done = engine.generate(prompt, GenerateOptions(max_new_tokens=14, **search), eos=eos)
            assert isinstance(done, GenerationDone)
            assert done.token_ids == oracle(prompt, eos, **search), search
            assert engine.machine.cache.length == len(prompt) + len(done.token_ids) - 1
            assert done.finish_reason == ("eos" if done.token_ids[-1] in eos else "length")
            *_, alone = engine.generate(prompt, GenerateOptions(max_new_tokens=14), eos=eos)
            assert isinstance(alone, GenerationDone)
            greedy += alone.token_ids == done.token_ids
    assert greedy < len(searches)  # else nothing was searched


def test_penalties_and_forms_act_on_beams(flat: Path, built: Built, oracle: Callable[..., list[int]]) -> None:
    with open_engine(built(flat, capacity=96)) as engine:
        for penalty in (1.3, 0.7):
            options = GenerateOptions(max_new_tokens=14, num_beams=3, repetition_penalty=penalty)
            *_, done = engine.generate([5, 6, 5, 6], options, eos=[3])
            assert isinstance(done, GenerationDone)
            assert done.token_ids == oracle([5, 6, 5, 6], [3], num_beams=3, repetition_penalty=penalty)


def test_a_search_that_is_stopped_leaves_the_prompt(flat: Path, built: Built) -> None:
    """And the next generation is right."""
    with open_engine(built(flat, capacity=96)) as engine:
        asked: list[int] = []

        def cancelled() -> bool:
            asked.append(1)
            return len(asked) > 5

        *_, done = engine.generate([5, 6, 7], GenerateOptions(max_new_tokens=14, num_beams=3), cancelled, eos=[])
        assert isinstance(done, GenerationDone) and done.finish_reason == "cancelled"
        assert engine.machine.cache.length == 3 and not done.token_ids
        wanted = [*engine.generate([5, 6, 7, 8], GenerateOptions(max_new_tokens=5), eos=[])][-1]
        engine.reset()
        again = [*engine.generate([5, 6, 7, 8], GenerateOptions(max_new_tokens=5), eos=[])][-1]
        assert isinstance(wanted, GenerationDone) and isinstance(again, GenerationDone)
        assert wanted.token_ids == again.token_ids


def test_what_cannot_search_is_refused(flat: Path, built: Built) -> None:
    with (
        open_engine(built(flat, **LAYOUTS[0]), cache="window", capacity=64) as engine,
        pytest.raises(RequestError, match="evict"),
    ):
        list(engine.generate([1] * 60, GenerateOptions(max_new_tokens=20, num_beams=2), eos=[]))
    with pytest.raises(RequestError, match="leave the temperature at 0"):
        check_options({"num_beams": 2, "temperature": 1.0})


@pytest.mark.slow
@pytest.mark.parametrize("demo", ["demo:t5"])
def test_an_encoder_decoder_searches_as_transformers(built: Built, demo: str) -> None:
    import torch
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    from workflows.checkpoint import open_checkpoint

    folder = open_checkpoint(demo).folder
    model = AutoModelForSeq2SeqLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    with open_engine(built(demo)) as engine:
        for text in ("translate English to French: the house", "good morning", "summarize: the cat sleeps all day"):
            for search in SEARCHES:
                ids = tokenizer(text, return_tensors="pt")
                with torch.no_grad():
                    found = model.generate(**ids, max_new_tokens=16, do_sample=False, **search)[0, 1:].tolist()
                *_, done = engine.generate(ids["input_ids"][0].tolist(), GenerateOptions(max_new_tokens=16, **search))
                assert isinstance(done, GenerationDone)
                assert done.token_ids == found[: len(done.token_ids)], (text, search)
                assert not set(found[len(done.token_ids) :]) - {0}


def flat_random(kind: str, auto: Any, folder: Path) -> Any:
    """A random model of `kind`, saved, whose logits are flat: the best text is seldom that of the best tokens."""
    import torch

    save = save_encoder_decoder if kind in ("t5", "bart", "marian") else save_decoder
    model = auto.from_pretrained(save(kind, folder), dtype=torch.float32, attn_implementation="eager").eval()
    with torch.no_grad():
        # the embedding too, where it is tied: Marian then sees positions alone, and is flat enough as it is
        model.get_output_embeddings().weight.mul_(1.0 if kind == "marian" else 0.35)
    model.save_pretrained(folder)
    return model


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["t5", "bart", "marian", "gpt2", "gemma2"])
def test_searches_of_other_models(built: Built, tmp_path: Path, kind: str) -> None:
    """Every search over three prompts, one of them longer than Gemma's window, with one end token and with two."""
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    causal = kind in ("gpt2", "gemma2")
    model = flat_random(kind, AutoModelForCausalLM if causal else AutoModelForSeq2SeqLM, tmp_path)
    start, differs = 0 if causal else 1, 0
    with open_engine(built(tmp_path)) as engine:
        for n, search in enumerate(SEARCHES):
            prompt = [3 + (11 * n + 7 * i) % (VOCABULARY - 3) for i in range(1 + 13 * (n % 3))]
            eos = [[2, 17], [2]][n % 2]
            ids = torch.tensor([prompt])
            with torch.no_grad():
                found = model.generate(
                    ids, attention_mask=torch.ones_like(ids), max_new_tokens=14, do_sample=False, pad_token_id=0,
                    eos_token_id=eos, **search,
                )  # fmt: skip
            wanted = found[0, len(prompt) if causal else start :].tolist()
            end = next((i for i, token in enumerate(wanted) if token in eos), len(wanted) - 1)
            *_, done = engine.generate(prompt, GenerateOptions(max_new_tokens=14, **search), eos=eos)
            *_, alone = engine.generate(prompt, GenerateOptions(max_new_tokens=14), eos=eos)
            assert isinstance(done, GenerationDone) and isinstance(alone, GenerationDone)
            assert done.token_ids == wanted[: end + 1], (n, search)
            differs += done.token_ids != alone.token_ids
    assert differs  # else nothing was searched


def test_a_running_text_that_only_equals_the_worst_finished_one_ends_the_search() -> None:
    """As in transformers: the two best tokens are equally probable, and the first of them ends the text."""
    cache = SimpleNamespace(carried=[], layout=SimpleNamespace(evicts=False), length=3, capacity=9)
    machine: Any = SimpleNamespace(cache=cache)
    search = BeamSearch(machine, BeamOptions(1, length_penalty=0.0), [1, 2, 3], None, frozenset({0}), 4)
    assert not search.begin(np.array([5.0, 5.0, 0.0], np.float32))
    assert search.best.branch.tokens == [0]
    search = BeamSearch(machine, BeamOptions(1, length_penalty=0.0), [1, 2, 3], None, frozenset({1}), 4)
    assert search.begin(np.array([5.0, 4.0, 0.0], np.float32))


def test_each_token_has_its_share_of_the_search(flat: Path, built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that advances at each look: tokens that are emitted at the end were not computed then."""
    ticks = count(int(time.perf_counter()) + 1)
    monkeypatch.setattr("workflows.generate.generation.time.perf_counter", lambda: float(next(ticks)))
    with open_engine(built(flat, capacity=96)) as engine:
        events = list(engine.generate([5, 6, 7], GenerateOptions(max_new_tokens=8, num_beams=3), eos=[]))
    done, tokens = events[-1], [event for event in events if isinstance(event, TokenEvent)]
    assert isinstance(done, GenerationDone) and len(tokens) == 8
    first, *others = [event.latency_ms for event in tokens]
    assert others == pytest.approx([others[0]] * 7) and others[0] > 1000  # a look at each step, and more
    assert first == pytest.approx(done.ttft_ms) and 1000 / others[0] == pytest.approx(done.decode_tokens_per_s)
    assert done.prefill_tokens_per_s == pytest.approx(3000 / done.ttft_ms)
