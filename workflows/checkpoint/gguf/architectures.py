"""What transformers calls each GGUF architecture, its settings and its tensors.

    general.architecture ──ARCHITECTURES──▶ Architecture ──┬─settings(model)──▶ config.json
                                                           └─names, forms──▶ the tensors by transformers' names

llama.cpp changes some tensors when it converts a checkpoint; each entry says what is undone: rows of q and k that it
interleaved, norms that it raised by one, experts that it stacked. Sources: convert_hf_to_gguf.py and src/llama-arch.cpp
of llama.cpp; what llama.cpp computes without a word in the file (which layers of Gemma 3 have windows) stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from workflows.checkpoint.gguf.model import GgufModel
from workflows.common.errors import CheckpointError, printable

Settings = dict[str, Any]

_OUTSIDE = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
_ATTENTION = {"attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
              "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj"}  # fmt: skip
_HEAD_NORMS = {"attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm"}
_MLP = {"ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}
_AFTER_ATTENTION = {"ffn_norm": "post_attention_layernorm"}
_DENSE = _ATTENTION | _AFTER_ATTENTION | _MLP
_SANDWICH = {"post_attention_norm": "post_attention_layernorm", "ffn_norm": "pre_feedforward_layernorm",
             "post_ffw_norm": "post_feedforward_layernorm"}  # fmt: skip
_EXPERTS = {f"ffn_{name}_exps": f"mlp.experts.{{}}.{name}_proj" for name in ("gate", "up", "down")}
_MIXTRAL = {f"ffn_{name}_exps": f"block_sparse_moe.experts.{{}}.{ours}"
            for name, ours in (("gate", "w1"), ("up", "w3"), ("down", "w2"))}  # fmt: skip
_ALTERNATING = {"mlp.experts.gate_up_proj": ("ffn_gate_exps", "ffn_up_exps"),
                "mlp.experts.down_proj": ("ffn_down_exps",)}  # fmt: skip
_SHARED_EXPERT = {"ffn_gate_inp_shexp": "mlp.shared_expert_gate", "ffn_gate_shexp": "mlp.shared_expert.gate_proj",
                  "ffn_up_shexp": "mlp.shared_expert.up_proj",
                  "ffn_down_shexp": "mlp.shared_expert.down_proj"}  # fmt: skip
ROTATIONS = ("rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight")
"""Tensors that hold settings of the rotation."""


@dataclass(frozen=True)
class Architecture:
    """layer: the names of a layer's tensors after `blk.N.`, without their last part → after the layer's own prefix.
    layers: that prefix, with {} for N. outside: the names of the tensors outside the layers.

    experts: of tensors that stack experts → the name of one, with {} for its number. alternating: of a tensor of all
    experts → those whose rows it has in turns. bare: the tensors whose name in the model ends without `.weight`.
    interleaved: whether rows of q and k alternate between the halves of a head. raised: whether norms are stored with 1
    added.
    """

    model_type: str
    model_class: str
    settings: Callable[[GgufModel], Settings]
    layer: Mapping[str, str]
    experts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    alternating: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    bare: frozenset[str] = frozenset()
    interleaved: bool = False
    raised: bool = False
    layers: str = "model.layers.{}."
    outside: Mapping[str, str] = field(default_factory=lambda: _OUTSIDE)


def find_architecture(model: GgufModel) -> Architecture:
    """The model's architecture. Raises CheckpointError, with those that are read, for another one."""
    name = model.architecture
    with_experts = name == "llama" and model.integer("expert_count", 0)  # Mixtral, which has no name of its own
    found = ARCHITECTURES.get("mixtral" if with_experts else name)
    if found is None:
        known = ", ".join(sorted(ARCHITECTURES))
        raise CheckpointError(
            f"'{printable(model.files[0])}' has the architecture {printable(model.architecture, 60)}, which is not "
            f"read from GGUF; there is: {known}. Build the model that it was made of by its name on the hub, `joinery "
            "build ORG/NAME --out DIR`."
        )
    return found


