"""Before a build: what a source is, and what a recipe would make of it. Nothing is written, nothing of it is run."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

import psutil

from workflows.checkpoint import Checkpoint, open_checkpoint
from workflows.errors import RecipeError
from workflows.recipe import Family, Recipe, choose, family_for, task_of, tasks_for
from workflows.recipe.families.base import Geometry
from workflows.recipe.precision import FACTS, weight_bytes
from workflows.recipe.schema import Cache, single_output, writer_of
from workflows.tensors import item_bytes
from workflows.wire.events import Event

# What a build of a small model takes whatever its size (seconds, bytes), and how both grow with the weights:
# measured on two cores; a person is told that these are estimates.
_FIXED_SECONDS, _SECONDS_PER_GB = 10.0, 14.0
_FIXED_BYTES, _COPIES = 700 << 20, 2.2


def probe(source: str, report: Callable[[Event], None], cancelled: Callable[[], bool]) -> dict[str, Any]:
    """What `source` holds, as the wizard shows it. An architecture that cannot be built is a reason, not an error.

    Raises CheckpointError and its kinds where there is no whole checkpoint.
    """
    checkpoint = open_checkpoint(source, report=report, cancelled=cancelled)
    tokenizer = checkpoint.tokenizer
    return {
        "source": checkpoint.source,
        "path": str(checkpoint.folder),
        "kind": checkpoint.kind,
        "model_type": checkpoint.model_type,
        "architectures": list(checkpoint.architectures),
        "parameters": checkpoint.parameters,
        "dtype": checkpoint.dtype,
        "weights_bytes": checkpoint.weights_bytes,
        "tokenizer": tokenizer
        and {"kind": tokenizer.kind, "vocabulary": tokenizer.vocabulary, "chat_template": tokenizer.chat_template},
        "remote_code": dict(checkpoint.remote_code),
        **_supported(checkpoint),
    }


def _supported(checkpoint: Checkpoint) -> dict[str, Any]:
    try:
        tasks = tasks_for(checkpoint)
        family = family_for(checkpoint.model_type, tasks[0])
    except RecipeError as error:
        return {"family": None, "tasks": [], "supported": False, "reason": str(error)}
    known = {"family": family.name, "tasks": _tasks(checkpoint, tasks), "supported": True, "reason": ""}
    if not family.cached:
        return known
    geometry = family.geometry(checkpoint.config)
    return {
        **known,
        "layers": geometry.layers,
        "hidden_size": geometry.hidden_size,
        "vocabulary": geometry.vocabulary,
        "max_positions": geometry.max_positions,
        "kv_bytes_per_token": geometry.kv_bytes_per_token(),
    }


def _tasks(checkpoint: Checkpoint, tasks: tuple[str, ...]) -> list[str]:
    """`tasks`, the checkpoint's own first where its files tell it."""
    try:
        own = task_of(checkpoint)
    except RecipeError:
        return list(tasks)
    return sorted(tasks, key=lambda task: task != own)


def plan(source: str, options: Mapping[str, Any], cancelled: Callable[[], bool]) -> dict[str, Any]:
    """The recipe that `options` give for `source`, the components it cuts, and what the build will take.

    Raises CheckpointError and RecipeError, one sentence each.
    """
    checkpoint = open_checkpoint(source, cancelled=cancelled)
    recipe = choose(checkpoint, options)
    family = family_for(recipe.model_type, recipe.task)
    geometry = family.geometry(checkpoint.config) if family.cached else None
    components, edges = _components(recipe, family, geometry.layers) if geometry else (_single(recipe, family), [])
    return {
        "recipe": recipe.model_dump(mode="json"),
        "estimate": _estimate(checkpoint, recipe, geometry),
        "components": components,
        "edges": edges,
        "layouts": _layouts(family, recipe),
        "variants": _variants(family),
        "stages": _stages(checkpoint, recipe, family.default_passes(recipe.target)),
    }


def _single(recipe: Recipe, family: Family) -> list[dict[str, Any]]:
    """The one box of a model without a cache."""
    inputs = ["input_ids", "attention_mask"] if family.reads == "tokens" else ["pixel_values"]
    return [{"name": "model", "role": "model", "inputs": inputs, "outputs": [single_output(recipe.task)]}]


def _components(recipe: Recipe, family: Family, layers: int) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """The boxes and arrows of the recipe's picture."""
    past, present = f"past_key_values.0…{layers - 1}", f"present.0…{layers - 1}"
    if recipe.variant == "transformer-only":
        return _split_components(recipe, past, present)
    drivers = {
        "host": ["attention_mask"],
        "gqa": ["seqlens_k", "total_sequence_length"],
        "scatter": ["attention_mask", "write_indices", "nonpad_kv_seqlen"],
    }[writer_of(recipe.cache)]
    names = ["decoder"] if recipe.graphs == "single" else ["prefill", "decode"]
    cross = [f"cross.0…{layers - 1}"] if family.encoder else []
    inputs = ["input_ids", "position_ids", *drivers, past, *(["source_mask", *cross] if cross else [])]
    components = [{"name": name, "role": name, "inputs": inputs, "outputs": ["logits", present]} for name in names]
    edges = [{"from": f"{name}.present", "to": f"{names[-1]}.past", "kind": "cache"} for name in names]
    if cross:
        encoder = {"name": "encoder", "role": "encoder", "inputs": ["input_ids", "source_mask"], "outputs": cross}
        components.insert(0, encoder)
        edges += [{"from": "encoder.cross", "to": f"{name}.cross", "kind": "dataflow"} for name in names]
    return components, edges


