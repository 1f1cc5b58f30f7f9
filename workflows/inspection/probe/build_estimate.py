"""Estimates time, memory and disk of a build before it starts.

recipe, size of the model, the builds in the history ──build_estimate──▶ seconds per stage, bytes
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import log
from pathlib import Path
from statistics import median

from workflows.checkpoint import Checkpoint
from workflows.common.element_types import item_bytes
from workflows.common.files import free_disk_bytes
from workflows.common.memory import free_bytes, obtainable_bytes
from workflows.recipe import Recipe, family_for
from workflows.recipe.build_memory import build_bytes, can_stream, float32_bytes, rounding_bytes, whole_build_bytes
from workflows.recipe.family import ModelGeometry
from workflows.recipe.precision import PRECISIONS, table_elements, weight_bytes
from workflows.recipe.schema import Role
from workflows.recipe.stored_forms import stored_bytes
from workflows.wire.reports.plan import BuildEstimate
from workflows.wire.reports.runs import RunRecord

# Seconds of each stage of a small model, and per GB of float32 weights: measured on two cores. The history of the
# machine corrects them.
_STAGE_SECONDS = {
    "checkpoint": (0.1, 1.0),
    "export": (8.0, 6.0),
    "optimize": (1.0, 4.0),
    "quantize": (0.4, 3.0),
    "measure": (0.3, 2.0),
    "bundle": (0.1, 1.0),
}
_ROUNDED = "int4"  # the precision whose rounding needs memory of its own
_COMPENSATED_SECONDS = 150.0
"""Of rounding with what the weights multiply, per GB of float32 weights."""
_NEAREST = 5
"""Earlier builds that count, the nearest in size."""
_SAME_SIZE = 1.25
# Measured bytes per layer of a graph, and of the snapshots after its passes; and of records and settings.
_GRAPH_BYTES, _SNAPSHOT_BYTES, _RECORD_BYTES = 17 << 10, 3 << 10, 24 << 10
_ANGLES_LIMIT = 1 << 26  # of the pass gqa_attention
_TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "vocab.json")
# Weights of each role as transformers calls them; the graphs are searched by structure (quantize/roles.py).
_OUTPUTS = r"o_proj|out_proj|attn\.c_proj|attention\.(output\.)?dense|attention\.wo"
_DOWN = r"down_proj|fc2|mlp\.c_proj|dense_4h_to_h|(?<!attention\.)output\.dense|w2"
_ROLE_NAMES: dict[Role, re.Pattern[str]] = {
    "attention_output": re.compile(rf"({_OUTPUTS})\.weight$"),
    "down_projection": re.compile(rf"({_DOWN})\.weight$"),
}
_LAYER = re.compile(r"\.(\d+)\.")

_SURELY_SHORT = 1.3
"""A build is refused where its memory is so many times what can be had: estimates are not exact."""


def build_estimate(
    checkpoint: Checkpoint,
    recipe: Recipe,
    geometry: ModelGeometry | None,
    components: int,
    runs: Sequence[RunRecord],
    out: Path | None = None,
) -> BuildEstimate:
    """Returns the estimate of a build of `components` graphs. runs: earlier complete builds, the newest first; those
    that streamed count for one that streams, the others for one that does not. out: the bundle's folder, if known.
    """
    weights = float32_bytes(checkpoint)
    streamed = can_stream(checkpoint, family_for(recipe.model_type, recipe.task))
    runs = [run for run in runs if bool(run.figures.get("streamed")) == streamed]
    dtype = "float16" if recipe.precision in ("fp16", "bf16") else recipe.kv_dtype
    nearest = sorted(runs, key=lambda run: abs(log(max(_float32_bytes(run), 1) / max(weights, 1))))[:_NEAREST]
    stages = {
        stage: round(_stage_seconds(stage, recipe, weights, nearest), 2)
        for stage in _STAGE_SECONDS
        if stage not in ("quantize", "measure") or recipe.quantizes
    }
    rounds = recipe.precision == _ROUNDED and recipe.quantize.rounding == "compensated"
    memory = build_bytes(checkpoint, streamed) + (rounding_bytes(checkpoint) if rounds else 0)
    corrected = memory * _memory_ratio(checkpoint, streamed, nearest)
    layers = components * (geometry.layers if geometry else 12)
    return BuildEstimate(
        seconds=round(sum(stages.values()), 1),
        memory_bytes=round(corrected),
        disk_bytes=_bundle_bytes(checkpoint, recipe, geometry, layers),
        kv_bytes=recipe.batch * recipe.capacity * geometry.kv_bytes_per_token(item_bytes(dtype)) if geometry else 0,
        free_memory_bytes=free_bytes(),
        free_disk_bytes=free_disk_bytes(out or Path.cwd() / "bundle"),
        builds=len(nearest),
        stages=stages,
        snapshot_bytes=layers * _SNAPSHOT_BYTES,
        work_bytes=_work_bytes(checkpoint, recipe) if streamed else 2 * weights,
        streamed=streamed,
        # a peak of earlier builds counts pages of files, which the system can drop
        memory_short=min(memory, corrected) > _SURELY_SHORT * obtainable_bytes(),
    )


def _work_bytes(checkpoint: Checkpoint, recipe: Recipe) -> int:
    """What a streamed build writes beside its result: quantized weights, and float32 ones for a calibration to run, or
    to compare graphs without a cache, which run whole.
    """
    whole = recipe.precision in ("w8a16", "w8a8") or not family_for(recipe.model_type, recipe.task).cached
    parts = 0 if recipe.keeps_weights else precision_bytes(recipe.precision, checkpoint, recipe)
    return parts + (float32_bytes(checkpoint) if whole else 0)


def _stage_seconds(stage: str, recipe: Recipe, weights: int, runs: Sequence[RunRecord]) -> float:
    """The measured seconds, scaled by size; of the same precision where it matters. Without runs those of the table."""
    own = [run for run in runs if stage not in ("quantize", "measure") or run.precision == recipe.precision]
    if stage == "quantize" and not own and recipe.quantize.rounding == "compensated":
        return _COMPENSATED_SECONDS * weights / 1e9
    ratios = [
        float(seconds) / _expected(stage, _float32_bytes(run))
        for run in own
        if isinstance(seconds := run.figures.get(f"{stage}_s"), int | float)
    ]
    return _expected(stage, weights) * (median(ratios) if ratios else 1.0)


def _memory_ratio(checkpoint: Checkpoint, streamed: bool, runs: Sequence[RunRecord]) -> float:
    """The measured peak over that of the formula, 1 without runs.

    A run has the size of its weights alone, from which the peak of one that streamed does not follow: such a run counts
    for a checkpoint of about its size, which it is compared with in proportion.
    """
    weights = float32_bytes(checkpoint)
    if streamed:
        runs = [run for run in runs if 1 / _SAME_SIZE < _float32_bytes(run) / weights < _SAME_SIZE]
    least = build_bytes(checkpoint, streamed)
    of_rounding = {_ROUNDED: rounding_bytes(checkpoint)}
    ratios = [
        float(peak)
        * 2**20
        * whole_build_bytes(weights)
        / ((least + of_rounding.get(run.precision, 0.0)) * whole_build_bytes(_float32_bytes(run)))
        for run in runs
        if isinstance(peak := run.figures.get("peak_mib"), int | float) and peak
    ]
    return median(ratios) if ratios else 1.0


def _expected(stage: str, weights: float) -> float:
    fixed, per_gigabyte = _STAGE_SECONDS[stage]
    return fixed + per_gigabyte * weights / 1e9


def _float32_bytes(run: RunRecord) -> float:
    """The size of the model of a run in float32, by the bits of its precision."""
    size, known = run.figures.get("bytes"), PRECISIONS.get(run.precision)
    return float(size) * 32 / (known.bits if known else 32) if isinstance(size, int | float) else 0.0


def _bundle_bytes(checkpoint: Checkpoint, recipe: Recipe, geometry: ModelGeometry | None, layers: int) -> int:
    """Weights, tables of rotary angles, graphs with their snapshots, tokenizer and records."""
    files = [checkpoint.folder / name for name in _TOKENIZER_FILES]
    tokenizer = max((file.stat().st_size for file in files if file.is_file()), default=0)
    angles = 4 * geometry.positions(recipe.capacity) * geometry.head_dim if geometry and recipe.cache == "gqa" else 0
    weights = precision_bytes(recipe.precision, checkpoint, recipe)
    return (
        weights
        + (angles if angles <= _ANGLES_LIMIT else 0)
        + layers * (_GRAPH_BYTES + _SNAPSHOT_BYTES)
        + tokenizer
        + _RECORD_BYTES
    )


def precision_bytes(precision: str, checkpoint: Checkpoint, recipe: Recipe) -> int:
    """Estimates the bytes of the checkpoint's weights in `precision`, with the recipe's settings of quantization."""
    if precision == "stored":
        return stored_bytes(checkpoint)
    config = checkpoint.config
    table = table_elements(config)
    tied = config.get("tie_word_embeddings", True) is not False
    return weight_bytes(recipe, precision, checkpoint.parameters, table, tied, _elements_by_role(checkpoint))


def _elements_by_role(checkpoint: Checkpoint) -> dict[Role, int]:
    """The elements of the weights in each role, by their names; those of the first and last layer by their number."""
    sizes: dict[Role, int] = dict.fromkeys(("attention_output", "down_projection"), 0)
    layers: dict[int, int] = {}
    for name, tensor in checkpoint.tensors.items():
        role = next((role for role, pattern in _ROLE_NAMES.items() if pattern.search(name)), None)
        if role is not None:
            sizes[role] += tensor.elements
        elif layer := _LAYER.search(name):
            layers[int(layer[1])] = layers.get(int(layer[1]), 0) + tensor.elements
    if layers:
        sizes |= {"first_layer": layers[min(layers)], "last_layer": layers[max(layers)]}
    return sizes
