"""Determines the tasks for which a checkpoint can be built, from its files.

    architectures, is_encoder_decoder ──▶ heads ──family's tasks──▶ the tasks of that head, or a refusal by name

No part of a model is dropped silently: a task without a use for some weights is refused.
"""

from __future__ import annotations

from collections.abc import Iterable

from workflows.checkpoint import Checkpoint
from workflows.checkpoint.sentence_transformers import read_embedding
from workflows.common.errors import RecipeError, printable
from workflows.recipe.families import FAMILIES, family_for, tasks_of
from workflows.recipe.family import Family, keeps_state

_TEXT, _FEATURES, _SEQUENCE = "text-generation", "feature-extraction", "sequence-to-sequence"
_LABELS = "text-classification"
# Suffix of a transformers class name → the task of that head; the first match counts.
TASKS_BY_HEAD = {
    "ForMaskedLM": "fill-mask",
    "ForPreTraining": "fill-mask",
    "ForSequenceClassification": "text-classification",
    "ForTokenClassification": "token-classification",
    "ForImageClassification": "image-classification",
    "ForImageClassificationWithTeacher": "image-classification",
    "ForDepthEstimation": "depth-estimation",
    "ForConditionalGeneration": _SEQUENCE,
    "T5WithLMHeadModel": _SEQUENCE,
    "MTModel": _SEQUENCE,
    "ForCausalLM": _TEXT,
    "LMHeadModel": _TEXT,
    "ModelWithLMHead": _TEXT,
    "GenerationDecoder": _TEXT,
    "Model": _FEATURES,
}
_SEQUENCE_TASKS = {"translation", "summarization", "text2text-generation", "automatic-speech-recognition",
                   "image-text-to-text", "audio-text-to-text"}  # fmt: skip
_OTHER_MODALITIES = ("vision_config", "audio_config", "vq_config")


def tasks_for(checkpoint: Checkpoint) -> tuple[str, ...]:
    """The tasks for which `checkpoint` can be built, the default first. Raises RecipeError where there is none."""
    names, model_type = checkpoint.architectures, checkpoint.model_type
    heads = _heads(checkpoint)
    tasks = tasks_of(model_type)
    if heads == {_TEXT} and _TEXT not in tasks:
        tasks = family_for(model_type, _TEXT).tasks
    family = family_for(model_type, tasks[0])
    if family.remote_code:  # the checkpoint defines its own class names
        return tasks
    alone = is_text_part(checkpoint, _TEXT)
    if alone and not family.has_features:
        raise _several_parts_error(checkpoint)
    _refuse_other_modalities(checkpoint, family)
    if checkpoint.embeds:
        _check_embedder(checkpoint, tasks)
    _refuse_mismatched_family(checkpoint, family)
    tasks = tuple(task for task in tasks if not _keeps_state(checkpoint, task))
    fitting = tuple(task for task in tasks if _fits(heads, task))
    if not fitting:
        raise RecipeError(
            f"The checkpoint is {_named(names)}, which Joinery cannot build: of {model_type} it builds models for "
            f"{', '.join(tasks)}, and this one has another head."
        )
    return (*fitting, _TEXT) if alone else fitting


def choosable_tasks(checkpoint: Checkpoint) -> tuple[str, ...]:
    """As tasks_for, for a form that offers them.

    Of a model of several parts that is not built as a whole, the task of its text part. A decoder that generates is not
    offered as a source of hidden states, which few want: --task asks for them.
    """
    try:
        tasks = tasks_for(checkpoint)
        return tasks[:1] if tasks[0] == _TEXT and task_of(checkpoint) == _TEXT else tasks
    except RecipeError:
        if not is_text_part(checkpoint, _TEXT):
            raise
        check_task(checkpoint, _TEXT)
        return (_TEXT,)


