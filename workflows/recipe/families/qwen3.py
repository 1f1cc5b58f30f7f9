"""Qwen3: decoder-only, rotary positions that are baked into the keys, so that slots may be anywhere."""

from workflows.recipe.families.base import Family

QWEN3 = Family(
    name="qwen3",
    model_types=("qwen3",),
    tasks=("text-generation",),
    layouts=("static", "window", "gqa", "scatter"),
    refused={},
    passes=("strip_metadata",),
    config_names={
        "layers": "num_hidden_layers",
        "hidden_size": "hidden_size",
        "heads": "num_attention_heads",
        "kv_heads": "num_key_value_heads",
        "head_dim": "head_dim",
        "vocabulary": "vocab_size",
        "max_positions": "max_position_embeddings",
    },
)
