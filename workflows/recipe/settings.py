"""Reads recipe files, parses `--set KEY=VALUE` pairs to recipe options, and checks options without a checkpoint."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from workflows.common.errors import RecipeError, printable
from workflows.common.files import special_file_kind
from workflows.common.strict_json import InvalidJsonError, read_json
from workflows.recipe.schema import Recipe


def read_recipe_file(path: Path) -> dict[str, Any]:
    """The settings in a recipe file, which serves any checkpoint of its family. Raises RecipeError, with the file."""
    if kind := special_file_kind(path):
        raise RecipeError(f"The recipe file {path} is {kind}: give a file.")
    try:
        settings = read_json(path.read_bytes())
    except OSError as error:
        raise RecipeError(f"The recipe file {path} cannot be read: {error.strerror}.") from None
    except InvalidJsonError as error:
        raise RecipeError(f"The recipe file {path} {error}: mend it, or give another.") from None
    if not isinstance(settings, dict):
        raise RecipeError(f"The recipe file {path} is not a JSON object of settings.")
    settings.pop("source", None)
    try:
        check_settings(settings)
    except RecipeError as error:
        raise RecipeError(f"The recipe file {path} cannot be used: {error}") from None
    return settings


def parse_settings(pairs: list[str]) -> dict[str, Any]:
    """Parses `--set KEY=VALUE` pairs to options; dots address nested settings (`quantize.calibration.method`), a value
    is JSON where it parses as JSON.

    Raises RecipeError for a pair without `=`, an unknown key, or two pairs that exclude each other.
    """
    options: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key:
            raise RecipeError(f"--set takes KEY=VALUE, and {printable(pair)!r} is not of that form.")
        *outer, last = key.split(".")
        if known := _known_settings([*outer, last]):
            raise RecipeError(f"No recipe has a setting {printable(key)!r}: the settings are {', '.join(known)}.")
        place: Any = options
        for name in outer:
            place = place.setdefault(name, {})
            if not isinstance(place, dict):
                raise RecipeError(f"--set {printable(key)} reaches into {name}, which another --set gives as a value.")
        place[last] = _value(text)
    return options


def check_settings(options: Mapping[str, Any]) -> None:
    """Checks the type and range of each setting by itself; what depends on the checkpoint, resolve_recipe checks.

    options: fields of Recipe by name, None for unset. Raises RecipeError that names the setting.
    """
    identity = dict.fromkeys(("source", "model_type", "family", "task"), "")
    try:
        Recipe.model_validate(identity | {key: value for key, value in options.items() if value is not None})
    except ValidationError as error:
        if error.errors()[0]["loc"]:  # without a place: of several settings, whose defaults the checkpoint decides
            raise setting_error(error) from None


def setting_error(error: ValidationError, outer: str = "") -> RecipeError:
    """Describes the first error of a recipe in one sentence. outer: the setting that was checked by itself."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in (*((outer,) if outer else ()), *first["loc"]))
    message = first["msg"].removeprefix("Value error, ").rstrip(".")
    wrong = f"{printable(where)} is wrong in the recipe" if where else "The recipe's settings do not go together"
    return RecipeError(f"{wrong}: {printable(message)}.")


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _known_settings(path: list[str]) -> list[str]:
    """Empty for a valid path; else the settings that exist where the path becomes invalid."""
    model: type[BaseModel] = Recipe
    for depth, name in enumerate(path):
        if name not in model.model_fields:
            return sorted(model.model_fields)
        kind = model.model_fields[name].annotation
        if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
            return [] if len(path) - depth - 1 <= _mapping_depth(kind) else sorted(model.model_fields)
        model = kind
    return []


def _mapping_depth(kind: object) -> int:
    """The depth of nested mappings with arbitrary keys."""
    return 1 + _mapping_depth(get_args(kind)[1]) if get_origin(kind) is dict else 0
