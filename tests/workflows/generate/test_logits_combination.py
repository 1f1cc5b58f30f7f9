"""Ops that combine two models' logits: transformers' guidance token for token, contrastive decoding by its formula."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.conftest import Built, make_qwen3
from workflows.bundle.strategy import LogitsOp
from workflows.cli import run
from workflows.common.errors import BundleError, RequestError
from workflows.generate import Engine, GenerateOptions, open_engine
from workflows.generate.logits_chain import chain_with_options
from workflows.generate.options import check_options
from workflows.wire.events import GenerationDone, NoticeEvent

PROMPTS = [[5], [7, 8, 9, 10], list(range(300, 340))]


def tokens(engine: Engine, prompt: Sequence[int], **options: Any) -> list[int]:
    *_, done = engine.generate(prompt, GenerateOptions(**{"max_new_tokens": 20, **options}))
    assert isinstance(done, GenerationDone)
    return done.token_ids


@pytest.fixture(scope="session")
def amateur(built: Built, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A smaller checkpoint of the same tokens, and its bundle."""
    checkpoint = make_qwen3(tmp_path_factory.mktemp("amateur"), seed=5, num_hidden_layers=1)
    return checkpoint, built(checkpoint, capacity=96)


@pytest.fixture(scope="session")
def expert(built: Built, sharp_qwen3: Path) -> Path:
    return built(sharp_qwen3, capacity=96)


@pytest.mark.parametrize("scale", [1.5, 3.0, 0.5])
@pytest.mark.parametrize("negative", [None, [4, 5, 6]])
def test_guidance_is_that_of_transformers(
    expert: Path, sharp_qwen3: Path, scale: float, negative: list[int] | None
) -> None:
    """Greedy tokens of three prompts, one after another over the same caches, and with look-ups as drafts."""
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(sharp_qwen3, dtype=torch.float32).eval()
    more = {} if negative is None else {"negative_prompt_ids": torch.tensor([negative])}
    with open_engine(expert) as engine:
        for prompt in [*PROMPTS, PROMPTS[1]]:
            expected = model.generate(
                torch.tensor([prompt]), max_new_tokens=20, do_sample=False, guidance_scale=scale, pad_token_id=0, **more
            )[0, len(prompt) :].tolist()
            assert tokens(engine, prompt, guidance=scale, negative_prompt=negative) == expected
            assert tokens(engine, prompt, guidance=scale, negative_prompt=negative, ngram=True) == expected
            alone = len(prompt) == 1 and negative is None  # guided away from itself
            assert (tokens(engine, prompt) == expected) == alone


def test_guidance_reports_what_memory_it_takes_once(expert: Path) -> None:
    with open_engine(expert) as engine:
        options = GenerateOptions(max_new_tokens=2, guidance=2.0)
        first, second = (list(engine.generate([3, 4], options)) for _ in range(2))
        assert engine.auxiliary.unconditional is not None
        assert engine.auxiliary.unconditional.machine.sessions is not None
        own = [id(one) for one in engine.machine.sessions.values()]
        assert own == [id(one) for one in engine.auxiliary.unconditional.machine.sessions.values()]  # the weights: once
    said = [[one.code for one in events if isinstance(one, NoticeEvent)] for events in (first, second)]
    assert said == [["guidance"], []]


def eager_contrast(folders: Sequence[Path], prompt: Sequence[int], alpha: float, count: int) -> list[int]:
    import torch
    from transformers import AutoModelForCausalLM

    models = [AutoModelForCausalLM.from_pretrained(one, dtype=torch.float32).eval() for one in folders]
    ids = list(prompt)
    for _ in range(count):
        with torch.no_grad():
            expert, amateur = (model(torch.tensor([ids])).logits[0, -1].numpy() for model in models)
        ids.append(int(np.argmax(expert - alpha * amateur)))
    return ids[len(prompt) :]


@pytest.mark.parametrize("alpha", [0.3, 1.0])
def test_contrastive_takes_the_amateur_off(
    expert: Path, sharp_qwen3: Path, amateur: tuple[Path, Path], alpha: float
) -> None:
    with open_engine(expert) as engine:
        engine.auxiliary.use_amateur(amateur[1], engine.bundle)
        for prompt in PROMPTS:
            expected = eager_contrast([sharp_qwen3, amateur[0]], prompt, alpha, 20)
            assert tokens(engine, prompt, alpha=alpha) == expected
            assert tokens(engine, prompt, alpha=alpha, ngram=True) == expected


def edited(bundle: Path, to: Path, change: Any) -> Path:
    shutil.copytree(bundle, to)
    file = to / "pipeline.json"
    said = json.loads(file.read_text())
    change(said)
    file.write_text(json.dumps(said))
    return to


