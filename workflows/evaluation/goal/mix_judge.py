"""Measures mixes over the sets of prompts and decides whether they meet the goal.

    Mix ──judge, rank, confirm (sets of prompts)──▶ TrialFigures ──Goal──▶ meets, is_confirmed

A mix meets the goal if its figure, less one standard error, does so over the prompts that judge and over those that
rank: of many mixes that are measured over few prompts, one would otherwise fit one set by chance.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from workflows.common.errors import RecipeError
from workflows.evaluation.goal.search_units import FULL, Mix, describe_mix
from workflows.evaluation.goal.trials import TrialFigures, Trials
from workflows.wire.events import Event, LogEvent, ProgressEvent
from workflows.wire.goals import AT_LEAST, TITLES, Goal
from workflows.wire.reports.goal import TriedPoint

STAGE = "goal"


class MixJudge:
    """Measures each mix once a set of prompts, and reports progress with the estimated time left.

    confirms: whether the trials have the set "confirm", over which no mix is judged. planned: how many measurements the
    search expects.
    """

    def __init__(
        self, trials: Trials, goal: Goal, report: Callable[[Event], None], *, confirms: bool, planned: int
    ) -> None:
        self._trials, self._goal, self._report = trials, goal, report
        self._confirms, self._planned = confirms, planned
        self.judged: dict[Mix, TrialFigures] = {}
        self._confirmed: dict[Mix, bool] = {}
        self._done, self._measured, self._seconds = 0, 0, 0.0

    def meets_goal(self, mix: Mix) -> bool:
        """Whether the mix meets the goal over the prompts that judge and over those that rank; fp32 always does."""
        if all(level == FULL for level in mix):
            return True
        if not self._meets(self.judge(mix)):
            return False
        if self._goal.metric == "task":  # which is measured over one set
            return True
        self._report_progress(f"{self._describe(mix)}, over the other prompts")
        return self._meets(self._measure(mix, "rank"))

    def judge(self, mix: Mix) -> TrialFigures:
        """The figures over the prompts that judge."""
        if mix not in self.judged:
            known = self._trials.is_measured(mix, "judge")
            self._report_progress(self._describe(mix))
            figures = self.judged[mix] = self._measure(mix, "judge")
            size = self._trials.bytes_of(mix) / 2**20
            again = ", as an earlier build found" if known else ""
            message = f"Tried {self._describe(mix)}: {size:,.2f} MiB, {self._figure_text(figures)}{again}."
            self._report(LogEvent(message=message))
        return self.judged[mix]

    def divergence(self, mix: Mix, description: str) -> float:
        """The KL divergence over the prompts that units are probed over; 1,000 where it is not a number."""
        self._report_progress(description)
        kl = self._measure(mix, "probe").kl
        return 1e3 if kl is None else kl

    def is_confirmed(self, mix: Mix) -> bool:
        """Whether the mix meets the goal over prompts that had no part in its selection."""
        if not self._confirms:
            return True
        if mix not in self._confirmed:
            self._report_progress(f"{self._describe(mix)}, to confirm it")
            figures = self._measure(mix, "confirm")
            self._confirmed[mix] = self._meets(figures)
            result = "Confirmed" if self._confirmed[mix] else "Not confirmed"
            message = f"{result}: {self._describe(mix)} has {self._figure_text(figures)} over the rest."
            self._report(LogEvent(message=message))
        return self._confirmed[mix]

    def refusal(self) -> RecipeError:
        """The error for a goal that no judged mix meets; it names the best one."""
        sign = 1 if self._goal.metric in AT_LEAST else -1
        figures = {mix: trial.at_worst(self._goal.metric) for mix, trial in self.judged.items()}
        known = {mix: sign * figure for mix, figure in figures.items() if figure is not None}
        if not known:
            return RecipeError(f"No mix that is smaller than fp32 gives logits that are numbers, as {self._goal} asks.")
        best = max(known, key=lambda mix: known[mix])
        text = self._figure_text(self.judged[best])
        return RecipeError(
            f"No mix that is smaller than fp32 keeps {self._goal}: {text} was the best, with {self._describe(best)}; "
            "choose another limit, give more --prompts, or build with --precision fp32."
        )

    def point(self, mix: Mix) -> TriedPoint:
        """A judged mix as the report has it."""
        figures = self.judged[mix]
        return TriedPoint(
            what=self._describe(mix),
            bytes=self._trials.bytes_of(mix),
            figure=figures.of(self._goal.metric),
            top1=figures.top1,
            kl=figures.kl,
            met=self.meets_goal(mix),
            levels=list(map(str, mix)),
            seconds=figures.seconds,
            at_worst=figures.at_worst(self._goal.metric),
            confirmed=self._confirmed.get(mix),
        )

    def _meets(self, figures: TrialFigures) -> bool:
        return self._goal.met_by(figures.at_worst(self._goal.metric))

    def _describe(self, mix: Mix) -> str:
        return describe_mix(self._trials.units, mix)

    def _measure(self, mix: Mix, of: str) -> TrialFigures:
        started, known = time.monotonic(), self._trials.is_measured(mix, of)
        figures = self._trials.measure(mix, of)
        self._done += 1
        if not known:
            self._seconds, self._measured = self._seconds + time.monotonic() - started, self._measured + 1
        return figures

    def _report_progress(self, description: str) -> None:
        total = max(self._planned, self._done + 1)
        left = (total - self._done) * self._seconds / self._measured if self._measured else 0.0
        message = f"{description}, about {left:,.0f} s left" if left else description
        self._report(ProgressEvent(stage=STAGE, message=message, done=self._done, total=total, unit="mixes"))

    def _figure_text(self, figures: TrialFigures) -> str:
        figure, worst = figures.of(self._goal.metric), figures.at_worst(self._goal.metric)
        if figure is None or worst is None:
            return f"{TITLES[self._goal.metric]} none"
        margin = "" if worst == figure else f" (at worst {worst:.6g} over other prompts)"
        return f"{TITLES[self._goal.metric]} {figure:.6g}{margin}"
