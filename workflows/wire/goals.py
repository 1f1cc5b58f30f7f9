"""The accuracy goal of a build that searches precisions, and the user's task that can measure it.

top1=0.99 ──parse_goal──▶ Goal: metric, limit        TaskFile: questions with answers, and how replies are judged
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from workflows.common.errors import RecipeError, printable

Metric = Literal["top1", "kl", "perplexity", "task"]
METRICS: tuple[Metric, ...] = get_args(Metric)
TITLES: dict[str, str] = {
    "top1": "top-1",
    "kl": "KL",
    "perplexity": "perplexity ratio",
    "task": "share of the reference's task score",
}
AT_LEAST = frozenset({"top1", "task"})  # the others are limits from above
ROWS, TOKENS = 200, 64


@dataclass(frozen=True)
class TaskFile:
    """A task file, and how its questions are asked and replies judged.

    file: JSON lines or parquet. question, answer: columns; empty for the first of the usual pairs that the file has.
    pattern: a regular expression; its first group, or all that it finds in the reply, is held against the answer.
    pattern_column: each row's own, which is right where it is found at all. chat: whether questions go through the chat
    template, where there is one. rows: asked at most, evenly spaced. tokens: of a reply at most.
    """

    file: str
    question: str = ""
    answer: str = ""
    pattern: str = ""
    pattern_column: str = ""
    ignore_case: bool = False
    keep_spaces: bool = False
    chat: bool = True
    rows: int = ROWS
    tokens: int = TOKENS


@dataclass(frozen=True)
class Goal:
    """The goal: the smallest bundle whose `metric` meets `limit` over the prompts of `joinery eval`.

    top1: share of positions with the reference's first choice, at least. kl: mean divergence in nats, at most.
    perplexity: the candidate's over the reference's, at most. task: the candidate's score over the reference's, at
    least. prompts: a file of a person's own; empty for the usual ones. Raises RecipeError for a limit that makes no
    sense, and for a task without a file.
    """

    metric: Metric
    limit: float
    task: TaskFile | None = None
    prompts: str = ""

    def __post_init__(self) -> None:
        if not math.isfinite(self.limit) or self.limit <= 0 or (self.metric in AT_LEAST and self.limit > 1):
            span = "a share above 0 and up to 1" if self.metric in AT_LEAST else "a number above 0"
            raise RecipeError(f"The goal {self.metric} cannot be {self.limit:g}: give {span}.")
        if self.metric == "task" and self.task is None:
            raise RecipeError("The goal task needs a task: give --task-file with questions and answers.")

    def met_by(self, figure: float | None) -> bool:
        """Whether a value of the metric meets the goal; NaN and None do not."""
        if figure is None or not math.isfinite(figure):
            return False
        return figure >= self.limit if self.metric in AT_LEAST else figure <= self.limit

    def __str__(self) -> str:
        """`top-1 ≥ 0.99`."""
        return f"{TITLES[self.metric]} {'≥' if self.metric in AT_LEAST else '≤'} {self.limit:g}"


def parse_goal(text: str, task: TaskFile | None = None, prompts: str = "") -> Goal:
    """Parses `METRIC=VALUE`. Raises RecipeError, which lists the metrics."""
    name, equals, value = text.partition("=")
    metric = next((one for one in METRICS if one == name.strip()), None)
    try:
        limit = float(value)
    except ValueError:
        limit = None
    if metric is None or not equals or limit is None:
        raise RecipeError(
            f"The goal {printable(text, 60)!r} is not of the form METRIC=VALUE with one of {', '.join(METRICS)}, as "
            "top1=0.99."
        )
    return Goal(metric, limit, task, prompts)
