"""Strategies that the bundle's own file asks for: run, or refused with the path of what cannot be."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.generate.speculative.asking import DRAFTED, duo, target
from tests.workflows.runtime import toy_bundles
from workflows.bundle import read_bundle
from workflows.bundle.manifest import write_manifest
from workflows.common.errors import BundleError, RequestError
from workflows.generate import Engine, GenerateOptions, open_engine
from workflows.generate.speculative.draft_length import DraftLengthTuner
from workflows.inspection.contents import check_bundle, inspect_path
from workflows.wire.events import Event, GenerationDone, NoticeEvent

PROMPT = [3, 1, 4, 1, 5, 9]
COUNT = 30


@pytest.fixture(autouse=True)
def _erratic(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drafts of every length, whatever they cost."""
    random = np.random.default_rng(0)
    monkeypatch.setattr(
        DraftLengthTuner, "length", lambda self, limit: int(random.integers(0, max(min(self._most, limit), 0) + 1))
    )


def truth(ids: Sequence[int], count: int = COUNT) -> list[int]:
    """Greedy tokens by numpy, over the whole text each time."""
    toy, found = target(), list(ids)
    for _ in range(count):
        found.append(int(toy.truth(found)[-1].argmax()))
    return found[len(ids) :]


def said(engine: Engine, ids: Sequence[int] = PROMPT, **options: Any) -> tuple[GenerationDone, list[str]]:
    """What a generation ended with, and the codes of its notices."""
    asked = GenerateOptions(**{"max_new_tokens": COUNT, **options})
    events: list[Event] = list(engine.generate(ids, asked, eos=options.pop("eos", [])))
    done = events[-1]
    assert isinstance(done, GenerationDone)
    return done, [one.code for one in events if isinstance(one, NoticeEvent)]


@pytest.mark.parametrize("draft", ["first", "chain", "other", "itself"])
def test_sessions_of_the_bundle_draft(draft: str, tmp_path: Path) -> None:
    """In turns that share a beginning and go back; the target's tokens, whoever drafts."""
    name = "body0" if draft == "chain" else "draft"
    strategy = {"draft": {"session": name}, "verify": {"session": "decoder"}, "num_speculative_tokens": 4}
    with open_engine(duo(tmp_path / "b", strategy, draft)) as engine:
        assert list(engine.machine.sessions) == ["decoder"]
        done, notices = said(engine)
        assert done.token_ids == truth(PROMPT) and not notices
        assert done.speculation is not None and done.speculation.drafted > 0
        if draft == "itself":
            assert done.speculation.accepted > done.speculation.drafted / 2  # a place that is nearly a tie ends a run
        again = [*PROMPT, *done.token_ids[:9], 7]
        assert said(engine, again, max_new_tokens=12)[0].token_ids == truth(again, 12)
        engine.rewind(4)
        assert said(engine, PROMPT[:5], max_new_tokens=12)[0].token_ids == truth(PROMPT[:5], 12)


def test_a_chain_may_be_named_by_any_of_its_sessions(tmp_path: Path) -> None:
    for name in ("table", "body0", "head"):
        folder = duo(tmp_path / name, {"draft": {"session": name}}, "chain")
        assert read_bundle(folder).pipeline.pipeline.draft_sessions == ("table", "body0", "head")


def test_roles_name_who_drafts(tmp_path: Path) -> None:
    folder = duo(tmp_path / "b", {"kind": "speculative"}, roles={"target": "decoder", "draft": "draft"})
    with open_engine(folder) as engine:
        done, _ = said(engine)
        assert done.token_ids == truth(PROMPT) and done.speculation is not None


def test_look_ups_with_the_files_numbers(tmp_path: Path) -> None:
    strategy = {"draft": {"producer": "ngram", "ngram": {"min_match": 1, "max_draft": 3, "window": 32}}}
    with open_engine(duo(tmp_path / "b", strategy, "")) as engine:
        done, notices = said(engine, [1, 2, 3, 1, 2, 3, 1])
        assert done.token_ids == truth([1, 2, 3, 1, 2, 3, 1]) and not notices
        assert done.speculation is not None and done.speculation.drafted > 0


def test_it_ends_where_the_target_would(tmp_path: Path) -> None:
    """At an end token within a draft, at the limit, and where the cache is full."""
    wanted = truth(PROMPT)
    with open_engine(duo(tmp_path / "b", DRAFTED, "itself", capacity=24)) as engine:
        for place in (3, 5, 8):
            end = wanted[place]
            asked = GenerateOptions(max_new_tokens=COUNT)
            *_, done = engine.generate(PROMPT, asked, eos=[end])
            assert isinstance(done, GenerationDone)
            assert done.token_ids == wanted[: wanted.index(end) + 1] and done.finish_reason == "eos"
            assert engine.machine.cache.length == len(PROMPT) + len(done.token_ids) - 1
        done, _ = said(engine)
        assert done.finish_reason == "capacity" and done.token_ids == wanted[: len(done.token_ids)]
        assert engine.machine.cache.length == 24 and len(done.token_ids) == 24 - len(PROMPT) + 1


