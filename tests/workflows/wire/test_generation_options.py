"""The one class of generation options, and what flags, window and engine take from it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import click
import pytest
import typer

from app.chat.decoding.decoding_options import DecodingOptions
from app.chat.sampling import SamplingSettings
from workflows import cli
from workflows.common.errors import RequestError
from workflows.generate import GenerateOptions
from workflows.generate.options import check_options
from workflows.wire.generation_options import CHAIN_OPTIONS, GenerationOptions, description, limits

NAMES = [one.name for one in fields(GenerationOptions)]
SPELLED = {"drafts": "no_drafts", "num_beams": "beams", "chain": "logits"}
WITHOUT_FLAG = {"alternatives", "tool_calls"}


def flags(command: str) -> dict[str, click.Option]:
    group: Any = typer.main.get_command(cli.app)
    return {one.name: one for one in group.commands[command].loaded.params}


def test_the_engine_has_these_options_with_these_defaults() -> None:
    assert [one.name for one in fields(GenerateOptions)] == [*NAMES, "set_fields"]
    plain, checked = GenerationOptions(), check_options({})
    assert all(getattr(plain, name) == getattr(checked, name) for name in NAMES)


@pytest.mark.parametrize("name", sorted(set(NAMES) - WITHOUT_FLAG))
def test_every_option_is_a_flag_with_its_help(name: str) -> None:
    assert description(name) and flags("generate")[SPELLED.get(name, name)].help == description(name)


def test_chat_has_the_flags_of_generate_but_for_the_length_of_a_reply() -> None:
    ours, theirs = flags("chat"), flags("generate")
    for name in set(ours) & set(theirs) - {"max_new_tokens"}:
        assert (ours[name].opts, ours[name].help, ours[name].default) == (
            theirs[name].opts, theirs[name].help, theirs[name].default,
        )  # fmt: skip
    assert (ours["max_new_tokens"].default, theirs["max_new_tokens"].default) == (512, None)


@pytest.mark.parametrize("name", ["draft_tokens", "num_beams", "draft_tree", "alternatives"])
def test_limits_are_those_that_are_checked(name: str) -> None:
    least, most = limits(name)
    for value in (least, most):
        assert getattr(check_options({name: value}), name) == value
    for value in (least - 1, most + 1):
        with pytest.raises(RequestError, match=f"The generation option {name} cannot be {value}"):
            check_options({name: value})


def test_a_penalty_that_leaves_float32_is_refused_as_by_the_server() -> None:
    for value in (0.01, 100.0):
        assert check_options({"repetition_penalty": value}).repetition_penalty == value
    for value in (5e-324, 0.009, 101.0):
        with pytest.raises(RequestError, match=f"The generation option repetition_penalty cannot be {value}: "):
            check_options({"repetition_penalty": value})


@pytest.mark.parametrize("name", ["json_schema", "regex", "grammar", "tool_calls"])
def test_texts_have_at_most_a_mebibyte(name: str) -> None:
    for text in ("a", "a" * (1 << 20)):
        assert getattr(check_options({name: text}), name) == text
    for text in ("", "a" * ((1 << 20) + 1)):
        with pytest.raises(RequestError, match=f"The generation option {name} cannot be"):
            check_options({name: text})


def test_the_window_begins_with_the_same_values() -> None:
    plain, sampling = GenerationOptions(), SamplingSettings()
    assert [getattr(plain, name) for name in CHAIN_OPTIONS] == [getattr(sampling, name) for name in CHAIN_OPTIONS]
    options = DecodingOptions().to_options(sampling)
    assert set(options) <= set(NAMES) and check_options(options)


def test_set_fields_names_what_was_given() -> None:
    options = check_options({"top_k": 3, "seed": None})
    assert options.set_fields == {"top_k"} == GenerateOptions(top_k=3).set_fields
    assert options.replaced(max_new_tokens=5).set_fields == {"top_k", "max_new_tokens"}
    assert options.max_new_tokens == 256
