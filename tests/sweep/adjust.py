"""What the general rule of tiny.py cannot know of a config class: values that must go together."""

from __future__ import annotations

from typing import Any

from tests.sweep.tiny import HEADS

_ROPE = {"rope_type": "default", "rope_theta": 1e4}

DECODERS: dict[str, dict[str, Any]] = {
    **{name: {"index_topk": 192} for name in ("axk2", "deepseek_v32", "glm_moe_dsa", "hy_v4")},
    "cohere_compass_text": {"rope_parameters": {"full_attention": _ROPE, "sliding_attention": _ROPE}},
    "dbrx": {
        "attn_config": {"kv_n_heads": 2, "clip_qkv": 8, "rope_theta": 1e4},
        "ffn_config": {"hidden_size": 64, "ffn_hidden_size": 96, "moe_num_experts": 4, "moe_top_k": 2},
    },
    "falcon_h1": {"mamba_d_ssm": 128},
    "gemma3n_text": {"activation_sparsity_pattern": [0.9, 0.0]},
    "gpt_neo": {"attention_types": [[["global", "local"], 1]], "attention_layers": ["global", "local"]},
    "lfm2": {"layer_types": ["conv", "full_attention"]},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"]},
    "minimax_m3_vl_text": {"index_block_size": 16, "index_topk_blocks": 2, "index_local_blocks": 1},
    "llama4_text": {"no_rope_layers": [1, 0], "floor_scale": 16},
    "longcat_flash": {"zero_expert_num": 2},
    "mamba2": {"num_heads": 8},
    "recurrent_gemma": {"block_types": ["recurrent", "attention"]},
    "reformer": {
        "is_decoder": True, "attn_layers": ["local", "lsh"], "axial_pos_shape": [32, 32],
        "axial_pos_embds_dim": [32, 32],
    },
    "whisper": {"begin_suppress_tokens": None, "suppress_tokens": None},  # the defaults are ids of a larger vocabulary
    "xmod": {"default_language": "en_XX"},
    "zamba2": {"attention_hidden_size": 128, "attention_head_dim": 32},
    "zaya": {"num_experts_per_tok": 1},
}  # fmt: skip

# What a class may be told beside what its default says: name → (model type, changes).
_FOUR = ["sliding_attention", "full_attention"] * 2
_SHARED = {"num_hidden_layers": 4, "layer_types": _FOUR, "num_kv_shared_layers": 2}
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "bloom (3 heads)": ("bloom", {"n_head": 3, "hidden_size": 48}),
    "falcon (alibi)": ("falcon", {"alibi": True, "multi_query": False, "parallel_attn": False, "num_kv_heads": 4}),
    "falcon (new architecture)": ("falcon", {"new_decoder_architecture": True, "num_kv_heads": 2}),
    "xlm (causal)": ("xlm", {"causal": True}),
    "bert (no decoder)": ("bert-generation", {"is_decoder": False}),
    "gemma3_text (bidirectional)": ("gemma3_text", {"use_bidirectional_attention": True}),
    "gemma3n_text (shared keys)": ("gemma3n_text", _SHARED | {"activation_sparsity_pattern": [0.9, 0.0, 0.9, 0.0]}),
    "gemma4_text (shared keys)": ("gemma4_text", _SHARED),
    "lfm2 (attention alone)": ("lfm2", {"layer_types": ["full_attention"] * 2}),
    "qwen2 (windows off)": ("qwen2", {"use_sliding_window": False, "layer_types": ["full_attention"] * 2}),
}


def changes_for(name: str, head: int) -> dict[str, Any]:
    """What the model type `name` needs with heads of the size `head`."""
    hidden = head * HEADS
    sized: dict[str, dict[str, Any]] = {
        "dbrx": {"ffn_config": DECODERS["dbrx"]["ffn_config"] | {"hidden_size": hidden}},
        "falcon_h1": {"mamba_d_ssm": 2 * hidden, "mamba_d_head": head},
        "reformer": {"axial_pos_embds_dim": [hidden // 2, hidden // 2]},
        "zamba2": {"attention_hidden_size": 2 * hidden, "attention_head_dim": 2 * head, "mamba_headdim": head},
        "mamba2": {"num_heads": 8, "head_dim": head},
        "bamba": {"mamba_d_head": head},
        "granitemoehybrid": {"mamba_d_head": head},
    }
    if head % 8:  # nor is a quarter
        sized |= {"stablelm": {"partial_rotary_factor": 0.4}}
    if head % 4:  # half of such a head is no whole number of pairs
        sized |= {one: {"partial_rotary_factor": 0.4} for one in ("fuyu", "persimmon", "phi")}
    return DECODERS.get(name, {}) | sized.get(name, {})
