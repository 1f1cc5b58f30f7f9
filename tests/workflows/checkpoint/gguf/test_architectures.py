"""Each architecture: a file as llama.cpp's converter writes it loads as the model that it was made of, by logits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers.integrations.gguf.dequant import dequantize

from tests.workflows.checkpoint.gguf.converting import MODELS, make_model, metadata_of, tensors_of, write_model
from tests.workflows.checkpoint.gguf.making import F32, Q4_0, Q4_1, Q8_0, floats, write_gguf
from workflows.checkpoint import open_checkpoint
from workflows.checkpoint.gguf.architectures import ARCHITECTURES
from workflows.common.errors import CheckpointError
from workflows.export.load import load_model
from workflows.recipe.stored_forms import held_form

IDS = torch.arange(3, 43)[None] * 7 % 320  # beyond the windows of 8


def loaded(path: Path) -> Any:
    return load_model(open_checkpoint(str(path)), "text-generation", attention="eager")


@pytest.mark.parametrize("architecture", MODELS)
def test_logits_are_those_of_the_model(architecture: str, tmp_path: Path) -> None:
    path, model = write_model(tmp_path, architecture)
    ours = loaded(path)
    assert type(ours) is type(model)
    torch.testing.assert_close(ours(IDS).logits, model(IDS).logits, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", [1, 30])
def test_rows_of_heads_in_16_bits(tmp_path: Path, kind: int) -> None:
    """F16 and BF16, in which llama.cpp's converter writes matrices by default."""
    model, dtype = make_model("llama"), torch.float16 if kind == 1 else torch.bfloat16
    tensors = []
    for name, shape, own, content in tensors_of("llama", model):
        half = torch.frombuffer(bytearray(content), dtype=torch.float32).to(dtype)
        is_matrix = len(shape) > 1
        tensors.append((name, shape, kind, half.view(torch.uint8).numpy().tobytes()) if is_matrix else
                       (name, shape, own, content))  # fmt: skip
    for weight in model.parameters():
        weight.copy_(weight.to(dtype) if weight.ndim > 1 else weight)
    path = write_gguf(tmp_path / "m.gguf", metadata_of("llama", model.config), tensors)
    for name, weight in loaded(path).state_dict().items():
        assert torch.equal(weight, model.state_dict()[name]), name


def test_every_architecture_is_tested() -> None:
    assert {*MODELS, "bert"} == {*ARCHITECTURES}  # test_bert.py has BERT's


@pytest.mark.parametrize(("kind", "held"), [(Q4_1, "None"), (Q8_0, "8-bit integers in blocks of 32")])
def test_experts_in_blocks_alternate_by_rows(tmp_path: Path, kind: int, held: str) -> None:
    """The gate's and the other product's forms may differ; values are those of transformers' own reader."""
    model = make_model("gpt-oss")

    def kind_of(name: str, array: Any) -> int:
        return {"gate": Q8_0, "up": kind, "down": Q4_0}[name.split("_")[1]] if "exps." in name else F32

    tensors = tensors_of("gpt-oss", model, kind_of)
    path = write_gguf(tmp_path / "m.gguf", metadata_of("gpt-oss", model.config), tensors)
    ours, infos = loaded(path), open_checkpoint(str(path)).tensors
    forms = [str(held_form(infos[f"model.layers.1.mlp.experts.{name}"])) for name in ("gate_up_proj", "down_proj")]
    assert forms == [held, "4-bit integers in blocks of 32"]
    stored = {name: dequantize(torch.frombuffer(bytearray(content), dtype=torch.uint8), own).reshape(shape)
              for name, shape, own, content in tensors if "exps." in name}  # fmt: skip
    for index, layer in enumerate(ours.model.layers):
        gate, up, down = (stored[f"blk.{index}.ffn_{name}_exps.weight"] for name in ("gate", "up", "down"))
        experts = layer.mlp.experts
        assert torch.equal(experts.gate_up_proj[..., ::2], gate.transpose(1, 2))
        assert torch.equal(experts.gate_up_proj[..., 1::2], up.transpose(1, 2))
        assert torch.equal(experts.down_proj, down.transpose(1, 2))
        biases = [stored[f"blk.{index}.ffn_{name}_exps.bias"] for name in ("gate", "up")]
        assert torch.equal(experts.gate_up_proj_bias, torch.stack(biases, 2).flatten(1))


def test_experts_that_do_not_fit_together(tmp_path: Path) -> None:
    model = make_model("gpt-oss")
    tensors = tensors_of("gpt-oss", model)
    less = [one for one in tensors if one[0] != "blk.1.ffn_up_exps.weight"]
    path = write_gguf(tmp_path / "m.gguf", metadata_of("gpt-oss", model.config), less)
    with pytest.raises(CheckpointError, match=r"ffn_gate_exps and ffn_up_exps do not make 'model\.layers\.1\.mlp\.exp"):
        open_checkpoint(str(path))


def scaled(tmp_path: Path, architecture: str, facts: dict[str, Any], rope: dict[str, Any], *tensors: Any) -> None:
    """Compares a file with `facts` and `tensors` more with a model of that rotation."""
    model = make_model(architecture, rope_parameters={"rope_theta": 20_000.0, **rope})
    metadata = metadata_of(architecture, model.config) | {f"{architecture}.{key}": one for key, one in facts.items()}
    path = write_gguf(tmp_path / "m.gguf", metadata, [*tensors_of(architecture, model), *tensors])
    torch.testing.assert_close(loaded(path)(IDS).logits, model(IDS).logits, rtol=1e-5, atol=1e-5)


