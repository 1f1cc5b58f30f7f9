"""The stage `goal`: searches the mix of precisions that reaches a goal by trying the optimized graphs in many mixes.

    stage "optimize" ──linked──▶ trials-KEY: reference, points, parts ──Search──▶ goal.json, mix.json ──▶ Recipe

The trials' folder survives a build that was killed or cancelled, and is removed after the search.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from workflows.builder.calibrate import stage_bundle
from workflows.builder.pipeline import OptimizedComposite
from workflows.builder.workspace import BuildWorkspace
from workflows.bundle import Bundle
from workflows.bundle.evidence import Evidence, load_evidence
from workflows.common.errors import RecipeError
from workflows.common.files import remove, try_remove
from workflows.evaluation.accuracy.tasks import FileTask, read_task
from workflows.evaluation.goal import GoalSearch, Trials, find_units, split_prompts
from workflows.evaluation.goal.search_units import FULL, LEVELS, PrecisionLevel, mix_recipe
from workflows.generate import Engine
from workflows.generate.prompt_sets import read_prompts
from workflows.graph.weights import WEIGHTS, load_saved_graph
from workflows.quantize import check_excluded
from workflows.quantize.base import expand_node_patterns
from workflows.recipe import Recipe, family_for
from workflows.recipe.schema import CalibrationSettings
from workflows.runtime import device_named, open_machine
from workflows.wire.codec import dumps
from workflows.wire.goals import Goal
from workflows.wire.reports.goal import GOAL_FILE

MIX = "mix.json"


def check_goal(goal: Goal, recipe: Recipe) -> str:
    """The SHA-256 of the goal and its files. Raises RecipeError where the recipe sets what the goal searches."""
    if not recipe.keeps_weights:
        raise RecipeError("A goal chooses the precision of every node: leave out --precision, nodes and components.")
    if recipe.kv_dtype == "int8":
        raise RecipeError("A goal is measured with the model's own cache: leave kv_dtype out.")
    if recipe.early_exit is not None:
        raise RecipeError("A goal searches the model's precisions, not its draft's: leave early_exit out.")
    if not family_for(recipe.model_type, recipe.task).cached:
        raise RecipeError("A goal is measured on generated text, and a model without a KV cache generates none.")
    read = [read_task(goal.task).questions] if goal.task else []
    prompts = read_prompts(Path(goal.prompts)) if goal.prompts else []
    return hashlib.sha256(repr((goal, read, prompts)).encode()).hexdigest()


def make_goal(composite: OptimizedComposite, goal: Goal, work: BuildWorkspace, folder: Path, trials: Path) -> Evidence:
    """Searches, and writes the result into `folder`. Raises RecipeError where no mix reaches the goal."""
    optimized = composite.optimized
    reference = _reference(trials, composite)
    models = {entry["file"]: load_saved_graph(optimized / entry["file"]) for entry in load_evidence(optimized)}
    recipe = expand_node_patterns(composite.recipe, models.values())
    check_excluded(models.values(), recipe.quantize)
    levels = target_levels(recipe)
    takes_tables = ("quantize.embedding", True) not in recipe.build_target.refused
    units = find_units(models, recipe.quantize, levels, tables=takes_tables)
    task: FileTask | None = read_task(goal.task) if goal.task else None
    with Engine(reference, open_machine(reference, device_named("cpu")), 0.0) as engine:
        sets = split_prompts(engine, goal, task, recipe.quantize.calibration.prompts)
    trial_runs = Trials(
        reference,
        units,
        recipe.quantize,
        sets.sets,
        texts=goal.metric == "perplexity",
        task=task if goal.metric == "task" else None,
        check=work.check,
    )
    search = GoalSearch(trial_runs, goal, levels, work.report, confirms=bool(sets.confirm))
    mix = search.run()
    (folder / GOAL_FILE).write_text(dumps(search.to_report(mix, sets)) + "\n", "utf-8")
    precision, quantize = mix_recipe(units, mix, recipe.quantize)
    plain = quantize.model_copy(update={"calibration": CalibrationSettings()})  # which needs no prompts
    (folder / MIX).write_text(json.dumps({"precision": precision, "quantize": plain.model_dump()}, indent=1), "utf-8")
    try_remove(trials)
    return []


def _reference(trials: Path, composite: OptimizedComposite) -> Bundle:
    """The stage's graphs as a bundle in the trials' folder, which may hold points of an earlier search."""
    trials.mkdir(exist_ok=True)
    for name in (*composite.files, WEIGHTS, "tokenizer", "recipe.json"):
        remove(trials / name)
    return stage_bundle(trials, composite)


def recipe_with_mix(recipe: Recipe, folder: Path) -> Recipe:
    """The recipe with the mix that the stage in `folder` found."""
    mix = json.loads((folder / MIX).read_text("utf-8"))
    return Recipe.model_validate(recipe.model_dump() | mix)


def target_levels(recipe: Recipe) -> tuple[PrecisionLevel, ...]:
    """The levels that the recipe's target supports, except fp32."""
    refused = recipe.build_target.refused
    return tuple(level for level in LEVELS if level != FULL and ("precision", level.kind) not in refused)