def test_a_window_slides_over_drafts(tmp_path: Path) -> None:
    with open_engine(duo(tmp_path / "b", DRAFTED), cache="window", capacity=16) as engine:
        done, _ = said(engine)
        assert done.token_ids == said(engine, drafts=False)[0].token_ids
        assert done.speculation is not None and done.speculation.drafted > 0 and done.cache.evicted > 0


def test_the_persons_word_wins(tmp_path: Path) -> None:
    """No drafts, look-ups, another number, another bundle; beams are searched without the file's drafts."""
    folder = duo(tmp_path / "b", DRAFTED, "itself")
    with open_engine(folder) as engine:
        assert said(engine, drafts=False)[0].speculation is None
        done, _ = said(engine, ngram=True)
        assert done.token_ids == truth(PROMPT) and done.speculation is not None
        done, _ = said(engine, draft_tokens=1)
        assert done.speculation is not None and done.speculation.drafted <= done.speculation.steps
        done, notices = said(engine, num_beams=2)
        assert done.speculation is None and notices == ["no_drafts"]
        with pytest.raises(RequestError, match="draft_tokens needs drafts"):
            said(engine, drafts=False, draft_tokens=2)
    with open_engine(folder, draft=False) as engine:
        assert engine.draft is None and said(engine)[0].token_ids == truth(PROMPT)
    other = duo(tmp_path / "other", None, "")
    with open_engine(folder, draft=other) as engine:
        assert engine.draft is not None and not engine.draft.own
        assert said(engine)[0].token_ids == truth(PROMPT)


def test_what_the_file_says_of_acceptance_is_kept(tmp_path: Path) -> None:
    """Typical with a threshold of nothing takes every draft; greedy draws as without drafts."""
    typical = DRAFTED | {"acceptance": "typical", "typical_threshold": 0.0}
    with open_engine(duo(tmp_path / "typical", typical, "other")) as engine:
        done, _ = said(engine, temperature=50.0, seed=3)
        assert done.speculation is not None and done.speculation.accepted == done.speculation.drafted > 0
    greedy = DRAFTED | {"acceptance": "greedy"}
    with open_engine(duo(tmp_path / "greedy", greedy, "first")) as engine:
        drawn, _ = said(engine, temperature=1.0, seed=3)
        alone, _ = said(engine, temperature=1.0, seed=3, drafts=False)
        assert drawn.token_ids == alone.token_ids and drawn.speculation is not None


def test_a_bundle_elsewhere_is_given_by_the_person(tmp_path: Path) -> None:
    """Named by what it is, never by where: without it there are no drafts; another one is told of."""
    other = duo(tmp_path / "other", None, "")
    strategy = {"num_speculative_tokens": 3}
    named = {"draft": {"name": "tiny", "digest": read_bundle(other).fingerprint}}
    folder = duo(tmp_path / "b", strategy, "", metadata=named)
    with open_engine(folder) as engine:
        done, notices = said(engine)
        assert done.speculation is None and notices == ["no_drafts"] and done.token_ids == truth(PROMPT)
    with open_engine(folder, draft=other) as engine:
        done, notices = said(engine)
        assert done.token_ids == truth(PROMPT) and not notices and done.speculation is not None
        assert done.speculation.drafted <= 3 * done.speculation.steps
    with open_engine(folder, draft=duo(tmp_path / "third", None, "", capacity=32, metadata={"name": "x"})) as engine:
        assert said(engine)[1] == []  # the same graphs under another name
    with open_engine(folder, draft=duo(tmp_path / "fourth", DRAFTED)) as engine:
        assert said(engine)[1] == ["another_draft"]


