"""Sampling settings: what is sent, what comes back from a file, and stop strings as a person writes them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.chat.sampling import ALTERNATIVES, SamplingSettings, parse_stops, show_stops

WARM = SamplingSettings(0.7, 40, 0.95, 0.05, 1.1, 64, 7, ("\n\n", "END"))


def test_what_is_sent_is_what_is_set() -> None:
    assert WARM.to_options() == {
        "temperature": 0.7,
        "top_k": 40,
        "top_p": 0.95,
        "min_p": 0.05,
        "repetition_penalty": 1.1,
        "max_new_tokens": 64,
        "seed": 7,
        "stop": ["\n\n", "END"],
        "alternatives": ALTERNATIVES,
    }


@pytest.mark.parametrize("sampling", [SamplingSettings(), WARM, replace(WARM, seed=None, stop=())])
def test_the_settings_file_gives_back_what_was_kept(sampling: SamplingSettings) -> None:
    assert SamplingSettings.from_json(sampling.to_json()) == sampling


@pytest.mark.parametrize("text", ["", "{", "[1]", '"warm"', "null", "[" * 100_000])
def test_a_damaged_text_is_the_defaults(text: str) -> None:
    assert SamplingSettings.from_json(text) == SamplingSettings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", "hot"),
        ("temperature", True),
        ("temperature", None),
        ("top_p", float("nan")),
        ("top_k", float("inf")),
        ("top_k", float("nan")),
        ("max_new_tokens", float("-inf")),
        ("seed", "7"),
        ("seed", 1.5),
        ("seed", True),
        ("stop", "END"),
        ("stop", {"END": 1}),
    ],
)
def test_a_setting_of_another_kind_is_at_its_default_alone(name: str, value: Any) -> None:
    """One wrong entry does not cost the others, and none reaches the engine."""
    kept = {"temperature": 0.7, "top_k": 40, "seed": 7, "stop": ["END"], name: value}
    found = SamplingSettings.from_dict(kept)
    assert getattr(found, name) == getattr(SamplingSettings(), name)
    for other in {"temperature", "top_k", "seed"} - {name}:
        assert getattr(found, other) == kept[other]


def test_whole_numbers_stay_whole_and_empty_stops_go() -> None:
    found = SamplingSettings.from_dict({"top_k": 40.9, "max_new_tokens": 12.0, "stop": ["END", "", 3]})
    assert (found.top_k, found.max_new_tokens, found.stop) == (40, 12, ("END",))
    assert isinstance(found.top_k, int)


@pytest.mark.parametrize(
    ("text", "stops"),
    [
        ("", ()),
        ("\n\n", ()),
        ("END", ("END",)),
        ("END\n\\n\\n", ("END", "\n\n")),
        ("\\tuser", ("\tuser",)),
        (" kept ", (" kept ",)),
    ],
)
def test_stop_strings_one_a_line(text: str, stops: tuple[str, ...]) -> None:
    assert parse_stops(text) == stops


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(st.characters(blacklist_characters="\\", blacklist_categories=["Cs"]), min_size=1), max_size=5))
def test_stop_strings_are_shown_as_they_can_be_read_back(stops: list[str]) -> None:
    assert parse_stops(show_stops(tuple(stops))) == tuple(stops)
