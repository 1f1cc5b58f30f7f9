"""What each preset would make of a checkpoint, and what earlier builds of it cost.

checkpoint, recipe ──▶ bytes of the weights        RunHistory ──builds of the model──▶ divergence ──replies──▶ speed
"""

from __future__ import annotations

from workflows.checkpoint import Checkpoint
from workflows.common.errors import JoineryError
from workflows.inspection.probe.build_estimate import precision_bytes
from workflows.measure.history import RunHistory
from workflows.recipe import Recipe
from workflows.recipe.family import Family, ModelGeometry
from workflows.recipe.resolve import quantize_settings, settings_of_model
from workflows.recipe.schema import PRESETS
from workflows.wire.reports.plan import IMPLIED_PRESETS, PresetOption
from workflows.wire.reports.runs import RunRecord


def preset_options(
    checkpoint: Checkpoint, recipe: Recipe, family: Family, geometry: ModelGeometry | None
) -> list[PresetOption]:
    """Returns the presets that the recipe's target runs, the smallest first."""
    target, runs = recipe.build_target, _runs_of(checkpoint.bundle_name)
    options = list[PresetOption]()
    for name, precision in PRESETS.items():
        if ("precision", precision) in target.refused:
            continue
        chosen = {"precision": precision, "preset": name}
        general = quantize_settings(target, chosen)
        settings = settings_of_model(general, chosen, checkpoint, target, family, geometry)
        recipe_of = recipe.model_copy(update={"quantize": recipe.quantize.model_validate(settings)})
        option = PresetOption(name, precision, precision_bytes(precision, checkpoint, recipe_of))
        options.append(_with_history(option, recipe.target, runs))
    return options


def _runs_of(model: str) -> list[RunRecord]:
    """The runs of a model, the newest first; none where the history cannot be read."""
    history = RunHistory()
    if not history.path.is_file():
        return []
    try:
        return [run for run in history.runs(bundle=model) if run.name == model]
    except (OSError, JoineryError):
        return []


def _with_history(option: PresetOption, target: str, runs: list[RunRecord]) -> PresetOption:
    """Adds the figures of the last build with the preset that was measured, and of the last reply of that bundle."""
    built = next((run for run in runs if _is_of(run, option) and run.provider == target), None)
    if built is None:
        return option
    option.kl_mean, option.top1_agreement = _number(built, "kl_mean"), _number(built, "top1_agreement")
    for run in runs:
        if run.kind in ("generate", "bench") and run.digest == built.digest:
            option.tokens_per_s, option.provider = _number(run, "decode_tokens_per_s"), run.provider
            break
    return option


def _is_of(run: RunRecord, option: PresetOption) -> bool:
    if run.kind != "build" or run.precision != option.precision or "kl_mean" not in run.figures:
        return False
    return run.figures.get("preset", IMPLIED_PRESETS.get(run.precision)) == option.name


def _number(run: RunRecord, name: str) -> float | None:
    value = run.figures.get(name)
    return float(value) if isinstance(value, int | float) else None
