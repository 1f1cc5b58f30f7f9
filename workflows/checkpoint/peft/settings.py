"""Reads `adapter_config.json` of peft, and refuses what is not merged, by name.

The defaults and the meaning of each setting: peft 0.21, LoraConfig.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workflows.checkpoint.files import read_object
from workflows.common.errors import CheckpointError, printable

if TYPE_CHECKING:
    import regex

CONFIG = "adapter_config.json"
_LIMIT = 16 << 20
_SECONDS = 1.0  # of matching one name: a stranger's expression may take forever
Number = TypeVar("Number", int, float)
ALL_LINEAR = "all-linear"
# Settings of training, of how peft begins, or of how it runs: the stored tensors do not depend on them.
_HARMLESS = {
    "auto_mapping", "base_model_name_or_path", "corda_config", "ensure_weight_tying", "eva_config", "inference_mode",
    "loftq_config", "lora_dropout", "lora_ga_config", "megatron_core", "parent_library", "peft_type", "peft_version",
    "qalora_group_size", "revision", "runtime_config", "task_type", "velora_config",
}  # fmt: skip
_PLAIN_STARTS = (True, False, None, "gaussian", "eva", "orthogonal")
"""How A and B began (init_lora_weights) where the base stays as it is; pissa, olora and others change it."""


class LoraSettings(BaseModel):
    """The settings that a merge depends on, by peft's names."""

    model_config = ConfigDict(frozen=True, extra="allow")

    base_model_name_or_path: str | None = None
    task_type: str | None = None
    r: int = Field(8, gt=0)
    lora_alpha: float = 8
    use_rslora: bool = False
    use_dora: bool = False
    lora_bias: bool = False
    bias: Literal["none", "all", "lora_only"] = "none"
    fan_in_fan_out: bool = False
    rank_pattern: dict[str, int] | None = None
    alpha_pattern: dict[str, float] | None = None
    target_modules: list[str] | str | None = None
    exclude_modules: list[str] | str | None = None
    target_parameters: list[str] | None = None
    modules_to_save: list[str] | None = None
    layers_to_transform: list[int] | int | None = None
    layers_pattern: list[str] | str | None = None
    init_lora_weights: bool | str | None = True
    ensure_weight_tying: bool = False

    def rank(self, module: str) -> int:
        """The rank of the module, by its path."""
        return _by_pattern(self.rank_pattern, module, self.r)

    def scale(self, module: str) -> float:
        """What the product of B and A is multiplied by (rsLoRA: https://arxiv.org/abs/2312.03732)."""
        rank = self.rank(module)
        alpha = _by_pattern(self.alpha_pattern, module, self.lora_alpha)
        return alpha / (math.sqrt(rank) if self.use_rslora else rank)

    def saves(self, name: str) -> bool:
        """Whether the module or weight `name` belongs to a module that is stored whole."""
        return any(_match(rf"(?:^|.*\.){one}(?:$|\..*)", name) for one in self.modules_to_save or ())

    def targets(self, module: str, is_linear: bool) -> bool:
        """Whether the settings name the module, by its path. is_linear: of a linear layer that is not the head."""
        if _names(self.exclude_modules, module) or self.saves(module):
            return False
        if isinstance(self.target_modules, str) and self.target_modules.lower() == ALL_LINEAR:
            return is_linear
        return _names(self.target_modules, module) and (
            isinstance(self.target_modules, str) or self._is_in_layers(module)
        )

    def _is_in_layers(self, module: str) -> bool:
        layers = self.layers_to_transform
        if layers is None or layers == []:
            return True
        patterns = [self.layers_pattern] if isinstance(self.layers_pattern, str) else self.layers_pattern
        expressions = [rf"(?:^|.*?\.){one}\.(?P<layer>\d+)\." for one in patterns or ()]
        found = (_match(one, module) for one in expressions or [r".*?\.[^.]*\.(?P<layer>\d+)\."])
        layer = next((int(one["layer"]) for one in found if one), None)
        return layer in (layers if isinstance(layers, list) else [layers])


def read_settings(folder: Path) -> LoraSettings:
    """The settings of the adapter in `folder`. Raises CheckpointError for another kind of adapter, by its name."""
    data = read_object(folder, CONFIG, _LIMIT)
    kind = data.get("peft_type")
    if kind != "LORA":
        raise CheckpointError(
            f"{_named(folder)} is of the kind {printable(kind, 40)} (peft_type), and LORA alone is merged: merge it "
            "with peft (merge_and_unload, then save_pretrained), and open the result."
        )
    try:
        settings = LoraSettings.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = printable(".".join(map(str, first["loc"])), 60)
        raise CheckpointError(f"{_named(folder)}: {where} in its {CONFIG} is wrong ({first['msg']}).") from None
    _refuse_others(folder, settings, data)
    _check_expressions(folder, settings)
    return settings


def _refuse_others(folder: Path, settings: LoraSettings, data: Mapping[str, object]) -> None:
    """Raises CheckpointError for a setting that is not known, unless it is unset."""
    known = {*LoraSettings.model_fields, *_HARMLESS}
    unset: tuple[object, ...] = (None, False, [], {}, "")
    other = next((name for name, value in data.items() if name not in known and value not in unset), None)
    if other is None and settings.init_lora_weights not in _PLAIN_STARTS:
        other = "init_lora_weights"
    if other is not None:
        raise CheckpointError(
            f"{_named(folder)} has {printable(other, 60)} = {printable(data[other], 60)} in its {CONFIG}, which is not "
            "merged: merge it with peft (merge_and_unload, then save_pretrained), and open the result."
        )


def _check_expressions(folder: Path, settings: LoraSettings) -> None:
    """Raises CheckpointError for a regular expression that Python does not read."""
    import regex  # a command that merges nothing does not wait for it

    texts: list[str] = [
        *(settings.rank_pattern or ()),
        *(settings.alpha_pattern or ()),
        *(settings.modules_to_save or ()),
    ]
    texts += [one for one in (settings.target_modules, settings.exclude_modules) if isinstance(one, str)]
    patterns: Any = settings.layers_pattern or ()
    texts += [patterns] if isinstance(patterns, str) else patterns
    for text in texts:
        try:
            regex.compile(text)
        except regex.error as error:
            raise CheckpointError(
                f"{_named(folder)}: '{printable(text, 60)}' in its {CONFIG} is no regular expression ({error})."
            ) from None


def _named(folder: Path) -> str:
    return f"The adapter {printable(folder.name)}"


def _names(names: list[str] | str | None, module: str) -> bool:
    """Whether a regular expression matches the module's path, or a list has it or its end."""
    if isinstance(names, str):
        return bool(names) and _match(rf"(?:{names})$", module) is not None
    return any(module == one or module.endswith(f".{one}") for one in names or ())


def _by_pattern(patterns: Mapping[str, Number] | None, module: str, default: Number) -> Number:
    """The value of the first pattern that matches the end of the module's path."""
    found = (key for key in patterns or () if _match(rf"(?:.*\.)?(?:{key})$", module))
    key = next(found, None)
    return default if key is None or patterns is None else patterns[key]


def _match(expression: str, name: str) -> regex.Match[str] | None:
    """The match from the beginning of `name`. Raises CheckpointError for an expression that does not come to an end."""
    import regex

    try:
        return regex.match(expression, name, timeout=_SECONDS)
    except TimeoutError:
        raise CheckpointError(
            f"The adapter's expression '{printable(expression, 60)}' was not matched within {_SECONDS:.0f} s: correct "
            f"its {CONFIG}."
        ) from None
