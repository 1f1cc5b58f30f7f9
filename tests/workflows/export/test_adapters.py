"""Merged weights and logits beside peft's own: each kind of adapter, on each kind of layer."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from peft import PeftModel
from safetensors.torch import load_file, save_file
from transformers import PreTrainedModel

from tests.workflows.checkpoint.peft.making import VOCABULARY, make_adapter, make_base
from workflows.checkpoint import open_checkpoint
from workflows.checkpoint.peft.adapter import open_adapter
from workflows.common.errors import CheckpointError
from workflows.export import stand_ins
from workflows.export.load import load_model
from workflows.export.stand_ins import StandIns, is_stand_in
from workflows.recipe import task_of

# what is adapted → the model, and the settings of the adapter
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "list": ("llama", {"target_modules": ["q_proj", "down_proj"], "r": 4, "lora_alpha": 6}),
    "regex": ("llama", {"target_modules": r".*layers\.[02]\..*(k|up)_proj", "r": 3}),
    "all-linear": ("qwen3", {"target_modules": "all-linear", "r": 4, "use_rslora": True, "lora_alpha": 8}),
    "layers": ("qwen3", {"target_modules": ["v_proj"], "r": 4, "layers_to_transform": [1]}),
    "patterns": ("llama", {
        "target_modules": ["q_proj", "gate_proj"], "r": 4, "rank_pattern": {"gate_proj": 2, r"layers\.1\..*q_proj": 6},
        "alpha_pattern": {"^model.layers.0.self_attn.q_proj": 32},
    }),
    "dora": ("llama", {"target_modules": ["q_proj", "o_proj", "up_proj"], "r": 4, "use_dora": True}),
    "rank-stabilized dora": ("mistral", {
        "target_modules": ["v_proj"], "r": 9, "use_dora": True, "use_rslora": True,
    }),
    "bias of B": ("llama", {"target_modules": ["q_proj"], "r": 4, "lora_bias": True}),
    "biases": ("llama", {"target_modules": ["q_proj"], "r": 4, "bias": "all"}),
    "saved head": ("llama", {"target_modules": ["q_proj"], "r": 4, "modules_to_save": ["lm_head"]}),
    "saved norm": ("llama", {"target_modules": ["q_proj"], "r": 4, "modules_to_save": ["norm"]}),
    "saved head of tied": ("qwen3", {"target_modules": ["q_proj"], "r": 4, "modules_to_save": ["lm_head"]}),
    "embedding": ("llama", {"target_modules": ["embed_tokens", "q_proj"], "r": 4}),
    "embedding of tied": ("qwen3", {"target_modules": ["embed_tokens", "q_proj"], "r": 4}),
    "dora of embedding": ("llama", {"target_modules": ["embed_tokens"], "r": 4, "use_dora": True}),
    "head of tied": ("qwen3", {"target_modules": ["lm_head"], "r": 4}),
    "turned": ("gpt2", {"target_modules": ["c_attn", "c_proj", "c_fc"], "r": 4, "fan_in_fan_out": True}),
    "turned dora": ("gpt2", {
        "target_modules": ["c_attn", "c_fc"], "r": 4, "use_dora": True, "fan_in_fan_out": True,
    }),
    "experts": ("qwen3_moe", {
        "target_modules": ["q_proj"], "target_parameters": ["mlp.experts.gate_up_proj", "mlp.experts.down_proj"],
        "r": 3, "lora_alpha": 9, "rank_pattern": {"experts.down_proj": 2},
    }),
    "router": ("mixtral", {
        "target_modules": [], "target_parameters": ["gate.weight", "experts.down_proj"], "r": 2,
    }),
    "encoder and decoder": ("t5", {"target_modules": ["q", "v", "wo"], "r": 4, "task_type": "SEQ_2_SEQ_LM"}),
    "labels": ("bert", {"target_modules": ["query", "dense"], "r": 4, "task_type": "SEQ_CLS"}),
    "convolutions": ("resnet", {"target_modules": ["convolution"], "r": 3, "modules_to_save": ["classifier"]}),
    "dora of convolutions": ("resnet", {"target_modules": r".*layer\.1\.convolution", "r": 3, "use_dora": True}),
}  # fmt: skip


def run(model: Any) -> torch.Tensor:
    """The logits of 40 tokens, or of a picture."""
    ids = (torch.arange(40) * 7 % (VOCABULARY - 3) + 3)[None]
    base = model.get_base_model() if isinstance(model, PeftModel) else model
    with torch.no_grad():
        if base.config.model_type == "resnet":
            return model(torch.randn(1, 3, 64, 64, generator=torch.Generator().manual_seed(1))).logits
        return model(
            input_ids=ids, **({"decoder_input_ids": ids[:, :9]} if base.config.is_encoder_decoder else {})
        ).logits


def merged(folder: Path, *adapters: Path, streamed: bool = False, scale: float = 1.0) -> PreTrainedModel:
    """The model as a build has it. streamed: of stand-ins, each of which is read afterwards."""
    checkpoint = open_checkpoint(str(folder))
    checkpoint = replace(checkpoint, adapters=tuple(open_adapter(one, scale) for one in adapters))
    own = StandIns(checkpoint) if streamed else None
    model = load_model(checkpoint, task_of(checkpoint), attention="eager", stand_ins=own)
    if own is not None:
        assert any(map(is_stand_in, model.parameters()))
        for weight in model.parameters():
            if is_stand_in(weight):
                weight.data = own.read(weight)
    return model


def difference(one: torch.Tensor, other: torch.Tensor) -> float:
    return float((one - other).abs().max())


@pytest.mark.parametrize("case", CASES)
def test_logits_are_peft_s(case: str, tmp_path: Path) -> None:
    name, settings = CASES[case]
    base = make_base(name, tmp_path / "base")
    before = run(base)
    adapted = make_adapter(base, tmp_path / "adapter", **settings)
    expected = run(adapted)
    assert difference(before, expected) > 1e-2
    found = run(merged(tmp_path / "base", tmp_path / "adapter"))
    assert difference(found, expected) < 2e-5 * float(expected.abs().max())


@pytest.mark.parametrize("case", ["patterns", "dora", "experts", "router", "embedding of tied", "head of tied",
                                  "saved head of tied", "turned dora"])  # fmt: skip
def test_streamed_weights_are_peft_s(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stand_ins, "REAL_BELOW", 1 << 10)
    name, settings = CASES[case]
    expected = run(make_adapter(make_base(name, tmp_path / "base"), tmp_path / "adapter", **settings))
    found = run(merged(tmp_path / "base", tmp_path / "adapter", streamed=True))
    assert difference(found, expected) < 2e-5 * float(expected.abs().max())


@pytest.mark.parametrize("case", ["list", "dora", "saved head", "embedding", "turned", "experts"])
def test_weights_are_those_of_merge_and_unload(case: str, tmp_path: Path) -> None:
    name, settings = CASES[case]
    whole = make_adapter(make_base(name, tmp_path / "base"), tmp_path / "adapter", **settings)
    expected = whole.merge_and_unload().state_dict()
    found = merged(tmp_path / "base", tmp_path / "adapter").state_dict()
    assert found.keys() == expected.keys()
    assert all(difference(found[one], expected[one]) < 2e-6 for one in expected)


def test_scales_and_several_adapters_add_up(tmp_path: Path) -> None:
    base = make_base("llama", tmp_path / "base")
    first = {"target_modules": ["q_proj", "v_proj"], "r": 4}
    make_adapter(base, tmp_path / "one", **first)
    base = make_base("llama", tmp_path / "base")
    make_adapter(base, tmp_path / "two", seed=3, target_modules=["v_proj", "up_proj"], r=2, lora_alpha=5)
    base = make_base("llama", tmp_path / "base")
    both = PeftModel.from_pretrained(base, str(tmp_path / "one"), adapter_name="one")
    both.load_adapter(str(tmp_path / "two"), adapter_name="two")
    both.add_weighted_adapter(["one", "two"], [0.5, 0.5], "sum", combination_type="cat")
    both.set_adapter("sum")
    found = run(merged(tmp_path / "base", tmp_path / "one", tmp_path / "two", scale=0.5))
    assert difference(found, run(both)) < 1e-4


def test_bin_files_and_half_precision_hold_the_same_adapter(tmp_path: Path) -> None:
    adapted = make_adapter(make_base("llama", tmp_path / "base"), tmp_path / "adapter", **CASES["dora"][1])
    file = tmp_path / "adapter" / "adapter_model.safetensors"
    expected = run(adapted)
    stored = load_file(file)
    file.unlink()
    torch.save(stored, tmp_path / "adapter" / "adapter_model.bin")
    assert difference(run(merged(tmp_path / "base", tmp_path / "adapter")), expected) < 1e-4
    (tmp_path / "adapter" / "adapter_model.bin").unlink()
    halves = {name: tensor.to(torch.bfloat16) for name, tensor in stored.items()}
    save_file(halves, file)
    again = PeftModel.from_pretrained(make_base("llama", tmp_path / "base"), str(tmp_path / "adapter")).eval()
    assert difference(run(again), expected) > 1e-4
    assert difference(run(merged(tmp_path / "base", tmp_path / "adapter")), run(again)) < 1e-4


def test_experts_of_older_adapters_are_stored_one_by_one(tmp_path: Path) -> None:
    """Adapters of transformers 4 name each expert's layers, which are one weight today."""
    base = make_base("mixtral", tmp_path / "base")
    folder = tmp_path / "adapter"
    make_adapter(base, folder, target_modules=["q_proj"], r=2)
    generator = np.random.default_rng(5)
    tensors = load_file(folder / "adapter_model.safetensors")
    shapes = {"w1": (32 * 3, 64), "w2": (64, 32 * 3), "w3": (32 * 3, 64)}
    changes: dict[str, torch.Tensor] = {}
    stored = load_file(tmp_path / "base" / "model.safetensors")
    for layer in range(3):
        for expert in range(4):
            for one in shapes:
                path = f"model.layers.{layer}.block_sparse_moe.experts.{expert}.{one}"
                rows, columns = stored[f"{path}.weight"].shape
                left = torch.from_numpy(generator.normal(0, 0.3, (rows, 2)).astype(np.float32))
                right = torch.from_numpy(generator.normal(0, 0.3, (2, columns)).astype(np.float32))
                tensors[f"base_model.model.{path}.lora_A.weight"] = right
                tensors[f"base_model.model.{path}.lora_B.weight"] = left
                changes[f"{path}.weight"] = left @ right * 4
    save_file(tensors, folder / "adapter_model.safetensors")
    found = merged(tmp_path / "base", folder).state_dict()
    gates = [f"model.layers.1.block_sparse_moe.experts.2.{one}.weight" for one in ("w1", "w3")]
    both = torch.cat([stored[name] + changes[name] for name in gates])
    assert difference(found["model.layers.1.mlp.experts.gate_up_proj"][2], both) < 2e-6
    down = "model.layers.0.block_sparse_moe.experts.3.w2.weight"
    assert difference(found["model.layers.0.mlp.experts.down_proj"][3], stored[down] + changes[down]) < 2e-6


