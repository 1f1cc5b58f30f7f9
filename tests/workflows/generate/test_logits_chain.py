"""The file's own chain: each op in its place, a person's options in theirs."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workflows.bundle.strategy import LogitsOp
from workflows.common.errors import BundleError, RequestError
from workflows.generate import GenerateOptions, open_engine
from workflows.generate.constraints import GenerationStart
from workflows.generate.logits_chain import NEUTRAL_VALUES, chain_with_options, compile_chain, typical_p
from workflows.generate.options import check_options
from workflows.wire.events import GenerationDone
from workflows.wire.generation_options import CHAIN_OPTIONS

START = GenerationStart([3, 4, 5], [3, 4, 5], frozenset({0}), 20)
IDS = [3, 4, 5, 7, 7, 1, 3, 4]
VOCABULARY = 40


def op(name: str, value: float | None = None, **fields: Any) -> LogitsOp:
    return LogitsOp(op=name, value=value, **fields)  # type: ignore[arg-type]


OPS = [op("repetition_penalty", 1.7), op("temperature", 0.6), op("top_k", 9), op("top_p", 0.8), op("min_p", 0.05),
       op("no_repeat_ngram", 3), op("min_length", 12), op("logit_bias", map={"7": 2.5, "11": -30.0})]  # fmt: skip


def oracle(chain: Sequence[LogitsOp], logits: np.ndarray) -> np.ndarray:
    """Transformers' own processors, one after another in that order."""
    import torch
    from transformers.generation import logits_process as hf

    made: dict[str, Any] = {
        "repetition_penalty": hf.RepetitionPenaltyLogitsProcessor, "temperature": hf.TemperatureLogitsWarper,
        "top_k": lambda v: hf.TopKLogitsWarper(int(v)), "top_p": hf.TopPLogitsWarper, "min_p": hf.MinPLogitsWarper,
        "no_repeat_ngram": lambda v: hf.NoRepeatNGramLogitsProcessor(int(v)), "typical_p": hf.TypicalLogitsWarper,
        "min_length": lambda v: hf.MinLengthLogitsProcessor(int(v), [0]),
    }  # fmt: skip
    ids, scores = torch.tensor([IDS]), torch.tensor(logits)[None]
    for one in chain:
        if one.op == "logit_bias":
            scores = hf.SequenceBiasLogitsProcessor({(int(k),): v for k, v in (one.map or {}).items()})(ids, scores)
        elif one.op != "sample":
            scores = made[one.op](one.value)(ids, scores)
    return scores[0].numpy()


def test_any_order_is_that_order() -> None:
    """200 chains of four to eight ops; another order of the same ops gives other scores."""
    random = np.random.default_rng(0)
    different = 0
    for _ in range(200):
        chosen = [OPS[i] for i in random.permutation(len(OPS))[: random.integers(4, 9)]]
        logits = random.normal(0, 3, VOCABULARY).astype(np.float32)
        found = compile_chain(chosen, START)(IDS, logits.copy())
        np.testing.assert_allclose(found, oracle(chosen, logits), rtol=1e-5, atol=1e-5)
        different += not np.array_equal(found, compile_chain(chosen[::-1], START)(IDS, logits.copy()))
    assert different > 100


@pytest.mark.parametrize("mass", [0.05, 0.3, 0.9, 0.999])
def test_typical_is_that_of_transformers(mass: float) -> None:
    random = np.random.default_rng(1)
    for _ in range(50):
        logits = random.normal(0, 2, VOCABULARY).astype(np.float32)
        np.testing.assert_allclose(typical_p(mass)(IDS, logits.copy()), oracle([op("typical_p", mass)], logits))


def test_penalties_count_what_was_generated() -> None:
    """The prompt's three tokens are not counted."""
    flat = np.zeros(10, np.float32)
    found = compile_chain([op("frequency_penalty", 0.5), op("presence_penalty", 0.25)], START)(IDS, flat)
    assert found.tolist() == [0, -0.75, 0, -0.75, -0.75, 0, 0, -1.25, 0, 0]


