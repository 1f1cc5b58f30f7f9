"""The metadata of a bundle that reads texts through one graph: the limit of a text, pooling, labels.

sentence_bert_config.json, else tokenizer_config.json and config.json; position table ──▶ TextLimits
id2label, problem_type ──▶ ClassificationSettings      modules.json … ──▶ EmbeddingSettings
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from workflows.bundle.text_tasks import ClassificationSettings, EmbeddingSettings, PairTemplate, TextLimits
from workflows.checkpoint import Checkpoint
from workflows.checkpoint.configuration import read_optional
from workflows.checkpoint.sentence_transformers import (
    MODEL,
    EmbeddingFiles,
    RerankerFiles,
    read_embedding,
    read_reranker,
)
from workflows.common.errors import CheckpointError, printable
from workflows.recipe import Recipe, family_for
from workflows.recipe.family import CONFIG_NAMES, UNLIMITED, fixed_positions

_LONGEST = 1 << 24  # above it a tokenizer's model_max_length means no limit
# Their positions begin after that of padding, so the table has as many rows that no token uses.
_PADDED_POSITIONS = ("roberta", "xlm-roberta", "camembert", "mpnet")
_POSITION_TABLES = (["position_embeddings"], ["wpe"], ["embed_positions"])  # their modules in transformers
_ACTIVATIONS: dict[str, Literal["sigmoid", "identity"]] = {
    "torch.nn.modules.activation.Sigmoid": "sigmoid",
    "torch.nn.modules.linear.Identity": "identity",
}


def text_metadata(checkpoint: Checkpoint, recipe: Recipe) -> dict[str, Any]:
    """The fields of Metadata for a graph that reads tokens; empty for another one. Raises CheckpointError."""
    if family_for(recipe.model_type, recipe.task).reads != "tokens":
        return {}
    embedding = embedding_of(checkpoint, recipe)
    lowercase = embedding.lowercase if embedding else False
    reranker = read_reranker(checkpoint.root) if recipe.task == "text-classification" else None
    texts = TextLimits(tokens=_token_limit(checkpoint, embedding or reranker), lowercase=lowercase)
    return {
        "vocabulary": _vocabulary(checkpoint),
        "texts": texts,
        "embedding": _embedding_settings(embedding) if embedding else None,
        "classification": classification_of(checkpoint, recipe, reranker),
    }


def _vocabulary(checkpoint: Checkpoint) -> int | None:
    """The rows of the embedding, which may be fewer than the tokenizer's tokens; None where the config states none."""
    rows = checkpoint.config.get("vocab_size")
    return rows if type(rows) is int and rows > 0 else None


def embedding_of(checkpoint: Checkpoint, recipe: Recipe) -> EmbeddingFiles | None:
    """What the checkpoint's files state of vectors; None where the recipe's task makes none."""
    serves = recipe.task == "feature-extraction" and family_for(recipe.model_type, recipe.task).reads == "tokens"
    return read_embedding(checkpoint.root) if serves and checkpoint.embeds else None


def _embedding_settings(files: EmbeddingFiles) -> EmbeddingSettings:
    steps = [
        {"kind": "normalize"} if step is None else {"kind": "dense", **vars(step), "file": dense_file(number)}
        for number, step in enumerate(files.steps)
    ]
    stated = ("pooling", "include_prompt", "prompts", "default_prompt", "similarity")
    return EmbeddingSettings.model_validate({"steps": steps, **{name: getattr(files, name) for name in stated}})


def dense_file(number: int) -> str:
    """The bundle's file of the layer that is the step `number` after the pooling."""
    return f"dense/{number}.data"


def _token_limit(checkpoint: Checkpoint, files: EmbeddingFiles | RerankerFiles | None) -> int | None:
    """The most tokens of a text, in the order of sentence-transformers 6.2: its own limit counts alone.

    Without one it is the tokenizer's or the config's, whichever is less. No limit is beyond a table of positions,
    where sentence-transformers fails, or where angles change with the length; plain rotary and relative positions have
    no such end.
    """
    own = files.max_tokens if files else None
    limits: list[int | None] = [own] if own is not None else [_tokenizer_limit(checkpoint), _positions(checkpoint)]
    if _has_position_table(checkpoint):
        limits.append(_positions(checkpoint))
    if (fixed := fixed_positions(checkpoint.config)) < UNLIMITED:
        limits.append(fixed)
    return min((limit for limit in limits if limit is not None), default=None)


