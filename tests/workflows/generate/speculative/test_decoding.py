"""Drafted tokens change how fast a generation is and never what it says: target × draft × layout × end."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.conftest import Built, make_qwen3
from workflows.common.errors import JoineryError, RequestError
from workflows.generate import Engine, GenerateOptions, open_engine
from workflows.generate import engine as engine_module
from workflows.generate.generation import Generation
from workflows.generate.logits import Logits, last_logits
from workflows.generate.options import check_options
from workflows.generate.speculative import Draft, DraftModel, NGramProposer, SpeculativeStrategy, decoding
from workflows.generate.speculative.draft_length import DraftLengthTuner
from workflows.generate.speculative.near_ties import NearTies
from workflows.runtime.execution.machine import Machine
from workflows.wire.events import (
    Event,
    GenerationDone,
    NoticeEvent,
    SpeculationEvent,
    SpeculationUse,
    TokenEvent,
)

COUNT = 40
LAYOUTS = {
    "static": {"cache": "static", "capacity": 96},
    "window": {"cache": "window", "capacity": 64},
    "scatter": {"cache": "scatter", "capacity": 96},
    "gqa": {"capacity": 96},
    "split": {"graphs": "prefill-decode", "capacity": 96, "chunk": 16},
    "int4": {"precision": "int4", "capacity": 96},
}

QUICK = ("static", "gqa")
"""The two ways in which rows that were drafted in vain leave the cache; the other layouts are slow."""


class Oracle:
    """Drafts what the target says anyway, and a wrong token with probability `wrong` at each place."""

    name = "oracle"

    def __init__(self, tokens: Sequence[int], vocabulary: int, wrong: float, seed: int) -> None:
        self._tokens, self._vocabulary, self._wrong = tokens, vocabulary, wrong
        self._random = np.random.default_rng(seed)

    def propose(self, ids: Sequence[int], count: int) -> Draft:
        right = self._tokens[len(ids) : len(ids) + count]
        return Draft(tuple((t + 1) % self._vocabulary if self._random.random() < self._wrong else t for t in right))


@pytest.fixture(params=[pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in LAYOUTS])
def bundle(request: pytest.FixtureRequest, built: Built, sharp_qwen3: Path) -> Path:
    return built(sharp_qwen3, **LAYOUTS[request.param])


@pytest.fixture
def erratic(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drafts of every length, whatever they cost."""
    random = np.random.default_rng(0)
    monkeypatch.setattr(
        DraftLengthTuner, "length", lambda self, limit: int(random.integers(0, max(min(self._most, limit), 0) + 1))
    )


def run(
    engine: Engine, prompt: Sequence[int], strategy: SpeculativeStrategy | None, eos: Sequence[int] = (), **options: Any
) -> tuple[list[Event], GenerationDone]:
    engine.reset()
    asked = GenerateOptions(**{"max_new_tokens": COUNT, **options})
    events = list(Generation(engine.machine, engine.text, asked, eos, strategy=strategy).stream(prompt))
    done = events[-1]
    assert isinstance(done, GenerationDone)
    return events, done


def prompts(vocabulary: int) -> list[list[int]]:
    random = np.random.default_rng(3)
    return [random.integers(0, vocabulary, size).tolist() for size in (1, 7, 33)]


@pytest.mark.usefixtures("erratic")
def test_greedy_tokens_are_those_of_the_model_alone(bundle: Path) -> None:
    """Drafts that are right, wrong and in between; the cache ends where it would, and each token tells what it used."""
    with open_engine(bundle) as engine:
        for seed, prompt in enumerate(prompts(engine.machine.vocabulary)):
            plain, alone = run(engine, prompt, None)
            length = engine.machine.cache.length
            for wrong in (0.0, 0.1, 0.5, 1.0):
                oracle = Oracle([*prompt, *alone.token_ids], engine.machine.vocabulary, wrong, seed)
                events, done = run(engine, prompt, SpeculativeStrategy(oracle))
                assert done.token_ids == alone.token_ids, (prompt, wrong)
                assert engine.machine.cache.length == length and done.finish_reason == alone.finish_reason
                used = [[one.cache_used for one in e if isinstance(one, TokenEvent)] for e in (plain, events)]
                assert used[0] == used[1]
                assert done.speculation is not None
                if wrong == 1.0:
                    assert done.speculation.accepted == 0 and done.speculation.steps == len(done.token_ids) - 1
                drafted = sum(e.drafted for e in events if isinstance(e, TokenEvent))
                assert drafted == done.speculation.accepted <= done.speculation.drafted


