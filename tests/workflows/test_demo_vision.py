"""The shipped vision demo: it answers about pictures that it never saw, and so does its bundle."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors import safe_open
from transformers import Idefics3Processor

from resources.demos.train_vision import FOLDER, IGNORED, IMAGE_TOKENS, PICTURES, Sample, answers, make_batch
from resources.demos.vision_pictures import COLOURS, SHAPES, SIZE, Drawing, answer, draw, outline
from tests.workflows.conftest import Built
from workflows.cli import run

ROWS = json.loads((PICTURES / "pictures.json").read_text("utf-8"))


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """Two stall each other on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def processor() -> Idefics3Processor:
    return Idefics3Processor.from_pretrained(FOLDER)


def shown(row: dict[str, str]) -> Sample:
    pixels = np.asarray(Image.open(PICTURES / row["file"]))
    return Sample(Drawing(pixels, "", "", 0, np.zeros(9, bool)), row["question"], row["answer"])


def test_it_is_a_small_fp16_idefics3() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 3_000_000
    assert sum(path.stat().st_size for path in PICTURES.iterdir()) < 100_000
    with safe_open(FOLDER / "model.safetensors", "pt") as tensors:
        assert {tensors.get_slice(name).get_dtype() for name in tensors.keys()} == {"F16"}  # noqa: SIM118
    config = json.loads((FOLDER / "config.json").read_text())
    assert config["architectures"] == ["Idefics3ForConditionalGeneration"]
    assert (config["vision_config"]["image_size"], config["vision_config"]["patch_size"]) == (64, 8)


def test_it_answers_about_pictures_that_it_never_saw() -> None:
    samples = [shown(row) for row in ROWS]
    assert answers(FOLDER, samples) == [one.answer for one in samples]


@pytest.mark.slow
def test_its_bundle_answers_too(built: Built, capsys: pytest.CaptureFixture[str]) -> None:
    bundle = built("demo:vision")
    for row in ROWS:
        capsys.readouterr()
        picture = str(PICTURES / row["file"])
        assert run(["generate", str(bundle), "--chat", "--image", picture, "--prompt", row["question"]]) == 0
        assert capsys.readouterr().out.strip() == row["answer"], row["file"]


def test_it_was_trained_on_what_its_processor_gives(processor: Idefics3Processor) -> None:
    sample = shown(ROWS[0])
    content = [{"type": "image"}, {"type": "text", "text": sample.question}]
    text = processor.apply_chat_template([{"role": "user", "content": content}], add_generation_prompt=True)
    inputs = processor(images=[Image.fromarray(sample.drawing.pixels)], text=text, return_tensors="pt")
    batch = make_batch(processor, [sample])
    length = inputs["input_ids"].shape[1]
    assert torch.equal(batch.ids[:, :length], inputs["input_ids"])
    assert int((batch.ids == processor.image_token_id).sum()) == IMAGE_TOKENS
    assert torch.allclose(batch.pixels, inputs["pixel_values"], atol=1e-6)
    reply = processor.tokenizer(f" {sample.answer}<end_of_utterance>")["input_ids"]
    assert batch.labels[0].tolist() == [IGNORED] * (length - 1) + reply and len(reply) == 2


def test_a_drawing_is_what_its_answers_state() -> None:
    rng = np.random.default_rng(3)
    for _ in range(40):
        drawing = draw(rng)
        ground = np.median(drawing.pixels.reshape(-1, 3), axis=0)
        painted = np.abs(drawing.pixels - ground).max(axis=2) > 60
        assert drawing.cells.sum() == drawing.count
        colour = np.median(drawing.pixels[painted], axis=0)
        assert min(COLOURS, key=lambda name: np.abs(colour - COLOURS[name]).sum()) == drawing.colour
        areas = [painted[1 + 21 * (at // 3) :, 1 + 21 * (at % 3) :][:20, :20].mean() for at in range(9)]
        assert [area > 0.2 for area in areas] == drawing.cells.tolist()


def test_descriptions_count_in_words() -> None:
    one = Drawing(np.zeros((SIZE, SIZE, 3), np.uint8), "red", "circle", 1, np.zeros(9, bool))
    given = [answer(one, kind) for kind in ("colour", "shape", "count", "all")]
    assert given == ["red", "circle", "one", "one red circle"]
    assert answer(one._replace(count=3), "all") == "three red circles"
    areas = {shape: int(outline(shape, 32, 32, 8).sum()) for shape in SHAPES}
    assert areas["circle"] == 197 and areas["square"] == 225 and areas["triangle"] < areas["circle"]
