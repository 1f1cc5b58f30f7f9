"""How a checkpoint's pictures are prepared: preprocessor_config.json, or what its architecture does without one named.

preprocessor_config.json, model_type ──▶ settings for workflows.media
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from workflows.checkpoint.configuration import read_optional

PREPROCESSOR = "preprocessor_config.json"
# Of older files, which name no kind: what transformers takes for a model_type.
_KINDS = {
    **dict.fromkeys(("vit", "swin"), "ViTImageProcessor"),
    **dict.fromkeys(("convnext", "convnextv2", "resnet", "regnet"), "ConvNextImageProcessor"),
    **dict.fromkeys(("dpt", "depth_anything"), "DPTImageProcessor"),
    "beit": "BeitImageProcessor",
    "deit": "DeiTImageProcessor",
    "dinov2": "BitImageProcessor",
    "efficientnet": "EfficientNetImageProcessor",
    "mobilenet_v2": "MobileNetV2ImageProcessor",
    "glpn": "GLPNImageProcessor",
    "zoedepth": "ZoeDepthImageProcessor",
    "depth_pro": "DepthProImageProcessor",
}


def picture_settings(folder: Path, model_type: str) -> dict[str, object]:
    """The settings of the folder's processor, with its kind; empty without a file. Raises CheckpointError."""
    return with_kind(read_optional(folder, PREPROCESSOR), model_type)


def with_kind(settings: Mapping[str, object], model_type: str) -> dict[str, object]:
    """The settings with the kind that transformers takes where they name none."""
    if not settings or settings.get("image_processor_type") or settings.get("feature_extractor_type"):
        return dict(settings)
    return {**settings, "image_processor_type": _KINDS.get(model_type, "")}