@pytest.mark.usefixtures("erratic")
def test_it_ends_where_the_model_alone_would(bundle: Path) -> None:
    """At an end token, a limit, a full cache and a stop text that stand in the middle of an accepted draft."""
    with open_engine(bundle) as engine:
        prompt = prompts(engine.machine.vocabulary)[1]
        _, alone = run(engine, prompt, None, max_new_tokens=200)
        everything, vocabulary = [*prompt, *alone.token_ids], engine.machine.vocabulary
        for place in range(2, 9):
            end = alone.token_ids[place]
            for options in ({"eos": [end]}, {"max_new_tokens": place}):
                _, plain = run(engine, prompt, None, **options)
                length = engine.machine.cache.length
                _, done = run(engine, prompt, SpeculativeStrategy(Oracle(everything, vocabulary, 0.0, 0)), **options)
                assert (done.token_ids, done.finish_reason) == (plain.token_ids, plain.finish_reason)
                assert engine.machine.cache.length == length
        _, done = run(engine, prompt, SpeculativeStrategy(Oracle(everything, vocabulary, 0.05, 0)), max_new_tokens=200)
        assert (done.token_ids, done.finish_reason) == (alone.token_ids, alone.finish_reason)


def looks(events: Sequence[Event]) -> list[SpeculationEvent]:
    return [one for one in events if isinstance(one, SpeculationEvent)]


@pytest.mark.usefixtures("erratic")
def test_each_run_reports_what_came_of_its_draft(demo_bundle: Path) -> None:
    """The runs take up all tokens but the prompt's, in order, and add up to what the end says."""
    with open_engine(demo_bundle) as engine:
        prompt = prompts(900)[1]
        plain, alone = run(engine, prompt, None)
        assert looks(plain) == [] and alone.speculation is None
        events, done = run(engine, prompt, SpeculativeStrategy(Oracle([*prompt, *alone.token_ids], 900, 0.3, 1)))
        runs = looks(events)
        assert {one.by for one in runs} == {"oracle"} and all(one.latency_ms > 0 for one in runs)
        assert [one.step for one in runs] == np.cumsum([1, *(one.kept for one in runs)])[:-1].tolist()
        assert all(one.accepted <= one.drafted and 1 <= one.kept <= one.accepted + 1 for one in runs)
        assert done.speculation == sum(runs, SpeculationUse()) and done.speculation.kept == len(done.token_ids) - 1
        assert done.speculation.tokens_per_step == (len(done.token_ids) - 1) / len(runs)


