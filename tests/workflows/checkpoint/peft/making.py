"""Small random models of transformers with adapters that peft itself writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import transformers
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import PreTrainedModel

VOCABULARY = 96
_COMMON = {"vocab_size": VOCABULARY, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
_SIZES = _COMMON | {
    "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 512, "head_dim": 16, "tie_word_embeddings": False,
}  # fmt: skip
_EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "num_local_experts": 4}

# name → class of the model, class of its config, its settings
MODELS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "llama": ("LlamaForCausalLM", "LlamaConfig", _SIZES | {"attention_bias": True}),
    "qwen3": ("Qwen3ForCausalLM", "Qwen3Config", _SIZES | {"tie_word_embeddings": True}),
    "gpt2": ("GPT2LMHeadModel", "GPT2Config",
             _COMMON | {"n_embd": 64, "n_layer": 3, "n_head": 4, "n_positions": 512}),
    "mistral": ("MistralForCausalLM", "MistralConfig", _SIZES | {"sliding_window": 24}),
    "qwen3_moe": ("Qwen3MoeForCausalLM", "Qwen3MoeConfig", _SIZES | _EXPERTS),
    "mixtral": ("MixtralForCausalLM", "MixtralConfig", _SIZES | _EXPERTS),
    "t5": ("T5ForConditionalGeneration", "T5Config",
           _COMMON | {"d_model": 64, "d_kv": 16, "d_ff": 96, "num_layers": 2, "num_heads": 4,
                      "decoder_start_token_id": 0, "eos_token_id": 95}),
    "bert": ("BertForSequenceClassification", "BertConfig",
             _COMMON | {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
                        "max_position_embeddings": 512, "num_labels": 5}),
    "resnet": ("ResNetForImageClassification", "ResNetConfig",
               {"embedding_size": 16, "hidden_sizes": [16, 32], "depths": [1, 1], "num_labels": 4,
                "layer_type": "basic"}),
}  # fmt: skip


def make_base(name: str, folder: Path, **settings: Any) -> PreTrainedModel:
    """A model with random weights, saved in `folder`."""
    kind, config, sizes = MODELS[name]
    torch.manual_seed(7)
    model = getattr(transformers, kind)(getattr(transformers, config)(**{**sizes, **settings})).eval()
    with torch.no_grad():
        for weight in model.parameters():  # of a size at which tokens differ
            if weight.ndim > 1:
                weight.normal_(0, 0.3 if weight.shape[0] == VOCABULARY else 0.08)
    model.save_pretrained(folder)
    return model


def make_adapter(model: PreTrainedModel, folder: Path, seed: int = 11, **settings: Any) -> PeftModel:
    """A random adapter of `model`, saved in `folder`; the model has its layers afterwards."""
    adapted = get_peft_model(model, LoraConfig(**settings)).eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in adapted.named_parameters():
            if "lora_magnitude_vector" in name:
                weight.mul_(1 + torch.rand(weight.shape, generator=generator))
            elif "lora_" in name:
                weight.copy_(0.3 * torch.randn(weight.shape, generator=generator))
            elif "modules_to_save" in name or (weight.requires_grad and name.endswith("bias")):
                weight.add_(0.3 * torch.randn(weight.shape, generator=generator))
    adapted.save_pretrained(folder)
    return adapted
