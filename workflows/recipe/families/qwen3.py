"""Qwen3: decoder-only; rotary positions are applied to the keys, so they may be in any slots."""

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
