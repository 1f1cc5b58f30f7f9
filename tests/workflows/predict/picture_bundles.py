"""Tiny checkpoints that read pictures, with their processors' files, and picture files of every kind."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tests.workflows.families.test_single import save
from workflows.builder import BuildRequest, build

VIT = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48, "patch_size": 4}
DINO = {**VIT, "model_type": "dinov2", "image_size": 56, "patch_size": 14, "out_features": ["stage1", "stage2"],
        "reshape_hidden_states": False}  # fmt: skip
ANYTHING = {"backbone_config": DINO, "neck_hidden_sizes": [8, 16], "fusion_hidden_size": 8, "head_hidden_size": 8,
            "reassemble_hidden_size": 32, "reassemble_factors": [1, 0.5], "patch_size": 14}  # fmt: skip
RESNET = {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "layer_type": "basic"}
LABELS = {"id2label": {0: "cat", 1: "dog", 2: "fern", 3: "tin"}, "label2id": {"cat": 0, "dog": 1, "fern": 2, "tin": 3}}


def make_bundle(
    folder: Path, model_type: str, kind: str, config: dict[str, Any], processor: dict[str, Any] | None, **options: Any
) -> tuple[Path, Path]:
    """The folders of a checkpoint and of its bundle. processor: its preprocessor_config.json."""
    checkpoint = save(model_type, kind, config, folder / "checkpoint")
    if processor is not None:
        (checkpoint / "preprocessor_config.json").write_text(json.dumps(processor), "utf-8")
    build(BuildRequest(str(checkpoint), folder / "bundle", options))
    return checkpoint, folder / "bundle"


def picture_files(folder: Path, sizes: Sequence[tuple[int, int]] = ((61, 47),)) -> list[Path]:
    """Files of a picture by width and height, in every mode and format that is read, one of them turned by its EXIF."""
    files = []
    for width, height in sizes:
        small = np.random.default_rng(width).integers(0, 256, (-(-height // 6), -(-width // 6), 4), np.uint8)
        base = Image.fromarray(small, "RGBA").resize((width, height), Image.Resampling.BICUBIC)
        stem = f"{width}x{height}"
        for mode, suffix in (("RGBA", "png"), ("L", "png"), ("LA", "png"), ("P", "png"), ("P", "gif"), ("1", "png"),
                             ("CMYK", "jpg"), ("RGB", "webp"), ("RGB", "tiff"), ("RGB", "bmp")):  # fmt: skip
            files.append(folder / f"{stem}-{mode}.{suffix}")
            base.convert("RGB" if mode in ("P", "CMYK") else mode).convert(mode).save(files[-1])
        files.append(folder / f"{stem}-turned.jpg")
        exif = Image.Exif()
        exif[0x0112] = 6  # shown turned by 90°
        base.convert("RGB").save(files[-1], exif=exif)
    return files
