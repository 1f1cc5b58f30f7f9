"""Models with own attention that no cache of keys and values fits, each with the reason."""

from __future__ import annotations

from transformers import PreTrainedModel

from workflows.common.errors import RecipeError
from workflows.export.attention import LATER_TOKENS


def refuse_cpmant(model: PreTrainedModel) -> None:
    """The whole text is context of each token. Raises RecipeError."""
    raise RecipeError(LATER_TOKENS)


def refuse_prophetnet(model: PreTrainedModel) -> None:
    """Raises RecipeError: two streams share the keys of one."""
    raise RecipeError(
        "This model computes its logits in a second stream of hidden states, which attends to the keys of the first, "
        "and no cache layout supports that: it cannot be built."
    )


def refuse_xlnet(model: PreTrainedModel) -> None:
    """It is trained on permutations, and without one its tokens attend to all others. Raises RecipeError."""
    if model.config.attn_type == "bi":
        raise RecipeError(LATER_TOKENS)
    raise RecipeError(
        "This model adds a learned position to each key when a token attends to it, which no cache layout supports: "
        "it cannot be built."
    )
