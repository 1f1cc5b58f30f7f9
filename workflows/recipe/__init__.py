"""A checkpoint and a person's choices in, one checked Recipe out: everything that a build needs to know.

Checkpoint ──families──▶ Family ──choose(options)──▶ Recipe ──cut_of──▶ Cut
"""

from workflows.recipe.choose import choose
from workflows.recipe.families import FAMILIES, Family, family_for
from workflows.recipe.schema import Quantize, Recipe
from workflows.recipe.task import task_of, tasks_for

__all__ = ["FAMILIES", "Family", "Quantize", "Recipe", "choose", "family_for", "task_of", "tasks_for"]