def test_the_file_requests_guidance(expert: Path, tmp_path: Path) -> None:
    """A person's own replaces it; 1 is none."""

    def change(said: Any) -> None:
        said["generation"]["logits"] = [{"op": "combine", "mode": "cfg", "alpha": 3.0}]
        said["pipeline"]["roles"] = {"expert": "decoder", "unconditional": "decoder"}

    with open_engine(expert) as engine, open_engine(edited(expert, tmp_path / "guided", change)) as guided:
        assert tokens(guided, PROMPTS[1]) == tokens(engine, PROMPTS[1], guidance=3.0)
        assert tokens(guided, PROMPTS[1], guidance=1.5) == tokens(engine, PROMPTS[1], guidance=1.5)


def test_the_file_names_an_amateur_of_its_own(expert: Path, amateur: tuple[Path, Path], tmp_path: Path) -> None:
    """A session beside the flow, with a cache of its own."""

    def change(said: Any) -> None:
        said["pipeline"]["sessions"]["small"] = {"file": "small.onnx"}
        said["pipeline"]["roles"] = {"amateur": "small"}
        said["generation"]["logits"] = [{"op": "combine", "mode": "contrastive", "alpha": 0.3, "amateur": "small"}]

    folder = edited(expert, tmp_path / "both", change)
    add_graph(folder, amateur[1])
    with open_engine(folder) as one, open_engine(expert) as other:
        other.auxiliary.use_amateur(amateur[1], other.bundle)
        assert tokens(one, PROMPTS[1]) == tokens(other, PROMPTS[1], alpha=0.3)


def add_graph(folder: Path, other: Path) -> None:
    """The graph of `other`, its weights inside, as `small.onnx`, in the manifest too."""
    import hashlib

    import onnx

    said = json.loads((other / "pipeline.json").read_text())
    graph = onnx.load(other / said["pipeline"]["sessions"]["decoder"]["file"])
    onnx.save(graph, folder / "small.onnx")
    data = (folder / "small.onnx").read_bytes()
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"]["small.onnx"] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (folder / "manifest.json").write_text(json.dumps(manifest))


WRONG = {
    "an unknown amateur": ({"amateur": "nobody"}, {}, "roles.amateur.*'nobody' is not a session"),
    "the target": ({"amateur": "decoder"}, {}, "the flow runs decoder, and the amateur must be another model"),
    "another one": ({}, {"amateur": "small"}, r"logits\[0\].amateur.*pipeline.roles.amateur must name small"),
    "an expert that is not run": ({"expert": "small"}, {}, "the expert must be a session of the target"),
    "no share": ({}, {"alpha": None}, "the op combine needs an alpha"),
}


@pytest.mark.parametrize("case", WRONG)
def test_roles_that_cannot_be_are_refused_by_name(expert: Path, tmp_path: Path, case: str) -> None:
    roles, op, why = WRONG[case]

    def change(said: Any) -> None:
        said["pipeline"]["roles"] = roles
        said["generation"]["logits"] = [{"op": "combine", "mode": "contrastive", "alpha": 0.3} | op]

    with pytest.raises(BundleError, match=why):
        open_engine(edited(expert, tmp_path / "wrong", change))


def test_what_cannot_be_combined_is_refused_by_name(expert: Path, demo_bundle: Path) -> None:
    with open_engine(expert) as engine:
        with pytest.raises(RequestError, match="needs an amateur"):
            tokens(engine, [3], alpha=0.3)
        with pytest.raises(RequestError, match="beams are several"):
            tokens(engine, [3], guidance=2.0, num_beams=2)
        with pytest.raises(RequestError, match=r"The amateur knows .* tokens and the model 997"):
            engine.auxiliary.use_amateur(demo_bundle, engine.bundle)
    with pytest.raises(RequestError, match="set guidance as well"):
        check_options({"negative_prompt": [3]})


def test_a_persons_combination_stands_before_all() -> None:
    file = [LogitsOp(op="top_k", value=5), LogitsOp(op="combine", mode="contrastive", alpha=0.1)]
    found, _ = chain_with_options(file, GenerateOptions(guidance=2.0))
    assert [(one.op, one.alpha) for one in found] == [("combine", 2.0), ("top_k", None), ("combine", 0.1)]
    found, _ = chain_with_options(file, GenerateOptions(alpha=0.5))
    assert [(one.op, one.alpha) for one in found] == [("combine", 0.5), ("top_k", None)]


@pytest.mark.parametrize("words", [["--alpha", "0.3"], ["--amateur", "b"], ["--negative-prompt", "no"]])
def test_half_of_what_it_takes_is_refused_before_anything_opens(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["generate", str(tmp_path / "nothing"), "--prompt", "a", *words]) == 2
    assert "give --amateur and --alpha together" in (said := capsys.readouterr().err) or "give --guidance" in said
