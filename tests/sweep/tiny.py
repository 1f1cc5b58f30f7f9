"""A config class of transformers → a config of it that is built in seconds, and hides nothing that a large one has.

Every size that has a known name is made small; what the class derives from others (layer types) it derives again.
Windows are on wherever a config has one, and shorter than most prompts. Heads may be of any size, and the hidden size
is not heads × head size where the class lets them differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from transformers import AutoModelForCausalLM

LARGEST = 16_000_000  # weights
VOCABULARY, WINDOW, POSITIONS, LAYERS, HEAD, HEADS = 251, 24, 1024, 2, 16, 4
HEAD_SIZES = (80, 10, 12, 20)  # that GroupQueryAttention takes, and that it does not: one of no multiple of 4
EVERY_HEAD = (2, 4, 10, 12, 18, 20, 22, 80, 96, 128, 192, 256)
_HEAD_NAMES = (
    "head_dim", "v_head_dim", "qk_nope_head_dim", "d_head", "kv_channels", "swa_head_dim", "dim_head",
    "attention_head_size", "v_head_size", "query_pre_attn_scalar",
)  # fmt: skip
_HIDDEN_NAMES = (
    "hidden_size", "n_embd", "d_model", "word_embed_proj_dim", "emb_dim", "embedding_dim", "embedding_size",
    "lru_width", "attention_hidden_size", "input_embedding_size", "output_embedding_size", "shape_embed_dim",
    "pronunciation_embed_dim", "mamba_d_ssm", "linear_hidden_size",
)  # fmt: skip
_LAYER_NAMES = (
    "num_hidden_layers", "n_layer", "n_layers", "num_layers", "decoder_layers", "encoder_layers", "num_blocks",
    "num_encoder_layers", "num_decoder_layers", "num_layers_per_stack",
)  # fmt: skip
_SAME: tuple[tuple[int, tuple[str, ...]], ...] = (
    (VOCABULARY, ("vocab_size", "decoder_vocab_size", "vocab_size_per_layer_input", "unpadded_vocab_size")),
    (WINDOW, (
        "sliding_window", "attention_window_size", "local_attention", "sliding_window_size", "window_size",
        "local_attention_window_len", "attention_window", "attention_chunk_size",
    )),
    (POSITIONS, (
        "max_position_embeddings", "n_positions", "max_seq_len", "n_ctx", "context_length", "model_max_length",
        "max_source_positions", "max_target_positions",
    )),
    (LAYERS, _LAYER_NAMES),
    (HEAD * HEADS, _HIDDEN_NAMES),
    (96, (
        "intermediate_size", "ffn_dim", "decoder_ffn_dim", "encoder_ffn_dim", "d_inner", "dff", "dim_ff",
        "ffn_hidden_size", "feed_forward_size", "intermediate_size_mlp", "dense_intermediate_size",
    )),
    (48, (
        "moe_intermediate_size", "shared_expert_intermediate_size", "shared_intermediate_size",
        "expert_ffn_hidden_size", "moe_shared_expert_intermediate_size", "shared_experts_intermediate_size",
    )),
    (HEAD, _HEAD_NAMES),
    (16, (
        "q_lora_rank", "kv_lora_rank", "linear_head_dim", "linear_key_head_dim", "linear_value_head_dim",
        "mamba_d_head", "mamba_head_dim", "state_size", "mamba_d_state", "ssm_state_size", "time_step_rank",
        "index_head_dim", "o_lora_rank", "adapter_rank", "router_hidden_size", "gated_norm_rank", "laurel_rank",
        "hidden_size_per_layer_input", "hc_lowrank", "num_centroids", "mamba_headdim", "ple_embed_dim", "index_topk",
    )),
    (8, ("qk_rope_head_dim", "rotary_dim", "mamba_n_heads", "mamba_num_heads", "n_mamba_heads", "d_rel")),
    (HEADS, (
        "num_attention_heads", "n_head", "n_heads", "decoder_attention_heads", "encoder_attention_heads",
        "attention_heads", "num_heads", "linear_num_heads", "num_encoder_attention_heads",
        "num_decoder_attention_heads", "num_experts", "n_routed_experts", "num_local_experts", "moe_num_experts",
        "linear_num_value_heads", "linear_num_key_heads", "swa_num_attention_heads", "index_n_heads",
    )),
    (2, (
        "num_key_value_heads", "num_kv_heads", "num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_k",
        "num_query_groups", "swa_num_key_value_heads", "o_groups", "centroid_intermediate_top_k",
    )),
    (1, (
        "n_group", "topk_group", "num_expert_group", "first_k_dense_replace", "max_window_layers", "num_dense_layers",
        "moe_layer_start_index", "n_shared_experts", "num_shared_experts", "moe_num_shared_experts",
    )),
    (0, ("num_nextn_predict_layers", "pad_token_id", "num_kv_shared_layers")),
)  # fmt: skip
_ENDS = dict.fromkeys(("eos_token_id", "forced_eos_token_id", "forced_bos_token_id"))  # nothing ends a comparison
SIZES: dict[str, Any] = {name: size for size, names in _SAME for name in names} | _ENDS | {
    "bos_token_id": 1, "decoder_start_token_id": 1, "use_sliding_window": True, "type_vocab_size": 2,
    "is_decoder": True,
}  # fmt: skip


def tiny_config(
    config_class: Any, changes: dict[str, Any] | None = None, layers: int = LAYERS, head: int = HEAD
) -> Any:
    """A small config of the class. changes: what the class needs beyond the general rule, which they override.

    layers: how many it has, where nothing that the class needs says otherwise. head: the size of its heads.

    Raises what transformers raises for values that do not go together.
    """
    hidden = head * HEADS
    # 12 more is a hidden size of its own, and even a multiple of the heads; not every class that names both allows it
    names_both = head != HEAD and "head_dim" in config_class().to_dict()
    wider = _if_it_runs(lambda: _config(config_class, changes, layers, head, hidden + 12)) if names_both else None
    return wider or _config(config_class, changes, layers, head, hidden)


def _config(config_class: Any, changes: dict[str, Any] | None, layers: int, head: int, hidden: int) -> Any:
    sized = SIZES | dict.fromkeys(_LAYER_NAMES, layers) | dict.fromkeys(_HEAD_NAMES, head)
    sized |= dict.fromkeys(_HIDDEN_NAMES, hidden)
    config = config_class(**_values(config_class, sized, layers) | (changes or {}))
    with torch.device("meta"):
        weights = sum(weight.numel() for weight in AutoModelForCausalLM.from_config(config).parameters())
    if weights > LARGEST:
        raise ValueError(f"{weights:,} weights are left, more than {LARGEST:,}: a size has a name that is not known")
    return config


def _if_it_runs(make: Callable[[], Any]) -> Any:
    """The config; None where transformers cannot make it or run a model of it."""
    try:
        config = make()
        with torch.no_grad():
            AutoModelForCausalLM.from_config(config).eval()(input_ids=torch.tensor([[1, 2, 3]]), use_cache=False)
    except Exception:  # noqa: BLE001 - whatever transformers raises, the sizes do not go together
        return None
    return config


def _values(config_class: Any, sizes: dict[str, Any], layers: int) -> dict[str, Any]:
    """Keyword arguments: every known size, and a small config for each part."""
    default = config_class()
    said = default.to_dict()
    given = {name: size for name, size in sizes.items() if name in said}
    if "kv_lora_rank" in said:  # latent attention has as many heads of keys as of queries
        alike = {"num_key_value_heads": sizes["num_attention_heads"], "head_dim": sizes["qk_rope_head_dim"]}
        given |= {name: size for name, size in alike.items() if name in said}
    subs = {name: type(getattr(default, name)) for name in config_class.sub_configs if said.get(name)}
    parts = {name: _values(part, sizes, layers) for name, part in subs.items()}
    return given | _layer_kinds(said, layers) | parts


def _layer_kinds(said: dict[str, Any], layers: int) -> dict[str, Any]:
    """One list for each that names a kind a layer: every kind that the default has, at least `layers` of them."""
    lists = {name: said.get(name) for name in ("layer_types", "layers_block_type", "mlp_layer_types")}
    found: dict[str, Any] = {name: list(dict.fromkeys(kinds)) for name, kinds in lists.items() if kinds}
    if found.get("layer_types") == ["full_attention"] and "sliding_window" in said:
        found["layer_types"] = ["full_attention", "sliding_attention"]
    if not found:
        return {}
    count = max(layers, *(len(kinds) for kinds in found.values()))
    found = {name: (kinds * count)[:count] for name, kinds in found.items()}
    return found | {"num_hidden_layers": count}
