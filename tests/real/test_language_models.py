"""SmolLM2 and Gemma 3 from their GGUF files: logits and tokens as transformers reads the same file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer

from tests.real import checkpoints, reference
from workflows.bundle.read import read_bundle
from workflows.checkpoint import open_checkpoint
from workflows.generate import GenerateOptions, open_engine
from workflows.runtime.loading.machines import open_machine
from workflows.runtime.providers import device_named
from workflows.wire.events import GenerationDone

TEXT = (
    "A lighthouse keeper counts the ships that pass at night. Each has two lamps, one red and one green, and from "
    "their order he knows which way it sails. On the third of March he counted forty, which was the most since the "
    "harbour opened, and he wrote so in the book that lies under the window. The next morning the wind had turned. "
    "Nobody came, and the sea was as flat as a plate; he cleaned the lens, wound the clock, and wrote to his sister "
    "that the pears were ripe. "
)
LENGTHS = (1, 65, 130)
_CHUNK = 64
MODELS = {"smollm2": checkpoints.smollm2, "gemma3": checkpoints.gemma3}
KL = {"smollm2": (1e-6, 8e-3), "gemma3": (1e-6, 8e-3)}


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest, fetched: Callable[..., Path]) -> tuple[str, Path]:
    return request.param, fetched(MODELS[request.param])


@pytest.fixture(scope="module")
def truth(
    model: tuple[str, Path], fetched: Callable[..., Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[list[list[int]], Any]:  # fmt: skip
    """The prompts, and what transformers makes of them."""
    name, file = model
    paths = [str(fetched(lambda package=package: package.folder)) for package in checkpoints.READERS]
    folder = tmp_path_factory.mktemp(name)
    ids = Tokenizer.from_file(str(open_checkpoint(str(file)).folder / "tokenizer.json")).encode(TEXT * 2).ids
    prompts = [ids[:length] for length in LENGTHS]
    (folder / "prompts.json").write_text(json.dumps(prompts), "utf-8")
    command = [sys.executable, reference.__file__, str(file), str(folder / "prompts.json"), str(folder / "out.npz")]
    subprocess.run(command, check=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "TQDM_DISABLE": "1"})
    return prompts, np.load(folder / "out.npz")


def tokens(bundle: Path, ids: list[int]) -> list[int]:
    with open_engine(bundle) as engine:
        events = engine.generate(ids, GenerateOptions(max_new_tokens=reference.NEW_TOKENS))
        (done,) = [event for event in events if isinstance(event, GenerationDone)]
    return list(done.token_ids)


def logits(bundle: Path, ids: list[int]) -> np.ndarray:
    """[T,V], of all positions."""
    with open_machine(read_bundle(bundle), device_named("cpu")) as machine:
        chunks = [ids[start : start + _CHUNK] for start in range(0, len(ids), _CHUNK)]
        return np.concatenate([np.array(machine.step(chunk, "prefill", rows=len(chunk))) for chunk in chunks])


def divergence(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The mean KL of each position's distribution to that of transformers."""

    def logs(rows: np.ndarray) -> np.ndarray:
        rows = rows.astype(np.float64) - rows.max(-1, keepdims=True)
        return rows - np.log(np.exp(rows).sum(-1, keepdims=True))

    one, other = logs(theirs), logs(ours)
    return float((np.exp(one) * (one - other)).sum(-1).mean())


def test_tokens_and_logits_in_fp32(model: tuple[str, Path], truth: Any, built: Callable[..., Path]) -> None:
    prompts, theirs = truth
    bundle = built(model[1], capacity=512, precision="fp32", check="quick")
    for number, ids in enumerate(prompts):
        assert tokens(bundle, ids) == theirs[f"tokens{number}"].tolist(), f"{len(ids)} tokens"
    found = logits(bundle, prompts[1])
    np.testing.assert_allclose(found, theirs["logits1"], rtol=1e-3, atol=1e-2)
    assert divergence(found, theirs["logits1"]) < KL[model[0]][0]


def test_the_stored_integers_keep_the_model(model: tuple[str, Path], truth: Any, built: Callable[..., Path]) -> None:
    """The default: as small as the file, but for scales of 32 bits, with activations in 8 bits."""
    prompts, theirs = truth
    bundle = built(model[1], capacity=512)
    assert divergence(logits(bundle, prompts[2]), theirs["logits2"]) < KL[model[0]][1]
    size = sum(path.stat().st_size for path in bundle.glob("*.data"))
    assert size < 1.15 * model[1].stat().st_size


def test_a_chat(fetched: Callable[..., Path], built: Callable[..., Path]) -> None:
    """Two turns with SmolLM2; the second refers to the first."""
    bundle = built(fetched(checkpoints.smollm2), capacity=512, precision="fp32", check="quick")
    with open_engine(bundle) as engine:
        turns: list[dict[str, Any]] = [{"role": "user", "content": "What is the capital of France?"}]
        for expected in ("Paris", "France"):
            ids = engine.encode_chat(turns)
            events = engine.generate(ids, GenerateOptions(max_new_tokens=48))
            (done,) = [event for event in events if isinstance(event, GenerationDone)]
            assert expected in done.text
            turns += [
                {"role": "assistant", "content": done.text},
                {"role": "user", "content": "Which country is it in?"},
            ]