def test_a_persons_options_stand_in_their_places() -> None:
    """In place of the file's, taken out where they do nothing, before `sample` where the file has none."""
    chain = [op("temperature", 0.7), op("top_k", 5), op("sample")]

    def names(**options: Any) -> tuple[list[tuple[str, float | None]], float]:
        found, left = chain_with_options(chain, GenerateOptions(**options))
        return [(one.op, one.value) for one in found], left.temperature

    assert names() == ([("temperature", 0.7), ("top_k", 5), ("sample", None)], 0.7)
    assert names(top_k=2, top_p=0.9) == (
        [("temperature", 0.7), ("top_k", 2), ("top_p", 0.9), ("sample", None)], 0.7
    )  # fmt: skip
    assert names(temperature=0) == ([("top_k", 5), ("sample", None)], 0)
    assert chain_with_options(chain[:2], GenerateOptions())[1].temperature == 0  # nothing draws
    assert set(NEUTRAL_VALUES) <= {field.name for field in fields(GenerateOptions)}


def edited(bundle: Path, to: Path, logits: list[dict[str, Any]]) -> Path:
    shutil.copytree(bundle, to)
    file = to / "pipeline.json"
    said = json.loads(file.read_text())
    said["generation"]["logits"] = logits
    file.write_text(json.dumps(said))
    return to


def test_a_bundle_with_a_chain_generates_by_it(demo_bundle: Path, tmp_path: Path) -> None:
    """A token that a bias forbids never comes; a seed draws the same tokens; a person's greedy is greedy."""
    with open_engine(demo_bundle) as engine:
        *_, plain = engine.generate(engine.encode("8*7="), GenerateOptions(max_new_tokens=8))
    assert isinstance(plain, GenerationDone)
    forbidden = edited(demo_bundle, tmp_path / "a", [{"op": "logit_bias", "map": {str(plain.token_ids[0]): -1e9}}])
    with open_engine(forbidden) as engine:
        *_, other = engine.generate(engine.encode("8*7="), GenerateOptions(max_new_tokens=8))
    assert isinstance(other, GenerationDone) and plain.token_ids[0] not in other.token_ids
    drawing = edited(demo_bundle, tmp_path / "b", [{"op": "temperature", "value": 5.0}, {"op": "sample"}])
    with open_engine(drawing) as engine:
        drawn = []
        for options in ({"seed": 1}, {"seed": 1}, {"seed": 2}, {"temperature": 0}):
            *_, done = engine.generate(engine.encode("8*7="), GenerateOptions(max_new_tokens=8, **options))
            assert isinstance(done, GenerationDone)
            drawn.append(done.token_ids)
    assert drawn[0] == drawn[1] != drawn[2] and drawn[3] == plain.token_ids


def test_a_persons_own_chain_is_in_place_of_the_files(demo_bundle: Path, tmp_path: Path) -> None:
    """The file forbids a token, the person's chain does not; `sample` at its end draws, else all is greedy."""
    with open_engine(demo_bundle) as engine:
        *_, plain = engine.generate(engine.encode("8*7="), GenerateOptions(max_new_tokens=8))
    assert isinstance(plain, GenerationDone)
    forbids = edited(demo_bundle, tmp_path / "a", [{"op": "logit_bias", "map": {str(plain.token_ids[0]): -1e9}}])
    hot = [{"op": "temperature", "value": 5.0}, {"op": "sample"}]
    with open_engine(forbids) as engine:
        found = []
        for chain, seed in (([], 1), ([{"op": "top_k", "value": 3}], 1), (hot, 1), (hot, 1), (hot, 2)):
            options = check_options({"max_new_tokens": 8, "chain": chain, "seed": seed})
            *_, done = engine.generate(engine.encode("8*7="), options)
            assert isinstance(done, GenerationDone)
            found.append(done.token_ids)
        with pytest.raises(RequestError, match="the token 99999999 is not in the vocabulary"):
            far = check_options({"chain": [{"op": "logit_bias", "map": {"99999999": 1}}]})
            list(engine.generate(engine.encode("8*7="), far))
    assert found[0] == found[1] == plain.token_ids
    assert found[2] == found[3] != found[4]


