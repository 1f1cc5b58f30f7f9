"""Random configs of the big families: what a checkpoint of them may say, in any mixture.

`python -m tests.sweep fuzz --family qwen2 --cases 200` replays; a case is its family and its number, nothing else.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from transformers import AutoConfig

from tests.sweep.case import Verdict, decoder_case
from tests.sweep.fuzz_states import STATE_FAMILIES, state_values
from tests.sweep.seam import seam_case
from tests.sweep.tiny import VOCABULARY

Values = dict[str, Any]
_EXPERTS = ("mixtral", "qwen2_moe", "qwen3_moe", "phimoe", "olmoe")
_TYPED = ("qwen2", "qwen3", "gemma2", "gemma3_text", "qwen2_moe", "qwen3_moe")  # have layer_types of two kinds
_WINDOWED = ("mistral", "phi3", "mixtral", "phimoe", *_TYPED)
_DERIVED = ("phi3", "phimoe", "olmo2", "granite", "qwen2_moe", "olmoe")  # a head is the hidden size by their number
_HEADS = (8, 10, 12, 16, 20, 22, 24, 32, 80)  # GroupQueryAttention takes some of them
FAMILIES = (
    "llama", "qwen2", "qwen3", "mistral", "gemma2", "gemma3_text", "phi3", "granite", "olmo2", "mixtral", "qwen2_moe",
    "qwen3_moe", "phimoe", "olmoe", "bloom", "falcon", "gemma4_text", *STATE_FAMILIES,
)  # fmt: skip


def fuzz(families: Sequence[str], count: int, graphs: bool = False) -> dict[str, Callable[[], Verdict]]:
    """name → case, for the first `count` random configs of each family in turn; graphs: with a real build."""
    return {f"{family} {i}": _case(family, i, graphs) for i in range(count) for family in families}


def _case(family: str, number: int, graphs: bool) -> Callable[[], Verdict]:
    def run() -> Verdict:
        name, values = f"{family} {number}", random_values(family, number)
        try:
            config = AutoConfig.for_model(family, **values)
        except Exception as error:  # noqa: BLE001 - transformers' own checks, of every kind
            return Verdict(name, "no config", f"{type(error).__name__}: {' '.join(str(error).split())[:200]}")
        chances = random.Random(number)
        options = {"cache": chances.choice([None, "static", "gqa", "scatter"]), "chunk": chances.choice([16, 64])}
        found = decoder_case(name, config, options) if graphs else seam_case(name, config, number)
        return found if found.kind == "equal" else Verdict(found.name, found.kind, f"{found.note} {values}")

    return run


def random_values(family: str, number: int) -> Values:
    """The config's values; the same for the same number."""
    chances = random.Random(f"{family} {number}")
    if family in STATE_FAMILIES:
        return state_values(family, chances)
    if family in _OWN_VALUES:
        return _OWN_VALUES[family](chances)
    kv_heads = chances.choice([1, 2, 3])
    heads, head_dim = kv_heads * chances.choice([1, 2, 4]), chances.choice(_HEADS)
    layers, own_size = chances.choice([1, 2, 3]), family not in _DERIVED
    hidden = heads * head_dim
    if own_size:  # classes want whole multiples of the heads, and eager experts of 4
        hidden = heads * 4 * (-(-head_dim // 4) + chances.choice([0, 1, 3]))
    values: Values = {
        "vocab_size": VOCABULARY, "hidden_size": hidden, "intermediate_size": chances.choice([48, 96]),
        "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": kv_heads,
        "max_position_embeddings": 1024, "tie_word_embeddings": chances.random() < 0.5, "pad_token_id": 0,
        "bos_token_id": 1, "eos_token_id": None, "rope_parameters": _rope(chances, family, head_dim),
    }  # fmt: skip
    if own_size:
        values["head_dim"] = head_dim
    return values | _windows(chances, family, layers) | _own(chances, family)


def _bloom(chances: random.Random) -> Values:
    """ALiBi, whose slopes are of another kind where the number of heads is no power of two."""
    heads = chances.choice([1, 2, 3, 4, 5, 6, 7, 8, 12])
    return {
        "vocab_size": VOCABULARY, "hidden_size": heads * chances.choice(_HEADS), "n_head": heads,
        "n_layer": chances.choice([1, 2, 3]), "apply_residual_connection_post_layernorm": chances.random() < 0.5,
        "tie_word_embeddings": chances.random() < 0.5, "bos_token_id": 1, "eos_token_id": None, "pad_token_id": 0,
    }  # fmt: skip


def _falcon(chances: random.Random) -> Values:
    """Heads of keys: one, some or all; rotary positions or ALiBi; norms and the feed-forward part in every order."""
    groups, new, single = chances.choice([1, 2, 3]), chances.random() < 0.4, chances.random() < 0.6
    heads, head_dim = groups * chances.choice([1, 2, 4]), chances.choice(_HEADS)
    return {
        "vocab_size": VOCABULARY, "hidden_size": heads * head_dim, "num_attention_heads": heads,
        "num_hidden_layers": chances.choice([1, 2, 3]), "new_decoder_architecture": new, "multi_query": single,
        "num_kv_heads": groups if new else heads, "alibi": chances.random() < 0.4, "bias": chances.random() < 0.5,
        "parallel_attn": new or chances.random() < 0.6,
        "num_ln_in_parallel_attn": chances.choice([None, 1, 2]) if new else None,
        "max_position_embeddings": 1024, "ffn_hidden_size": chances.choice([48, 96]), "pad_token_id": 0,
        "rope_parameters": _rope(chances, "falcon", head_dim), "tie_word_embeddings": chances.random() < 0.5,
        "bos_token_id": 1, "eos_token_id": None,
    }  # fmt: skip


def _gemma4(chances: random.Random) -> Values:
    """Layers with heads of two sizes, of which the last ones read the keys of the last before them of their kind."""
    layers, kv_heads = chances.choice([2, 3, 4, 5, 6]), chances.choice([1, 2, 3])
    heads, kinds = kv_heads * chances.choice([1, 2, 4]), ["sliding_attention", "full_attention"]
    shared = chances.choice([0, *range(layers - 1)])
    types = [*chances.sample(kinds, 2), *chances.choices(kinds, k=layers - 2)][:layers]
    values: Values = {
        "vocab_size": VOCABULARY, "vocab_size_per_layer_input": VOCABULARY, "hidden_size": heads * 8,
        "intermediate_size": chances.choice([48, 96]), "num_hidden_layers": layers, "num_attention_heads": heads,
        "num_key_value_heads": kv_heads, "head_dim": chances.choice(_HEADS), "global_head_dim": chances.choice(_HEADS),
        "layer_types": types, "sliding_window": chances.choice([3, 17, 24, 64, 70, 500]),
        "num_kv_shared_layers": shared, "use_double_wide_mlp": chances.random() < 0.5,
        "hidden_size_per_layer_input": 8, "attention_k_eq_v": chances.random() < 0.3, "max_position_embeddings": 1024,
        "final_logit_softcapping": chances.choice([None, 20.0]), "attention_bias": chances.random() < 0.3,
        "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": None,
    }  # fmt: skip
    return values | ({"num_global_key_value_heads": kv_heads} if values["attention_k_eq_v"] else {})


_OWN_VALUES = {"bloom": _bloom, "falcon": _falcon, "gemma4_text": _gemma4}


def _rope(chances: random.Random, family: str, head_dim: int) -> Values:
    kinds = ["longrope"] if family in ("phi3", "phimoe") else ["linear", "dynamic", "yarn", "longrope", "llama3"]
    kind = chances.choice(["default", *kinds])
    rope: Values = {"rope_type": kind, "rope_theta": chances.choice([1e4, 5e5])}
    if kind == "default":
        return rope
    original = 256 if kind in ("dynamic", "longrope") else chances.choice([32, 256])  # past it these two are refused
    rope |= {"factor": 4.0, "original_max_position_embeddings": original}
    if kind == "longrope":
        rope |= {"short_factor": [1.0] * (head_dim // 2), "long_factor": [3.0] * (head_dim // 2)}
    if family == "phimoe":
        rope |= {"short_mscale": 1.0, "long_mscale": 1.2}
    if kind == "llama3":
        rope |= {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
    return rope


def _windows(chances: random.Random, family: str, layers: int) -> Values:
    if family not in _WINDOWED or chances.random() < 0.3:
        return {}
    values: Values = {"sliding_window": chances.choice([3, 17, 24, 64, 70, 500])}
    if family in ("qwen2", "qwen3", "qwen2_moe", "qwen3_moe"):
        values |= {"use_sliding_window": chances.random() < 0.8, "max_window_layers": chances.randrange(layers + 1)}
    if family in _TYPED and chances.random() < 0.5:
        values["layer_types"] = chances.choices(["full_attention", "sliding_attention"], k=layers)
    return values


def _own(chances: random.Random, family: str) -> Values:
    """What the family alone has."""
    experts = {"num_experts": 4, "num_local_experts": 4, "num_experts_per_tok": chances.choice([1, 2])}
    values: Values = {**experts, "moe_intermediate_size": 48} if family in _EXPERTS else {}
    if family == "gemma3_text":
        rope = {"rope_type": "default", "rope_theta": 1e4}
        values |= {"rope_parameters": {"full_attention": _rope(chances, family, 16) | {"rope_type": "default"}}}
        values["rope_parameters"]["sliding_attention"] = rope
    if family in ("gemma2", "gemma3_text"):
        values |= {"query_pre_attn_scalar": chances.choice([8, 16, 32])}
    if family == "gemma2":
        cap = chances.choice([None, 30.0])
        values |= {"attn_logit_softcapping": cap, "final_logit_softcapping": chances.choice([None, 20.0])}
    if family == "granite":
        names = ("attention_multiplier", "embedding_multiplier", "logits_scaling", "residual_multiplier")
        values |= {name: chances.choice([0.3, 1.0, 2.0]) for name in names}
    if family == "phimoe":
        values |= {"router_jitter_noise": 0.0, "lm_head_bias": chances.random() < 0.5}
    if family == "qwen2_moe":
        values |= {"shared_expert_intermediate_size": 48, "mlp_only_layers": chances.choice([[], [0]])}
    if family in ("llama", "granite", "qwen3", "olmo2"):
        values |= {"attention_bias": chances.random() < 0.5}
    return values