def task_of(checkpoint: Checkpoint) -> str:
    """The task of `checkpoint`. Raises RecipeError that lists the choices where its files do not determine it.

    sentence-transformers' embedders give features and its rerankers scores, whatever head they have. A
    sequence-to-sequence model may serve several: `task_specific_params` decides where it names exactly one, else the
    family's first.
    """
    tasks = tuple(task for task in tasks_for(checkpoint) if not is_text_part(checkpoint, task))
    if checkpoint.embeds and _FEATURES in tasks:
        return _FEATURES
    if checkpoint.scored_tokens and _LABELS in tasks:
        return _LABELS
    if len(tasks) == 1 and tasks != (_FEATURES,):
        return tasks[0]
    if tasks[:1] == (_TEXT,) and set(map(_task_of_head, checkpoint.architectures)) <= {_FEATURES}:
        return _TEXT  # a decoder without a head, which is the embedding
    if set(tasks) <= _SEQUENCE_TASKS:
        named = _named_tasks(checkpoint, tasks)
        return named[0] if len(named) == 1 else tasks[0]
    names = checkpoint.architectures
    tasks_of_heads = {
        task for name in names if (task := _task_of_head(name)) in tasks
    }  # features of a model with a head must be requested explicitly
    if len(tasks_of_heads) == 1:
        return str(tasks_of_heads.pop())
    what = "config.json names no architecture"
    if names:
        several = "architectures {} tell no one" if len(names) > 1 else "architecture {} tells no"
        what = f"The {several.format(printable(', '.join(names)))} task"
    raise RecipeError(
        f"{what} that {checkpoint.model_type} can be built for: choose one with --task: {', '.join(tasks)}."
    )


def check_task(checkpoint: Checkpoint, task: str) -> None:
    """Raises RecipeError where the checkpoint's architecture does not serve the chosen `task`."""
    family = family_for(checkpoint.model_type, task)
    if family.remote_code:
        return
    alone = is_text_part(checkpoint, task)
    if not alone:
        _refuse_other_modalities(checkpoint, family)
    if checkpoint.embeds and task == _FEATURES:
        _check_embedder(checkpoint, (task,))
    if _keeps_state(checkpoint, task):
        raise RecipeError(
            f"The checkpoint is a {checkpoint.model_type}, whose layers keep state of fixed size: Joinery builds such "
            f"a model for {_TEXT} alone."
        )
    heads = _heads(checkpoint)
    if not (alone or _fits(heads, task)):
        raise RecipeError(
            f"The checkpoint is {_named(checkpoint.architectures)}, which has no head for {task}: "
            f"{_alternatives(checkpoint)}."
        )
    _refuse_mismatched_family(checkpoint, family)


def _check_embedder(checkpoint: Checkpoint, tasks: Iterable[str]) -> None:
    """Raises RecipeError for an embedder that reads no texts, CheckpointError for modules that are refused."""
    if _FEATURES in tasks and family_for(checkpoint.model_type, _FEATURES).reads == "tokens":
        read_embedding(checkpoint.root)
        return
    known = next(one for one in FAMILIES.families if one.reads == "tokens")
    raise RecipeError(
        f"The checkpoint makes vectors of texts (modules.json of sentence-transformers) with {checkpoint.model_type}: "
        f"Joinery builds embedders of {', '.join(known.model_types)}, and of decoders of text alone."
    )


def _keeps_state(checkpoint: Checkpoint, task: str) -> bool:
    """Whether it is a decoder with recurrent layers, and the task's graph has no cache that could keep their state."""
    family = family_for(checkpoint.model_type, task)
    return (
        family.reads == "tokens" and checkpoint.model_type not in family.model_types and keeps_state(checkpoint.config)
    )


def _alternatives(checkpoint: Checkpoint) -> str:
    try:
        return f"choose {' or '.join(tasks_for(checkpoint))}"
    except RecipeError:
        return "open a checkpoint that was made for it"


def is_headless(checkpoint: Checkpoint) -> bool:
    """Whether its architecture has no head."""
    return {_task_of_head(name) for name in checkpoint.architectures} == {_FEATURES}


def _heads(checkpoint: Checkpoint) -> set[str | None]:
    """The tasks of its heads; one that generates may score pairs by the logits of some tokens."""
    heads = {_task_of_head(name) for name in checkpoint.architectures}
    return {*heads, _LABELS} if _TEXT in heads and checkpoint.scored_tokens else heads


def _task_of_head(architecture: str) -> str | None:
    """The task of a class name by its suffix; a model without a head gives features."""
    return next((task for ending, task in TASKS_BY_HEAD.items() if architecture.endswith(ending)), None)


