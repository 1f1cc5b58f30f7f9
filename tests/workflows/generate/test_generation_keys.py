"""The table of keys is that of transformers' GenerationConfig, of what is applied, and of the documentation page."""

from __future__ import annotations

from pathlib import Path

import pytest

from workflows.generate.generation_config import _NOT_OF_FILES, GenerationConfig
from workflows.generate.generation_keys import GENERATION_KEYS, is_announced, table

DOCUMENT = Path(__file__).parents[3] / "resources" / "docs" / "generation-config.md"
ELSEWHERE = {"eos_token_id", "decoder_start_token_id"}  # the pipeline file holds them


def test_each_key_of_transformers_is_decided_on() -> None:
    import transformers

    keys = {key for key in vars(transformers.GenerationConfig()) if not key.startswith("_")}
    assert keys == set(GENERATION_KEYS)


def test_applied_keys_are_the_fields() -> None:
    applied = {name for name, entry in GENERATION_KEYS.items() if entry.treatment == "applied"}
    assert applied == (set(GenerationConfig.model_fields) - set(_NOT_OF_FILES)) | ELSEWHERE


def test_neutral_values_are_those_of_transformers() -> None:
    import transformers

    defaults = transformers.GenerationConfig._get_default_generation_params()
    announced = {name: entry.neutral for name, entry in GENERATION_KEYS.items() if entry.treatment == "announced"}
    for name in announced.keys() & defaults.keys():
        assert not is_announced(name, defaults[name]), name


@pytest.mark.parametrize(
    ("name", "value", "announced"),
    [("num_beams", 4, True), ("num_beams", 1, False), ("num_beams", None, False), ("max_time", 2.5, True),
     ("token_healing", False, False), ("token_healing", True, True), ("top_k", 50, False), ("unknown", 1, False),
     ("sequence_bias", [[[3], -1.0]], True), ("watermarking_config", {"bias": 2.0}, True)],
)  # fmt: skip
def test_what_is_announced(name: str, value: object, announced: bool) -> None:
    assert is_announced(name, value) is announced


def test_the_documentation_has_the_table() -> None:
    assert DOCUMENT.read_text("utf-8").endswith("\n\n" + table())