def make_config(model: GgufModel, architecture: Architecture) -> Settings:
    """The content of config.json."""
    return {
        "model_type": architecture.model_type,
        "architectures": [architecture.model_class],
        "vocab_size": model.shape("token_embd.weight")[0],
        "tie_word_embeddings": "output.weight" not in model.tensors,
        # the classes of transformers have ids of their own where a config says nothing
        **{f"{name}_token_id": model.token_id(ours) for name, ours in _IDS.items()},
        **architecture.settings(model),
    }


def make_generation_config(model: GgufModel) -> Settings:
    """The content of generation_config.json: each token that ends a text or a turn ends the generation."""
    ends = [model.token_id(name) for name in ("eos", "eot", "eom")]
    ids = {name: model.token_id(ours) for name, ours in _IDS.items() if name != "eos"}
    config: Settings = {f"{name}_token_id": value for name, value in ids.items() if value is not None}
    if known := list(dict.fromkeys(one for one in ends if one is not None)):
        config["eos_token_id"] = known
    return config


_IDS = {"bos": "bos", "eos": "eos", "pad": "padding"}


def _decoder(model: GgufModel) -> Settings:
    """The settings of every decoder with rotary positions and RMS norms."""
    heads, width = model.integer("attention.head_count"), model.integer("embedding_length")
    if not heads:
        raise model.error("it has no attention heads")
    size = model.integer("attention.key_length", width // heads)
    if model.integer("attention.value_length", size) != size:
        raise model.error("its keys and values differ in size, which transformers does not know of this architecture")
    return {
        "hidden_size": width,
        "intermediate_size": model.integer("feed_forward_length", 0),
        "num_hidden_layers": model.integer("block_count"),
        "num_attention_heads": heads,
        "num_key_value_heads": model.integer("attention.head_count_kv", heads),
        "head_dim": size,
        "max_position_embeddings": model.integer("context_length"),
        "rms_norm_eps": model.number("attention.layer_norm_rms_epsilon"),
        "rope_parameters": _rotation(model, size),
    }


def _rotation(model: GgufModel, head_size: int, partial: bool = False) -> Settings:
    """The settings of the rotary positions. partial: whether the architecture may rotate a part of each head."""
    theta = model.number("rope.freq_base", 10_000.0)
    rotated = model.integer("rope.dimension_count", head_size)
    if rotated != head_size and not partial:
        raise model.error(f"it rotates {rotated} of {head_size} numbers of a head, which transformers does not")
    settings: Settings = {"rope_type": "default", "rope_theta": theta}
    if rotated != head_size:
        settings["partial_rotary_factor"] = rotated / head_size
    kind = model.text("rope.scaling.type", "none")
    if kind == "linear" or model.has("rope.scale_linear"):
        return settings | {"rope_type": "linear", "factor": model.number("rope.scaling.factor", _old_factor(model))}
    if kind == "yarn":
        length = model.integer("rope.scaling.original_context_length", model.integer("context_length"))
        factor = model.number("rope.scaling.factor")
        return settings | {"rope_type": "yarn", "factor": factor, "original_max_position_embeddings": length}
    if kind not in ("none", "longrope"):
        raise model.error(f"its rotation is scaled in the way '{printable(kind, 40)}', which is not known")
    if ROTATIONS[1] in model.tensors and partial:
        return settings | _long_rotation(model)
    return settings | _llama3_rotation(model, theta, rotated) if ROTATIONS[0] in model.tensors else settings


def _old_factor(model: GgufModel) -> float:
    return model.number("rope.scale_linear", 1.0)


def _llama3_rotation(model: GgufModel, theta: float, size: int) -> Settings:
    """Llama 3.1's scaling, of which the file holds the divisor of each frequency alone.

    Its factor is the largest divisor; its other numbers are 1, 4 and 8192 in all that was published, and are compared.
    """
    divisors = model.numbers(ROTATIONS[0]).reshape(-1)
    factor = float(divisors.max())
    if factor == 1.0 and float(divisors.min()) == 1.0:
        return {}
    low, high, length = 1.0, 4.0, 8192
    waves = 2 * np.pi * theta ** (np.arange(0, size, 2) / size)
    smooth = np.clip((length / waves - low) / (high - low), 0.0, 1.0)
    if len(divisors) != size // 2 or not np.allclose(1 / ((1 - smooth) / factor + smooth), divisors, rtol=1e-4):
        raise model.error("the divisors of its rotary frequencies are not those of Llama 3, and no others are known")
    more = {"low_freq_factor": low, "high_freq_factor": high, "original_max_position_embeddings": length}
    return {"rope_type": "llama3", "factor": factor, **more}


def _long_rotation(model: GgufModel) -> Settings:
    """Phi's scaling: a divisor of each frequency for short texts, and one for long ones."""
    length = model.integer("rope.scaling.original_context_length", model.integer("context_length"))
    long, short = (model.numbers(name).reshape(-1) for name in ROTATIONS[1:])
    factors = {"long_factor": [float(one) for one in long], "short_factor": [float(one) for one in short]}
    settings: Settings = {"rope_type": "longrope", **factors, "original_max_position_embeddings": length}
    if model.has("rope.scaling.attn_factor"):
        settings["attention_factor"] = model.number("rope.scaling.attn_factor")
    return settings


def _llama(model: GgufModel) -> Settings:
    biases = {"attention_bias": "blk.0.attn_q.bias" in model.tensors, "mlp_bias": "blk.0.ffn_up.bias" in model.tensors}
    return _decoder(model) | {"hidden_act": "silu"} | biases


def _mixtral(model: GgufModel) -> Settings:
    return _decoder(model) | {
        "hidden_act": "silu",
        "num_local_experts": model.integer("expert_count"),
        "num_experts_per_tok": model.integer("expert_used_count"),
        "sliding_window": None,
    }


def _gpt_oss(model: GgufModel) -> Settings:
    """The settings of gpt-oss: every other layer has a window, from the first on, and scaled rotations are not cut to
    whole frequencies, as its own configuration says and the file does not.
    """
    settings, layers = _decoder(model), model.integer("block_count")
    return settings | {
        "intermediate_size": model.integer("expert_feed_forward_length"),
        "num_local_experts": model.integer("expert_count"),
        "num_experts_per_tok": model.integer("expert_used_count"),
        "sliding_window": model.integer("attention.sliding_window"),
        "layer_types": ["full_attention" if layer % 2 else "sliding_attention" for layer in range(layers)],
        "rope_parameters": settings["rope_parameters"] | {"truncate": False},
        "attention_bias": True,
    }


def _smollm3(model: GgufModel) -> Settings:
    layers = model.integer("block_count")
    plain = [int((layer + 1) % 4 != 0) for layer in range(layers)]  # every fourth has no rotation
    return _llama(model) | {"no_rope_layers": plain, "no_rope_layer_interval": 4, "use_sliding_window": False}


def _granite(model: GgufModel) -> Settings:
    scales = {
        "attention_multiplier": model.number("attention.scale", 1.0),
        "embedding_multiplier": model.number("embedding_scale", 1.0),
        "residual_multiplier": model.number("residual_scale", 1.0),
        "logits_scaling": model.number("logit_scale", 1.0),
    }
    return _llama(model) | scales


def _qwen2(model: GgufModel) -> Settings:
    return _decoder(model) | {"hidden_act": "silu", "use_sliding_window": False}


def _qwen3(model: GgufModel) -> Settings:
    return _qwen2(model) | {"attention_bias": "blk.0.attn_q.bias" in model.tensors}


def _experts(model: GgufModel) -> Settings:
    return {
        "num_experts": model.integer("expert_count"),
        "num_experts_per_tok": model.integer("expert_used_count"),
        "moe_intermediate_size": model.integer("expert_feed_forward_length"),
        "decoder_sparse_step": 1,
        "mlp_only_layers": [],
    }


def _qwen2moe(model: GgufModel) -> Settings:
    shared = model.integer("expert_shared_feed_forward_length")
    return _qwen2(model) | _experts(model) | {"shared_expert_intermediate_size": shared, "norm_topk_prob": False}


def _qwen3moe(model: GgufModel) -> Settings:
    return _qwen3(model) | _experts(model) | {"norm_topk_prob": True}


def _gemma(model: GgufModel) -> Settings:
    return _decoder(model) | {"hidden_act": "gelu_pytorch_tanh", "hidden_activation": "gelu_pytorch_tanh"}


def _query_scale(model: GgufModel, largest: int) -> int:
    """What queries are divided by the root of; the largest Gemma, by its layers, takes the width of a head for it."""
    width, heads = model.integer("embedding_length"), model.integer("attention.head_count")
    return width // heads if model.integer("block_count") == largest else model.integer("attention.key_length")


def _gemma2(model: GgufModel) -> Settings:
    layers = model.integer("block_count")
    return _gemma(model) | {
        "attn_logit_softcapping": model.number("attn_logit_softcapping", 50.0),
        "final_logit_softcapping": model.number("final_logit_softcapping", 30.0),
        "query_pre_attn_scalar": _query_scale(model, 46),
        "sliding_window": model.integer("attention.sliding_window", 4096),
        "layer_types": ["full_attention" if layer % 2 else "sliding_attention" for layer in range(layers)],
    }


def _gemma3(model: GgufModel) -> Settings:
    layers, settings = model.integer("block_count"), _gemma(model)
    local = {"rope_type": "default", "rope_theta": model.number("rope.freq_base_swa", 10_000.0)}
    wide = settings.pop("rope_parameters") | {"rope_theta": model.number("rope.freq_base", 1_000_000.0)}
    cap = model.number("final_logit_softcapping") if model.has("final_logit_softcapping") else None
    return settings | {
        "rope_parameters": {"full_attention": wide, "sliding_attention": local},
        "attn_logit_softcapping": None,
        "final_logit_softcapping": cap,
        "query_pre_attn_scalar": _query_scale(model, 62),
        "sliding_window": model.integer("attention.sliding_window"),
        "layer_types": ["sliding_attention" if (at + 1) % 6 else "full_attention" for at in range(layers)],
    }


def _phi3(model: GgufModel) -> Settings:
    settings = _decoder_with_part(model)
    window = model.integer("attention.sliding_window", 0)
    return settings | {"hidden_act": "silu", "sliding_window": window or None}


def _decoder_with_part(model: GgufModel) -> Settings:
    """The settings of a decoder that may rotate a part of each head."""
    heads, width = model.integer("attention.head_count"), model.integer("embedding_length")
    size = width // max(heads, 1)
    rotation = _rotation(model, size, partial=True)
    length = rotation.get("original_max_position_embeddings", model.integer("context_length"))
    return {
        "hidden_size": width,
        "intermediate_size": model.integer("feed_forward_length"),
        "num_hidden_layers": model.integer("block_count"),
        "num_attention_heads": heads,
        "num_key_value_heads": model.integer("attention.head_count_kv", heads),
        "max_position_embeddings": model.integer("context_length"),
        "original_max_position_embeddings": length,
        "rms_norm_eps": model.number("attention.layer_norm_rms_epsilon"),
        "rope_parameters": rotation,
        "partial_rotary_factor": rotation.get("partial_rotary_factor", 1.0),
    }


def _bert(model: GgufModel) -> Settings:
    """The settings of BERT. llama.cpp reads RoBERTa by the same architecture, with tokenizers of other kinds."""
    if (kind := model.metadata.get("tokenizer.ggml.model")) != "bert":
        raise model.error(f"its tokenizer is of the kind '{printable(kind, 40)}', and BERT has WordPiece (bert)")
    return {
        "hidden_size": model.integer("embedding_length"),
        "intermediate_size": model.integer("feed_forward_length"),
        "num_hidden_layers": model.integer("block_count"),
        "num_attention_heads": model.integer("attention.head_count"),
        "max_position_embeddings": model.shape("position_embd.weight")[0],
        "type_vocab_size": model.shape("token_types.weight")[0],
        "layer_norm_eps": model.number("attention.layer_norm_epsilon"),
        "hidden_act": "gelu",
    }


_BERT_OUTSIDE = {"token_embd": "embeddings.word_embeddings", "position_embd": "embeddings.position_embeddings",
                 "token_types": "embeddings.token_type_embeddings",
                 "token_embd_norm": "embeddings.LayerNorm"}  # fmt: skip
_BERT_LAYER = {"attn_q": "attention.self.query", "attn_k": "attention.self.key", "attn_v": "attention.self.value",
               "attn_output": "attention.output.dense", "attn_output_norm": "attention.output.LayerNorm",
               "ffn_up": "intermediate.dense", "ffn_down": "output.dense",
               "layer_output_norm": "output.LayerNorm"}  # fmt: skip
_FUSED = {"attn_norm": "input_layernorm", "attn_qkv": "self_attn.qkv_proj", "attn_output": "self_attn.o_proj",
          "ffn_norm": "post_attention_layernorm", "ffn_up": "mlp.gate_up_proj",
          "ffn_down": "mlp.down_proj"}  # fmt: skip
_ROUTED = _ATTENTION | _AFTER_ATTENTION | {"ffn_gate_inp": "mlp.gate"}
_WITH_SINKS = _ATTENTION | {"post_attention_norm": "post_attention_layernorm", "attn_sinks": "self_attn.sinks",
                            "ffn_gate_inp": "mlp.router"}  # fmt: skip

ARCHITECTURES: Mapping[str, Architecture] = {
    "llama": Architecture("llama", "LlamaForCausalLM", _llama, _DENSE, interleaved=True),
    "mixtral": Architecture(
        "mixtral",
        "MixtralForCausalLM",
        _mixtral,
        _ATTENTION | _AFTER_ATTENTION | {"ffn_gate_inp": "block_sparse_moe.gate"},
        _MIXTRAL,
        interleaved=True,
    ),
    "smollm3": Architecture("smollm3", "SmolLM3ForCausalLM", _smollm3, _DENSE, interleaved=True),
    "granite": Architecture("granite", "GraniteForCausalLM", _granite, _DENSE, interleaved=True),
    "qwen2": Architecture("qwen2", "Qwen2ForCausalLM", _qwen2, _DENSE),
    "qwen2moe": Architecture("qwen2_moe", "Qwen2MoeForCausalLM", _qwen2moe, _ROUTED | _SHARED_EXPERT, _EXPERTS),
    "qwen3": Architecture("qwen3", "Qwen3ForCausalLM", _qwen3, _DENSE | _HEAD_NORMS),
    "qwen3moe": Architecture("qwen3_moe", "Qwen3MoeForCausalLM", _qwen3moe, _ROUTED | _HEAD_NORMS, _EXPERTS),
    "gemma": Architecture("gemma", "GemmaForCausalLM", _gemma, _DENSE, raised=True),
    "gemma2": Architecture("gemma2", "Gemma2ForCausalLM", _gemma2, _ATTENTION | _SANDWICH | _MLP, raised=True),
    "gemma3": Architecture(
        "gemma3_text", "Gemma3ForCausalLM", _gemma3, _ATTENTION | _SANDWICH | _MLP | _HEAD_NORMS, raised=True
    ),
    "bert": Architecture("bert", "BertModel", _bert, _BERT_LAYER, layers="encoder.layer.{}.", outside=_BERT_OUTSIDE),
    "phi3": Architecture("phi3", "Phi3ForCausalLM", _phi3, _FUSED),
    "gpt-oss": Architecture(
        "gpt_oss", "GptOssForCausalLM", _gpt_oss, _WITH_SINKS, alternating=_ALTERNATING, bare=frozenset({"attn_sinks"})
    ),
}
"""By `general.architecture`, and Mixtral, which calls itself llama."""
