"""What this machine can do: its processor, memory and devices, and which well-known models fit, by their size.

    known_models ──preset_options──▶ bytes of the weights ──packed_tokens──▶ the context ───┐
    processor, memory, disk, devices ──────────────────────────────────────────────────────────┴─▶ CapabilitiesReport

The sizes are those of a plan, computed from the models' sizes: nothing is fetched.
"""

from __future__ import annotations

from pathlib import Path

from workflows.checkpoint import Checkpoint
from workflows.common.element_types import item_bytes
from workflows.common.files import free_disk_bytes
from workflows.common.memory import free_bytes, total_bytes
from workflows.inspection.known_models import known_models
from workflows.inspection.probe.preset_facts import preset_options
from workflows.processor.cores import instructions, model_name, usable_cores
from workflows.recipe import Recipe
from workflows.recipe.build_memory import build_bytes, rounding_bytes
from workflows.recipe.families import DECODER
from workflows.recipe.family import ModelGeometry
from workflows.runtime import devices
from workflows.runtime.loading.memory_plan import packed_tokens
from workflows.wire.reports.capabilities import CapabilitiesReport, ModelFit, PresetFit
from workflows.wire.reports.plan import PresetOption


def describe_capabilities(folder: Path) -> CapabilitiesReport:
    """Returns what this machine can do. folder: of new bundles, whose disk counts. Raises RequestError for tunings that
    cannot be read, which sizes depend on."""
    free, total = free_bytes(), total_bytes()
    return CapabilitiesReport(
        processor=model_name(),
        instructions=list(instructions()),
        cores=usable_cores(),
        memory_bytes=total,
        free_memory_bytes=free,
        free_disk_bytes=free_disk_bytes(folder),
        devices=devices(),
        models=[model_fit(model, free, total) for model in known_models()],
    )


def model_fit(model: Checkpoint, free: int, total: int) -> ModelFit:
    """Which presets of a decoder of text fit `free` bytes of memory, and which fit `total` bytes."""
    geometry = DECODER.geometry(model.config)
    task = DECODER.tasks[0]
    recipe = Recipe(source=model.source, model_type=model.model_type, family=DECODER.name, task=task)
    return ModelFit(
        name=model.source,
        parameters=model.parameters,
        max_positions=geometry.max_positions,
        download_bytes=model.weights_bytes,
        build_memory_bytes=round(build_bytes(model, streamed=True) + rounding_bytes(model)),
        presets=[
            _preset_fit(option, recipe, geometry, free, total)
            for option in preset_options(model, recipe, DECODER, geometry)
        ],
    )


def _preset_fit(option: PresetOption, recipe: Recipe, geometry: ModelGeometry, free: int, total: int) -> PresetFit:
    per_token = geometry.kv_bytes_per_token(item_bytes(recipe.kv_dtype))
    needs = option.bytes, per_token, geometry.max_positions, recipe.chunk * geometry.vocabulary
    return PresetFit(
        preset=option.name,
        precision=option.precision,
        bytes=option.bytes,
        kv_bytes_per_token=per_token,
        tokens=packed_tokens(*needs, free),
        most_tokens=packed_tokens(*needs, total),
        tokens_per_s=option.tokens_per_s,
    )
