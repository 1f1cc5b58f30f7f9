"""Bundles with adapters: the tokens and labels of eager peft, which has the adapter beside the weights."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.workflows.checkpoint.gguf.converting import make_model, metadata_of, tensors_of
from tests.workflows.checkpoint.gguf.making import F32, Q4_0, Q8_0, write_gguf
from tests.workflows.checkpoint.peft.making import VOCABULARY, make_adapter, make_base
from workflows.builder import BuildRequest, build
from workflows.builder.evaluate import EvalRequest, evaluate
from workflows.cli import run
from workflows.common.errors import RequestError
from workflows.generate import open_engine
from workflows.generate.options import GenerateOptions
from workflows.runtime import run_single
from workflows.wire.events import Event, NoticeEvent

LENGTHS, COUNT = (1, 65, 130), 10
_ATTENTION = {"target_modules": ["q_proj", "v_proj", "down_proj"], "r": 4, "lora_alpha": 8}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("llama", _ATTENTION | {"modules_to_save": ["lm_head"]}),
    "qwen3": ("qwen3", {"target_modules": "all-linear", "r": 4, "use_dora": True}),
    "gpt2": ("gpt2", {"target_modules": ["c_attn", "c_fc"], "r": 4, "fan_in_fan_out": True}),
    "mistral": ("mistral", _ATTENTION | {"use_rslora": True}),
    "qwen3_moe": ("qwen3_moe", _ATTENTION | {
        "target_parameters": ["mlp.experts.gate_up_proj", "mlp.experts.down_proj"], "lora_alpha": 4,
        "target_modules": ["q_proj"],
    }),
    "t5": ("t5", {"target_modules": ["q", "v", "wi", "wo"], "r": 4, "task_type": "SEQ_2_SEQ_LM"}),
}  # fmt: skip


def prompt_of(length: int) -> list[int]:
    return [int(one) for one in np.random.default_rng(length).integers(3, VOCABULARY - 1, length)]


def greedy(model: Any, prompt: list[int]) -> list[int]:
    """The tokens of a model without a cache, the whole text computed anew for each."""
    whole = model.get_base_model().config.is_encoder_decoder
    ids = [0] if whole else list(prompt)
    start = len(ids)
    for _ in range(COUNT):
        texts = {"input_ids": torch.tensor([prompt]), "decoder_input_ids": torch.tensor([ids])}
        with torch.no_grad():
            logits = model(**(texts if whole else {"input_ids": torch.tensor([ids])}), use_cache=False).logits
        ids.append(int(logits[0, -1].argmax()))
    return ids[start:]


def compare(bundle: Path, model: Any) -> None:
    """Tokens equal at each length, and not those of the base alone."""
    engine, differing = open_engine(bundle), 0
    for length in LENGTHS:
        *_, done = engine.generate(prompt_of(length), GenerateOptions(max_new_tokens=COUNT))
        tokens = done.token_ids  # type: ignore[union-attr]
        assert tokens == greedy(model, prompt_of(length))[: len(tokens)], f"{length} tokens"
        with model.disable_adapter():
            differing += tokens != greedy(model, prompt_of(length))[: len(tokens)]
    assert differing


def quick(*cases: str) -> list[Any]:
    return [pytest.param(case, marks=() if case in cases else pytest.mark.slow) for case in CASES]


@pytest.mark.parametrize("case", quick("qwen3"))
def test_tokens_are_peft_s(case: str, tmp_path: Path) -> None:
    name, settings = CASES[case]
    base = make_base(name, tmp_path / "base", **({"feed_forward_proj": "relu"} if name == "t5" else {}))
    adapted = make_adapter(base, tmp_path / "adapter", **settings)
    options = {"capacity": 160, "check": "quick", "adapter": [{"folder": str(tmp_path / "adapter")}]}
    build(BuildRequest(str(tmp_path / "base"), tmp_path / "bundle", options))
    compare(tmp_path / "bundle", adapted)
    if name == "qwen3":
        check_references(tmp_path)


def check_references(folder: Path) -> None:
    """A checkpoint is the reference of a bundle with an adapter where that is merged into it as well."""
    (folder / "prompts.txt").write_text("5,17,29\n", "utf-8")
    merged = {"folder": str(folder / "adapter")}
    given = EvalRequest(folder / "bundle", str(folder / "base"), folder / "prompts.txt", steps=4)
    alone, both = evaluate(given), evaluate(replace(given, adapters=(merged,)))
    assert alone.kl_mean is not None and both.kl_mean is not None and both.kl_mean < 1e-9 < 1e-4 < alone.kl_mean
    assert "The bundle alone has adapter merged: --adapter DIR" in alone.notes[0]
    assert f"Merged into it: {folder / 'adapter'}." in both.notes[0]
    with pytest.raises(RequestError, match="into which no adapter can be merged"):
        evaluate(replace(given, against=str(folder / "bundle"), adapters=(merged,)))


@pytest.mark.slow
def test_labels_are_peft_s(tmp_path: Path) -> None:
    """The head is the adapter's own."""
    base = make_base("bert", tmp_path / "base")
    adapted = make_adapter(base, tmp_path / "adapter", target_modules=["query", "value"], r=4, task_type="SEQ_CLS")
    options = {"adapter": [{"folder": str(tmp_path / "adapter")}]}
    build(BuildRequest(str(tmp_path / "base"), tmp_path / "bundle", options))
    for length in LENGTHS:
        ids = np.array([prompt_of(length)])
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        with torch.no_grad():
            expected = adapted(**{name: torch.from_numpy(one) for name, one in inputs.items()}).logits.numpy()
        found = run_single(tmp_path / "bundle", inputs)["logits"]
        assert np.abs(found - expected).max() < 1e-4 * np.abs(expected).max()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["streamed", "whole"])
