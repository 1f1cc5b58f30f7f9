"""The T5 and Mu demos, built: what they answer is what PyTorch answers, with every legal cache."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.conftest import Built
from workflows.builder import BuildRequest, build
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import RecipeError, RemoteCodeError
from workflows.generate import Engine, GenerateOptions, open_engine
from workflows.wire.events import GenerationDone

DEMOS = Path(__file__).parents[3] / "resources" / "demos"


def examples(name: str, count: int) -> list[str]:
    """Held-back prompts spread over the whole list."""
    rows = json.loads((DEMOS / f"{name}_heldback.json").read_text("utf-8"))
    return [row["prompt"] for row in rows[:: max(1, len(rows) // count)]][:count]


def oracle(model: Any, source: list[int], count: int) -> list[int]:
    import torch

    ids = [model.config.decoder_start_token_id]
    for _ in range(count):
        with torch.no_grad():
            output = model(
                input_ids=torch.tensor([source]),
                attention_mask=torch.ones(1, len(source), dtype=torch.bool),
                decoder_input_ids=torch.tensor([ids]),
                use_cache=False,
            )
        ids.append(int(output.logits[0, -1].argmax()))
    return ids[1:]


def answer(engine: Engine, prompt: str) -> GenerationDone:
    *_, done = engine.generate(engine.encode(prompt), GenerateOptions(max_new_tokens=100))
    assert isinstance(done, GenerationDone)
    return done


def check(bundle: Path, name: str, prompts: list[str], caches: tuple[str, ...]) -> None:
    import torch
    from transformers import AutoModelForSeq2SeqLM

    model = AutoModelForSeq2SeqLM.from_pretrained(
        DEMOS / name, dtype=torch.float32, trust_remote_code=name == "mu"
    ).eval()
    for cache in caches:
        engine = open_engine(bundle, cache=cache)
        for prompt in prompts:
            done = answer(engine, prompt)
            assert done.finish_reason == "eos", prompt
            assert done.token_ids == oracle(model, done.prompt_ids, len(done.token_ids)), f"{prompt} with {cache}"


def test_the_phrase_book_comes_out_as_pytorch_gives_it(built: Built) -> None:
    bundle = built("demo:t5")
    engine = open_engine(bundle)
    greeting = "translate English to French: Hello, how are you?"
    assert answer(engine, greeting).text == "Bonjour, comment êtes-vous ?"
    check(bundle, "t5", [greeting, *examples("t5", 16)], ("static",))


@pytest.mark.slow
def test_mu_answers_with_both_caches(tmp_path: Path, stage_cache: None) -> None:
    with pytest.raises(RemoteCodeError, match=r"modeling_mu\.py"):
        build(BuildRequest("demo:mu", tmp_path / "mu", {}))
    assert list(tmp_path.iterdir()) == []
    hashes = open_checkpoint("demo:mu").remote_code
    with pytest.raises(RemoteCodeError, match=r"configuration_mu\.py"):
        build(BuildRequest("demo:mu", tmp_path / "mu", {}, consented=frozenset([hashes["modeling_mu.py"]])))
    build(BuildRequest("demo:mu", tmp_path / "mu", {}, consented=frozenset(hashes.values())))
    check(tmp_path / "mu", "mu", examples("mu", 15), ("static", "window"))


def test_mu_has_no_cache_that_is_written_in_place(tmp_path: Path) -> None:
    assert open_checkpoint("demo:mu").remote_code
    with pytest.raises(RecipeError, match="its attention is its own code"):
        build(BuildRequest("demo:mu", tmp_path / "mu", {"cache": "gqa"}, trust_remote_code=True))
