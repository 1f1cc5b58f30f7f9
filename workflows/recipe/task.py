"""The task that a checkpoint was made for, as its own files tell it.

    architectures ──ending──▶ tasks that it may mean ──family's tasks──▶ the one, or an error that lists them
"""

from __future__ import annotations

from workflows.checkpoint import Checkpoint
from workflows.errors import RecipeError, printable
from workflows.recipe.families import tasks_of

# How transformers ends the names of its classes → the task of that head.
HEADS = {
    "ForMaskedLM": "fill-mask",
    "ForSequenceClassification": "text-classification",
    "ForTokenClassification": "token-classification",
    "ForImageClassification": "image-classification",
    "ForImageClassificationWithTeacher": "image-classification",
    "ForDepthEstimation": "depth-estimation",
    "ForCausalLM": "text-generation",
    "LMHeadModel": "text-generation",
}
_SEQUENCE_TO_SEQUENCE = {"translation", "summarization", "text2text-generation"}


def task_of(checkpoint: Checkpoint) -> str:
    """The task of `checkpoint`. Raises RecipeError that lists the choices where its files do not tell it.

    A sequence-to-sequence model may be made for several: its `task_specific_params` decide where they name one
    alone, else it is the family's first.
    """
    tasks = tasks_of(checkpoint.model_type)
    if len(tasks) == 1:
        return tasks[0]
    if set(tasks) <= _SEQUENCE_TO_SEQUENCE:
        named = _named_tasks(checkpoint, tasks)
        return named[0] if len(named) == 1 else tasks[0]
    names = checkpoint.architectures
    found = {task for name in names if (task := _of_head(name)) in tasks}
    if len(found) == 1:
        return str(found.pop())
    what = "config.json names no architecture"
    if names:
        several = "architectures {} tell no one" if len(names) > 1 else "architecture {} tells no"
        what = f"The {several.format(printable(', '.join(names)))} task"
    raise RecipeError(
        f"{what} that {checkpoint.model_type} can be built for: choose one with --task: {', '.join(tasks)}."
    )


def _of_head(architecture: str) -> str | None:
    """The task that the name of a class ends with; the body alone gives features."""
    task = next((task for ending, task in HEADS.items() if architecture.endswith(ending)), None)
    return "feature-extraction" if task is None and architecture.endswith("Model") else task


def _named_tasks(checkpoint: Checkpoint, tasks: tuple[str, ...]) -> list[str]:
    """The tasks that `task_specific_params` holds: its keys are like `summarization` and `translation_en_to_fr`."""
    params = checkpoint.config.get("task_specific_params")
    words = {str(key).split("_", 1)[0] for key in params} if isinstance(params, dict) else set()
    return [task for task in tasks if task in words]
