"""Decoder-only: any causal LM of transformers that calls its attention through transformers' table and takes a cache.

Positions are given to the model with each token, and the mask says who sees whom, so the slots of its keys may be
anywhere; what a layer needs is seen when the model runs (export/attention.py), not read from its config.
"""

from workflows.recipe.families.base import DECODER_PASSES, Family


def _is_causal_lm(model_type: str, task: str | None) -> bool:
    """Whether transformers has a causal LM of that type; of an encoder-decoder it is a model of its own, the decoder
    alone, and meant only where the task says so."""
    from transformers.models.auto import modeling_auto as known

    both = {**known.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES, **known.MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES}
    return model_type in known.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and (task is not None or model_type not in both)


DECODER = Family(
    name="decoder-only",
    model_types=(),
    tasks=("text-generation",),
    layouts=("static", "window", "gqa", "scatter"),
    refused={},
    variants=("transformer-only",),
    passes=DECODER_PASSES,
    covers="any causal LM with a cache: llama, qwen2, mistral, gemma3, phi3, smollm3, gpt2 …",
    serves=_is_causal_lm,
)