def test_rotations_that_are_scaled(tmp_path: Path) -> None:
    linear = {"rope.scaling.type": "linear", "rope.scaling.factor": 4.0}
    scaled(tmp_path, "qwen3", linear, {"rope_type": "linear", "factor": 4.0})
    yarn = {"rope.scaling.type": "yarn", "rope.scaling.factor": 2.0, "rope.scaling.original_context_length": 256}
    scaled(tmp_path, "qwen2", yarn, {"rope_type": "yarn", "factor": 2.0, "original_max_position_embeddings": 256})


def test_llama3_s_rotation_is_that_of_its_divisors(tmp_path: Path) -> None:
    rope = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
            "original_max_position_embeddings": 8192}  # fmt: skip
    model = make_model("llama", rope_parameters={"rope_theta": 500_000.0, **rope}, head_dim=64)
    plain = 500_000.0 ** -(np.arange(0, 64, 2) / 64)
    divisors = floats("rope_freqs.weight", plain / model.model.rotary_emb.inv_freq.numpy())
    assert divisors[3] != floats("", np.ones(32))[3]
    path = write_gguf(tmp_path / "m.gguf", metadata_of("llama", model.config), [*tensors_of("llama", model), divisors])
    torch.testing.assert_close(loaded(path)(IDS).logits, model(IDS).logits, rtol=1e-5, atol=1e-5)
    odd = floats("rope_freqs.weight", np.linspace(1, 9, 32))
    path = write_gguf(tmp_path / "o.gguf", metadata_of("llama", model.config), [*tensors_of("llama", model), odd])
    with pytest.raises(CheckpointError, match="divisors of its rotary frequencies are not those of Llama 3"):
        open_checkpoint(str(path))


def test_phi_s_two_rotations(tmp_path: Path) -> None:
    """A part of each head is rotated, by other angles in texts that are longer than the first context."""
    rope = {"rope_type": "longrope", "rope_theta": 20_000.0, "partial_rotary_factor": 0.75,
            "short_factor": [1.0, 1.5, 2.0, 2.5, 3.0, 3.5], "long_factor": [2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
            "original_max_position_embeddings": 32}  # fmt: skip
    model = make_model("phi3", rope_parameters=rope, original_max_position_embeddings=32, partial_rotary_factor=0.75)
    facts = {"rope.dimension_count": 12, "rope.scaling.original_context_length": 32}
    metadata = metadata_of("phi3", model.config) | {f"phi3.{key}": value for key, value in facts.items()}
    factors = [floats(f"rope_factors_{kind}.weight", rope[f"{kind}_factor"]) for kind in ("long", "short")]
    ours = loaded(write_gguf(tmp_path / "m.gguf", metadata, [*tensors_of("phi3", model), *factors]))
    for ids in (IDS, IDS[:, :20]):
        torch.testing.assert_close(ours(ids).logits, model(ids).logits, rtol=1e-5, atol=1e-5)


def refusal(tmp_path: Path, changes: dict[str, Any], *tensors: Any) -> str:
    model = make_model("llama")
    metadata = {key: one for key, one in (metadata_of("llama", model.config) | changes).items() if one is not None}
    path = write_gguf(tmp_path / "m.gguf", metadata, [*tensors_of("llama", model), *tensors])
    with pytest.raises(CheckpointError) as refused:
        open_checkpoint(str(path))
    sentence = str(refused.value)
    assert sentence.startswith("'m.gguf' ") and sentence.endswith(".") and "\n" not in sentence
    return sentence


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"general.architecture": "mamba"},
            "the architecture mamba, which is not read from GGUF; there is: bert, gemma, ",
        ),
        ({"general.architecture": None}, "it does not name its architecture"),
        ({"general.architecture": "../x"}, "it does not name its architecture"),
        ({"llama.block_count": None}, "its metadata lacks llama.block_count"),
        ({"llama.block_count": "two"}, "llama.block_count is two"),
        ({"llama.attention.head_count": 0}, "it has no attention heads"),
        ({"llama.attention.head_count": [4, 2]}, "llama.attention.head_count is [4, 2]"),
        ({"llama.attention.value_length": 8}, "its keys and values differ in size"),
        ({"llama.rope.dimension_count": 8}, "it rotates 8 of 16 numbers of a head"),
        ({"llama.rope.scaling.type": "spiral"}, "its rotation is scaled in the way 'spiral'"),
        ({"llama.expert_count": 8}, "its tensor 'blk.0.ffn_gate.weight' is none that MixtralForCausalLM has"),
        ({"llama.rope.freq_base": float("inf")}, "llama.rope.freq_base is inf"),
        ({"tokenizer.ggml.eos_token_id": "end"}, "tokenizer.ggml.eos_token_id is end, no token's id"),
    ],
)
def test_what_a_model_cannot_be(tmp_path: Path, changes: dict[str, Any], expected: str) -> None:
    assert expected in refusal(tmp_path, changes)


def test_no_tensor_is_passed_over(tmp_path: Path) -> None:
    assert "its tensor 'blk.0.attn_sinks.weight' is none that LlamaForCausalLM has" in refusal(
        tmp_path, {}, floats("blk.0.attn_sinks.weight", np.zeros(4))
    )
