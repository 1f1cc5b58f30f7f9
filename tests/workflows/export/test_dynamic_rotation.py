"""Rotary angles that follow the length are fixed: `dynamic` at the model's own, `longrope` at the capacity's range."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from tests.workflows.conftest import Built
from tests.workflows.families.models import VOCABULARY, greedy, save_decoder
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import PromptError, RecipeError
from workflows.export.dynamic_rotation import choose_rotations, fix_dynamic_rotations
from workflows.export.load import load_model
from workflows.generate import GenerateOptions, open_engine
from workflows.inspection.contents import inspect_path
from workflows.recipe import family_for, resolve_recipe
from workflows.recipe.compatibility import rotation_notice
from workflows.wire.events import GenerationDone, NoticeEvent

LONGEST = 40
RULE = {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10000.0}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return save_decoder("llama", tmp_path / "m", rope_parameters=RULE, max_position_embeddings=LONGEST)


def logits(model: torch.nn.Module, length: int) -> torch.Tensor:
    ids = torch.randint(3, VOCABULARY, (1, length), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        found: torch.Tensor = model(ids, use_cache=False).logits
    return found


def test_logits_are_the_models_own_up_to_its_length(folder: Path) -> None:
    """And not beyond, where the model's angles change; after which it goes back to them."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    ours = load_model(open_checkpoint(str(folder)), "text-generation", attention="eager")
    for length in (1, LONGEST - 1, LONGEST):
        torch.testing.assert_close(logits(ours, length), logits(model, length), rtol=1e-5, atol=1e-5)
    assert (logits(ours, LONGEST + 8) - logits(model, LONGEST + 8)).abs().max() > 1e-4


def test_one_of_several_kinds_of_layers() -> None:
    module = torch.nn.Module()
    module.rope_type = {"sliding_attention": "default", "full_attention": "dynamic", "other": "yarn"}
    fix_dynamic_rotations(module)
    assert module.rope_type == {"sliding_attention": "default", "full_attention": "default", "other": "yarn"}


SHORT, MOST = 64, 256
LONG_ROPE: dict[str, Any] = {
    "rope_type": "longrope", "short_factor": [1.0] * 8, "long_factor": [3.0] * 8, "rope_theta": 1e4, "factor": 4.0,
    "original_max_position_embeddings": SHORT,
}  # fmt: skip


@pytest.fixture
def phi(tmp_path: Path) -> Path:
    sizes = {"original_max_position_embeddings": SHORT, "max_position_embeddings": MOST}
    return save_decoder("phi3", tmp_path / "phi", **sizes, rope_parameters=LONG_ROPE)


def prompt_of(length: int) -> list[int]:
    return [int(i) for i in np.random.default_rng(length).integers(3, VOCABULARY, length)]


def replies(bundle: Path, prompt: list[int], count: int = 8) -> tuple[list[int], str]:
    *_, done = open_engine(bundle).generate(prompt, GenerateOptions(max_new_tokens=count))
    assert isinstance(done, GenerationDone)
    return done.token_ids, done.finish_reason


@pytest.mark.parametrize("capacity", [SHORT, MOST])
def test_logits_are_those_of_the_capacitys_range(phi: Path, capacity: int) -> None:
    """At each length of the range; in the other, the angles are others."""
    model = AutoModelForCausalLM.from_pretrained(phi, dtype=torch.float32).eval()
    ours = load_model(open_checkpoint(str(phi)), "text-generation", attention="eager")
    choose_rotations(ours, capacity)
    for length in (1, SHORT - 1, SHORT, SHORT + 1, SHORT + 2, 100, 200):
        difference = (logits(ours, length) - logits(model, length)).abs().max()
        one_range = (length <= SHORT) == (capacity <= SHORT)
        assert difference < 1e-4 if one_range or length == 1 else difference > 1


@pytest.mark.parametrize("capacity", [SHORT, MOST])
def test_the_scale_of_phimoe_is_that_of_the_range(tmp_path: Path, capacity: int) -> None:
    rope = LONG_ROPE | {"short_mscale": 1.0, "long_mscale": 1.2}
    sizes = {"original_max_position_embeddings": SHORT, "max_position_embeddings": MOST}
    folder = save_decoder("phimoe", tmp_path / "m", **sizes, rope_parameters=rope)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    ours = load_model(open_checkpoint(str(folder)), "text-generation", attention="eager")
    choose_rotations(ours, capacity)
    for length in (SHORT, SHORT + 1):
        difference = (logits(ours, length) - logits(model, length)).abs().max()
        assert difference < 1e-4 if (length <= SHORT) == (capacity <= SHORT) else difference > 1e-2


def test_the_default_capacity_is_that_of_the_short_range(phi: Path, built: Built) -> None:
    bundle = built(phi)
    for length in (1, 50, SHORT - 1, SHORT):
        fed = min(8, SHORT - length + 1)
        ends = "length" if fed == 8 else "capacity"
        assert replies(bundle, prompt_of(length)) == (greedy(phi, prompt_of(length), fed), ends)
    with pytest.raises(PromptError, match=r"65 tokens and the bundle has 64 positions: .* a larger capacity"):
        replies(bundle, prompt_of(SHORT + 1))


@pytest.mark.parametrize(
    "options",
    [
        {"chunk": 24},
        pytest.param({"cache": "static"}, marks=pytest.mark.slow),
        pytest.param({"variant": "transformer-only"}, marks=pytest.mark.slow),
    ],
)
def test_a_larger_capacity_generates_in_the_long_range(phi: Path, built: Built, options: dict[str, Any]) -> None:
    bundle = built(phi, capacity=MOST, **options)
    for length in (SHORT + 1, SHORT + 2, 100, 200):
        assert replies(bundle, prompt_of(length))[0] == greedy(phi, prompt_of(length), 8)
    assert inspect_path(bundle).metadata["rotary angles"] == "those of texts of more than 64 tokens"
    with open_engine(bundle) as engine:
        for length, noted in ((SHORT + 1, 0), (SHORT, 1), (SHORT - 1, 0)):  # once
            events = [*engine.generate(prompt_of(length), GenerateOptions(max_new_tokens=1), eos=())]
            notes = [event.message for event in events if isinstance(event, NoticeEvent) and event.code == "longrope"]
            assert len(notes) == noted and all("of more than 64 tokens" in note for note in notes)


def test_the_build_says_which_range(phi: Path) -> None:
    checkpoint = open_checkpoint(str(phi))
    geometry = family_for("phi3", "text-generation").geometry(checkpoint.config)
    assert "short factors, which are for texts of up to 64" in rotation_notice(resolve_recipe(checkpoint, {}), geometry)
    large = resolve_recipe(checkpoint, {"capacity": SHORT + 1})
    assert "long factors, which are for texts of more than 64" in rotation_notice(large, geometry)
    with pytest.raises(RecipeError, match=r"257 is beyond the 256 positions .* --capacity 256"):
        resolve_recipe(checkpoint, {"capacity": MOST + 1})
