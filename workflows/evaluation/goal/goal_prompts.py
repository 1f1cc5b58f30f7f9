"""The prompts of a search: ranking prompts for units, judging prompts for mixes, and prompts that confirm the result.

    evaluation: those of `joinery eval` ──▶ judge        calibration: the recipe's, the demo's own ──less these──▶ rank

Every second judging prompt is held back to confirm if there are enough, because the smallest of many mixes fits the
judging prompts by chance. Without ranking prompts, built-in sentences are used; for a bundle without a tokenizer the
file is divided, every second prompt for each set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workflows.common.errors import PromptError
from workflows.evaluation.accuracy.tasks import FileTask
from workflows.generate import Engine
from workflows.generate.prompt_sets import (
    EvaluationPrompt,
    PromptSet,
    choose_prompts,
    encode_prompt,
    evenly_spaced,
)
from workflows.quantize.calibration.prompts import calibration_prompts
from workflows.wire.goals import Goal

RANKING = 16  # prompts
MIN_CONFIRMED = 8  # prompts that judge, from which on every second one confirms
OTHER_SENTENCES = (
    "The largest planet of our solar system is",
    "Bread is made of flour, water and",
    "In winter the days are short and",
    "The opposite of small is",
    "A triangle has three sides and a square has",
    "She opened the door and saw",
    "The river flows from the mountains to the",
    "After Monday comes",
)
Ids = tuple[int, ...]


@dataclass(frozen=True)
class GoalPrompts:
    """The sets of prompts as token ids, and descriptions of their sources."""

    judge: tuple[Ids, ...]
    rank: tuple[Ids, ...]
    judged: str
    ranked: str
    confirm: tuple[Ids, ...] = ()

    def with_confirmation(self) -> GoalPrompts:
        """Holds every second judging prompt back to confirm, if there are enough."""
        if len(self.judge) < MIN_CONFIRMED:
            return self
        judged = f"{self.judged}, of which every second confirms"
        return replace(self, judge=self.judge[::2], judged=judged, confirm=self.judge[1::2])


def split_prompts(engine: Engine, goal: Goal, task: FileTask | None, calibration: str) -> GoalPrompts:
    """Returns the sets. calibration: the recipe's own file of prompts, or empty.

    Raises PromptError as choose_prompts does, and if there is only one prompt for two sets.
    """
    chosen = _judging(engine, goal, task)
    judge = tuple(prompt.ids for prompt in chosen.prompts)
    ranking, origin = _ranking(engine, calibration)
    rank = [ids for ids in ranking if ids not in judge]
    if (
        not rank
        and engine.text.tokenizer is not None
        and not any(engine.text.unknown_share(text) > 0.5 for text in OTHER_SENTENCES)
    ):
        rank, origin = (
            [tuple(encode_prompt(engine, text)) for text in OTHER_SENTENCES],
            f"{len(OTHER_SENTENCES)} other English sentences",
        )
    if rank:
        sets = GoalPrompts(
            judge, tuple(evenly_spaced(rank, RANKING)), chosen.origin, f"{min(len(rank), RANKING)} of {origin}"
        )
        return sets if goal.metric == "task" else sets.with_confirmation()  # a task is asked whole
    if len(judge) < 2:
        raise PromptError("A goal needs two prompts at least, one to rank weights by and one to judge: give more.")
    judged = f"every second of the {chosen.origin}"
    return GoalPrompts(judge[::2], judge[1::2], judged, f"the others of the {chosen.origin}").with_confirmation()


def _judging(engine: Engine, goal: Goal, task: FileTask | None) -> PromptSet:
    """Returns the user's file, else the task's questions, else the prompts of an evaluation."""
    if goal.prompts or task is None:
        return choose_prompts(engine, Path(goal.prompts) if goal.prompts else None)
    prompts = tuple(EvaluationPrompt(question.text, tuple(task.ids(engine, question))) for question in task.questions)
    return PromptSet(prompts, f"{len(prompts)} questions of {task.path.name}")


def _ranking(engine: Engine, calibration: str) -> tuple[Sequence[Ids], str]:
    if not calibration and engine.text.tokenizer is None:
        return (), ""
    calibration_set = calibration_prompts(engine, calibration)
    return calibration_set.prompts, f"the calibration prompts, {calibration_set.origin}"