@pytest.mark.parametrize(
    ("strategy", "more", "path"),
    [
        ({"draft": {"session": "nobody"}}, {}, "pipeline.strategy.draft.session"),
        ({"draft": {"session": "decoder"}}, {}, "pipeline.strategy.draft.session"),
        ({"draft": {"session": "draft"}}, {"roles": {"draft": "decoder"}}, "pipeline.roles.draft"),
        ({}, {"roles": {"target": "draft", "draft": "draft"}}, "pipeline.roles.draft"),
        ({"draft": {"session": "draft"}}, {"roles": {"target": "nobody"}}, "pipeline.roles.target"),
        (DRAFTED | {"verify": {"session": "draft"}}, {}, "pipeline.strategy.verify.session"),
        (DRAFTED | {"verify": {"session": "nobody"}}, {}, "pipeline.strategy.verify.session"),
        (DRAFTED | {"tree": {"topology": "medusa_choices"}}, {}, "pipeline.strategy.tree.medusa_choices"),
        ({"draft": {"producer": "ngram", "session": "draft"}}, {}, "pipeline.strategy.draft.session"),
        ({"draft": {"producer": "self_speculative"}}, {}, "pipeline.strategy.draft.session"),
        ({"draft": {"producer": "self_speculative", "session": "draft"}}, {}, "pipeline.strategy.draft.depth"),
        ({"draft": {"producer": "self_speculative", "session": "draft", "depth": 2}}, {}, "strategy.draft.depth"),
        ({}, {}, "pipeline.strategy.draft.session"),
        (None, {"roles": {"draft": "draft"}}, "pipeline.roles.draft"),
        (DRAFTED, {"roles": {"amateur": "nobody"}}, "pipeline.roles.amateur"),
        (None, {}, "pipeline.sessions.draft"),  # that nobody runs
        (DRAFTED, {"flow": [{"run": "decoder"}, {"run": "draft"}]}, "pipeline.strategy.draft.session"),
        (DRAFTED, {"dataflow": [{"from": "draft.nothing", "to": "draft.input_ids"}]}, "dataflow[0]"),
    ],
)
def test_what_cannot_be_run_is_named(
    strategy: dict[str, Any] | None, more: dict[str, Any], path: str, tmp_path: Path
) -> None:
    folder = duo(tmp_path / "b", strategy, **more)
    for look in (open_engine, check_bundle):
        with pytest.raises(BundleError) as refused:
            look(folder)
        assert f"{path}:" in str(refused.value)


def test_vocabularies_that_differ_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = duo(tmp_path / "b", DRAFTED)
    small = target()
    small.layers, small.weights["head"] = (0,), small.weights["head"][:, :20]
    monkeypatch.setattr(toy_bundles, "V", 20)
    small.write(folder, ["decoder"], tag="_draft")
    write_manifest(folder)
    for look in (open_engine, check_bundle):
        with pytest.raises(BundleError, match=r"draft.session: the draft gives logits of 20 tokens and"):
            look(folder)


def test_a_target_that_carries_a_state_has_no_drafts(tmp_path: Path) -> None:
    folder = duo(tmp_path / "b", {"draft": {"producer": "ngram"}}, "")
    toy = target()
    toy.convolves = True
    toy.write(folder, ["decoder"])
    write_manifest(folder)
    for look in (open_engine, check_bundle):
        with pytest.raises(BundleError, match=r"pipeline.strategy: the target carries a state on"):
            look(folder)


def test_inspect_shows_both_models(tmp_path: Path) -> None:
    """The draft's chain has edges, drivers, a cache and logits of its own."""
    report = inspect_path(duo(tmp_path / "b", {"draft": {"session": "head"}}, "chain"))
    drawn = report.composite
    assert [one.name for one in drawn.sessions] == ["decoder", "table", "body0", "head"]
    assert {state.name: state.readers for state in drawn.states} == {"all": ("decoder",), "draft all": ("body0",)}
    assert {(one.source[0], one.target[0]) for one in drawn.edges} == {("table", "body0"), ("body0", "head")}
    assert {one.session for one in drawn.outputs} == {"decoder", "head"}
    assert report.route == "decoder"


def test_a_draft_of_genais_version_1_runs(tmp_path: Path) -> None:
    """`model.draft` is a session of the folder, with as many tokens as `speculative` says."""
    folder = duo(tmp_path / "b", None, "first")
    for name in ("pipeline.json", "manifest.json"):
        (folder / name).unlink()
    sizes = {"num_hidden_layers": 2, "num_key_value_heads": 2, "head_size": 4}
    decoder = {"filename": "decoder.onnx"} | sizes
    model = {"type": "llama", "vocab_size": 40, "context_length": 64, "decoder": decoder}
    model["draft"] = {"filename": "decoder_draft.onnx"} | sizes | {"num_hidden_layers": 1}
    config = {"model": model, "speculative": {"max_draft_tokens": 3}}
    (folder / "genai_config.json").write_text(json.dumps(config), "utf-8")
    with open_engine(folder) as engine:
        done, notices = said(engine)
        assert done.token_ids == truth(PROMPT) and not notices
        assert done.speculation is not None and 0 < done.speculation.drafted <= 3 * done.speculation.steps
