"""Which pictures the graph of a model takes: of the size that the checkpoint's processor makes, or of any size.

preprocessor_config.json ──▶ a size ───────────────▶ a graph of that size, where the model takes it
                         ──▶ the picture's ratio ──▶ a graph of any size, unless the target has fixed shapes
none, or not honoured ──▶ the size in config.json, or any size where that states none
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from transformers import PreTrainedConfig, PreTrainedModel

from workflows.common.errors import MediaError
from workflows.common.tensor_names import PIXELS
from workflows.media import Picture, SizedProcessor, sized_processor

_ANY = (96, 128)  # an example for a model that takes any size
_UNLIKE = (64, 96)  # a picture that is no square, as no table of positions is


@dataclass(frozen=True)
class PictureSize:
    """height, width: in pixels; of an example where `any_size`."""

    height: int
    width: int
    any_size: bool = False


def picture_size(model: PreTrainedModel, settings: Mapping[str, object], fixed: bool) -> PictureSize:
    """The size to trace `model` with. settings: of its processor, or empty; fixed: whether shapes must be fixed."""
    stated = image_size(model.config)
    processor = _processor(settings)
    if processor is None or stated is None:
        height, width = stated or _ANY
        return PictureSize(height, width, any_size=stated is None)
    made = processor.picture_size
    if made is not None:
        return PictureSize(*(made if made == stated or _takes(model, *made) else stated))
    if fixed:
        return PictureSize(*stated)
    height, width = processor([Picture(np.zeros((*_UNLIKE, 3), np.uint8))]).tensors[PIXELS].shape[2:]
    return PictureSize(height, width, any_size=True) if _takes(model, height, width) else PictureSize(*stated)


def _processor(settings: Mapping[str, object]) -> SizedProcessor | None:
    """None where the settings are missing or not honoured, which is said where a picture is read."""
    try:
        return sized_processor(settings) if settings else None
    except MediaError:
        return None


def _takes(model: PreTrainedModel, height: int, width: int) -> bool:
    """Whether the model takes pictures of this size: some compare it with their config and raise ValueError."""
    channels = picture_channels(model.config)
    try:
        with torch.no_grad():
            model(**{PIXELS: torch.zeros(1, channels, height, width)})
    except (ValueError, RuntimeError):  # torch raises the latter for shapes that do not fit
        return False
    return True


def picture_channels(config: PreTrainedConfig) -> int:
    return int(getattr(config, "num_channels", None) or getattr(_backbone(config), "num_channels", None) or 3)


def image_size(config: PreTrainedConfig) -> tuple[int, int] | None:
    """The (height, width) in a config; None for a model that accepts any size."""
    ratios = getattr(config, "scaled_images_ratios", None)
    if ratios:  # DepthPro: the smallest of its scaled images is one patch
        side = round(config.patch_size / min(ratios))
        return side, side
    size = getattr(config, "image_size", None) or getattr(_backbone(config), "image_size", None)
    if size is None:
        return None
    return (size, size) if isinstance(size, int) else (size[0], size[1])


def _backbone(config: PreTrainedConfig) -> PreTrainedConfig | None:
    return getattr(config, "backbone_config", None)


class _KeepsSymbols(type):
    """The metaclass of a stand-in for int: int(symbol) would fix the size of the graph."""

    def __call__(cls, *arguments: Any) -> Any:
        if arguments and isinstance(arguments[0], torch.SymInt):
            return arguments[0]
        return int(*arguments)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, int)


class _SymbolicInt(metaclass=_KeepsSymbols):
    """int, which leaves the symbol of a size as it is."""


@contextmanager
def symbolic_sizes(model: torch.nn.Module) -> Iterator[None]:
    """Within it the model's code keeps symbols of sizes where it calls int or transformers' torch_int."""
    modules = {sys.modules[type(part).__module__] for part in model.modules()}
    before = [(one, name, vars(one).get(name)) for one in modules for name in ("int", "torch_int")]
    replaced = [(one, name, own) for one, name, own in before if name == "int" or own is not None]
    own_modules = [entry for entry in replaced if entry[0].__name__.startswith("transformers.models.")]
    try:
        for one, name, _ in own_modules:
            setattr(one, name, _SymbolicInt)
        yield
    finally:
        for one, name, own in own_modules:
            if own is None:
                delattr(one, name)
            else:
                setattr(one, name, own)
