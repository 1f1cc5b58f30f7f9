"""Qwen3: decoder-only, rotary positions that are baked into the keys, so that slots may be anywhere."""

from workflows.recipe.families.base import DECODER_PASSES, Family

QWEN3 = Family(
    name="qwen3",
    model_types=("qwen3",),
    tasks=("text-generation",),
    layouts=("static", "window", "gqa", "scatter"),
    refused={},
    variants=("transformer-only",),
    passes=DECODER_PASSES,
    covers="qwen3",
)
