"""Small seeded checkpoints of many architectures, sharp enough that greedy choices are no coin tosses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

VOCABULARY = 211
_COMMON: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 1024,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": None,
}
_GPT: dict[str, Any] = {"n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 1024}
_EXPERTS: dict[str, Any] = {
    "num_experts": 4,
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 48,
}
_MIXED: dict[str, Any] = {"sliding_window": 24, "layer_types": ["sliding_attention", "full_attention"]}

# model_type → what its config needs beyond the common; windows of 24 are shorter than most prompts
DECODERS: dict[str, dict[str, Any]] = {
    "llama": {},
    "qwen2": {},
    "mistral": {"sliding_window": 24, "head_dim": 16},
    "gemma3_text": {"head_dim": 16, **_MIXED},
    "phi3": {},
    "smollm3": {"no_rope_layers": [1, 0]},
    "gpt2": _GPT,
    "gemma2": {"head_dim": 16, "sliding_window": 24},
    "gemma": {"head_dim": 16},
    "qwen3": {"head_dim": 24},
    "phi": {},
    "gpt_neox": {},
    "opt": {"ffn_dim": 96, "word_embed_proj_dim": 64},
    "olmo2": {},
    "granite": {"attention_multiplier": 0.2},
    "starcoder2": {"sliding_window": 24},
    "stablelm": {},
    "cohere2": _MIXED,
    "gpt_bigcode": _GPT,
    "glm4": {"head_dim": 16},
    "nemotron": {},
    "ministral": {"sliding_window": 24, "head_dim": 16},
    "exaone4": _MIXED,
    "olmo": {},
    "olmo3": _MIXED,
    "cohere": {},
    "glm": {"head_dim": 16},
    "biogpt": {},
    "helium": {"head_dim": 16},
    "seed_oss": {"head_dim": 16},
    "arcee": {},
    "apertus": {},
    "persimmon": {},
    "ernie4_5": {"head_dim": 16},
    "hunyuan_v1_dense": {"head_dim": 16},
    "mixtral": _EXPERTS,
    "olmoe": _EXPERTS,
    "qwen2_moe": {**_EXPERTS, "shared_expert_intermediate_size": 48},
    "qwen3_moe": {**_EXPERTS, "head_dim": 16},
}

_MAMBA: dict[str, Any] = {"mamba_n_heads": 8, "mamba_d_state": 12, "mamba_n_groups": 2, "mamba_chunk_size": 16}
# model_type → the same for models with layers that keep state of fixed size, alone or beside keys and values
STATE_DECODERS: dict[str, dict[str, Any]] = {
    "lfm2": {"layer_types": ["conv", "full_attention"]},
    "qwen3_5_text": {
        "head_dim": 16, "layer_types": ["linear_attention", "full_attention"], "linear_num_key_heads": 2,
        "linear_num_value_heads": 4, "linear_key_head_dim": 10, "linear_value_head_dim": 12,
    },
    "olmo_hybrid": {
        "layer_types": ["linear_attention", "full_attention"], "linear_num_key_heads": 4, "linear_num_value_heads": 4,
        "linear_key_head_dim": 10, "linear_value_head_dim": 12,
    },
    "mamba": {"state_size": 12, "time_step_rank": 8},
    "falcon_h1": {"mamba_d_head": 16, "mamba_d_ssm": 128, **_MAMBA},
    "granitemoehybrid": {
        "layer_types": ["linear_attention", "full_attention"], "mamba_d_head": 16, "num_local_experts": 0,
        "num_experts_per_tok": 0, "shared_intermediate_size": 48, **_MAMBA,
    },
}  # fmt: skip

_BART: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "d_model": 64,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 96,
    "decoder_ffn_dim": 96,
    "max_position_embeddings": 300,
    "pad_token_id": 0,
    "eos_token_id": 2,
    "forced_bos_token_id": None,
    "forced_eos_token_id": None,
}
_T5: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "d_model": 64,
    "d_kv": 16,
    "d_ff": 96,
    "num_layers": 2,
    "num_heads": 4,
    "decoder_start_token_id": 0,
}
# reads two seconds of sound
WHISPER: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "num_mel_bins": 80,
    "d_model": 64,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 96,
    "decoder_ffn_dim": 96,
    "max_source_positions": 100,
    "max_target_positions": 140,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 3,
}
# name → (model_type, config)
ENCODER_DECODERS: dict[str, tuple[str, dict[str, Any]]] = {
    "t5": ("t5", _T5),
    "t5 gated": (
        "t5",
        {**_T5, "num_decoder_layers": 3, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False},
    ),
    "bart": ("bart", {**_BART, "decoder_start_token_id": 2}),
    "marian": ("marian", {**_BART, "decoder_start_token_id": 0}),
}
# of fewer tokens than the prompts of other tests have
SMALL_VOCABULARY: dict[str, tuple[str, dict[str, Any]]] = {
    "m2m_100": ("m2m_100", {**_BART, "vocab_size": 64, "init_std": 0.3, "decoder_start_token_id": 2}),
}


def save_decoder(model_type: str, folder: Path, **changes: Any) -> Path:
    """A causal LM of `model_type`."""
    from transformers import AutoModelForCausalLM

    return _save(
        AutoModelForCausalLM, model_type, _COMMON | (DECODERS | STATE_DECODERS).get(model_type, {}) | changes, folder
    )


def save_encoder_decoder(name: str, folder: Path) -> Path:
    """One of ENCODER_DECODERS or SMALL_VOCABULARY."""
    from transformers import AutoModelForSeq2SeqLM

    return _save(AutoModelForSeq2SeqLM, *(ENCODER_DECODERS | SMALL_VOCABULARY)[name], folder)


def save_whisper(folder: Path, **changes: Any) -> Path:
    """A speech model; `changes` to WHISPER."""
    from transformers import AutoModelForSpeechSeq2Seq

    return _save(AutoModelForSpeechSeq2Seq, "whisper", WHISPER | changes, folder)


def save_smolvlm(folder: Path, image_token_id: int, patch: int = 8, side: int = 4, **changes: Any) -> Path:
    """A model that reads tiles of `side` × `side` patches; `changes` to its text part."""
    from transformers import AutoModelForImageTextToText

    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = {
        "text_config": {**_COMMON, "model_type": "llama", **changes},
        "vision_config": {**sizes, "image_size": side * patch, "patch_size": patch},
        "scale_factor": 2,
        "image_token_id": image_token_id,
        "pad_token_id": 0,
        "tie_word_embeddings": False,
    }
    return _save(AutoModelForImageTextToText, "smolvlm", config, folder)


_QWEN_VISION: dict[str, Any] = {"patch_size": 4, "spatial_merge_size": 2, "temporal_patch_size": 2, "num_heads": 2}
_DEEPSTACK: dict[str, Any] = {
    "depth": 4, "hidden_size": 32, "intermediate_size": 64, "out_hidden_size": 64, "num_position_embeddings": 49,
    "deepstack_visual_indexes": [0, 2],
}  # fmt: skip
_GLM: dict[str, Any] = {"depth": 2, "hidden_size": 32, "intermediate_size": 48, "out_hidden_size": 64, "image_size": 20}
# model_type → (what its text part, and what its vision encoder needs beyond the common)
QWEN_VL: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "qwen2_vl": ({}, {"depth": 2, "embed_dim": 32, "hidden_size": 64, "mlp_ratio": 2}),
    "qwen2_5_vl": ({}, {"depth": 3, "hidden_size": 32, "intermediate_size": 64, "window_size": 16,
                        "out_hidden_size": 64, "fullatt_block_indexes": [1]}),
    "qwen3_vl": ({"head_dim": 24, "num_hidden_layers": 3}, _DEEPSTACK),
    "qwen3_vl_moe": ({"head_dim": 16, "num_hidden_layers": 3, **_EXPERTS}, _DEEPSTACK),
    "qwen3_5": (STATE_DECODERS["qwen3_5_text"], {"depth": 2, "hidden_size": 32, "intermediate_size": 64,
                                                 "out_hidden_size": 64, "num_position_embeddings": 49}),
    "glm4v": ({}, _GLM),
    "glm_ocr": ({"head_dim": 16}, _GLM),
}  # fmt: skip


def save_qwen_vl(model_type: str, folder: Path, image_token_id: int) -> Path:
    """One of QWEN_VL: patches of 4 pixels, two by two of which are merged; windows of two such squares."""
    from transformers import AutoModelForImageTextToText

    text, vision = QWEN_VL[model_type]
    text = {**_COMMON, **text}
    half = text.get("head_dim", 16) // 2
    rope = {"rope_type": "default", "mrope_section": [half - 2 * (half // 3), half // 3, half // 3]}
    config = {
        "text_config": {**text, "rope_parameters": {**rope, "rope_theta": 10000.0}},
        "vision_config": {**_QWEN_VISION, **vision},
        "image_token_id": image_token_id,
        "vision_start_token_id": 204,
        "vision_end_token_id": 205,
        "video_token_id": 206,
        "tie_word_embeddings": False,
    }
    return _save(AutoModelForImageTextToText, model_type, config, folder)


_PATCHES: dict[str, Any] = {
    "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 3, "num_attention_heads": 2, "image_size": 32,
    "patch_size": 8,
}  # fmt: skip
_CLIP: dict[str, Any] = {**_PATCHES, "model_type": "clip_vision_model", "projection_dim": 32}
_RESOLUTIONS = [[32, 64], [64, 32], [64, 64], [32, 96], [96, 96]]
_POOLED: dict[str, Any] = {
    **_PATCHES, "num_key_value_heads": 2, "head_dim": 16, "pooling_kernel_size": 2, "position_embedding_size": 200,
}  # fmt: skip
_OTHER_TOKENS = {"video_token_id": 206, "audio_token_id": 207}
# model_type → its text part, and what its config needs beside that: `text` is of it; model_type, where it is another
WITH_TILES: dict[str, tuple[str, dict[str, Any]]] = {
    "llava": ("llama", {"vision_config": _CLIP}),
    "vipllava": ("llama", {"vision_config": _CLIP, "vision_feature_layers": [-2, -1, 1]}),
    "gemma3": (
        "gemma3_text",
        {"vision_config": {**_PATCHES, "model_type": "siglip_vision_model"}, "mm_tokens_per_image": 16},
    ),
    "llava_next": ("llama", {"vision_config": _CLIP, "image_grid_pinpoints": _RESOLUTIONS}),
    "llava_onevision": (
        "qwen2",
        {
            "vision_config": {**_PATCHES, "model_type": "siglip_vision_model"},
            "image_grid_pinpoints": _RESOLUTIONS,
            "vision_aspect_ratio": "anyres_max_2",
            "video_token_id": 206,
        },
    ),
    "mistral3": (
        "mistral",
        {
            "vision_config": {**_PATCHES, "model_type": "pixtral", "image_size": 96, "head_dim": 16},
            "spatial_merge_size": 2,
            "vision_feature_layer": -1,
        },
    ),
    "internvl": ("qwen2", {"vision_config": {**_PATCHES, "image_size": [32, 32], "patch_size": [8, 8]}}),
    "aya_vision": (
        "cohere2",
        {
            "vision_config": {**_PATCHES, "model_type": "siglip_vision_model", "vision_use_head": False},
            "vision_feature_layer": -2,
        },
    ),
    "gemma4": (
        "gemma4_text",
        {
            "text": {
                "head_dim": 16,
                "global_head_dim": 24,
                "hidden_size_per_layer_input": 8,
                **_MIXED,
                "vocab_size_per_layer_input": VOCABULARY,
                "num_hidden_layers": 4,
                "num_kv_shared_layers": 2,
                "layer_types": _MIXED["layer_types"] * 2,
            },
            "vision_config": {**_POOLED, "use_clipped_linears": True},
            **_OTHER_TOKENS,
        },
    ),
    "gemma4 windows": (
        "gemma4_text",
        {
            "model_type": "gemma4",
            "text": {
                "head_dim": 16,
                "global_head_dim": 24,
                "hidden_size_per_layer_input": 0,
                **_MIXED,
                "use_bidirectional_attention": "vision",
            },
            "vision_config": {**_POOLED, "standardize": True},
            **_OTHER_TOKENS,
        },
    ),
    "paligemma": (
        "gemma2",
        {
            "vision_config": {**_PATCHES, "model_type": "siglip_vision_model", "vision_use_head": False},
            "projection_dim": 64,
        },
    ),
    "pixtral": (
        "mistral",
        {
            "model_type": "llava",
            "vision_config": {**_PATCHES, "model_type": "pixtral", "image_size": 96, "head_dim": 16},
            "vision_feature_layer": -1,
            "vision_feature_select_strategy": "full",
        },
    ),
}


def save_with_tiles(model_type: str, folder: Path, image_token_id: int, **changes: Any) -> Path:
    """One of WITH_TILES: it reads pictures or tiles of 32 pixels; `changes` to its config."""
    from transformers import AutoModelForImageTextToText

    text, config = WITH_TILES[model_type]
    config = {
        "text_config": {**_COMMON, **DECODERS.get(text, {}), **config.get("text", {}), "model_type": text},
        "image_token_id": image_token_id,
        "tie_word_embeddings": False,
        **{name: value for name, value in config.items() if name != "text"},
        **changes,
    }
    return _save(AutoModelForImageTextToText, config.pop("model_type", model_type), config, folder)


_SOUND: dict[str, Any] = {"num_mel_bins": 80, "max_source_positions": 100, "activation_function": "gelu"}
# model_type → its sound encoder, which reads two seconds
WITH_SOUND: dict[str, dict[str, Any]] = {
    "qwen2_audio": {"d_model": 32, "encoder_layers": 2, "encoder_attention_heads": 2, "encoder_ffn_dim": 64},
    "audioflamingo3": {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64},
    "glmasr": {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128,
               "max_position_embeddings": 100},
    "voxtral": {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128},
}  # fmt: skip


def save_with_sound(model_type: str, folder: Path, audio_token_id: int, **changes: Any) -> Path:
    """One of WITH_SOUND: it reads text and recordings; `changes` to its text part."""
    from transformers import AutoModelForSeq2SeqLM

    config = {
        "text_config": {**_COMMON, "model_type": "qwen2", **changes},
        "audio_config": {**_SOUND, **WITH_SOUND[model_type], "model_type": f"{model_type}_encoder"},
        "audio_token_id": audio_token_id,
        "tie_word_embeddings": False,
    }
    return _save(AutoModelForSeq2SeqLM, model_type, config, folder)


def _save(auto: Any, model_type: str, config: dict[str, Any], folder: Path) -> Path:
    import torch
    from transformers import AutoConfig

    torch.manual_seed(0)
    model = auto.from_config(AutoConfig.for_model(model_type, **config)).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim == 2 and "embed_positions" not in name and "position_embedding" not in name:
                parameter.normal_(0, 1.5 / parameter.shape[1] ** 0.5)
        for name, buffer in model.named_buffers():
            if name.endswith(("put_min", "put_max")):  # bounds of Gemma 4's linear layers, infinite at first
                buffer.fill_(-2 if name.endswith("min") else 3)
    model.save_pretrained(folder)
    return folder


@cache
def _eager(folder: Path, kind: str) -> Any:
    import torch
    import transformers

    return getattr(transformers, kind).from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()


def greedy(folder: Path, prompt: list[int], count: int) -> list[int]:
    """The oracle: eager PyTorch, the model's own masks, the whole sequence computed anew at each step."""
    import torch

    model, ids = _eager(folder, "AutoModelForCausalLM"), list(prompt)
    for _ in range(count):
        with torch.no_grad():
            ids.append(int(model(torch.tensor([ids]), use_cache=False).logits[0, -1].argmax()))
    return ids[len(prompt) :]


