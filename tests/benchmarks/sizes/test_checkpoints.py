"""A checkpoint in several shards loads in transformers with the numbers that were made for it."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM

from tests.benchmarks.sizes.checkpoints import SHAPES, Shape, numbers, shape_of, write_checkpoint

SMALL = Shape("small", 2, 32, 48, 4, 2, tied=False, head=8, vocabulary=600)


@pytest.mark.parametrize("shape", [SMALL, replace(SMALL, tied=True), replace(SMALL, experts=4, experts_per_token=2)])
def test_transformers_loads_every_tensor(shape: Shape, tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "checkpoint", shape, seed=3, shard_bytes=40_000)
    assert len(list(folder.glob("*.safetensors"))) > 1
    model, told = AutoModelForCausalLM.from_pretrained(folder, output_loading_info=True)
    assert not any(told[kind] for kind in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    held = model.state_dict()
    assert sum(parameter.numel() for parameter in model.parameters()) == shape.parameters
    for name, dims in shape.tensors():
        wanted = torch.cat([*numbers(name, math.prod(dims), 3)]).view(dims)
        assert torch.equal(_loaded(held, name), wanted), name


def _loaded(held: dict[str, torch.Tensor], name: str) -> torch.Tensor:
    """A stored tensor as the model holds it: transformers stacks experts, and joins gate and up."""
    if ".experts." not in name:
        return held[name]
    at, _, rest = name.partition("experts.")
    number, which, _ = rest.split(".")
    if which == "down_proj":
        return held[f"{at}experts.down_proj"][int(number)]
    return held[f"{at}experts.gate_up_proj"][int(number)].chunk(2)[which == "up_proj"]


def test_the_numbers_do_not_depend_on_the_shards(tmp_path: Path) -> None:
    one = write_checkpoint(tmp_path / "one", SMALL)
    many = write_checkpoint(tmp_path / "many", SMALL, shard_bytes=1)
    assert len(list(one.glob("*.safetensors"))) == 1
    assert len(list(many.glob("*.safetensors"))) == len([*SMALL.tensors()])
    models = [AutoModelForCausalLM.from_pretrained(folder).state_dict() for folder in (one, many)]
    assert all(torch.equal(models[0][name], models[1][name]) for name in models[0])
    assert float(models[0]["lm_head.weight"].float().std()) == pytest.approx(0.02, rel=0.05)


def test_a_checkpoint_that_was_cut_short_is_written_again(tmp_path: Path) -> None:
    (tmp_path / "checkpoint.part").mkdir()
    (tmp_path / "checkpoint.part" / "stale").touch()
    folder = write_checkpoint(tmp_path / "checkpoint", SMALL)
    assert not (folder / "stale").exists() and not (tmp_path / "checkpoint.part").exists()
    index = json.loads((folder / "model.safetensors.index.json").read_text())
    assert index["metadata"]["total_size"] == 2 * SMALL.parameters


def test_the_shapes_have_their_names_sizes() -> None:
    billions = {name: round(shape.parameters / 1e9, 1) for name, shape in SHAPES.items()}
    assert billions == {
        "0.6B": 0.6,
        "1.7B": 1.7,
        "4B": 4.0,
        "8B": 8.2,
        "moe-30B": 30.5,
        "hybrid-0.8B": 0.8,
        "vl-3B": 3.8,
        "vl-7B": 8.3,
    }
    assert shape_of("moe-30B", 4).name == "moe-30B-4-layers" and shape_of("4B", None) is SHAPES["4B"]
