"""What a checkpoint is, as its own files tell it, and so the tasks that it can be built for.

    architectures, is_encoder_decoder ──▶ heads ──family's tasks──▶ the tasks of that head, or a refusal by name

A model is never built as less than it is: weights that the task has no place for would be left out without a word.
"""

from __future__ import annotations

from collections.abc import Iterable

from workflows.checkpoint import Checkpoint
from workflows.common.errors import RecipeError, printable
from workflows.recipe.families import FAMILIES, Family, family_for, tasks_of

_TEXT, _FEATURES, _SEQUENCE = "text-generation", "feature-extraction", "sequence-to-sequence"
# How transformers ends the names of its classes → the task of that head; the first that fits counts.
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
_SEQUENCE_TASKS = {"translation", "summarization", "text2text-generation"}
_OTHER_MODALITIES = ("vision_config", "audio_config")


def tasks_for(checkpoint: Checkpoint) -> tuple[str, ...]:
    """The tasks that `checkpoint` can be built for, its family's first one first.

    Raises RecipeError where no family builds its model type, or none builds what its architecture is.
    """
    names, model_type = checkpoint.architectures, checkpoint.model_type
    heads = {_task_of_head(name) for name in names}
    tasks = family_for(model_type, _TEXT).tasks if heads == {_TEXT} else tasks_of(model_type)
    family = family_for(model_type, tasks[0])
    if family.remote_code:  # the names are the checkpoint's own
        return tasks
    _refuse_other_modalities(checkpoint)
    _refuse_mismatched_family(checkpoint, family)
    fitting = tuple(task for task in tasks if _fits(heads, task))
    if not fitting:
        raise RecipeError(
            f"The checkpoint is {_named(names)}, which Joinery cannot build: of {model_type} it builds models for "
            f"{', '.join(tasks)}, and this one has another head."
        )
    return fitting


def task_of(checkpoint: Checkpoint) -> str:
    """The task of `checkpoint`. Raises RecipeError that lists the choices where its files do not tell it.

    A sequence-to-sequence model may be made for several: its `task_specific_params` decide where they name one
    alone, else it is the family's first.
    """
    tasks = tasks_for(checkpoint)
    if len(tasks) == 1 and tasks != (_FEATURES,):
        return tasks[0]
    if set(tasks) <= _SEQUENCE_TASKS:
        named = _named_tasks(checkpoint, tasks)
        return named[0] if len(named) == 1 else tasks[0]
    names = checkpoint.architectures
    found = {
        task for name in names if (task := _task_of_head(name)) in tasks
    }  # features of another head have to be asked for
    if len(found) == 1:
        return str(found.pop())
    what = "config.json names no architecture"
    if names:
        several = "architectures {} tell no one" if len(names) > 1 else "architecture {} tells no"
        what = f"The {several.format(printable(', '.join(names)))} task"
    raise RecipeError(
        f"{what} that {checkpoint.model_type} can be built for: choose one with --task: {', '.join(tasks)}."
    )


def check_task(checkpoint: Checkpoint, task: str) -> None:
    """Raises RecipeError where `task`, which a person chose, is none that the checkpoint's architecture is for."""
    family = family_for(checkpoint.model_type, task)
    if family.remote_code:
        return
    _refuse_other_modalities(checkpoint)
    heads = {_task_of_head(name) for name in checkpoint.architectures}
    if not _fits(heads, task):
        raise RecipeError(
            f"The checkpoint is {_named(checkpoint.architectures)}, which has no head for {task}: "
            f"{_alternatives(checkpoint)}."
        )
    _refuse_mismatched_family(checkpoint, family)


def _alternatives(checkpoint: Checkpoint) -> str:
    try:
        return f"choose {' or '.join(tasks_for(checkpoint))}"
    except RecipeError:
        return "open a checkpoint that was made for it"


def is_headless(checkpoint: Checkpoint) -> bool:
    """Whether its architecture is the body of a model, without a head."""
    return {_task_of_head(name) for name in checkpoint.architectures} == {_FEATURES}


def _task_of_head(architecture: str) -> str | None:
    """The task that the name of a class ends with; the body alone gives features."""
    return next((task for ending, task in TASKS_BY_HEAD.items() if architecture.endswith(ending)), None)


def _fits(heads: Iterable[str | None], task: str) -> bool:
    """Whether a model with one of these heads can be built for the task.

    Without a name anything may fit, and so may a body: some tie their head to the embedding. The weights tell.
    """
    wanted = _SEQUENCE if task in _SEQUENCE_TASKS else task
    return not heads or task == _FEATURES or bool({wanted, _FEATURES} & set(heads))


def _named(architectures: Iterable[str]) -> str:
    return printable(", ".join(architectures))


def _refuse_other_modalities(checkpoint: Checkpoint) -> None:
    """Refuses a model that also sees or hears: its text alone would be another model."""
    key = next((key for key in _OTHER_MODALITIES if isinstance(checkpoint.config.get(key), dict)), None)
    if key is not None:
        what = _named(checkpoint.architectures) or f"of the type {checkpoint.model_type}"
        raise RecipeError(
            f"The checkpoint is {what}, whose config.json has a {key}: Joinery does not build models that read "
            "pictures or sound beside text yet, so open a checkpoint of text alone."
        )


def _refuse_mismatched_family(checkpoint: Checkpoint, family: Family) -> None:
    """Refuses what says that it has an encoder and a decoder where the family builds another kind, or the reverse."""
    said = checkpoint.config.get("is_encoder_decoder")
    if not isinstance(said, bool) or said == family.encoder:
        return
    what = _named(checkpoint.architectures) or checkpoint.model_type
    if said:
        known = ", ".join(f.name for f in FAMILIES.families if f.encoder)
        raise RecipeError(
            f"The checkpoint is {what} with an encoder and a decoder (is_encoder_decoder in config.json), and "
            f"{family.name} builds models of one part: the families with both are {known}."
        )
    raise RecipeError(
        f"The checkpoint is {what}, and its config.json says that it has not both an encoder and a decoder "
        f"(is_encoder_decoder): {family.name} builds models that have."
    )


def _named_tasks(checkpoint: Checkpoint, tasks: tuple[str, ...]) -> list[str]:
    """The tasks that `task_specific_params` holds: its keys are like `summarization` and `translation_en_to_fr`."""
    params = checkpoint.config.get("task_specific_params")
    words = {str(key).split("_", 1)[0] for key in params} if isinstance(params, dict) else set()
    return [task for task in tasks if task in words]
