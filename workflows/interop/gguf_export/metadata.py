"""What a GGUF file says of a model beside its tensors: the settings of its architecture.

The reader's table (checkpoint/gguf/architectures.py) says what it makes of them; the export reads its file again and
compares, so what is missing here is refused and not lost.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workflows.common.errors import BundleError, printable
from workflows.common.tensors import Array
from workflows.interop.gguf_export.writer import Entry

# transformers' model type → llama.cpp's architecture
WRITTEN = {
    "llama": "llama", "mistral": "llama", "qwen2": "qwen2", "qwen3": "qwen3", "gemma": "gemma", "gemma2": "gemma2",
    "gemma3_text": "gemma3",
}  # fmt: skip
ROPE_DIVISORS = "rope_freqs.weight"


def make_metadata(config: Any, architecture: str) -> dict[str, Entry]:
    """The settings of the model's `config` by llama.cpp's names. Raises BundleError for a rotation that it has not."""
    wide, local = _rotations(config)
    size = head_size(config)
    facts: dict[str, Entry] = {
        "block_count": config.num_hidden_layers,
        "context_length": config.max_position_embeddings,
        "embedding_length": config.hidden_size,
        "feed_forward_length": config.intermediate_size,
        "attention.head_count": config.num_attention_heads,
        "attention.head_count_kv": config.num_key_value_heads,
        "attention.layer_norm_rms_epsilon": float(config.rms_norm_eps),
        "attention.key_length": size,
        "attention.value_length": size,
        "rope.dimension_count": size,
        "rope.freq_base": float(wide["rope_theta"]),
        "vocab_size": config.vocab_size,
    }
    if local is not None:
        facts["rope.freq_base_swa"] = float(local["rope_theta"])
    if wide.get("rope_type", "default") == "linear":
        facts |= {"rope.scaling.type": "linear", "rope.scaling.factor": float(wide["factor"])}
    numbers = {"attn_logit_softcapping": "attn_logit_softcapping", "final_logit_softcapping": "final_logit_softcapping"}
    for key, ours in numbers.items():
        if architecture.startswith("gemma") and getattr(config, ours, None) is not None:
            facts[key] = float(getattr(config, ours))
    if architecture in ("gemma2", "gemma3"):
        facts["attention.sliding_window"] = config.sliding_window
    return {"general.architecture": architecture, **{f"{architecture}.{key}": one for key, one in facts.items()}}


def head_size(config: Any) -> int:
    """The numbers of a head."""
    return int(getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads)


def rope_divisors(config: Any) -> Array | None:
    """The divisor of each rotary frequency, [head/2] float32, of Llama 3.1's scaling; None for others."""
    wide, _ = _rotations(config)
    if wide.get("rope_type") != "llama3":
        return None
    low, high = wide["low_freq_factor"], wide["high_freq_factor"]
    waves = 2 * np.pi * wide["rope_theta"] ** (np.arange(0, head_size(config), 2) / head_size(config))
    smooth = np.clip((wide["original_max_position_embeddings"] / waves - low) / (high - low), 0.0, 1.0)
    divisors: Array = (1 / ((1 - smooth) / wide["factor"] + smooth)).astype(np.float32)
    return divisors


def _rotations(config: Any) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The rotation of layers that see everything, and that of windows where it differs."""
    rope = dict(config.rope_parameters)
    wide, local = rope.get("full_attention", rope), rope.get("sliding_attention")
    for one in (wide, local or {}):
        if one.get("rope_type", "default") not in ("default", "linear", "llama3"):
            raise BundleError(
                f"The bundle cannot be written as GGUF: its rotation is {printable(one['rope_type'], 40)}, and "
                "default, linear and llama3 are written."
            )
    return wide, local


def check_settings_read(config: Any, read: dict[str, Any]) -> None:
    """Raises BundleError for a setting that the written file gives back in another way. read: what it gives."""
    ours = config.to_dict()
    special = {"model_type", "architectures", "tie_word_embeddings", "hidden_activation"}
    special |= {name for name in read if name.endswith("_token_id")}
    for name, value in read.items():
        own = ours.get(name)
        if name in special or name not in ours or _is_equal(own, value):
            continue
        raise BundleError(
            f"The bundle cannot be written as GGUF: its setting {name} is {printable(own, 80)}, and the architecture "
            f"of the file has {printable(value, 80)}."
        )
    if "sliding_window" not in read and getattr(config, "sliding_window", None) and _uses_window(config):
        raise BundleError("The bundle cannot be written as GGUF: its sliding window has no place in this architecture.")


def _uses_window(config: Any) -> bool:
    return "sliding_attention" in (getattr(config, "layer_types", None) or ["sliding_attention"])


def _is_equal(own: Any, read: Any) -> bool:
    """Whether both are the same, numbers to the precision of float32, and settings as far as the file has them."""
    if isinstance(read, dict) and isinstance(own, dict):
        return all(
            _is_equal(own.get(name, "default" if name == "rope_type" else None), one) for name, one in read.items()
        )
    if isinstance(read, float) and isinstance(own, int | float):
        return bool(np.float32(own) == np.float32(read))
    return bool(own == read)
