"""Decoder-only: any causal LM of transformers that uses transformers' attention interface and takes a cache.

Positions are inputs and the mask determines what each token attends to, so keys may be in any slots. The properties of
a layer are detected when the model runs (export/attention.py), not read from its config.
"""

from workflows.recipe.families.base import DECODER_PASSES, Family


def _is_causal_lm(model_type: str, task: str | None) -> bool:
    """Whether transformers has a causal LM of that type. For an encoder-decoder type it is the decoder alone, and is
    built only where the task is given.
    """
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
