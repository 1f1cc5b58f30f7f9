"""Causal LMs whose attention in transformers is code of its own, which does not go through the attention interface.

And those whose attention does, but which count positions in another way.

    model of a type in ADAPTERS ──adapt_attention──▶ the same model: while a cache adapter is in use, its attention
                                                     passes queries, keys and values to the adapter; otherwise its own
                                                     code runs, with which the result is compared

routing.py replaces methods of single modules; alibi.py computes a bias. Each other module names where the models of one
family have their queries, keys, values, scale and bias.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from transformers import PreTrainedConfig, PreTrainedModel

from workflows.export.attention import ATTENTION_NAME
from workflows.export.own_attention import (
    bart,
    bert,
    bloom,
    doge,
    falcon,
    gptj,
    indexed,
    inkling,
    minimax,
    mpt,
    openai_gpt,
    padded_positions,
    recurrent_gemma,
    refusals,
    xlm,
    xlstm,
    zaya,
)
from workflows.recipe.family import PADDED_POSITIONS

ADAPTERS: Mapping[str, Callable[[PreTrainedModel], None]] = {
    "bloom": bloom.adapt,
    "cpmant": refusals.refuse_cpmant,
    "doge": doge.adapt,
    "falcon": falcon.adapt,
    "minimax": minimax.adapt,
    "mpt": mpt.adapt,
    "openai-gpt": openai_gpt.adapt,
    "prophetnet": refusals.refuse_prophetnet,
    "recurrent_gemma": recurrent_gemma.adapt,
    "xlm": xlm.adapt,
    "xlnet": refusals.refuse_xlnet,
    "xlstm": xlstm.adapt,
    "zaya": zaya.adapt,
    **dict.fromkeys(("big_bird", "megatron-bert", "rembert", "roformer"), bert.adapt),
    **dict.fromkeys(("codegen", "gpt_neo", "gpt_neox_japanese", "gptj"), gptj.adapt),
    **dict.fromkeys(("axk2", "deepseek_v32", "glm_moe_dsa", "hy_v4"), indexed.adapt),
    **dict.fromkeys(("inkling_text", "inkling2_text"), inkling.adapt),
    **dict.fromkeys(("mvp", "trocr", "xglm"), bart.adapt),
    **dict.fromkeys(PADDED_POSITIONS, padded_positions.adapt),
}
EAGER = "eager"


def has_own_attention(config: PreTrainedConfig) -> bool:
    """Whether models of `config` need adapt_attention; they are loaded with the implementation EAGER."""
    return config.model_type in ADAPTERS


def adapt_attention(model: PreTrainedModel) -> None:
    """Makes a model with own attention use the cache adapter, where one is in use.

    Raises RecipeError with the reason for a model that no cache fits.
    """
    ADAPTERS[model.config.model_type](model)
    set_attention(model, ATTENTION_NAME)


def set_attention(model: PreTrainedModel, name: str) -> None:
    """Sets the attention implementation `name`, which transformers refuses to change in models with own attention.

    There it selects the mask functions alone.
    """
    if has_own_attention(model.config):
        model.config._attn_implementation = name
    else:
        model.set_attn_implementation(name)


def reference_implementation(model: PreTrainedModel) -> str:
    """The implementation with which the model's own logits are computed: transformers' eager one where it is right."""
    return "sdpa" if falcon.uses_alibi(model.config) else EAGER
