"""LLaVA-NeXT, OneVision, Mistral 3 and Pixtral see files as eager Hugging Face does with the processor's values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.families.models import WITH_TILES, save_with_tiles
from tests.workflows.generate.test_picture_prompts import prompts as prompts_of
from tests.workflows.media.pictures.making import picture
from workflows.builder import BuildRequest, build
from workflows.generate import GenerateOptions, open_engine
from workflows.wire.events import GenerationDone

pytestmark = pytest.mark.slow

IMAGE, COUNT = 200, 6
TILE = {"height": 32, "width": 32}
TILED = {"size": TILE, "crop_size": TILE, "image_grid_pinpoints": WITH_TILES["llava_next"][1]["image_grid_pinpoints"]}
# model_type → its classes' name, the settings of its pictures and of their tokens
MODELS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "llava_next": ("LlavaNext", TILED, {"patch_size": 8, "vision_feature_select_strategy": "default",
                                        "num_additional_image_tokens": 1}),
    "llava_onevision": ("LlavaOnevision", TILED, {"num_image_tokens": 16, "vision_aspect_ratio": "anyres_max_2"}),
    "mistral3": ("Pixtral", {"size": {"longest_edge": 96}, "patch_size": 8},
                 {"patch_size": 8, "spatial_merge_size": 2}),
    "gemma4": ("Gemma4", {"patch_size": 8, "pooling_kernel_size": 2, "max_soft_tokens": 70}, {}),
    "gemma4 windows": ("Gemma4", {"patch_size": 8, "pooling_kernel_size": 2, "max_soft_tokens": 70}, {}),
    "pixtral": ("Pixtral", {"size": {"longest_edge": 70}, "patch_size": 8}, {"patch_size": 8}),
}  # fmt: skip
CASES: list[tuple[list[int], list[tuple[int, int]]]] = [
    ([63], []), ([64], []), ([3, 4], [(40, 41)]), ([70, 2], [(301, 211)]), ([1, 65], [(3, 190)]),
    ([5, 30, 3], [(97, 64), (33, 90)]), ([64, 1, 9, 1], [(20, 31), (120, 40), (64, 64)]),
]  # fmt: skip
"""The lengths of the texts around pictures, and the pictures' heights and widths; a chunk has 64 tokens."""


@pytest.mark.parametrize("model_type", MODELS)
def test_tokens_are_those_of_the_model(model_type: str, tmp_path: Path) -> None:
    import torch
    import transformers
    from PIL import Image

    name, settings, of_tokens = MODELS[model_type]
    checkpoint = save_with_tiles(model_type, tmp_path / "checkpoint", IMAGE)
    build(BuildRequest(str(checkpoint), tmp_path / "bundle", {}))
    eager = transformers.AutoModelForImageTextToText.from_pretrained(checkpoint, attn_implementation="eager").eval()
    merged = of_tokens.get("spatial_merge_size", 1)  # a block of so many patches a side is one to its processor
    made = {**settings, "patch_size": settings["patch_size"] * merged} if name == "Pixtral" else settings
    theirs = getattr(transformers, f"{name}ImageProcessorPil")(**made)
    files = {"image_processor_type": f"{name}ImageProcessor", **settings}, {"processor_class": f"{name}Processor"}
    prompts, chances = prompts_of(json.dumps(files[0]), json.dumps({**files[1], **of_tokens})), np.random.default_rng(0)
    with open_engine(tmp_path / "bundle") as engine:
        for texts, sizes in CASES:
            pictures = [picture(*size, seed) for seed, size in enumerate(sizes)]
            _, tensors, rows = prompts.prepare(prompts.with_placeholders("", len(sizes)), pictures)
            ids = chances.integers(1, 190, texts[0]).tolist()
            for count, length in zip(rows, texts[1:], strict=True):
                ids += [IMAGE] * count + chances.integers(1, 190, length).tolist()
            images = [Image.fromarray(one.pixels) for one in pictures]
            seen = dict(theirs([images], return_tensors="pt")) if images else {}
            seen.pop("num_soft_tokens_per_image", None)
            options = GenerateOptions(max_new_tokens=COUNT)
            *_, done = engine.generate(ids, options, inputs=tensors or None, eos=())
            assert isinstance(done, GenerationDone)
            own = list(ids)
            for _ in range(COUNT):
                if "image_position_ids" in seen:
                    seen["mm_token_type_ids"] = (torch.tensor([own]) == IMAGE).int()
                with torch.no_grad():
                    logits = eager(input_ids=torch.tensor([own]), use_cache=False, **seen).logits[0, -1]
                logits[IMAGE] = -torch.inf
                own.append(int(logits.argmax()))
            assert done.token_ids == own[len(ids) :], (texts, sizes)