def greedy_in_window(folder: Path, prompt: list[int], count: int, window: int) -> list[int]:
    """The oracle of a cache that forgets: the same, but each token sees `window` back at most, itself included."""
    import torch

    model, ids = _eager(folder, "AutoModelForCausalLM"), list(prompt)
    own = getattr(model.config, "sliding_window", None) or window
    kinds = set(getattr(model.config, "layer_types", None) or [])
    for _ in range(count):
        full, sliding = _banded(len(ids), window), _banded(len(ids), min(window, own))
        mask = {"full_attention": full, "sliding_attention": sliding} if len(kinds) > 1 else sliding
        with torch.no_grad():
            logits = model(torch.tensor([ids]), attention_mask=mask, use_cache=False).logits
        ids.append(int(logits[0, -1].argmax()))
    return ids[len(prompt) :]


def _banded(length: int, window: int) -> Any:
    """[1, 1, length, length], additive."""
    import torch

    back = torch.arange(length)[:, None] - torch.arange(length)
    return torch.where((back >= 0) & (back < window), 0.0, torch.finfo(torch.float32).min)[None, None]


def greedy_from_source(folder: Path, source: list[int], count: int, prefix: Sequence[int] = ()) -> list[int]:
    """The oracle of an encoder-decoder model: the same, from the decoder's start token and `prefix`."""
    import torch

    model = _eager(folder, "AutoModelForSeq2SeqLM")
    ids = [model.config.decoder_start_token_id, *prefix]
    for _ in range(count):
        with torch.no_grad():
            output = model(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([ids]), use_cache=False)
        ids.append(int(output.logits[0, -1].argmax()))
    return ids[1 + len(prefix) :]
