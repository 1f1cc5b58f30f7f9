"""Searches for the smallest mix of quantization methods that meets a goal: optimized graphs in, a recipe out.

    graphs ──find_units──▶ weights with their nodes      prompts ──split_prompts──▶ ranking and judging sets
    each method throughout, each unit alone ──▶ cost of a unit at a level ──▶ a path from the smallest mix to fp32
    path ──bisection, judged──▶ the first mix that holds ──lowering unit by unit, judged──▶ the smallest

A mix holds if it meets the goal over the judging prompts and over the ranking prompts, each with a margin of one
standard error. Tens of mixes are tried over the same prompts, so the smallest that holds fits them by chance: with 48
prompts, one with a top-1 agreement of 0.999 had 0.987 over others, with a goal of 0.99. The result therefore has to
hold over held-back prompts too; otherwise the next larger mix is tried. Use a few hundred prompts if the goal is close,
and evaluate the bundle over other prompts with `joinery eval`.

A trial is a session over the optimized graphs with some weights replaced; nothing is exported, and each quantized
weight is computed once and cached in a file. Every measured point is saved, so that an interrupted search continues.
"""

from workflows.evaluation.goal.goal_prompts import split_prompts
from workflows.evaluation.goal.search import GoalSearch
from workflows.evaluation.goal.search_units import Mix, find_units
from workflows.evaluation.goal.trials import Trials

__all__ = ["GoalSearch", "Mix", "Trials", "find_units", "split_prompts"]