def _fits(heads: Iterable[str | None], task: str) -> bool:
    """Whether a model with one of these heads can be built for the task.

    Without an architecture any task may fit, and so may a model without a head, which may tie it to the embedding; the
    weights decide.
    """
    wanted = _SEQUENCE if task in _SEQUENCE_TASKS else task
    return not heads or task == _FEATURES or bool({wanted, _FEATURES} & set(heads))


def _named(architectures: Iterable[str]) -> str:
    return printable(", ".join(architectures))


def is_text_part(checkpoint: Checkpoint, task: str) -> bool:
    """Whether a build for `task` has the text part of the checkpoint alone: a person must choose that."""
    if task != _TEXT:
        return False
    families = (one for one in FAMILIES.families if one.serves is not None)
    family = next((one for one in families if one.serves and one.serves(checkpoint.model_type, task)), None)
    return family is not None and (bool(family.text_part) or _other_modality(checkpoint) is not None)


def text_part_notice(checkpoint: Checkpoint, task: str) -> str:
    """A sentence about what a build leaves out: of the text part alone, or of pictures without sound; else empty."""
    what = _named(checkpoint.architectures) or checkpoint.model_type
    if not is_text_part(checkpoint, task):
        deaf = family_for(checkpoint.model_type, task).sees and isinstance(checkpoint.config.get("audio_config"), dict)
        return f"This is {what} with pictures: the weights that read sound are left out." if deaf else ""
    return f"This is the text part of {what} alone: the weights that read pictures or sound are left out."


def _several_parts_error(checkpoint: Checkpoint) -> RecipeError:
    what, other = _named(checkpoint.architectures) or checkpoint.model_type, _other_modality(checkpoint)
    parts = f"whose config.json has the part {other}" if other else "a model of several parts"
    return RecipeError(
        f"The checkpoint is {what}, {parts}: {_built_with_features()}; build its text part alone with "
        "--task text-generation."
    )


def _other_modality(checkpoint: Checkpoint) -> str | None:
    """The key of a part of the config that is not text."""
    return next((key for key in _OTHER_MODALITIES if isinstance(checkpoint.config.get(key), dict)), None)


def _refuse_other_modalities(checkpoint: Checkpoint, family: Family) -> None:
    """Raises RecipeError for a model of other modalities than its family's: a part alone would be a different model."""
    if family.has_features:
        return
    key = _other_modality(checkpoint)
    if key is not None:
        what = _named(checkpoint.architectures) or f"of the type {checkpoint.model_type}"
        raise RecipeError(
            f"The checkpoint is {what}, whose config.json has the part {key}: {_built_with_features()}; open one of "
            "these, or one of text alone."
        )


def _built_with_features() -> str:
    known = ", ".join(family.description for family in FAMILIES.families if family.has_features)
    return f"of the models that read pictures or sound beside text, Joinery builds {known} and whisper"


def _refuse_mismatched_family(checkpoint: Checkpoint, family: Family) -> None:
    """Raises RecipeError where is_encoder_decoder in the config contradicts the family."""
    declared = checkpoint.config.get("is_encoder_decoder")
    if not isinstance(declared, bool) or declared == family.encoder:
        return
    what = _named(checkpoint.architectures) or checkpoint.model_type
    if declared:
        known = ", ".join(f.name for f in FAMILIES.families if f.encoder)
        raise RecipeError(
            f"The checkpoint is {what} with an encoder and a decoder (is_encoder_decoder in config.json), and "
            f"{family.name} builds models of one part: the families with both are {known}."
        )
    raise RecipeError(
        f"The checkpoint is {what}, and is_encoder_decoder in its config.json is false: {family.name} builds models "
        "with an encoder and a decoder."
    )


def _named_tasks(checkpoint: Checkpoint, tasks: tuple[str, ...]) -> list[str]:
    """The tasks in `task_specific_params`, whose keys are like `summarization` and `translation_en_to_fr`."""
    params = checkpoint.config.get("task_specific_params")
    names = {str(key).split("_", 1)[0] for key in params} if isinstance(params, dict) else set()
    return [task for task in tasks if task in names]
