"""The smallest mix of methods that keeps a goal, found by trying: optimized graphs and a goal in, a recipe out.

    graphs ──find_units──▶ weights with their nodes      prompts ──split_prompts──▶ those that rank, those that judge
    each method throughout, each unit alone ──▶ what a unit costs at a level ──▶ a path from the smallest mix to fp32
    path ──bisection, judged──▶ the first mix that holds ──lowering unit by unit, judged──▶ the smallest

A mix holds where it keeps the goal over the prompts that judge and, again, over those that ranked, each time with one
standard error to spare. Tens of mixes are tried over the same prompts, and the smallest that holds is the luckiest of
them: with 48 prompts, one that agreed at 0.999 of their positions agreed at 0.987 of others', where 0.99 was wanted. So
what was found has to hold over prompts that were kept back, too, and gives way to the next larger mix where it does
not. Give a few hundred prompts for a claim that is close, and judge the bundle over others by `joinery eval`.

A trial is a session over the optimized graphs with some weights replaced; nothing is exported, and what a weight
becomes at a level is computed once and kept in a file. Every point is written down as it is measured, so that a search
that was killed goes on with the next one.
"""

from workflows.evaluation.goal.goal_prompts import split_prompts
from workflows.evaluation.goal.search import GoalSearch
from workflows.evaluation.goal.search_units import Mix, find_units
from workflows.evaluation.goal.trials import Trials

__all__ = ["GoalSearch", "Mix", "Trials", "find_units", "split_prompts"]
