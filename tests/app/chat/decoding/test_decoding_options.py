"""What is chosen of decoding: what is sent of it, what a file gives back, and rows that are typed."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import pytest

from app.chat.decoding.chain_ops import (
    BEGIN,
    LAST,
    ChainRow,
    chain_op,
    chain_row,
    draws,
    model_chain,
    op_titles,
    problem_of,
)
from app.chat.decoding.decoding_options import DecodingOptions, ReplyForms
from app.chat.decoding.form_editor import form_examples
from app.chat.sampling import SamplingSettings
from workflows.bundle.strategy import LogitsOp
from workflows.generate.grammar import ReplyForm, check_form
from workflows.generate.options import check_options
from workflows.wire.generation_options import CHAIN_OPTIONS

WARM = SamplingSettings(temperature=0.7, top_k=40)
CHAIN = (
    ChainRow("top_k", "3"),
    ChainRow("temperature", "0,5"),
    ChainRow("logit_bias", "7: 2.5, 11:-30"),
    ChainRow("sample"),
)


def test_nothing_chosen_sends_what_was_sent_before() -> None:
    assert DecodingOptions().to_options(WARM) == WARM.to_options()


def test_a_chain_stands_in_place_of_the_options_that_are_ops() -> None:
    """And the engine takes it so."""
    options = DecodingOptions(chain=CHAIN).to_options(WARM)
    assert not set(CHAIN_OPTIONS) & set(options) and options["max_new_tokens"] == WARM.max_new_tokens
    assert options["chain"] == [
        {"op": "top_k", "value": 3.0},
        {"op": "temperature", "value": 0.5},
        {"op": "logit_bias", "map": {"7": 2.5, "11": -30.0}},
        {"op": "sample"},
    ]
    assert check_options(options).chain is not None


@pytest.mark.parametrize(
    ("choice", "sampling", "sent"),
    [
        (DecodingOptions(drafts="ngram", draft_tokens=4), SamplingSettings(), {"ngram": True, "draft_tokens": 4}),
        (DecodingOptions(drafts="ngram", acceptance="typical"), SamplingSettings(), {"ngram": True, "draft_tokens": 8}),
        (
            DecodingOptions(drafts="bundle", draft="/d", acceptance="rejection_sampling"),
            WARM,
            {"ngram": False, "draft_tokens": 8, "acceptance": "rejection_sampling"},
        ),
        (DecodingOptions(num_beams=4), WARM, {}),
        (
            DecodingOptions(num_beams=4, length_penalty=0.6, early_stopping="true"),
            SamplingSettings(),
            {"num_beams": 4, "length_penalty": 0.6, "early_stopping": True},
        ),
        (
            DecodingOptions(num_beams=2, early_stopping="never"),
            SamplingSettings(),
            {"num_beams": 2, "length_penalty": 1.0, "early_stopping": "never"},
        ),
        (DecodingOptions(forms=ReplyForms("regex", "{}", "a+")), SamplingSettings(), {"regex": "a+"}),
    ],
)
def test_what_is_sent(choice: DecodingOptions, sampling: SamplingSettings, sent: dict[str, object]) -> None:
    options = choice.to_options(sampling)
    assert {name: value for name, value in options.items() if name not in sampling.to_options()} == sent
    check_options(options)


@pytest.mark.parametrize("chain", [None, (), CHAIN, (ChainRow("top_k", "many"),)])
def test_a_file_gives_back_what_was_kept(chain: tuple[ChainRow, ...] | None) -> None:
    """Also a value that is none: it was typed."""
    forms = ReplyForms("grammar", "{", "a", "start: b")
    choice = DecodingOptions("bundle", "/d", 5, "typical", 3, -0.5, "never", chain, forms)
    assert DecodingOptions.from_dict(json.loads(json.dumps(asdict(choice)))) == choice


@pytest.mark.parametrize("data", [None, [], "x", {}, {"draft_tokens": 99}, {"length_penalty": float("nan")}])
def test_what_is_damaged_is_the_defaults(data: Any) -> None:
    assert DecodingOptions.from_dict(data) == DecodingOptions()


def test_one_wrong_field_does_not_cost_the_others() -> None:
    kept = {"drafts": "warm", "chain": [{"op": 5}], "num_beams": 4, "colour": 1, "forms": {"kind": "regex"}}
    assert DecodingOptions.from_dict(kept) == DecodingOptions(num_beams=4, forms=ReplyForms("regex"))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (ChainRow("top_k", "40"), ""),
        (ChainRow("sample"), ""),
        (ChainRow("logit_bias", "7: 2.5"), ""),
        (ChainRow("top_p", "1.5"), "The op top_p takes a value from 0 to 1."),
        (ChainRow("top_k", "2.5"), "The op top_k takes a whole number."),
        (ChainRow("top_k", ""), "– is not a number."),
        (ChainRow("temperature", "hot"), "hot is not a number."),
        (ChainRow("temperature", "nan"), "Input should be a finite number."),
        (ChainRow("logit_bias", "seven: 1"), "Write a token's id and what is added, as in 7: 2.5."),
        (ChainRow("logit_bias", ""), "The op logit_bias needs a map."),
        (ChainRow("combine", "[1]"), "Write a JSON object."),
    ],
)
def test_a_row_is_held_against_the_engines_schema(row: ChainRow, said: str) -> None:
    assert problem_of(row) == said


def test_every_op_of_the_engine_has_a_name_and_what_can_be_added_begins_right() -> None:
    known = set(LogitsOp.model_fields["op"].annotation.__args__)  # type: ignore[union-attr]
    assert set(op_titles()) == known and set(BEGIN) == known - {"grammar", "combine"}
    assert [problem_of(ChainRow(op, text)) for op, text in BEGIN.items()] == [""] * len(BEGIN)


@pytest.mark.parametrize(
    "op",
    [
        {"op": "top_k", "value": 40.0},
        {"op": "logit_bias", "map": {"7": 2.5, "1234567": -1e9}},
        {"op": "sample"},
        {"op": "combine", "mode": "cfg", "alpha": 1.5, "expert": "decoder"},
    ],
)
def test_an_op_of_a_file_is_a_row_and_back(op: dict[str, object]) -> None:
    assert chain_op(chain_row(op)) == op


def test_without_a_chain_of_ones_own_it_is_the_bundles_else_what_is_set() -> None:
    assert model_chain([{"op": "top_k", "value": 3}, {"op": "sample"}], WARM) == (
        ChainRow("top_k", "3"),
        ChainRow(LAST),
    )
    assert model_chain((), SamplingSettings()) == ()
    warm = replace(WARM, repetition_penalty=1.1)
    set_ones = (ChainRow("repetition_penalty", "1.1"), ChainRow("temperature", "0.7"), ChainRow("top_k", "40"))
    assert model_chain((), warm) == (*set_ones, ChainRow(LAST))


def test_a_chain_draws_with_sample_unless_its_temperature_is_0() -> None:
    assert draws((ChainRow(LAST),)) and draws(CHAIN)
    assert not draws((ChainRow("temperature", "0.7"),)) and not draws((ChainRow("temperature", "0"), ChainRow(LAST)))


@pytest.mark.parametrize("kind", ["json_schema", "regex", "grammar"])
def test_every_example_can_be_used(kind: Any) -> None:
    for example in form_examples(kind):
        check_form(ReplyForm(kind, example.text))