def _split_components(
    recipe: Recipe, past: str, present: str
) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """The same of the transformer-only variant."""
    names = ["transformer"] if recipe.graphs == "single" else ["prefill", "decode"]
    inputs = ["inputs_embeds", "seqlens_k", "total_sequence_length", past]
    components = [
        {"name": "embeddings", "role": "embeddings", "inputs": ["input_ids"], "outputs": ["inputs_embeds"]},
        *({"name": name, "role": name, "inputs": inputs, "outputs": ["hidden_states", present]} for name in names),
        {"name": "head", "role": "head", "inputs": ["hidden_states"], "outputs": ["logits"]},
    ]
    edges = [{"from": f"{name}.present", "to": f"{names[-1]}.past", "kind": "cache"} for name in names]
    for name in names:
        edges.append({"from": "embeddings.inputs_embeds", "to": f"{name}.inputs_embeds", "kind": "dataflow"})
        edges.append({"from": f"{name}.hidden_states", "to": "head.hidden_states", "kind": "dataflow"})
    return components, edges


def _layouts(family: Family, recipe: Recipe) -> list[dict[str, Any]]:
    """Every cache layout that can be built, and why one is not right for this family, or for the recipe's variant."""
    why = "" if family.cached else "this model keeps no cache"
    notes = {name: family.refused.get(name, "") or why for name in get_args(Cache)}
    if recipe.variant == "transformer-only":
        notes |= {name: "the transformer-only variant attends in place" for name in get_args(Cache) if name != "gqa"}
    return [
        {"name": name, "available": name in family.layouts and not note, "note": note} for name, note in notes.items()
    ]


def _variants(family: Family) -> list[dict[str, Any]]:
    """Every way to cut the model, and why one is not open to this family."""
    note = "only a decoder without an encoder has one"
    split = "transformer-only" in family.variants
    return [
        {"name": "plain", "available": True, "note": ""},
        {"name": "transformer-only", "available": split, "note": "" if split else note},
    ]


def _estimate(checkpoint: Checkpoint, recipe: Recipe, geometry: Geometry | None) -> dict[str, Any]:
    weights = checkpoint.parameters * 4  # fp32
    item = 2 if recipe.precision in ("fp16", "bf16") else item_bytes(recipe.kv_dtype)
    where = Path.cwd()
    return {
        "seconds": round(_FIXED_SECONDS + _SECONDS_PER_GB * weights / 1e9, 1),
        "memory_bytes": int(_FIXED_BYTES + _COPIES * weights),
        "disk_bytes": _weight_bytes(recipe.precision, checkpoint, recipe) + (8 << 20),
        "kv_bytes": recipe.capacity * geometry.kv_bytes_per_token(item) if geometry else 0,
        "free_memory_bytes": psutil.virtual_memory().available,
        "free_disk_bytes": shutil.disk_usage(where).free,
    }


def _stages(checkpoint: Checkpoint, recipe: Recipe, passes: Mapping[str, bool]) -> list[dict[str, Any]]:
    from workflows.optimize import PASSES  # onnx_ir: not needed by a probe
    from workflows.quantize import METHODS

    optimize = [_choice(name, PASSES[name].title, default=on) for name, on in passes.items()]
    built = {"fp32", *METHODS}
    quantize = [_method(name, checkpoint, recipe) for name in FACTS if name in built]
    rows: tuple[tuple[str, str, list[dict[str, Any]]], ...] = (
        ("checkpoint", "Read the checkpoint", []),
        ("export", "Export the graphs", []),
        ("optimize", "Optimize the graphs", optimize),
        ("quantize", "Quantize the weights", quantize),
        ("bundle", "Write the bundle", []),
    )
    return [{"name": n, "title": t, "available": True, "note": "", "choices": c} for n, t, c in rows]


def _method(name: str, checkpoint: Checkpoint, recipe: Recipe) -> dict[str, Any]:
    """One precision: what it is, what each provider makes of it, and the bytes that the weights would take."""
    from workflows.quantize import METHODS

    facts, calibrated = FACTS[name], name in METHODS and METHODS[name].needs_ranges
    words = {"note": facts.note, "providers": facts.providers, "trap": facts.trap}
    size = _weight_bytes(name, checkpoint, recipe)
    return _choice(name, facts.title, default=name == "fp32") | words | {"bytes": size, "calibrated": calibrated}


def _weight_bytes(precision: str, checkpoint: Checkpoint, recipe: Recipe) -> int:
    rows, columns = (checkpoint.config.get(name) for name in ("vocab_size", "hidden_size"))
    table = rows * columns if isinstance(rows, int) and isinstance(columns, int) else 0
    tied = checkpoint.config.get("tie_word_embeddings", True) is not False
    return weight_bytes(recipe, precision, checkpoint.parameters, table, tied)


def _choice(name: str, title: str, *, default: bool = False) -> dict[str, Any]:
    return {"name": name, "title": title, "available": True, "note": "", "default": default}
