"""Random configs of families whose layers keep state of fixed size."""

from __future__ import annotations

import random
from typing import Any

from tests.sweep.tiny import VOCABULARY

Values = dict[str, Any]
STATE_FAMILIES = (
    "lfm2", "qwen3_5_text", "qwen3_next", "granitemoehybrid", "falcon_h1", "bamba", "mamba2", "mamba", "jamba",
)  # fmt: skip
_HEADS = (8, 10, 16, 22, 24, 80)


def state_values(family: str, chances: random.Random) -> Values:
    """The config's values."""
    layers, kv_heads = chances.choice([1, 2, 3, 4]), chances.choice([1, 2, 3])
    heads, head_dim = kv_heads * chances.choice([1, 2, 4]), chances.choice(_HEADS)
    values: Values = {
        "vocab_size": VOCABULARY, "hidden_size": heads * head_dim, "intermediate_size": chances.choice([48, 96]),
        "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": kv_heads,
        "max_position_embeddings": 1024, "tie_word_embeddings": chances.random() < 0.5, "pad_token_id": 0,
        "bos_token_id": 1, "eos_token_id": None,
    }  # fmt: skip
    if family in ("mamba", "mamba2"):
        for name in ("num_attention_heads", "num_key_value_heads", "intermediate_size"):
            del values[name]
    return values | _OWN[family](chances, values)


def _kinds(chances: random.Random, values: Values, first: str, other: str = "full_attention") -> list[str]:
    return chances.choices([first, other], k=values["num_hidden_layers"])


def _lfm2(chances: random.Random, values: Values) -> Values:
    kinds = _kinds(chances, values, "conv")
    return {"layer_types": kinds, "conv_L_cache": chances.choice([2, 3, 4, 7]), "conv_bias": chances.random() < 0.5}


def _qwen(chances: random.Random, values: Values) -> Values:
    keys = chances.choice([1, 2, 3])
    return {
        "layer_types": _kinds(chances, values, "linear_attention"), "head_dim": chances.choice([16, 20, 32, 64]),
        "linear_num_key_heads": keys, "linear_num_value_heads": keys * chances.choice([1, 2, 4]),
        "linear_key_head_dim": chances.choice([6, 10, 16]), "linear_value_head_dim": chances.choice([6, 12, 16]),
        "linear_conv_kernel_dim": chances.choice([2, 4, 5]),
    }  # fmt: skip


def _qwen_next(chances: random.Random, values: Values) -> Values:
    experts = {"num_experts": chances.choice([0, 4]), "num_experts_per_tok": 2, "moe_intermediate_size": 48}
    return _qwen(chances, values) | experts | {"shared_expert_intermediate_size": 48}


def _mamba2_sizes(chances: random.Random, inner: int) -> Values:
    """Heads that divide the inner size, and groups that divide the heads."""
    heads = chances.choice([one for one in (1, 2, 4, 6, 8) if inner % one == 0])
    return {
        "mamba_n_heads": heads, "mamba_d_head": inner // heads,
        "mamba_n_groups": chances.choice([one for one in (1, 2, 3) if heads % one == 0]),
        "mamba_d_state": chances.choice([7, 12, 16]), "mamba_chunk_size": chances.choice([8, 64, 256]),
        "mamba_d_conv": chances.choice([2, 4]), "mamba_conv_bias": chances.random() < 0.5,
        "mamba_proj_bias": chances.random() < 0.5,
    }  # fmt: skip


def _granite(chances: random.Random, values: Values) -> Values:
    experts = chances.choice([0, 4])
    names = ("attention_multiplier", "embedding_multiplier", "logits_scaling", "residual_multiplier")
    return {
        "layer_types": _kinds(chances, values, "linear_attention"), "num_local_experts": experts,
        "num_experts_per_tok": min(2, experts), "shared_intermediate_size": 48, "mamba_expand": 2,
        "position_embedding_type": chances.choice(["rope", None]),
        **{name: chances.choice([0.3, 1.0, 2.0]) for name in names},
        **_mamba2_sizes(chances, 2 * values["hidden_size"]),
    }  # fmt: skip


def _falcon(chances: random.Random, values: Values) -> Values:
    inner = chances.choice([48, 96, 120])
    names = ("attention_in_multiplier", "attention_out_multiplier", "ssm_in_multiplier", "key_multiplier",
             "ssm_out_multiplier", "lm_head_multiplier", "embedding_multiplier")  # fmt: skip
    return {
        "mamba_d_ssm": inner, "head_dim": chances.choice([8, 10, 24]), "mamba_rms_norm": chances.random() < 0.5,
        "mamba_norm_before_gate": chances.random() < 0.5, **{name: chances.choice([0.5, 1.0]) for name in names},
        **_mamba2_sizes(chances, inner),
    }  # fmt: skip


def _bamba(chances: random.Random, values: Values) -> Values:
    layers = range(values["num_hidden_layers"])
    sizes = _mamba2_sizes(chances, 2 * values["hidden_size"])
    return {"attn_layer_indices": [i for i in layers if chances.random() < 0.5], "mamba_expand": 2, **sizes}


def _mamba2(chances: random.Random, values: Values) -> Values:
    heads, size = chances.choice([2, 4, 6]), chances.choice([8, 10, 24])
    return {
        "hidden_size": heads * size // 2, "expand": 2, "num_heads": heads, "head_dim": size,
        "state_size": chances.choice([7, 16]), "n_groups": chances.choice([1, 2]),
        "conv_kernel": chances.choice([2, 4]), "chunk_size": chances.choice([8, 64, 256]),
        "use_bias": chances.random() < 0.5, "use_conv_bias": chances.random() < 0.5, "rms_norm": True,
    }  # fmt: skip


def _mamba(chances: random.Random, values: Values) -> Values:
    return {
        "state_size": chances.choice([7, 16]), "time_step_rank": chances.choice([4, 9]), "expand": 2,
        "intermediate_size": 2 * values["hidden_size"], "conv_kernel": chances.choice([2, 4]),
        "use_bias": chances.random() < 0.5, "use_conv_bias": chances.random() < 0.5,
    }  # fmt: skip


def _jamba(chances: random.Random, values: Values) -> Values:
    period = chances.choice([1, 2, 3])
    return {
        "attn_layer_period": period, "attn_layer_offset": chances.randrange(period), "num_experts": 4,
        "expert_layer_period": 2, "expert_layer_offset": chances.choice([0, 1]), "num_experts_per_tok": 2,
        "mamba_d_state": chances.choice([7, 16]), "mamba_d_conv": chances.choice([2, 4]), "mamba_expand": 2,
        "mamba_dt_rank": chances.choice([4, 9]), "mamba_conv_bias": chances.random() < 0.5,
        "mamba_proj_bias": chances.random() < 0.5, "use_mamba_kernels": False,
    }  # fmt: skip


_OWN = {
    "lfm2": _lfm2, "qwen3_5_text": _qwen, "qwen3_next": _qwen_next, "granitemoehybrid": _granite, "falcon_h1": _falcon,
    "bamba": _bamba, "mamba2": _mamba2, "mamba": _mamba, "jamba": _jamba,
}  # fmt: skip
