"""The tensors that known_models says a model has are those that transformers makes of its config."""

import math
from dataclasses import replace

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from workflows.checkpoint import Checkpoint
from workflows.inspection.known_models import _decoder_shapes, known_models

# As the hub states them beside each model.
PUBLISHED = {
    "meta-llama/Llama-3.2-1B-Instruct": 1_235_814_400,
    "Qwen/Qwen3-0.6B": 596_049_920,
    "google/gemma-3-1b-it": 999_885_952,
    "microsoft/Phi-4-mini-instruct": 3_836_021_760,
    "meta-llama/Llama-3.1-8B-Instruct": 8_030_261_248,
    "Qwen/Qwen3-30B-A3B": 30_532_122_624,
    "meta-llama/Llama-3.3-70B-Instruct": 70_553_706_496,
}


@pytest.mark.parametrize("model", known_models(), ids=lambda model: model.bundle_name)
def test_tensors_are_those_of_transformers(model: Checkpoint) -> None:
    config = {**model.config, "num_hidden_layers": 2}
    with torch.device("meta"):
        made = AutoModelForCausalLM.from_config(AutoConfig.for_model(**config))
    kept = dict(made.named_parameters())  # a tied head counts once
    shapes = dict(_decoder_shapes(config))
    assert sum(map(math.prod, shapes.values())) == sum(one.numel() for one in kept.values())
    merged = {name for name in kept if ".experts." in name}  # transformers joins the experts of a layer
    stated = {name: shape for name, shape in shapes.items() if ".experts." not in name}
    assert stated == {name: tuple(one.shape) for name, one in kept.items() if name not in merged}


def test_whole_models_have_the_published_number_of_parameters() -> None:
    known = {model.source: model.parameters for model in known_models()}
    assert {name: known[name] for name in PUBLISHED} == PUBLISHED
    assert list(known.values()) == sorted(known.values())


def test_a_model_has_no_files() -> None:
    model = known_models()[0]
    assert not model.folder.exists() and model.weights_bytes == 2 * model.parameters
    assert replace(model, source="another").bundle_name == "another"
