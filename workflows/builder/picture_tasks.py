"""The metadata of a bundle that reads one picture through one graph: labels, and what depths mean.

id2label, problem_type ──▶ ClassificationSettings      model_type, depth_estimation_type ──▶ DepthSettings
"""

from __future__ import annotations

from typing import Any

from workflows.builder.text_tasks import classification_of
from workflows.bundle.picture_tasks import DepthSettings, DepthUnit
from workflows.checkpoint import Checkpoint
from workflows.checkpoint.picture_settings import picture_settings
from workflows.common.errors import MediaError
from workflows.recipe import Recipe, family_for

_INVERSE = ("dpt", "depth_anything")  # as MiDaS, unless a config says otherwise


def picture_metadata(checkpoint: Checkpoint, recipe: Recipe) -> dict[str, Any]:
    """The fields of Metadata for a graph that reads a picture; empty for another one. Raises CheckpointError."""
    if family_for(recipe.model_type, recipe.task).reads != "pixels":
        return {}
    depth = DepthSettings(unit=_unit(checkpoint)) if recipe.task == "depth-estimation" else None
    return {"classification": classification_of(checkpoint, recipe), "depth": depth}


def _unit(checkpoint: Checkpoint) -> DepthUnit:
    metric = checkpoint.config.get("depth_estimation_type") == "metric"
    return "inverse" if checkpoint.model_type in _INVERSE and not metric else "metres"


def unprepared_notice(checkpoint: Checkpoint, recipe: Recipe) -> str:
    """Why the bundle can prepare no picture file, as a sentence; empty where it can, and for one that reads none."""
    if recipe.task not in ("image-classification", "depth-estimation"):
        return ""
    from workflows.media import depth_processor, sized_processor  # imports numpy and Pillow

    settings = picture_settings(checkpoint.folder, checkpoint.model_type)
    if not settings:
        return (
            "The checkpoint has no preprocessor_config.json, which says how a picture is prepared: the bundle takes "
            "pixel_values alone."
        )
    try:
        (depth_processor if recipe.task == "depth-estimation" else sized_processor)(settings)
    except MediaError as error:
        return f"The bundle takes pixel_values alone. {error}"
    return ""
