"""Replies of a given form: valid whatever the model would rather say, with drafts and branches too."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workflows.common.errors import RequestError
from workflows.generate import Engine, GenerateOptions, open_engine
from workflows.generate.grammar import ReplyForm, check_form, grammar_processor
from workflows.generate.options import check_options
from workflows.generate.tokenizer import BundleTokenizer
from workflows.wire.events import GenerationDone

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 6},
        "größe": {"type": "number", "minimum": -2, "maximum": 7.5},
        "kind": {"enum": ["töne", "日本", 3, None]},
        "parts": {
            "type": "array",
            "maxItems": 2,
            "items": {
                "type": "object",
                "properties": {"count": {"type": "integer", "minimum": 0, "maximum": 99}, "ok": {"type": "boolean"}},
                "required": ["count", "ok"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["name", "größe", "kind", "parts"],
    "additionalProperties": False,
}


def is_valid(text: str) -> bool:
    """SCHEMA by hand: an oracle that shares nothing with what is tested."""
    said = json.loads(text)
    parts = said["parts"]
    return (
        set(said) == {"name", "größe", "kind", "parts"}
        and isinstance(said["name"], str)
        and 1 <= len(said["name"]) <= 6
        and not isinstance(said["größe"], bool)
        and -2 <= said["größe"] <= 7.5
        and said["kind"] in ("töne", "日本", 3, None)
        and len(parts) <= 2
        and all(set(p) == {"count", "ok"} and 0 <= p["count"] <= 99 and isinstance(p["ok"], bool) for p in parts)
    )


@pytest.fixture(scope="module")
def engine(demo_bundle: Path) -> Iterator[Engine]:
    with open_engine(demo_bundle) as opened:
        yield opened


def reply(engine: Engine, prompt: str = "8*7=", **options: Any) -> GenerationDone:
    *_, done = engine.generate(engine.encode(prompt), GenerateOptions(**{"max_new_tokens": 400, **options}))
    assert isinstance(done, GenerationDone)
    return done


def all_valid(engine: Engine, seeds: range) -> int:
    schema = json.dumps(SCHEMA)
    found = 0
    for seed in seeds:
        heat = (1.0, 5.0, 60.0)[seed % 3]  # the last is a model whose weights are as good as random
        done = reply(engine, temperature=heat, seed=seed, json_schema=schema)
        assert done.finish_reason == "eos", done.text
        found += is_valid(done.text)
    return found


def test_a_schema_holds_however_wildly_it_is_sampled(engine: Engine) -> None:
    assert all_valid(engine, range(24)) == 24


@pytest.mark.slow
def test_500_of_500_replies_are_valid(engine: Engine) -> None:
    assert all_valid(engine, range(500)) == 500


def test_drafts_follow_the_form(engine: Engine) -> None:
    """The same reply with look-ups, whose wrong drafts the matcher goes back from, as without."""
    part = SCHEMA["properties"]["parts"]["items"]
    schema = json.dumps({"type": "array", "minItems": 4, "maxItems": 4, "items": part})
    plain, drafted = (reply(engine, json_schema=schema, ngram=ngram) for ngram in (False, True))
    assert plain.token_ids == drafted.token_ids and len(json.loads(plain.text)) == 4
    assert drafted.speculation is not None and drafted.speculation.drafted > 0


@pytest.mark.parametrize("pattern", ["[a-c]{3}-[0-9]{2}", "(ja|nein)", "ä+b", "56"])
def test_a_regular_expression_is_matched_whole(engine: Engine, pattern: str) -> None:
    done = reply(engine, regex=pattern, temperature=2.0, seed=3)
    assert re.fullmatch(pattern, done.text) and done.finish_reason == "eos"


def test_a_lark_grammar_is_followed(engine: Engine) -> None:
    done = reply(engine, grammar='start: sum "=" NUMBER\nsum: NUMBER ("+" NUMBER)*\nNUMBER: /[0-9]{1,2}/', seed=1)
    assert re.fullmatch(r"[0-9]{1,2}(\+[0-9]{1,2})*=[0-9]{1,2}", done.text)


def test_branches_need_nothing_of_their_own(engine: Engine) -> None:
    """Shown one text, a shorter one and another one, a processor allows what a fresh one allows."""

    def fresh() -> Any:
        return grammar_processor(ReplyForm("regex", "(abc|abd|xyz)[0-9]"), engine.text, [2], 1)

    def allowed(process: Any, text: str) -> list[int]:
        ids = [5, *engine.text.tokenizer.encode(text, add_special_tokens=False).ids]  # type: ignore[union-attr]
        return np.flatnonzero(np.isfinite(process(ids, np.zeros(engine.text.vocabulary, np.float32)))).tolist()

    kept = fresh()
    for text in ("", "a", "abc", "ab", "x", "abc7", "", "xy", "xyz"):
        assert allowed(kept, text) == allowed(fresh(), text) != []


def test_a_draft_may_go_on_behind_the_end(engine: Engine) -> None:
    """A processor that was shown an end token and more goes back, and still allows what a fresh one allows."""
    schema = ReplyForm("json_schema", '{"enum": ["yes", "no"]}')
    encode = engine.text.tokenizer.encode  # type: ignore[union-attr]

    def allowed(process: Any, ids: list[int]) -> list[int]:
        return np.flatnonzero(np.isfinite(process([5, *ids], np.zeros(engine.text.vocabulary, np.float32)))).tolist()

    kept = grammar_processor(schema, engine.text, [2], 1)
    whole = encode('"no"', add_special_tokens=False).ids
    for ids in (whole[:-1], [*whole, 2], [*whole, 2, 7], whole, whole[:-1], whole[:1]):
        expected = [2] if ids[: len(whole)] == whole else allowed(grammar_processor(schema, engine.text, [2], 1), ids)
        assert allowed(kept, ids) == expected != []


WRONG = {
    "json_schema": ('{"type": "nonsense"}', "The JSON schema cannot be used: Invalid type: nonsense"),
    "regex": ("[0-9", "The regular expression cannot be used: .*unclosed"),
    "grammar": ('start: "a" b', "The Lark grammar cannot be used: .*unknown name"),
}


@pytest.mark.parametrize("form", WRONG)
def test_a_form_that_is_none_is_one_sentence(engine: Engine, form: str) -> None:
    text, why = WRONG[form]
    with pytest.raises(RequestError, match=why) as raised:
        reply(engine, **{form: text})
    assert "\n" not in str(raised.value)
    with pytest.raises(RequestError, match="JSON schema cannot be used"):
        reply(engine, json_schema="{")


def test_what_cannot_be_held_to_a_form_is_refused(engine: Engine) -> None:
    with pytest.raises(RequestError, match="no tokenizer"):
        grammar_processor(ReplyForm("regex", "a"), BundleTokenizer(None, 100), [2], 0)
    with pytest.raises(RequestError, match="no end token"):
        grammar_processor(ReplyForm("regex", "a"), engine.text, [], 0)
    with pytest.raises(RequestError, match="one constraint: give one of json_schema, regex, grammar and tool_calls"):
        check_options({"regex": "a", "json_schema": "{}"})


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (ReplyForm("json_schema", '{"type": "string", "pattern": "a+"}'), ""),
        (ReplyForm("regex", "a(b|c)"), ""),
        (ReplyForm("grammar", 'start: "a" | "b"'), ""),
        (ReplyForm("json_schema", '{"type": "objet"}'), "The JSON schema cannot be used: Invalid type: objet."),
        (ReplyForm("json_schema", '{"pattern": "(a"}'), "The JSON schema cannot be used: unclosed group."),
        (ReplyForm("regex", "a(b"), "The regular expression cannot be used: unclosed group."),
        (ReplyForm("grammar", "start: x"), 'The Lark grammar cannot be used: at 1(8): unknown name: "x".'),
    ],
)  # fmt: skip
def test_a_form_is_looked_at_before_any_model_is(asked: ReplyForm, said: str) -> None:
    try:
        check_form(asked)
    except RequestError as error:
        assert str(error) == said
    else:
        assert not said


def test_the_tokenizer_is_written_once_for_all_generations(engine: Engine) -> None:
    """A tenth of a second each time, where there are 150,000 tokens."""
    written = 0
    tokenizer = engine.text.tokenizer
    assert tokenizer is not None

    class Counting:
        def to_str(self) -> str:
            nonlocal written
            written += 1
            return str(tokenizer.to_str())

    text = BundleTokenizer(Counting(), engine.text.vocabulary)
    for _ in range(3):
        grammar_processor(ReplyForm("regex", "a"), text, [2], 0)
    assert written == 1