def test_nothing_behind_an_end_is_kept(demo_bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drafts of eight that are all right: at an end token, a limit and a stop text a run keeps what was said alone."""
    monkeypatch.setattr(DraftLengthTuner, "length", lambda self, limit: max(min(8, limit), 0))
    monkeypatch.setattr(NearTies, "is_near", lambda self, scores: False)
    with open_engine(demo_bundle) as engine:
        prompt = engine.encode("What is")
        plain, alone = run(engine, prompt, None)
        ids, texts = alone.token_ids, [one.text for one in plain if isinstance(one, TokenEvent)]
        place = next(at for at in range(3, 8) if ids[at] not in ids[:at])
        stop = "".join(texts[1:6])
        assert texts[5].strip() and "".join(texts[:7]).count(stop) == 1
        everything = [*prompt, *ids]
        ends = (({"eos": [ids[place]]}, 0), ({"max_new_tokens": place + 1}, 1), ({"stop": [stop]}, 0))
        for options, own in ends:  # at a limit the last token is the model's own: no draft is longer
            events, done = run(engine, prompt, SpeculativeStrategy(Oracle(everything, 900, 0.0, 0)), **options)
            (one,) = looks(events)
            assert one.kept == one.accepted + own == len(done.token_ids) - 1 < 8, options
            assert done.speculation is not None and done.speculation.accepted == one.accepted
            assert one.drafted >= one.accepted


@pytest.mark.usefixtures("erratic")
def test_a_draft_model_of_any_kind(bundle: Path, built: Built, tmp_path: Path, sharp_qwen3: Path) -> None:
    """Itself, another precision of it, and one that knows nothing of it; in turns that share a beginning."""
    drafts = [built(sharp_qwen3, capacity=96), built(sharp_qwen3, precision="int4", capacity=96),
              built(make_qwen3(tmp_path / "other", seed=5), capacity=96)]  # fmt: skip
    prompt = prompts(997)[1]
    for folder in drafts:
        with open_engine(bundle) as plain, open_engine(bundle, draft=folder) as drafted:
            ids = list(prompt)
            for _ in range(3):
                options = GenerateOptions(max_new_tokens=12)
                wanted, found = ([*one.generate(ids, options)][-1] for one in (plain, drafted))
                assert isinstance(wanted, GenerationDone) and isinstance(found, GenerationDone)
                assert found.token_ids == wanted.token_ids
                ids = [*ids, *wanted.token_ids, 3]
            if folder == drafts[0] and bundle == folder:
                assert found.speculation is not None and found.speculation.accepted > 0


@pytest.mark.usefixtures("erratic")
def test_drafts_that_branch_change_nothing(bundle: Path, built: Built, sharp_qwen3: Path) -> None:
    """Of look-ups and of the model itself, in every layout; where no tree can be looked at it is said once."""
    written_in_place = {"scatter", "gqa"}
    with open_engine(bundle) as plain, open_engine(bundle, draft=built(sharp_qwen3, capacity=96)) as drafted:
        random, told, looked_up = prompts(997)[2], list[str](), 0
        repeated = [([5, 6, 7, 8, 5, 6, 9, 5, 6] * times, {"ngram": True}) for times in (1, 2, 3)]
        for ids, options in (*repeated, (random, {}), (random, {"temperature": 0.8, "seed": 4})):
            asked = {"max_new_tokens": 24, "draft_tree": 12, **options}
            found = [*drafted.generate(ids, GenerateOptions(**asked))]
            wanted = [*plain.generate(ids, GenerateOptions(**asked | {"draft_tree": None, "ngram": False}))][-1]
            done = found[-1]
            assert isinstance(wanted, GenerationDone) and isinstance(done, GenerationDone)
            if not asked.get("temperature"):
                assert done.token_ids == wanted.token_ids
            assert done.speculation is not None
            looked_up += done.speculation.drafted if "ngram" in options else 0
            assert done.speculation.drafted > 0 or "ngram" in options  # what it says need not repeat what was said
            told += [event.message for event in found if isinstance(event, NoticeEvent)]
        assert looked_up > 0
        layout = drafted.machine.cache.layout.name
        assert len(told) == (layout in written_in_place) and all(f"{layout} cache takes one path" in t for t in told)


@pytest.mark.usefixtures("erratic")
def test_the_same_seed_draws_the_same_tokens_with_look_ups(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is looked up is taken where it is what would have been drawn: the same stream of random numbers.

    Where activations are rounded to integers a run of several tokens gives other scores, of which another token may be
    drawn (the greedy ones alone are fed again at a tie): there the rows are of single runs.
    """
    with open_engine(bundle) as engine:
        if engine.machine.rounds:
            monkeypatch.setattr(decoding, "logits_per_token", one_by_one)
        prompt = [5, 6, 7, 8] * 5
        options = {"temperature": 0.7, "top_k": 20, "seed": 11, "repetition_penalty": 1.1}
        _, alone = run(engine, prompt, None, **options)
        _, done = run(engine, prompt, SpeculativeStrategy(NGramProposer(min_match=1)), **options)
        assert done.token_ids == alone.token_ids
        assert done.speculation is not None and done.speculation.drafted > 0


def one_by_one(machine: Machine, ids: Sequence[int]) -> list[Logits]:
    """The rows of `ids`, each of a run of its own."""
    return [last_logits(machine, [token], "decode").copy() for token in ids]


def test_greedy_acceptance_takes_what_is_drawn_anyway(demo_bundle: Path) -> None:
    """Of a draft model too: no draw is spent on drafts, so that a seed gives the tokens that it gives without them."""
    with open_engine(demo_bundle) as engine, open_engine(demo_bundle) as other:
        options = {"temperature": 0.7, "top_k": 20, "seed": 11}
        _, alone = run(engine, [5, 6, 7, 8], None, **options)
        _, done = run(engine, [5, 6, 7, 8], SpeculativeStrategy(DraftModel(other.machine), 4, "greedy"), **options)
        assert done.token_ids == alone.token_ids
        assert done.speculation is not None and done.speculation.drafted > 0


@pytest.mark.parametrize("drafts", [{}, {"ngram": True}, {"draft_tree": 6}, {"acceptance": "typical"}], ids=str)
def test_a_seed_repeats_whatever_the_clock_says(
    drafts: dict[str, Any], demo_bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rejection sampling spends draws on drafts: their lengths must follow from the tokens, in each generation anew."""
    ticks = np.random.default_rng(1).exponential(size=1 << 16).cumsum().tolist()
    monkeypatch.setattr(engine_module, "DraftLengthTuner", partial(DraftLengthTuner, clock=iter(ticks).__next__))
    options = GenerateOptions(max_new_tokens=40, temperature=1.0, seed=3, **drafts)
    texts, drafted = set[tuple[int, ...]](), 0
    with open_engine(demo_bundle, draft=None if "ngram" in drafts else demo_bundle) as engine:
        for prompt in ([5, 6, 7, 8] * 3, [9, 5, 6, 5, 6, 5], [5, 6, 7, 8] * 3, [5, 6, 7, 8] * 3):
            *_, done = engine.generate(prompt, options, eos=())
            assert isinstance(done, GenerationDone) and done.speculation is not None
            texts |= {tuple(done.token_ids)} if len(prompt) == 12 else set()
            drafted += done.speculation.drafted
    assert len(texts) == 1 and drafted > 0


@pytest.mark.usefixtures("erratic")
@pytest.mark.parametrize("failure", ["nan", "onnxruntime"])
def test_a_draft_that_fails_ends_no_generation(
    failure: str, demo_bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its tokens are the model's own, which is said once; the next generation drafts again."""
    with open_engine(demo_bundle) as plain, open_engine(demo_bundle, draft=demo_bundle) as engine:
        assert engine.draft is not None
        (wanted, used), (machine, left) = last(plain), (engine.draft._machine, [3])
        real = machine.step

        def step(*fed: Any, **asked: Any) -> Any:
            left[0] -= 1
            if left[0] < 0 and failure == "onnxruntime":
                raise JoineryError("The decode step failed on cpu: out of luck.")
            return real(*fed, **asked) * (np.nan if left[0] < 0 else 1)

        monkeypatch.setattr(machine, "step", step)
        events = list(engine.generate([5, 6, 7, 8], GenerateOptions(max_new_tokens=COUNT), eos=[]))
        notices = [one for one in events if isinstance(one, NoticeEvent)]
        done = events[-1]
        assert isinstance(done, GenerationDone) and done.token_ids == wanted
        assert engine.machine.cache.length == used and machine.cache.length == 0
        assert [one.code for one in notices] == ["draft_lost"] and demo_bundle.name in notices[0].message
        left[0] = 1 << 20
        assert last(engine) == (wanted, used) and machine.cache.length > 0


def last(engine: Engine) -> tuple[list[int], int]:
    """The tokens of one generation, and how many the cache holds after it."""
    *_, done = engine.generate([5, 6, 7, 8], GenerateOptions(max_new_tokens=COUNT), eos=[])
    assert isinstance(done, GenerationDone)
    return done.token_ids, engine.machine.cache.length


def test_a_chain_that_leaves_nothing_drafts_nothing(demo_bundle: Path) -> None:
    with open_engine(demo_bundle) as engine:
        draft = DraftModel(engine.machine)
        draft.begin(lambda ids, logits: logits - np.float32(np.inf), np.random.default_rng(0))
        assert not draft.propose([5, 6], 3)


def test_options_of_what_is_not_requested_are_refused(demo_bundle: Path) -> None:
    for given, named in (
        ({"num_beams": 2, "ngram": True}, "ngram"), ({"length_penalty": 2.0}, "length_penalty"),
        ({"early_stopping": True}, "early_stopping"),
    ):  # fmt: skip
        with pytest.raises(RequestError, match=named):
            check_options(given)
    with open_engine(demo_bundle) as engine, open_engine(demo_bundle, draft=demo_bundle) as drafted:
        for given, named in (({"draft_tokens": 8}, "draft_tokens"), ({"acceptance": "greedy"}, "acceptance")):
            with pytest.raises(RequestError, match=named):
                list(engine.generate([5, 6], check_options(given)))
        with pytest.raises(RequestError, match="Beams"):
            list(drafted.generate([5, 6], check_options({"num_beams": 2})))
        *_, done = engine.generate([5, 6], check_options({"ngram": True, "draft_tokens": 8, "max_new_tokens": 2}))
        assert isinstance(done, GenerationDone)


def test_a_draft_of_other_tokens_is_refused(built: Built, sharp_qwen3: Path, tmp_path: Path) -> None:
    other = built(make_qwen3(tmp_path / "small", vocab_size=500), capacity=48)
    with pytest.raises(RequestError, match="knows 500 tokens and the model 997"):
        open_engine(built(sharp_qwen3, capacity=96), draft=other)


def test_look_ups_draft_what_followed(demo_bundle: Path) -> None:
    """Of two places the one that agrees longer; a circle goes on; nothing where nothing was seen."""
    assert NGramProposer().propose([1, 2, 3, 9, 1, 2], 4).tokens == (3, 9, 1, 2)
    assert NGramProposer().propose([7, 1, 2, 3, 8, 1, 2, 4, 7, 1, 2], 1).tokens == (3,)
    assert NGramProposer().propose([4, 4, 4], 5).tokens == (4,) * 5
    assert NGramProposer().propose([1, 2, 3], 5).tokens == ()
    assert NGramProposer(window=3).propose([1, 2, 3, 9, 1, 2], 4).tokens == ()
    grown = NGramProposer()
    grown.propose([1, 2, 3], 4)
    assert grown.propose([1, 2, 3, 9, 1, 2], 2).tokens == (3, 9)


def test_a_draft_model_keeps_what_two_prompts_share(demo_bundle: Path) -> None:
    with open_engine(demo_bundle) as one:
        draft = DraftModel(one.machine)
        first = draft.propose([5, 6, 7, 8], 4)
        assert one.machine.cache.length == 7  # the last drafted token is fed by nobody
        again = draft.propose([5, 6, 7, 8, *first.tokens[:2], 9], 2)
        assert len(again) == 2 and draft.propose([5, 6, 7, 8], 4).tokens == first.tokens


@pytest.mark.slow
@pytest.mark.usefixtures("erratic")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_triples_of_prompt_target_and_draft(layout: str, built: Built, tmp_path: Path, sharp_qwen3: Path) -> None:
    """Fifty a layout: of 1 to 70 tokens, targets of two seeds, with drafts of six kinds and ends that differ."""
    random = np.random.default_rng(list(LAYOUTS).index(layout))
    targets = [sharp_qwen3, make_qwen3(tmp_path / "second", seed=5)]
    bundles = [built(one, **LAYOUTS[layout]) for one in targets]
    drafts = [built(one, capacity=96) for one in targets]
    accepted = 0
    for n in range(50):
        which = n % 2
        with open_engine(bundles[which]) as engine, open_engine(drafts[int(random.integers(2))]) as other:
            prompt = random.integers(0, 997, int(random.integers(1, 71))).tolist()
            limit = int(random.integers(1, 60))
            _, alone = run(engine, prompt, None, max_new_tokens=limit)
            eos = [int(random.choice(alone.token_ids))] if n % 3 == 0 else []
            _, alone = run(engine, prompt, None, eos, max_new_tokens=limit)
            length = engine.machine.cache.length
            said = [*prompt, *alone.token_ids]
            drafters = [Oracle(said, 997, wrong, n) for wrong in (0.0, 0.3, 1.0)]
            drafter = [*drafters, NGramProposer(min_match=1), DraftModel(other.machine), NGramProposer()][n % 6]
            strategy = SpeculativeStrategy(drafter, most=int(random.integers(1, 17)))
            _, done = run(engine, prompt, strategy, eos, max_new_tokens=limit)
            assert (done.token_ids, done.finish_reason) == (alone.token_ids, alone.finish_reason), n
            assert engine.machine.cache.length == length
            assert done.speculation is not None
            accepted += done.speculation.accepted
    assert accepted > 100
