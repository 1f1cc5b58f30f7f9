"""Opens the adapters of a recipe, which a build merges into the checkpoint's weights or holds beside them.

options {"adapter": [{"folder", "scale"}]} ──open_adapters──▶ Checkpoint.adapters ──resolve_recipe──▶ Recipe.adapter
        {"adapters": "runtime"}            ─────────────────▶ Checkpoint.switched
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from workflows.checkpoint import Checkpoint
from workflows.checkpoint.peft.adapter import PeftAdapter, is_adapter, open_adapter
from workflows.checkpoint.peft.base import find_base
from workflows.common.errors import RecipeError, printable
from workflows.recipe.schema import AdapterSettings
from workflows.recipe.settings import setting_error

ADAPTER, _USE = "adapter", "adapters"
"""The options of a build: the adapters, and whether they are merged."""
_SETTINGS = TypeAdapter(tuple[AdapterSettings, ...])


def parse_adapter(text: str) -> dict[str, Any]:
    """The option of `DIR` or `DIR=SCALE`. Raises RecipeError for a scale that is no number."""
    folder, equals, scale = text.rpartition("=")
    if not equals or Path(text).is_dir():
        return {"folder": text}
    try:
        return {"folder": folder, "scale": float(scale)}
    except ValueError:
        raise RecipeError(
            f"--adapter takes DIR or DIR=SCALE, and {printable(scale, 60)!r} after the last = is no number."
        ) from None


def split_source(source: str, options: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The source and the options of a build; of an adapter's folder as the source, its base, and the adapter first.

    Raises CheckpointError where the base is not on this machine.
    """
    folder = Path(source).expanduser() if source.isprintable() else Path()
    if not source or not is_adapter(folder):
        return source, options
    first = {"folder": str(folder.resolve())}
    return find_base(folder), {**options, ADAPTER: [first, *(options.get(ADAPTER) or ())]}


def open_adapters(checkpoint: Checkpoint, options: Mapping[str, Any]) -> Checkpoint:
    """The checkpoint with the adapters that the options name. Raises RecipeError, and as open_adapter.

    Raises RecipeError for a sha256 that is not the adapter's: the recipe was made with another one.
    """
    try:
        wanted = _SETTINGS.validate_python(options.get(ADAPTER) or ())
    except ValidationError as error:
        raise setting_error(error, ADAPTER) from None
    opened = tuple(open_adapter(Path(one.folder), one.scale) for one in wanted)
    for one, found in zip(wanted, opened, strict=True):
        if one.sha256 not in ("", found.sha256):
            raise RecipeError(
                f"The adapter in {printable(one.folder)} is not the one that the recipe was made with (its sha256 "
                "differs): give that one, or leave sha256 out."
            )
    if options.get(_USE) != "runtime":
        return replace(checkpoint, adapters=opened)
    for adapter in opened:
        if reason := switching_refusal(adapter):
            raise RecipeError(
                f"The adapter {printable(adapter.name, 100)} cannot be switched while the model runs: {reason}; "
                "merge it, without adapters=runtime."
            )
    names = [one.name for one in opened]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise RecipeError(
            f"Two adapters are called {printable(twice, 100)}, by which a generation chooses: rename a folder."
        )
    return replace(checkpoint, switched=opened)


def switching_refusal(adapter: PeftAdapter) -> str:
    """Why an adapter cannot be beside the weights; empty if it can: then it adds x·A·B to linear layers alone."""
    if adapter.settings.use_dora:
        return "it is of DoRA, which scales the rows of the weights themselves"
    if adapter.replaced:
        return f"it replaces {printable(next(iter(adapter.replaced)), 100)} as a whole (modules_to_save or bias)"
    if adapter.settings.target_parameters:
        return f"it changes parameters of experts ({printable(adapter.settings.target_parameters[0], 100)})"
    for path, layer in adapter.layers.items():
        if layer.bias is not None:
            return f"it adds a bias to {printable(path, 100)}"
        if "lora_embedding_" in layer.left.name:
            return f"it changes the embedding {printable(path, 100)}"
        if len(layer.left.shape) != 2 or len(layer.right.shape) != 2:
            return f"it changes the convolution {printable(path, 100)}"
    return ""


def adapter_settings(checkpoint: Checkpoint) -> tuple[AdapterSettings, ...]:
    """What a recipe says of the checkpoint's adapters."""
    return tuple(
        AdapterSettings(folder=str(one.folder), scale=one.scale, sha256=one.sha256)
        for one in (*checkpoint.adapters, *checkpoint.switched)
    )


def adapter_notice(checkpoint: Checkpoint) -> str:
    """A sentence about what is merged, or held beside the weights; empty without adapters."""
    if checkpoint.switched:
        names = [f"{printable(one.name, 60)} (scale {one.scale:g})" for one in checkpoint.switched]
        return f"The bundle holds {', '.join(names)} beside its weights: a generation chooses one, or none."
    names = [f"{printable(one.name, 60)} (scale {one.scale:g})" for one in checkpoint.adapters]
    if not names:
        return ""
    into = printable(checkpoint.source, 200)
    return f"The bundle has {', '.join(names)} merged into the weights of {into}."
