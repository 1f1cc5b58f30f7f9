"""LLaVA-NeXT and OneVision see files as eager Hugging Face does with the processor's values: token for token."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.families.models import WITH_TILES, save_with_tiles
from tests.workflows.media.pictures.making import picture
from workflows.build import BuildRequest, build
from workflows.generate import GenerateOptions, open_engine
from workflows.generate.picture_prompts import PicturePrompts
from workflows.media import picture_processor, picture_tokens
from workflows.wire.events import GenerationDone

pytestmark = pytest.mark.slow

IMAGE, COUNT = 200, 6
TOKENS: dict[str, dict[str, Any]] = {
    "LlavaNext": {"patch_size": 8, "vision_feature_select_strategy": "default", "num_additional_image_tokens": 1},
    "LlavaOnevision": {"num_image_tokens": 16, "vision_aspect_ratio": "anyres_max_2"},
}
CASES: list[tuple[list[int], list[tuple[int, int]]]] = [
    ([63], []), ([64], []), ([3, 4], [(40, 41)]), ([70, 2], [(301, 211)]), ([1, 65], [(3, 190)]),
    ([5, 30, 3], [(97, 64), (33, 90)]), ([64, 1, 9, 1], [(20, 31), (120, 40), (64, 64)]),
]  # fmt: skip
"""The lengths of the texts around pictures, and the pictures' heights and widths; a chunk has 64 tokens."""


@pytest.mark.parametrize("name", TOKENS)
def test_tokens_are_those_of_the_model(name: str, tmp_path: Path) -> None:
    import torch
    import transformers
    from PIL import Image

    model_type = "llava_next" if name == "LlavaNext" else "llava_onevision"
    checkpoint = save_with_tiles(model_type, tmp_path / "checkpoint", IMAGE)
    build(BuildRequest(str(checkpoint), tmp_path / "bundle", {}))
    eager = transformers.AutoModelForImageTextToText.from_pretrained(checkpoint, attn_implementation="eager").eval()
    settings = {"size": {"height": 32, "width": 32}, "crop_size": {"height": 32, "width": 32},
                "image_grid_pinpoints": WITH_TILES[model_type][1]["image_grid_pinpoints"]}  # fmt: skip
    theirs = getattr(transformers, f"{name}ImageProcessorPil")(**settings)
    processor = picture_processor({"image_processor_type": f"{name}ImageProcessor", **settings})
    tokens = picture_tokens({"processor_class": f"{name}Processor", **TOKENS[name]}, json.loads(json.dumps(settings)))
    prompts, chances = PicturePrompts(processor, tokens), np.random.default_rng(0)
    with open_engine(tmp_path / "bundle") as engine:
        for texts, sizes in CASES:
            pictures = [picture(*size, seed) for seed, size in enumerate(sizes)]
            _, tensors, rows = prompts.prepare("<image>" * len(sizes), pictures)
            ids = chances.integers(1, 190, texts[0]).tolist()
            for count, length in zip(rows, texts[1:], strict=True):
                ids += [IMAGE] * count + chances.integers(1, 190, length).tolist()
            images = [Image.fromarray(one.pixels) for one in pictures]
            seen = dict(theirs([images], return_tensors="pt")) if images else {}
            options = GenerateOptions(max_new_tokens=COUNT)
            *_, done = engine.generate(ids, options, inputs=tensors or None, eos=())
            assert isinstance(done, GenerationDone)
            own = list(ids)
            for _ in range(COUNT):
                with torch.no_grad():
                    logits = eager(input_ids=torch.tensor([own]), use_cache=False, **seen).logits[0, -1]
                logits[IMAGE] = -torch.inf
                own.append(int(logits.argmax()))
            assert done.token_ids == own[len(ids) :], (texts, sizes)
