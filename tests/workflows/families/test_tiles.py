"""LLaVA and its like: pictures of one size, or tiles of it; token for token eager's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from tests.workflows.families.models import VOCABULARY, WITH_TILES, save_with_tiles
from workflows.builder import BuildRequest, build
from workflows.common.errors import PromptError, RecipeError
from workflows.export import vision
from workflows.generate import GenerateOptions, open_engine
from workflows.graph.signature import signature_of
from workflows.wire.events import GenerationDone

pytestmark = pytest.mark.slow

IMAGE, COUNT = 200, 6
ROWS = {"internvl": 4, "aya_vision": 4}
"""Of a tile, where they are not 16."""
CASES: list[tuple[int, ...]] = [(20,), (3, 4), (5, 2, 3, 30), (60, 2, 30), (70, 3), (48, 1)]
"""The lengths of the texts around pictures, which begin within a chunk of 64, end with it, and go across its end."""


def greedy(eager: Any, ids: list[int], tiles: np.ndarray | None, image: int = IMAGE) -> list[int]:
    """The model's own tokens, the whole computed anew at each step."""
    import torch

    ids, before = list(ids), len(ids)
    given = {} if tiles is None else {"pixel_values": torch.from_numpy(tiles)}
    for _ in range(COUNT):
        row = torch.tensor([ids])
        if eager.config.model_type == "gemma3":
            given["token_type_ids"] = (row == image).int()
        if eager.config.model_type == "paligemma" and given:
            given["token_type_ids"] = (torch.arange(len(ids))[None] >= before).int()
        with torch.no_grad():
            logits = eager(input_ids=row, use_cache=False, **given).logits[0, -1]
        logits[image : image + 1] = -torch.inf
        ids.append(int(logits.argmax()))
    return ids[before:]


def test_a_picture_that_goes_in_one_run_needs_a_chunk_that_holds_it(tmp_path: Path) -> None:
    checkpoint = save_with_tiles("gemma3", tmp_path / "checkpoint", IMAGE)
    with pytest.raises(RecipeError, match=r"The 16 tokens of a picture attend to each other.*set chunk to 16 or more"):
        build(BuildRequest(str(checkpoint), tmp_path / "bundle", {"graphs": "prefill-decode", "chunk": 15}))


def test_a_prompt_that_goes_in_one_run_needs_graphs_that_hold_it(tmp_path: Path) -> None:
    checkpoint = save_with_tiles("paligemma", tmp_path / "checkpoint", IMAGE)
    build(BuildRequest(str(checkpoint), tmp_path / "bundle", {"graphs": "prefill-decode", "chunk": 32}))
    tiles = np.zeros((1, 3, 32, 32), np.float32)
    with open_engine(tmp_path / "bundle") as engine:
        for words, fits in ((16, True), (17, False)):
            ids = [IMAGE] * 16 + [5] * words
            run = engine.generate(ids, GenerateOptions(max_new_tokens=2), inputs={"pixel_values": tiles}, eos=())
            if fits:
                assert list(run)
                continue
            with pytest.raises(PromptError, match=r"The prompt's 33 tokens attend to each other, and a run takes 32"):
                list(run)


def test_graphs_that_see_otherwise_than_the_model_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The traced graph alone is wrong: a comparison in PyTorch, or of a text, would not show it."""
    own = vision.LlavaModule.forward

    def forward(module: Any, pixel_values: Any) -> Any:
        import torch

        return own(module, pixel_values) * (0.9 if torch.compiler.is_exporting() else 1)

    monkeypatch.setattr(vision.LlavaModule, "forward", forward)
    checkpoint = save_with_tiles("llava", tmp_path / "checkpoint", IMAGE)
    with pytest.raises(RecipeError, match=r"within 55 tokens with pictures or sound\), more than rounding explains"):
        build(BuildRequest(str(checkpoint), tmp_path / "bundle", {}))


@pytest.mark.parametrize(("model_type", "options"), [
    ("llava", {}), ("gemma3", {}), ("gemma3", {"cache": "scatter"}), ("gemma3", {"graphs": "prefill-decode"}),
    ("paligemma", {}), ("paligemma", {"cache": "scatter"}), ("paligemma", {"graphs": "prefill-decode", "chunk": 128}),
    ("aya_vision", {}), ("vipllava", {"cache": "gqa"}), ("internvl", {"graphs": "prefill-decode", "chunk": 16}),
    ("llava", {"target": "dml"}), ("gemma3", {"target": "openvino"}),
])  # fmt: skip
def test_tokens_are_those_of_the_model(model_type: str, options: dict[str, Any], tmp_path: Path) -> None:
    assert model_type in WITH_TILES
    _compare(model_type, tmp_path, IMAGE, options)


@pytest.mark.parametrize("model_type", ["gemma3", "paligemma"])
def test_a_placeholder_beyond_the_embedding(model_type: str, tmp_path: Path) -> None:
    """Its row is never read, and a prompt with it is a prompt with a picture."""
    _compare(model_type, tmp_path, VOCABULARY, {})


def _compare(model_type: str, folder: Path, image: int, options: dict[str, Any]) -> None:
    from transformers import AutoModelForImageTextToText

    checkpoint = save_with_tiles(model_type, folder / "checkpoint", image)
    build(BuildRequest(str(checkpoint), folder / "bundle", options))
    eager = AutoModelForImageTextToText.from_pretrained(checkpoint, attn_implementation="eager").eval()
    chances = np.random.default_rng(0)
    with open_engine(folder / "bundle") as engine:
        (pixels,) = signature_of(onnx.load(folder / "bundle" / "vision.onnx", load_external_data=False)).inputs
        assert pixels.shape == (1 if "target" in options else "tiles", 3, 32, 32)
        for texts in CASES:
            ids = chances.integers(1, 190, texts[0]).tolist()
            for length in texts[1:]:
                ids += [image] * ROWS.get(model_type, 16) + chances.integers(1, 190, length).tolist()
            tiles = chances.normal(size=(len(texts) - 1, 3, 32, 32)).astype(np.float32) if texts[1:] else None
            given = None if tiles is None else {"pixel_values": tiles}
            *_, done = engine.generate(ids, GenerateOptions(max_new_tokens=COUNT), inputs=given, eos=())
            assert isinstance(done, GenerationDone)
            assert done.token_ids == greedy(eager, ids, tiles, image), texts