def _has_position_table(checkpoint: Checkpoint) -> bool:
    return any(name.split(".")[-2:-1] in _POSITION_TABLES for name in checkpoint.tensors)


def _positions(checkpoint: Checkpoint) -> int | None:
    """The tokens that the model has positions for; None where its config states no number."""
    stated = (checkpoint.config.get(name) for name in CONFIG_NAMES["max_positions"])
    limit = next((number for number in stated if number is not None), None)
    if isinstance(limit, bool) or not isinstance(limit, int) or limit <= 0:
        return None
    if checkpoint.model_type in _PADDED_POSITIONS:
        padding = 1 if checkpoint.model_type == "mpnet" else checkpoint.config.get("pad_token_id", 1)
        limit -= (padding if isinstance(padding, int) else 1) + 1
    return max(limit, 1)


def _tokenizer_limit(checkpoint: Checkpoint) -> int | None:
    limit = read_optional(checkpoint.folder, "tokenizer_config.json").get("model_max_length")
    return int(limit) if isinstance(limit, int | float) and 0 < limit < _LONGEST else None


def classification_of(
    checkpoint: Checkpoint, recipe: Recipe, files: RerankerFiles | None = None
) -> ClassificationSettings | None:
    """The labels of a recipe that gives labels, and what logits mean; None for another task. files: of a reranker."""
    if recipe.task not in ("text-classification", "token-classification", "image-classification"):
        return None
    labels = ["score"] if files and files.tokens else _labels(checkpoint.config)
    kind = checkpoint.config.get("problem_type")
    several = kind == "multi_label_classification" or len(labels) == 1
    activation: Literal["softmax", "sigmoid", "identity"] = "sigmoid" if several else "softmax"
    if recipe.task == "token-classification":
        activation = "softmax"
    elif kind == "regression":
        activation = "identity"
    return ClassificationSettings(
        labels=labels,
        activation=activation,
        score=_score(checkpoint),
        template=_template(files),
        prompts=dict(files.prompts) if files else {},
        default_prompt=files.default_prompt if files else None,
    )


def _template(files: RerankerFiles | None) -> PairTemplate | None:
    if files is None or files.turns is None:
        return None
    return PairTemplate(parts=files.turns == "parts", begins_reply=files.begins_reply)


def _labels(config: Mapping[str, object]) -> list[str]:
    """The labels in the order of the logits: id2label, else LABEL_0 …; transformers makes two where nothing is said."""
    named = config.get("id2label")
    if not isinstance(named, dict) or not named:
        count = config.get("num_labels")
        return [f"LABEL_{place}" for place in range(count if isinstance(count, int) and 0 < count < 1 << 20 else 2)]
    if {str(place) for place in range(len(named))} != {*named} or not all(
        isinstance(one, str) for one in named.values()
    ):
        raise CheckpointError("config.json has an id2label that does not name the labels from 0 on: correct the file.")
    return [named[str(place)] for place in range(len(named))]


def _score(checkpoint: Checkpoint) -> Literal["sigmoid", "identity"]:
    """What a cross-encoder makes of its one logit. Raises CheckpointError for another function than it can have."""
    own = checkpoint.config.get("sentence_transformers")
    stated = read_optional(checkpoint.root, MODEL).get("activation_fn")
    stated = stated or (own.get("activation_fn") if isinstance(own, dict) else None)
    stated = stated or checkpoint.config.get("sbert_ce_default_activation_function") or next(iter(_ACTIVATIONS))
    if not isinstance(stated, str) or stated not in _ACTIVATIONS:
        raise CheckpointError(
            f"The checkpoint's activation_fn is {printable(stated)}, which Joinery does not compute: it may be "
            f"{' or '.join(_ACTIVATIONS)}."
        )
    return _ACTIVATIONS[stated]
