"""The stage that finds what a goal asks for: the optimized graphs are tried in many mixes, and one becomes the recipe.

    stage "optimize" ──linked──▶ trials-KEY: reference, points, parts ──Search──▶ goal.json, mix.json ──▶ Recipe

The trials' folder outlives a build that was killed or cancelled, and goes when the search is done.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from workflows.build.calibrate import draft_bundle
from workflows.build.workspace import BuildWorkspace
from workflows.bundle import Bundle
from workflows.bundle.evidence import Evidence, load_evidence
from workflows.bundle.schema import Pipeline
from workflows.common.errors import RecipeError
from workflows.common.files import remove, try_remove
from workflows.evaluation.accuracy.tasks import FileTask, read_task
from workflows.evaluation.goal import GoalSearch, Trials, find_units, split_prompts
from workflows.evaluation.goal.precision_levels import FULL, LEVELS, PrecisionLevel
from workflows.evaluation.goal.search_units import mix_recipe
from workflows.generate import Engine
from workflows.generate.prompt_sets import read_prompts
from workflows.graph.weights import WEIGHTS, load_saved_graph
from workflows.quantize import check_excluded
from workflows.quantize.node_patterns import expand_node_patterns
from workflows.recipe import QuantizeSettings, Recipe, family_for
from workflows.recipe.schema import CalibrationSettings
from workflows.recipe.target import find_target
from workflows.runtime import device_named, open_machine
from workflows.wire.codec import dumps
from workflows.wire.goals import Goal
from workflows.wire.reports.goal import GOAL_FILE

MIX = "mix.json"


def check_goal(goal: Goal, recipe: Recipe) -> str:
    """The SHA-256 of the goal with all that its files hold, before anything long is begun.

    Raises RecipeError where the recipe says what the goal is to find, and as reading the files does.
    """
    if not recipe.keeps_weights:
        raise RecipeError("A goal chooses the precision of every node: leave out --precision, nodes and components.")
    if recipe.early_exit is not None:
        raise RecipeError("A goal tries what the model itself computes with, and not its draft: leave early_exit out.")
    if not family_for(recipe.model_type, recipe.task).cached:
        raise RecipeError("A goal is held to what a model generates, and one without a KV cache generates nothing.")
    read = [read_task(goal.task).questions] if goal.task else []
    prompts = read_prompts(Path(goal.prompts)) if goal.prompts else []
    return hashlib.sha256(repr((goal, read, prompts)).encode()).hexdigest()


def make_goal(
    optimized: Path,
    recipe: Recipe,
    pipeline: Pipeline,
    words: Path,
    goal: Goal,
    work: BuildWorkspace,
    folder: Path,
    trials: Path,
) -> Evidence:
    """Searches, and writes what was tried and what was found into `folder`. words: the checkpoint's folder.

    Raises RecipeError where no mix keeps the goal, and as split_prompts does.
    """
    reference = _reference(trials, optimized, recipe, pipeline, words)
    models = {entry["file"]: load_saved_graph(optimized / entry["file"]) for entry in load_evidence(optimized)}
    recipe = expand_node_patterns(recipe, models.values())
    check_excluded(models.values(), recipe.quantize)
    levels = target_levels(recipe)
    units = find_units(models, recipe.quantize, levels, tables=_takes_tables(recipe))
    task: FileTask | None = read_task(goal.task) if goal.task else None
    with Engine(reference, open_machine(reference, device_named("cpu")), 0.0) as engine:
        sets = split_prompts(engine, goal, task, recipe.quantize.calibration.prompts)
    tried = Trials(
        reference,
        units,
        recipe.quantize,
        {"judge": sets.judge, "rank": sets.rank, "confirm": sets.confirm},
        texts=goal.metric == "perplexity",
        task=task if goal.metric == "task" else None,
        check=work.check,
    )
    search = GoalSearch(tried, goal, levels, work.report, confirms=bool(sets.confirm))
    found = search.run()
    (folder / GOAL_FILE).write_text(dumps(search.to_report(found, sets)) + "\n", "utf-8")
    _save_mix(folder, *mix_recipe(units, found, recipe.quantize))
    try_remove(trials)
    return []


def _reference(trials: Path, optimized: Path, recipe: Recipe, pipeline: Pipeline, words: Path) -> Bundle:
    """The stage's graphs as a bundle in the trials' folder, where points of an earlier search may lie."""
    trials.mkdir(exist_ok=True)
    files = {session.file for session in pipeline.pipeline.sessions.values()}
    for name in (*files, WEIGHTS, "tokenizer", "recipe.json"):
        remove(trials / name)
    return draft_bundle(trials, optimized, recipe, pipeline, words)


def recipe_with_mix(recipe: Recipe, folder: Path) -> Recipe:
    """The recipe that the stage in `folder` found."""
    found = json.loads((folder / MIX).read_text("utf-8"))
    return Recipe.model_validate(recipe.model_dump() | found)


def _save_mix(folder: Path, precision: str, quantize: QuantizeSettings) -> None:
    """An ordinary recipe's settings: nothing in them is calibrated, so no file of prompts is needed again."""
    plain = quantize.model_copy(update={"calibration": CalibrationSettings()})
    (folder / MIX).write_text(json.dumps({"precision": precision, "quantize": plain.model_dump()}, indent=1), "utf-8")


def target_levels(recipe: Recipe) -> tuple[PrecisionLevel, ...]:
    """Those that the recipe's target computes rightly, but fp32."""
    refused = find_target(recipe.target).refused
    return tuple(level for level in LEVELS if level != FULL and ("precision", level.kind) not in refused)


def _takes_tables(recipe: Recipe) -> bool:
    return ("quantize.embedding", True) not in find_target(recipe.target).refused