# -- refusals ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def adapted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a base, and an adapter of q and the norm."""
    folder = tmp_path_factory.mktemp("adapted")
    make_adapter(make_base("llama", folder / "base"), folder / "adapter", target_modules=["q_proj"], r=4,
                 modules_to_save=["norm"])  # fmt: skip
    return folder


def changed(adapted: Path, folder: Path, tensors: dict[str, Any]) -> Path:
    """The adapter with other tensors (None for one that is left out)."""
    folder.mkdir()
    shutil.copy(adapted / "adapter" / "adapter_config.json", folder)
    stored = load_file(adapted / "adapter" / "adapter_model.safetensors") | {
        f"base_model.model.{name}": value for name, value in tensors.items()
    }
    save_file(
        {name: value for name, value in stored.items() if value is not None}, folder / "adapter_model.safetensors"
    )
    return folder


_Q = "model.layers.1.self_attn.q_proj"
_NAN = torch.full((64, 4), torch.nan)


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({f"{_Q}.lora_A.weight": torch.ones(4, 63)}, r"changes \[64, 63\] numbers of model.layers.1.self_attn.q_proj"),
        ({f"{_Q}.lora_A.weight": torch.ones(3, 64), f"{_Q}.lora_B.weight": torch.ones(64, 3)}, "a rank of 3"),
        ({f"{_Q}.lora_A.weight": None, f"{_Q}.lora_B.weight": None}, rf"lacks the weights of {_Q}"),
        ({"model.norm.weight": None}, "lacks the weights of model.norm"),
        ({"model.norm.weight": torch.ones(65)}, r"model.norm.weight of the shape \[65\], and this base makes it"),
        ({"model.layers.9.self_attn.q_proj.lora_A.weight": torch.ones(4, 64),
          "model.layers.9.self_attn.q_proj.lora_B.weight": torch.ones(64, 4)}, "changes model.layers.9.self_attn"),
        ({"score.weight": torch.ones(2, 64)}, "holds score.weight, which LlamaForCausalLM does not have"),
        ({f"{_Q}.lora_B.weight": _NAN}, "lora_B.weight holds NaN"),
        ({f"{_Q}.lora_magnitude_vector": torch.ones(64)}, "has lora_magnitude_vector"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(adapted: Path, tmp_path: Path, tensors: dict[str, Any], message: str) -> None:
    folder = changed(adapted, tmp_path / "changed", tensors)
    with pytest.raises(CheckpointError, match=message):
        merged(adapted / "base", folder)


def test_another_base_is_refused(adapted: Path, tmp_path: Path) -> None:
    make_base("llama", tmp_path / "wide", hidden_size=128)
    with pytest.raises(CheckpointError, match="give the base that it was trained for"):
        merged(tmp_path / "wide", adapted / "adapter")
    make_base("gpt2", tmp_path / "gpt2")
    with pytest.raises(CheckpointError, match="GPT2LMHeadModel does not have"):
        merged(tmp_path / "gpt2", adapted / "adapter")


def test_a_bias_without_one_in_the_base_is_refused(adapted: Path, tmp_path: Path) -> None:
    make_base("llama", tmp_path / "base", attention_bias=False)
    folder = changed(adapted, tmp_path / "changed", {f"{_Q}.lora_B.bias": torch.ones(64)})
    with pytest.raises(CheckpointError, match=f"adds a bias to {_Q}, which has none"):
        merged(tmp_path / "base", folder)


def test_two_that_do_not_add_up_are_refused(adapted: Path, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"replaces model\.\S*norm\.weight, which another adapter changes"):
        merged(adapted / "base", adapted / "adapter", adapted / "adapter")
    base = make_base("llama", tmp_path / "base")
    make_adapter(base, tmp_path / "plain", target_modules=["q_proj"], r=2)
    base = make_base("llama", tmp_path / "base")
    make_adapter(base, tmp_path / "dora", target_modules=["q_proj"], r=2, use_dora=True)
    for order in (("plain", "dora"), ("dora", "plain")):
        with pytest.raises(CheckpointError, match="one is of DoRA"):
            merged(tmp_path / "base", *(tmp_path / name for name in order))


def test_a_tensor_that_many_weights_share_is_refused(tmp_path: Path) -> None:
    base = make_base("t5", tmp_path / "base", tie_word_embeddings=True)
    make_adapter(base, tmp_path / "adapter", target_modules=["shared"], r=2, task_type="SEQ_2_SEQ_LM")
    with pytest.raises(CheckpointError, match="weights of this base share"):
        merged(tmp_path / "base", tmp_path / "adapter")
