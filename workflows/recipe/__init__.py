"""Resolves a checkpoint and a person's options to one validated Recipe: everything that a build needs to know.

Checkpoint ──families──▶ Family ──resolve_recipe(options)──▶ Recipe ──make_cut──▶ Cut
"""

from workflows.recipe.families import FAMILIES, family_for
from workflows.recipe.family import Family
from workflows.recipe.resolve import resolve_recipe
from workflows.recipe.schema import QuantizeSettings, Recipe
from workflows.recipe.task import task_of, tasks_for

__all__ = ["FAMILIES", "Family", "QuantizeSettings", "Recipe", "family_for", "resolve_recipe", "task_of", "tasks_for"]
