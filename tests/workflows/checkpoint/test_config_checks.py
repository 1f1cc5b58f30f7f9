"""A config whose sizes the weights cannot hold is refused at once, and nothing is made of it."""

from __future__ import annotations

import json
import re
import resource
import time
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.checkpoint.making import files, write
from workflows.checkpoint import open_checkpoint
from workflows.checkpoint.config_checks import LAYER_COUNTS, check_rotation, check_values
from workflows.common.errors import CheckpointError, RequestError
from workflows.recipe import resolve_recipe


def with_config(folder: Path, **config: Any) -> str:
    """A checkpoint of two vectors with that config."""
    return str(write(folder, files(config__json=json.dumps(config).encode())))


@pytest.mark.parametrize("value", [10**9, 1e9, 10**30, 257])
@pytest.mark.parametrize("key", [*LAYER_COUNTS, "num_experts", "num_attention_heads"])
def test_more_layers_than_tensors(key: str, value: float, tmp_path: Path) -> None:
    """Whatever the count is called, however deep it stands, and whatever the model type."""
    for config in ({key: value}, {"text_config": {key: value}}, {"a": {"b": {key: value}}}):
        began, memory = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with pytest.raises(CheckpointError, match=f"config.json says {key} = .* cannot hold as many"):
            open_checkpoint(with_config(tmp_path, model_type="anything", **config))
        assert time.process_time() - began < 1
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 50_000  # KB


def test_more_layers_than_the_names_count(tmp_path: Path) -> None:
    """Few enough to be made, and more than there are: the names of the tensors say how many."""
    config = {
        "model_type": "bart", "architectures": ["BartForConditionalGeneration"], "d_model": 8, "vocab_size": 16,
        "decoder_layers": 1, "encoder_layers": 200, "decoder_attention_heads": 2,
    }  # fmt: skip
    with pytest.raises(CheckpointError, match="encoder_layers = 200, and the weights hold 1 of each kind of layer"):
        resolve_recipe(open_checkpoint(with_config(tmp_path, **config)), {})


def test_a_table_of_positions_that_nothing_holds(tmp_path: Path) -> None:
    """Marian computes its sines number by number: a thousand million positions never end."""
    config = {
        "model_type": "marian", "architectures": ["MarianMTModel"], "d_model": 8, "vocab_size": 16,
        "decoder_layers": 1, "decoder_attention_heads": 2, "max_position_embeddings": 10**9,
    }  # fmt: skip
    with pytest.raises(CheckpointError, match="more positions than 32,768, and the weights have no position table"):
        resolve_recipe(open_checkpoint(with_config(tmp_path, **config)), {})


@pytest.mark.parametrize("value", [-1, 0, 2.5, "many", True, None])
@pytest.mark.parametrize("key", ["num_hidden_layers", "hidden_size", "num_attention_heads", "vocab_size"])
def test_a_size_that_is_no_count(key: str, value: Any, tmp_path: Path) -> None:
    """One sentence, that names the key."""
    sizes = {"num_hidden_layers": 1, "hidden_size": 8, "num_attention_heads": 2, "vocab_size": 16}
    config = {"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], **sizes, key: value}
    with pytest.raises(RequestError, match=key) as caught:
        resolve_recipe(open_checkpoint(with_config(tmp_path, **config)), {})
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    "said",
    [
        {"rope_scaling": {"rope_type": "linear", "factor": -2.0}},
        {"rope_parameters": {"full_attention": {"rope_type": "yarn", "factor": 0}}},
        {"rope_theta": 0},
        {"text_config": {"rope_parameters": {"rope_theta": -1e4}}},
        {"rope_scaling": {"rope_type": "longrope", "original_max_position_embeddings": -4}},
        {"rope_theta": 1e30},
        {"rope_scaling": {"rope_type": "linear", "factor": 1e30}},
        {"rope_theta": float("nan")},
    ],
)
def test_rotary_positions_that_nothing_could_turn_by(said: dict[str, Any]) -> None:
    """transformers warns at most, and builds them; other factors are none of theirs."""
    with pytest.raises(CheckpointError, match="of its rotary positions, which must be above 0"):
        check_rotation({"model_type": "qwen3", **said})
    check_rotation({"model_type": "qwen3", "factor": -1, "rope_theta": 1e6, "rope_scaling": None})


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"rms_norm_eps": 1e30}, "rms_norm_eps = 1e+30, which must be from 0 up to 1"),
        ({"text_config": {"layer_norm_epsilon": -1e-6}}, "layer_norm_epsilon = -1e-06, which must be from 0 up to 1"),
        ({"embedding_multiplier": 1e39}, "embedding_multiplier = 1e+39, which must be a number that a model can"),
        ({"sliding_window": 10**19}, "sliding_window = 10000000000000000000, which must be a number that a model can"),
        ({"logit_scale": float("inf")}, "logit_scale = inf, which must be a number that a model can"),
        ({"a": {"b": {"final_logit_softcapping": float("nan")}}}, "final_logit_softcapping = nan, which must be"),
    ],
)
def test_numbers_that_nothing_can_compute_with(said: dict[str, Any], told: str, tmp_path: Path) -> None:
    """Whatever the model, and however deep it stands; before, they made a model that says nothing."""
    with pytest.raises(CheckpointError, match=f"config.json says {re.escape(told)}"):
        open_checkpoint(with_config(tmp_path, model_type="anything", **said))


def test_numbers_as_they_are_found() -> None:
    """Zero and small ones, whole numbers that stand for no limit, and a list that goes to infinity."""
    check_values({"layer_norm_eps": 0, "rms_norm_eps": 1e-12, "max_position_embeddings": (1 << 63) - 1})
    check_values({"time_step_limit": [0.0, float("inf")], "logit_scale": 3.4e38, "use_eps": True, "warmup_steps": 500})
