"""Small random models of transformers as llama.cpp's converter writes them (convert_hf_to_gguf.py)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from tests.workflows.checkpoint.gguf.making import F32, Tensor, blocks_of_32, byte_tokenizer, floats, write_gguf

VOCABULARY, LAYERS = 320, 2
_SIZES = {"vocab_size": VOCABULARY, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": LAYERS,
          "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 512, "head_dim": 16,
          "pad_token_id": None, "bos_token_id": 259, "eos_token_id": 258}  # fmt: skip
_THETA = {"rope_parameters": {"rope_type": "default", "rope_theta": 20_000.0}}
_EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "decoder_sparse_step": 1,
            "mlp_only_layers": []}  # fmt: skip
_LOCAL = {
    "rope_parameters": {
        "full_attention": {"rope_type": "default", "rope_theta": 1_000_000.0},
        "sliding_attention": {"rope_type": "default", "rope_theta": 10_000.0},
    }
}

# architecture → transformers' config class, and settings of it
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("LlamaConfig", _THETA | {"attention_bias": True}),
    "smollm3": ("SmolLM3Config", _THETA | {"use_sliding_window": False}),
    "granite": ("GraniteConfig", _THETA | {"attention_multiplier": 0.3, "embedding_multiplier": 6.0,
                                           "residual_multiplier": 0.25, "logits_scaling": 4.0,
                                           "tie_word_embeddings": True}),
    "qwen2": ("Qwen2Config", _THETA | {"tie_word_embeddings": True}),
    "qwen2moe": ("Qwen2MoeConfig", _THETA | _EXPERTS | {"shared_expert_intermediate_size": 64,
                                                        "norm_topk_prob": False}),
    "qwen3": ("Qwen3Config", _THETA | {"head_dim": 32}),
    "qwen3moe": ("Qwen3MoeConfig", _THETA | _EXPERTS | {"norm_topk_prob": True}),
    "gemma": ("GemmaConfig", _THETA | {"tie_word_embeddings": True}),
    "gemma2": ("Gemma2Config", _THETA | {"sliding_window": 8, "query_pre_attn_scalar": 16}),
    "gemma3": ("Gemma3TextConfig", _LOCAL | {"sliding_window": 8, "query_pre_attn_scalar": 16,
                                             "num_hidden_layers": 7}),
    "mixtral": ("MixtralConfig", _THETA | {"num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": None}),
    "gpt-oss": ("GptOssConfig", {"num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 8,
                                 "rope_parameters": {"rope_type": "yarn", "factor": 8.0, "beta_fast": 32.0,
                                                     "beta_slow": 1.0, "truncate": False, "rope_theta": 20_000.0,
                                                     "original_max_position_embeddings": 64}}),
    "phi3": ("Phi3Config", _THETA | {"sliding_window": 8, "original_max_position_embeddings": 512}),
}  # fmt: skip
_RENAMED = {
    "model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output",
    "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm", "self_attn.qkv_proj": "attn_qkv", "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down", "mlp.gate_up_proj": "ffn_up", "mlp.gate": "ffn_gate_inp",
    "mlp.experts.down_proj": "ffn_down_exps", "mlp.shared_expert_gate": "ffn_gate_inp_shexp",
    "mlp.shared_expert.gate_proj": "ffn_gate_shexp", "mlp.shared_expert.up_proj": "ffn_up_shexp",
    "mlp.shared_expert.down_proj": "ffn_down_shexp", "mlp.router": "ffn_gate_inp", "self_attn.sinks": "attn_sinks",
    "post_attention_layernorm": "ffn_norm",
}  # fmt: skip
_SANDWICH = {"post_attention_layernorm": "post_attention_norm", "pre_feedforward_layernorm": "ffn_norm",
             "post_feedforward_layernorm": "post_ffw_norm"}  # fmt: skip
_INTERLEAVED, _RAISED = ("llama", "mixtral", "smollm3", "granite"), ("gemma", "gemma2", "gemma3")


def make_model(architecture: str, **changes: Any) -> Any:
    """A model of the architecture with seeded weights, in float32."""
    kind, settings = MODELS[architecture]
    config = getattr(transformers, kind)(**{**_SIZES, **settings, **changes})
    torch.manual_seed(len(architecture))
    model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():  # norms and biases too, which begin as ones and zeros
            weight.normal_(0.0 if weight.ndim > 1 or name.endswith("bias") else 0.9, 0.1)
    return model.requires_grad_(False)


def metadata_of(architecture: str, config: Any) -> dict[str, Any]:
    """What the converter says of a model."""
    rope = config.rope_parameters.get("full_attention", config.rope_parameters)
    facts: dict[str, Any] = {
        "block_count": config.num_hidden_layers,
        "context_length": config.max_position_embeddings,
        "embedding_length": config.hidden_size,
        "feed_forward_length": config.intermediate_size,
        "attention.head_count": config.num_attention_heads,
        "attention.head_count_kv": config.num_key_value_heads,
        "attention.layer_norm_rms_epsilon": config.rms_norm_eps,
        "rope.freq_base": float(rope["rope_theta"]),
    }
    size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    facts |= {"attention.key_length": size, "attention.value_length": size, "rope.dimension_count": size}
    if experts := getattr(config, "num_experts", None) or getattr(config, "num_local_experts", None):
        facts |= {"expert_count": experts, "expert_used_count": config.num_experts_per_tok}
        facts["expert_feed_forward_length"] = getattr(config, "moe_intermediate_size", config.intermediate_size)
    if rope["rope_type"] == "yarn":
        facts |= {"rope.scaling.type": "yarn", "rope.scaling.factor": float(rope["factor"]),
                  "rope.scaling.original_context_length": rope["original_max_position_embeddings"]}  # fmt: skip
    named = {"expert_shared_feed_forward_length": "shared_expert_intermediate_size", "logit_scale": "logits_scaling",
             "attention.scale": "attention_multiplier", "embedding_scale": "embedding_multiplier",
             "residual_scale": "residual_multiplier", "attention.sliding_window": "sliding_window",
             "attn_logit_softcapping": "attn_logit_softcapping",
             "final_logit_softcapping": "final_logit_softcapping"}  # fmt: skip
    facts |= {key: value for key, ours in named.items() if (value := getattr(config, ours, None)) is not None}
    name = "llama" if architecture == "mixtral" else architecture
    own = {f"{name}.{key}": value for key, value in facts.items()}
    return {"general.architecture": name, **own, **byte_tokenizer(config.vocab_size)}


def tensors_of(
    architecture: str, model: Any, kind_of: Callable[[str, Any], int] = lambda name, array: F32
) -> list[Tensor]:
    """The model's tensors by GGUF's names. kind_of: the number of the form of a tensor, by its name in GGUF."""
    sandwich = {"gpt-oss": {"post_attention_layernorm": "post_attention_norm"}}
    renamed = _RENAMED | sandwich.get(architecture, _SANDWICH if architecture in ("gemma2", "gemma3") else {})
    heads = {"attn_q": model.config.num_attention_heads, "attn_k": model.config.num_key_value_heads}
    tensors = []
    for name, weight in model.state_dict().items():
        if name == "lm_head.weight" and model.config.tie_word_embeddings:
            continue
        array = weight.numpy()
        whole, _, last = name.rpartition(".") if name.endswith((".weight", ".bias")) else (name, "", "weight")
        layer = whole.removeprefix("model.layers.").split(".", 1) if whole.startswith("model.layers.") else None
        inner = layer[1] if layer else whole
        prefix = f"blk.{layer[0]}." if layer else ""
        if architecture == "gpt-oss" and inner.startswith("mlp.experts."):
            tensors += _gpt_oss_experts(prefix, inner, array)
            continue
        if inner == "mlp.experts.gate_up_proj":
            for part, half in zip(("gate", "up"), np.split(array, 2, axis=1), strict=True):
                tensors.append((f"{prefix}ffn_{part}_exps.weight", half))
            continue
        part = renamed[inner]
        if architecture in _INTERLEAVED and part in heads:
            array = array.reshape(heads[part], 2, -1, *array.shape[1:]).swapaxes(1, 2).reshape(array.shape)
        if architecture in _RAISED and part.endswith("norm"):
            array = array + np.float32(1)
        tensors.append((f"{prefix}{part}.{last}", array))
    return [_tensor(name, array, kind_of(name, array)) for name, array in tensors]


def _gpt_oss_experts(prefix: str, inner: str, array: Any) -> list[tuple[str, Any]]:
    """As conversion/gpt_oss.py has them: transposed, and gate and up apart."""
    last, rows = ("bias", array) if inner.endswith("_bias") else ("weight", array.swapaxes(1, 2))
    if "down" in inner:
        return [(f"{prefix}ffn_down_exps.{last}", rows)]
    return [(f"{prefix}ffn_{part}_exps.{last}", rows[:, first::2]) for first, part in enumerate(("gate", "up"))]


def _tensor(name: str, array: Any, kind: int) -> Tensor:
    return floats(name, array) if kind == F32 else (name, array.shape, kind, blocks_of_32(array, kind))


def write_model(folder: Path, architecture: str, **changes: Any) -> tuple[Path, Any]:
    """A file of the architecture, and the model that it was made of."""
    model = make_model(architecture, **changes)
    metadata = metadata_of(architecture, model.config)
    return write_gguf(folder / f"{architecture}.gguf", metadata, tensors_of(architecture, model)), model
