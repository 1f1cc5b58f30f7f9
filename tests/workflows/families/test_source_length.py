"""An encoder of a fixed length: eager's tokens below and at it, one sentence above it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.conftest import Built
from tests.workflows.families.models import (
    VOCABULARY,
    greedy_from_source,
    save_decoder,
    save_encoder_decoder,
)
from tests.workflows.families.test_demos import check as check_demo
from tests.workflows.families.test_demos import examples
from workflows.builder import BuildRequest, build
from workflows.checkpoint import open_checkpoint
from workflows.cli import run
from workflows.common.errors import PromptError, RecipeError
from workflows.generate import GenerateOptions, open_engine
from workflows.inspection.contents import inspect_path
from workflows.recipe import resolve_recipe
from workflows.wire.events import GenerationDone

LENGTH = 33  # no multiple of anything
FIXED: dict[str, Any] = {
    "graphs": "prefill-decode", "capacity": 32, "chunk": 8, "source_length": LENGTH, "task": "translation",
}  # fmt: skip


def source(length: int) -> list[int]:
    return [int(i) for i in np.random.default_rng(length).integers(3, VOCABULARY, length)]


def translate(bundle: Path, ids: list[int], count: int) -> list[int]:
    *_, done = open_engine(bundle).generate(ids, GenerateOptions(max_new_tokens=count))
    assert isinstance(done, GenerationDone)
    return done.token_ids


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "cache"),
    [
        ("t5", "static"),
        ("t5", "scatter"),
        ("t5 gated", "static"),
        ("marian", "gqa"),
        ("bart", "static"),
        ("bart", "scatter"),
    ],
)
def test_below_and_at_the_length(name: str, cache: str, built: Built, tmp_path: Path) -> None:
    checkpoint = save_encoder_decoder(name, tmp_path / "checkpoint")
    bundle = built(checkpoint, **FIXED, cache=cache)
    for length in (1, 2, LENGTH - 1, LENGTH):
        found = translate(bundle, source(length), 16)
        assert found == greedy_from_source(checkpoint, source(length), len(found)), length
    for component in inspect_path(bundle).components:
        shapes = {spec.name: spec.shape for spec in component.inputs + component.outputs}
        assert all(type(axis) is int for shape in shapes.values() for axis in shape), component.name
        assert shapes["cross.0.key"][2] == shapes["source_mask"][3] == LENGTH


@pytest.mark.slow
def test_above_the_length(built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundle = built(save_encoder_decoder("t5", tmp_path / "checkpoint"), **FIXED, cache="static")
    capsys.readouterr()
    long = ",".join(map(str, source(LENGTH + 1)))
    assert run(["generate", str(bundle), "--prompt-ids", long]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == (
        "",
        "joinery: The source has 34 tokens and the encoder reads 33 at most: shorten it or build with "
        "source_length=34 or more.\n",
    )


@pytest.mark.slow
def test_mu_below_and_at_the_length(built: Built, tmp_path: Path) -> None:
    prompts = examples("mu", 6)
    engine = open_engine(built("demo:mu", trust_remote_code=True))
    length = max(len(engine.encode(prompt)) for prompt in prompts)
    options = {"graphs": "prefill-decode", "capacity": 64, "source_length": length}
    build(BuildRequest("demo:mu", tmp_path / "mu", options, trust_remote_code=True))
    check_demo(tmp_path / "mu", "mu", prompts, ("static", "window"))
    with pytest.raises(PromptError, match=f"encoder reads {length} at most"):
        translate(tmp_path / "mu", [5] * (length + 1), 1)


@pytest.mark.slow
def test_a_dynamic_encoder_reads_what_its_positions_allow(tmp_path: Path) -> None:
    checkpoint = save_encoder_decoder("bart", tmp_path / "checkpoint")  # a table of 300 positions
    build(BuildRequest(str(checkpoint), tmp_path / "out", {"task": "translation", "capacity": 32}))
    found = translate(tmp_path / "out", source(300), 4)
    assert found == greedy_from_source(checkpoint, source(300), len(found))
    with pytest.raises(PromptError, match=r"has 301 tokens and the encoder reads 300 at most: shorten it\.$"):
        translate(tmp_path / "out", source(301), 4)


def test_what_the_recipe_says(tmp_path: Path) -> None:
    bart = open_checkpoint(str(save_encoder_decoder("bart", tmp_path / "bart")))
    t5 = open_checkpoint(str(save_encoder_decoder("t5", tmp_path / "t5")))
    llama = open_checkpoint(str(save_decoder("llama", tmp_path / "llama")))
    fixed = {"graphs": "prefill-decode", "task": "translation"}
    assert resolve_recipe(bart, {"task": "translation"}).source_length is None
    assert resolve_recipe(bart, fixed).source_length == 300  # its limit
    assert resolve_recipe(t5, fixed).source_length == 512
    assert resolve_recipe(t5, fixed | {"source_length": 2000}).source_length == 2000  # its positions are relative
    assert resolve_recipe(llama, {"graphs": "prefill-decode"}).source_length is None
    for checkpoint, options, why in (
        (bart, fixed | {"source_length": 301}, "source_length of 301 is beyond the 300 positions"),
        (llama, {"source_length": 8}, "source_length is the length of an encoder, and decoder-only has none"),
        (t5, fixed | {"source_length": 0}, "source_length is wrong in the recipe"),
    ):
        with pytest.raises(RecipeError, match=why):
            resolve_recipe(checkpoint, options)