def test_a_model_in_gguf_is_a_base(tmp_path: Path, kind: str) -> None:
    """Its blocks of integers are numbers where an adapter changes them, and its rows of q and k are in order."""
    model = make_model("llama", num_hidden_layers=3).eval()

    def kind_of(name: str, array: Any) -> int:
        return F32 if array.ndim == 1 or kind == "whole" else Q4_0 if "ffn" in name else Q8_0

    file = write_gguf(tmp_path / "m.gguf", metadata_of("llama", model.config), tensors_of("llama", model, kind_of))
    if kind == "streamed":
        take_numbers_of(model, file)
    settings = {"target_modules": ["q_proj", "k_proj", "up_proj"], "r": 4}
    adapted = make_adapter(model, tmp_path / "adapter", **settings)
    notices: list[str] = []

    def report(event: Event) -> None:
        notices.extend([event.message] if isinstance(event, NoticeEvent) and event.code == "adapter" else [])

    options = {"capacity": 160, "check": "quick", "adapter": [{"folder": str(tmp_path / "adapter")}]}
    build(BuildRequest(str(file), tmp_path / "bundle", options), report)
    assert notices == [f"The bundle has adapter (scale 1) merged into the weights of {file}."]
    assert json.loads((tmp_path / "bundle" / "recipe.json").read_text())["precision"] == "fp32"
    compare(tmp_path / "bundle", adapted)


def take_numbers_of(model: Any, file: Path) -> None:
    """Gives the model the numbers that the file's integers stand for."""
    from workflows.checkpoint import open_checkpoint
    from workflows.export.checkpoint_tensors import CheckpointTensor

    checkpoint = open_checkpoint(str(file))
    stored = {name: CheckpointTensor(file.parent, one).read() for name, one in checkpoint.tensors.items()}
    model.load_state_dict(stored, strict=False)


@pytest.mark.slow
def test_the_command_line_takes_a_scale_and_an_adapter_as_the_source(tmp_path: Path) -> None:
    base = make_base("llama", tmp_path / "base")
    folder = tmp_path / "mine"
    make_adapter(base, folder, **_ATTENTION)
    config = json.loads((folder / "adapter_config.json").read_text())
    (folder / "adapter_config.json").write_text(json.dumps(config | {"base_model_name_or_path": "../base"}))
    common = ["--no-tokenizer", "--set", "capacity=64", "--check", "quick"]
    assert (
        run(["build", str(tmp_path / "base"), "--adapter", f"{folder}=0.5", "--out", str(tmp_path / "a"), *common]) == 0
    )
    assert run(["build", str(folder), "--out", str(tmp_path / "b"), *common]) == 0
    recipes = [json.loads((tmp_path / name / "recipe.json").read_text()) for name in "ab"]
    assert [recipe["source"] for recipe in recipes] == ["base", "base"]
    assert [(one["folder"], one["scale"]) for recipe in recipes for one in recipe["adapter"]] == [
        ("mine", 0.5), ("mine", 1.0),
    ]  # fmt: skip
    assert recipes[0]["adapter"][0]["sha256"] == recipes[1]["adapter"][0]["sha256"] != ""
    weights = [(tmp_path / name / "weights.data").read_bytes() for name in "ab"]
    assert weights[0] != weights[1]