ASKED: dict[str, tuple[dict[str, Any], str]] = {
    "an op that nobody knows": ({"chain": [{"op": "warm"}]}, r"chain\.0\.op cannot be warm: .*'sample'\.$"),
    "a value beyond its bounds": ({"chain": [{"op": "top_p", "value": 1.5}]}, "the op top_p takes a value from 0 to 1"),
    "something after sample": ({"chain": [{"op": "sample"}, {"op": "top_k", "value": 2}]}, "it must be the last op"),
    "an option that is an op": ({"chain": [], "top_k": 5}, "a chain replaces top_k"),
    "no list": ({"chain": "top_k"}, "chain cannot be top_k"),
    "draws of beams": ({"chain": [{"op": "sample"}], "num_beams": 2}, "leave sample out of the chain"),
}


@pytest.mark.parametrize("case", ASKED)
def test_a_wrong_chain_of_a_person_is_one_sentence(case: str) -> None:
    asked, why = ASKED[case]
    with pytest.raises(RequestError, match=why) as caught:
        check_options(asked)
    assert "\n" not in str(caught.value) and "Value error" not in str(caught.value)


def test_options_that_are_ops_are_those_of_the_chain() -> None:
    assert tuple(NEUTRAL_VALUES) == CHAIN_OPTIONS


FORMS = {"Lark's": "start: /[a-c]{2,3}/", "a JSON schema": json.dumps({"enum": ["ab", 77]})}


@pytest.mark.parametrize("form", FORMS)
def test_a_grammar_of_the_file_holds_where_it_stands(demo_bundle: Path, tmp_path: Path, form: str) -> None:
    """Whatever is drawn; a form that a person asks for stands for it."""
    said = {"op": "grammar", "backend": "llguidance", "grammar": FORMS[form], "stateful": True}
    hot = [said, {"op": "temperature", "value": 50.0}, {"op": "top_k", "value": 40}, {"op": "sample"}]
    with open_engine(edited(demo_bundle, tmp_path / "formed", hot)) as engine:
        for seed in range(8):
            *_, done = engine.generate(engine.encode("8*7="), GenerateOptions(max_new_tokens=20, seed=seed))
            assert isinstance(done, GenerationDone) and done.finish_reason == "eos"
            assert re.fullmatch("[a-c]{2,3}" if form == "Lark's" else '"ab"|77', done.text)
        *_, done = engine.generate(engine.encode("8*7="), GenerateOptions(max_new_tokens=20, regex="x{3}", seed=1))
        assert isinstance(done, GenerationDone) and done.text == "xxx"


WRONG = {
    "an op that nobody knows": ([{"op": "warm"}], r"generation\.logits"),
    "a value that is missing": ([{"op": "top_k"}], "needs a value"),
    "a share over one": ([{"op": "top_p", "value": 1.5}], "from 0 to 1"),
    "half a token": ([{"op": "top_k", "value": 2.5}], "whole number"),
    "something after sample": ([{"op": "sample"}, {"op": "top_k", "value": 2}], "must be the last op"),
    "a token that is not there": ([{"op": "logit_bias", "map": {"99999999": 1}}], "not in the vocabulary"),
    "a grammar without one": ([{"op": "grammar", "backend": "llguidance"}], "needs a grammar"),
    "a grammar of another kind": ([{"op": "grammar", "backend": "xgrammar", "grammar": "{}"}], r"logits\[0\]\.backend"),
    "a grammar that forgets": (
        [{"op": "grammar", "backend": "llguidance", "grammar": "{}", "stateful": False}],
        "is always stateful",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_chain_is_refused_when_it_opens(demo_bundle: Path, tmp_path: Path, case: str) -> None:
    logits, why = WRONG[case]
    with pytest.raises(BundleError, match=why):
        open_engine(edited(demo_bundle, tmp_path / "wrong", logits))
