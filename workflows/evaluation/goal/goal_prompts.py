"""The prompts of a search: ranking prompts for units, judging prompts for mixes, and prompts that confirm the result.

    the goal's file, its task, a demo's held-back questions ──▶ judge     calibration: the recipe's, the demo's ──▶ rank
    of none of them: passages of Joinery's text to calibrate with, as short as a trial of a real model allows

Every second judging prompt is held back to confirm if there are enough, because the smallest of many mixes fits the
judging prompts by chance. Units are probed over the first ranking prompts alone: there is a trial for each. Joinery's
text to measure with has no part in it, so that what a build states about itself is over other texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from pathlib import Path

from workflows.common.errors import PromptError
from workflows.evaluation.accuracy.tasks import FileTask
from workflows.generate import Engine
from workflows.generate.prompt_sets import (
    CALIBRATING_TEXT,
    EvaluationPrompt,
    PromptSet,
    choose_prompts,
    demo_name,
    demo_questions,
    evenly_spaced,
    known_texts,
)
from workflows.quantize.calibration.prompts import calibration_prompts
from workflows.wire.goals import Goal

RANKING = 16  # prompts
MIN_CONFIRMED = 8  # prompts that judge, from which on every second one confirms
PASSAGES, PASSAGE = 12, 48  # of Joinery's text, tokens of each; a third ranks, the others judge
PROBING = 96  # tokens of the ranking prompts that units are probed over
Ids = tuple[int, ...]


@dataclass(frozen=True)
class GoalPrompts:
    """The sets of prompts as token ids, and descriptions of their sources."""

    judge: tuple[Ids, ...]
    rank: tuple[Ids, ...]
    judged: str
    ranked: str
    confirm: tuple[Ids, ...] = ()

    @property
    def probe(self) -> tuple[Ids, ...]:
        """The first ranking prompts, of PROBING tokens or a few more."""
        tokens = accumulate((len(ids) for ids in self.rank), initial=0)
        return tuple(ids for ids, before in zip(self.rank, tokens, strict=False) if before < PROBING)

    @property
    def sets(self) -> dict[str, tuple[Ids, ...]]:
        """The sets by name, as trials have them."""
        return {"judge": self.judge, "rank": self.rank, "confirm": self.confirm, "probe": self.probe}

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
    passages = _passages(engine)
    chosen = _judging(engine, goal, task, passages)
    judge = tuple(prompt.ids for prompt in chosen.prompts)
    ranking, origin = _ranking(engine, calibration, passages)
    rank = [ids for ids in ranking if ids not in judge]
    if rank:
        sets = GoalPrompts(
            judge, tuple(evenly_spaced(rank, RANKING)), chosen.origin, f"{min(len(rank), RANKING)} of {origin}"
        )
        return sets if goal.metric == "task" else sets.with_confirmation()  # a task is asked whole
    if len(judge) < 2:
        raise PromptError("A goal needs two prompts at least, one to rank weights by and one to judge: give more.")
    judged = f"every second of the {chosen.origin}"
    return GoalPrompts(judge[::2], judge[1::2], judged, f"the others of the {chosen.origin}").with_confirmation()


def _passages(engine: Engine) -> list[Ids]:
    """The beginnings of paragraphs that the tokenizer knows, of Joinery's text to calibrate with; none for a demo."""
    if engine.text.tokenizer is None or demo_questions(demo_name(engine.bundle)):
        return []
    return [tuple(engine.encode(text)[:PASSAGE]) for text in islice(known_texts(engine, "calibrate"), PASSAGES)]


def _judging(engine: Engine, goal: Goal, task: FileTask | None, passages: Sequence[Ids]) -> PromptSet:
    """Returns the user's file, else the task's questions, else passages or the prompts of an evaluation."""
    if task is not None and not goal.prompts:
        asked = tuple(EvaluationPrompt(one.text, tuple(task.ids(engine, one))) for one in task.questions)
        return PromptSet(asked, f"{len(asked)} questions of {task.path.name}")
    if goal.prompts or not passages:
        return choose_prompts(engine, Path(goal.prompts) if goal.prompts else None)
    judging = passages[len(passages) // 3 :]
    return PromptSet(
        tuple(EvaluationPrompt("", ids) for ids in judging), f"{len(judging)} passages of {CALIBRATING_TEXT}"
    )


def _ranking(engine: Engine, calibration: str, passages: Sequence[Ids]) -> tuple[Sequence[Ids], str]:
    if passages and not calibration:
        return passages[: len(passages) // 3], f"the other passages of {CALIBRATING_TEXT}"
    if not calibration and engine.text.tokenizer is None:
        return (), ""
    calibration_set = calibration_prompts(engine, calibration)
    return calibration_set.prompts, f"the calibration prompts, {calibration_set.origin}"
