"""Qwen2-VL and its successors: pictures of any sizes, three numbers a position, windows; token for token eager's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.families.models import save_qwen_vl
from workflows.builder import BuildRequest, build
from workflows.generate import GenerateOptions, open_engine
from workflows.wire.events import GenerationDone

pytestmark = pytest.mark.slow

IMAGE, COUNT = 200, 6
CASES: list[tuple[list[tuple[int, int, int]], tuple[int, ...]]] = [
    ([], (20,)),
    ([(1, 4, 6)], (3, 4)),
    ([(1, 2, 2), (1, 6, 10), (1, 4, 4)], (5, 2, 3, 30)),
    ([(1, 8, 8), (1, 24, 4)], (2, 60, 2)),
    ([(1, 20, 24)], (70, 3)),
]
"""The grids of pictures in patches, and the lengths of the texts around them."""


def greedy(eager: Any, ids: list[int], given: dict[str, Any]) -> list[int]:
    """The model's own tokens and positions, the whole computed anew at each step."""
    import torch

    ids, before = list(ids), len(ids)
    tensors = {name: torch.from_numpy(value) for name, value in given.items()}
    for _ in range(COUNT):
        row = torch.tensor([ids])
        types = {"mm_token_type_ids": (row == IMAGE).int()} if given else {}
        eager.model.rope_deltas = None
        with torch.no_grad():
            logits = eager(input_ids=row, use_cache=False, **tensors, **types).logits[0, -1]
        logits[IMAGE] = -torch.inf
        ids.append(int(logits.argmax()))
    return ids[before:]


@pytest.mark.parametrize(("model_type", "options"), [
    ("qwen2_5_vl", {}), ("qwen2_vl", {"graphs": "prefill-decode", "chunk": 16}), ("qwen3_vl", {}),
    ("qwen3_5", {}), ("glm4v", {}), ("glm_ocr", {"graphs": "prefill-decode", "chunk": 16}),
])  # fmt: skip
def test_tokens_are_those_of_the_model(model_type: str, options: dict[str, Any], tmp_path: Path) -> None:
    from transformers import AutoModelForImageTextToText

    checkpoint = save_qwen_vl(model_type, tmp_path / "checkpoint", IMAGE)
    build(BuildRequest(str(checkpoint), tmp_path / "bundle", options))
    eager = AutoModelForImageTextToText.from_pretrained(checkpoint, attn_implementation="eager").eval()
    chances = np.random.default_rng(0)
    with open_engine(tmp_path / "bundle") as engine:
        for grids, texts in CASES:
            ids = chances.integers(1, 190, texts[0]).tolist()
            for grid, length in zip(grids, texts[1:], strict=True):
                ids += [IMAGE] * (int(np.prod(grid)) // 4) + chances.integers(1, 190, length).tolist()
            given: dict[str, Any] = {}
            if grids:
                patches = sum(int(np.prod(grid)) for grid in grids)
                values = chances.normal(size=(patches, 3 * 2 * 4 * 4)).astype(np.float32)
                given = {"pixel_values": values, "image_grid_thw": np.array(grids)}
            *_, done = engine.generate(ids, GenerateOptions(max_new_tokens=COUNT), inputs=given or None, eos=())
            assert isinstance(done, GenerationDone)
            assert done.token_ids == greedy(eager, ids, given), (grids, texts)
