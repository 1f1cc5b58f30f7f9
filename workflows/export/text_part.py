"""The text part of a checkpoint of several parts, as a causal LM.

config of the whole ──text_part_of──▶ the class of the text part, and its config
stored tensors ──text_tensors──▶ those of the text part, by that class's names; the other parts' are left out

    model.language_model.layers.0.… ┐
    language_model.model.layers.0.… ┴▶ model.layers.0.…      where the embedding table's name shows the prefix
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass

import transformers
from transformers import PreTrainedConfig, PreTrainedModel

from workflows.checkpoint import Checkpoint
from workflows.checkpoint.weights import TensorInfo
from workflows.common.errors import CheckpointError, RecipeError, printable

_PART = "text_config"
_SCALES = re.compile("scal|cap|multiplier")  # names of what a head does with its logits


@dataclass(frozen=True)
class TextPart:
    """The class and the config of a text part."""

    model_class: type[PreTrainedModel]
    config: PreTrainedConfig


def text_part_of(config: PreTrainedConfig, task: str) -> TextPart | None:
    """The text part of a model of several parts; None for a model of one, or a task that needs the others.

    Raises RecipeError for a text part that transformers has no causal LM for, or none with the logits of the whole.
    """
    if task != "text-generation" or _PART not in config.sub_configs:
        return None
    text = config.get_text_config(decoder=True)
    known = transformers.MODEL_FOR_CAUSAL_LM_MAPPING
    classes = (known[kind] for kind in (type(text), type(config)) if kind in known)
    model_class = next((one for one in classes if one.config_class is type(text)), None)
    if model_class is None:
        raise RecipeError(
            f"The text part of this checkpoint is {printable(text.model_type)}, for which transformers has no causal "
            "LM, so it cannot be built alone."
        )
    _check_head(config, model_class, text)
    ties = getattr(config, "tie_word_embeddings", None)
    if ties is not None:  # the whole model ties by its own config
        text.tie_word_embeddings = ties
    return TextPart(model_class, text)


def _check_head(config: PreTrainedConfig, model_class: type[PreTrainedModel], text: PreTrainedConfig) -> None:
    """Raises RecipeError where the causal LM scales its logits by a number that the whole model does not use.

    Cohere's does, and the models that see with Cohere's text part do not.
    """
    whole = getattr(transformers, str((config.architectures or [""])[0]), None)
    if whole is None:
        return
    names = _names_in_forward(model_class) - _names_in_forward(whole)
    scale = next((one for one in sorted(names) if _SCALES.search(one) and getattr(text, one, None) is not None), None)
    if scale is not None and whole is not model_class and getattr(text, scale) != 1:
        raise RecipeError(
            f"{model_class.__name__} scales its logits ({printable(scale)} in config.json) and {whole.__name__} does "
            "not, so the text part of this checkpoint cannot be built alone."
        )


def _names_in_forward(model_class: type[PreTrainedModel]) -> set[str]:
    """The names of attributes that the class's forward reads."""
    return set(inspect.unwrap(model_class.forward).__code__.co_names)


def text_tensors(checkpoint: Checkpoint, skeleton: PreTrainedModel) -> dict[str, TensorInfo]:
    """The tensors of `checkpoint` that the text part has, by the names of `skeleton`.

    Raises CheckpointError where no stored table is named like the skeleton's embedding.
    """
    stored, names = checkpoint.tensors, [name for name, _ in skeleton.named_parameters()]
    body, table = _split(next(n for n, w in skeleton.named_parameters() if w is skeleton.get_input_embeddings().weight))
    within = [name.removeprefix(body) for name in names if name.startswith(body)]
    prefixes = [name.removesuffix(table) for name in stored if name == table or name.endswith(f".{table}")]
    if not prefixes:
        raise CheckpointError(
            f"{checkpoint.source} has no weight named {printable(table)}, so its text part was not recognized."
        )
    prefix = max(prefixes, key=lambda one: sum(one + name in stored for name in within))
    children = {name.split(".", 1)[0] for name in within}
    found = {
        body + rest: info
        for name, info in stored.items()
        if name.startswith(prefix) and (rest := name.removeprefix(prefix)).split(".", 1)[0] in children
    }
    outside = (name for name in names if not name.startswith(body))
    return found | {name: info for name in outside if (info := _beside(stored, prefix, name)) is not None}


def _split(name: str) -> tuple[str, str]:
    """`model.embed_tokens.weight` → `model.`, `embed_tokens.weight`."""
    parts = name.split(".")
    return "".join(f"{part}." for part in parts[:-2]), ".".join(parts[-2:])


def _beside(stored: Mapping[str, TensorInfo], prefix: str, name: str) -> TensorInfo | None:
    """The tensor `name` of a module around the one with this prefix, the innermost first."""
    parents = prefix.split(".")[:-1]
    around = ("".join(f"{part}." for part in parents[:count]) for count in range(len(parents), -1, -1))
    return next((stored[one + name] for one in around if one + name in stored), None)
