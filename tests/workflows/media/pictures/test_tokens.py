"""The text of a picture in a prompt is that of transformers' processors."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from workflows.common.errors import MediaError
from workflows.media import PictureLayout, PrefixTokens, expand_pictures, picture_tokens
from workflows.media.pictures.resolution_tiles import best_resolution

RESOLUTIONS = [(32, 64), (64, 32), (64, 64), (32, 96), (96, 96)]
GRIDS = [(0, 0), (1, 1), (2, 3), (4, 1)]
PROMPT = "User: {0}a picture{0} and another"


def processor(
    name: str, image_processor: str, pictures: dict[str, Any] | None = None, bos: str | None = None, **more: Any
) -> Any:
    """A processor of transformers with a tokenizer of one word. pictures: settings of its picture processor."""
    import transformers
    from tokenizers import Tokenizer, models

    extra = {"image_token": "<image_soft_token>", "boi_token": "<start_of_image>", "eoi_token": "<end_of_image>"}
    special = {"extra_special_tokens": extra} if name == "Gemma3Processor" else {}
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(models.WordLevel({"?": 0}, unk_token="?")), unk_token="?", bos_token=bos, **special
    )
    own = getattr(transformers, f"{image_processor}Pil")(**(pictures or {}))
    return getattr(transformers, name)(own, tokenizer, **more)


def expanded(theirs: Any, prompt: str, inputs: dict[str, Any], count: int) -> str:
    texts = [theirs.replace_image_token(inputs, index) for index in range(count)]
    return str(theirs.get_text_with_replacements([prompt], texts)[0][0])


def test_tiles() -> None:
    theirs = processor("Idefics3Processor", "Idefics3ImageProcessor", image_seq_len=5)
    tokens = picture_tokens({"processor_class": "Idefics3Processor", "image_seq_len": 5})
    for rows, columns in GRIDS:
        layouts = [PictureLayout(rows, columns), PictureLayout(0, 0)]
        inputs = {"rows": [[rows, 0]], "cols": [[columns, 0]]}
        prompt = PROMPT.format(tokens.placeholder)
        result = expand_pictures(prompt, tokens, layouts)
        assert result == expanded(theirs, prompt, inputs, 2)
        assert result.count(tokens.token) == 5 * (rows * columns + 2)


def test_tiles_of_smolvlm() -> None:
    from transformers.models.smolvlm.processing_smolvlm import get_image_prompt_string

    tokens = picture_tokens({"processor_class": "SmolVLMProcessor", "image_seq_len": 3})
    for rows, columns in GRIDS:
        expected = get_image_prompt_string(rows, columns, 3, "<fake_token_around_image>", "<image>", "<global-img>")
        assert tokens.text(PictureLayout(rows, columns)) == expected


@pytest.mark.parametrize(("name", "word"), [
    ("Qwen2VLProcessor", "<|image_pad|>"), ("Qwen2_5_VLProcessor", "<|image_pad|>"),
    ("Qwen3VLProcessor", "<|image_pad|>"), ("Glm4vProcessor", "<|image|>"), ("Glm46VProcessor", "<|image|>"),
])  # fmt: skip
def test_a_grid(name: str, word: str) -> None:
    """Their grid is in patches, of which merge × merge become one token."""
    import transformers

    theirs = object.__new__(getattr(transformers, name))
    theirs.image_token, theirs.image_processor = word, transformers.Qwen2VLImageProcessorPil(merge_size=2)
    tokens = picture_tokens({"processor_class": name})
    assert tokens.text(PictureLayout(3, 5)) == theirs.replace_image_token({"image_grid_thw": np.array([[1, 6, 10]])}, 0)
    assert expand_pictures(f"a{word}b", tokens, [PictureLayout(1, 2)]) == f"a{word}{word}b"


def test_tiles_with_their_numbers() -> None:
    """Aya Vision's."""
    settings = {"processor_class": "AyaVisionProcessor", "patch_size": 14, "downsample_factor": 2, "img_size": 90}
    own = {name: value for name, value in settings.items() if name != "processor_class"}
    theirs, tokens = processor("AyaVisionProcessor", "GotOcr2ImageProcessor", **own), picture_tokens(settings)
    for (rows, columns), tiles in {(1, 1): 1, (2, 3): 7, (1, 2): 3}.items():
        assert tokens.text(PictureLayout(rows, columns)) == theirs.replace_image_token({"num_patches": [tiles]}, 0)
    assert picture_tokens(json.loads(json.dumps(tokens.settings))) == tokens
    with pytest.raises(MediaError, match="tile_token = T, and that is the token of its published checkpoints"):
        picture_tokens(settings | {"tile_token": "T"})


def test_rows_with_their_ends() -> None:
    """Pixtral's; its processor needs torchvision."""
    tokens = picture_tokens({"processor_class": "PixtralProcessor", "patch_size": 8, "spatial_merge_size": 2})
    assert tokens.text(PictureLayout(2, 3)) == "[IMG][IMG][IMG][IMG_BREAK][IMG][IMG][IMG][IMG_END]"
    assert tokens.text(PictureLayout(1, 1)) == "[IMG][IMG_END]" and tokens.token == tokens.placeholder == "[IMG]"
    assert picture_tokens(json.loads(json.dumps(tokens.settings))) == tokens


def test_blocks_between_two_tokens() -> None:
    """Gemma 4's, whose processor counts them."""
    import transformers

    theirs = object.__new__(transformers.Gemma4Processor)
    theirs.boi_token, theirs.image_token, theirs.eoi_token = "<|image>", "<|image|>", "<image|>"
    settings = {"processor_class": "Gemma4Processor", "image_seq_length": 280, "audio_seq_length": 750}
    tokens = picture_tokens(settings)
    assert tokens.text(PictureLayout(2, 3)) == theirs.replace_image_token({"num_soft_tokens_per_image": [6]}, 0)
    assert picture_tokens(json.loads(json.dumps(tokens.settings))) == tokens


def test_a_picture_of_gemma() -> None:
    theirs = processor("Gemma3Processor", "Gemma3ImageProcessor", image_seq_length=7)
    tokens = picture_tokens({"processor_class": "Gemma3Processor", "image_seq_length": 7})
    prompt = PROMPT.format(tokens.placeholder)
    result = expand_pictures(prompt, tokens, [PictureLayout(1, 1)] * 2)
    assert result == expanded(theirs, prompt, {"num_crops": [0, 0]}, 2)
    assert result.count(tokens.token) == 14


def test_a_prompt_with_all_its_special_tokens() -> None:
    """PaliGemma's processor writes the text's beginning behind the last picture, and ends it with a line."""
    theirs = processor("PaliGemmaProcessor", "SiglipImageProcessor", pictures={"image_seq_length": 7}, bos="<bos>")
    tokens = picture_tokens({"processor_class": "PaliGemmaProcessor", "image_seq_length": 7})
    assert isinstance(tokens, PrefixTokens)
    for prompt, count in (("<image>describe", 1), ("<image><image>which one?", 2), ("a<image> b", 1)):
        _, (layout,), *_ = theirs.prepare_inputs_layout(images=[[Image.new("RGB", (3, 3))] * count], text=[prompt])
        expected = expanded(theirs, layout, {}, count)
        assert tokens.prompt(expand_pictures(prompt, tokens, [PictureLayout(1, 1)] * count)) == expected
    assert picture_tokens(json.loads(json.dumps(tokens.settings))) == tokens
    with pytest.raises(MediaError, match="image_seq_length = None and needs a whole number"):
        picture_tokens({"processor_class": "PaliGemmaProcessor"})


def test_tiles_between_two_tokens() -> None:
    import transformers

    theirs = object.__new__(transformers.InternVLProcessor)
    theirs.image_token, theirs.start_image_token, theirs.end_image_token = "<IMG_CONTEXT>", "<img>", "</img>"
    theirs.image_seq_length = 7
    tokens = picture_tokens({"processor_class": "InternVLProcessor", "image_seq_length": 7})
    for (rows, columns), tiles in {(1, 1): 1, (2, 3): 7, (1, 2): 3}.items():
        assert tokens.text(PictureLayout(rows, columns)) == theirs.replace_image_token({"num_patches": [tiles]}, 0)


@pytest.mark.parametrize(("strategy", "more"), [("default", 1), ("full", 0), (None, 2)])
def test_a_token_per_patch(strategy: str | None, more: int) -> None:
    """The number follows from the size of the pictures, or of their cut."""
    settings = {"patch_size": 14, "vision_feature_select_strategy": strategy, "num_additional_image_tokens": more}
    theirs = processor("LlavaProcessor", "CLIPImageProcessor", **settings)
    sized = {"do_center_crop": True, "crop_size": {"height": 70, "width": 43}, "size": {"shortest_edge": 70}}
    tokens = picture_tokens({"processor_class": "LlavaProcessor", "image_token": "<image>", **settings}, sized)
    expected = theirs.replace_image_token({"pixel_values": [np.zeros((3, 70, 43))]}, 0)
    assert tokens.text(PictureLayout(1, 1)) == expected
    whole = {"do_center_crop": False, "size": {"height": 28, "width": 28}}
    tokens = picture_tokens({"processor_class": "LlavaProcessor", **settings}, whole)
    assert tokens.text(PictureLayout(1, 1)).count("<image>") == 4 + more - (strategy == "default")
    assert picture_tokens(json.loads(json.dumps(tokens.settings)), whole) == tokens


PACKED = {
    "LlavaNext": {"patch_size": 8, "vision_feature_select_strategy": "default", "num_additional_image_tokens": 1},
    "LlavaOnevision": {"num_image_tokens": 16, "vision_feature_select_strategy": "full",
                       "vision_aspect_ratio": "anyres_max_2"},
}  # fmt: skip


@pytest.mark.parametrize("name", PACKED)
def test_rows_of_tiles_without_their_padding(name: str) -> None:
    """OneVision's are scaled down where they are far more than those of two tiles."""
    import transformers

    theirs = object.__new__(getattr(transformers, f"{name}Processor"))
    vars(theirs).update(PACKED[name], image_token="<image>", image_processor=SimpleNamespace())
    sized = {"size": {"height": 32, "width": 32}, "image_grid_pinpoints": RESOLUTIONS}
    tokens = picture_tokens({"processor_class": f"{name}Processor", **PACKED[name]}, sized)
    theirs.image_processor.image_grid_pinpoints = RESOLUTIONS
    for height, width in ((40, 40), (3, 200), (200, 3), (97, 64), (301, 211), (130, 129), (5, 7), (1, 1)):
        best = best_resolution(height, width, RESOLUTIONS)
        inputs = {"image_sizes": [[height, width]], "pixel_values": [np.zeros((1, 3, 32, 32))], "batch_num_images": [1]}
        text = tokens.text(PictureLayout(best[0] // 32, best[1] // 32, height, width))
        assert text == theirs.replace_image_token(inputs, 0), (height, width)
    if name == "LlavaOnevision":
        inputs["batch_num_images"] = [2]
        assert tokens.text(PictureLayout(0, 0, 1, 1)) == theirs.replace_image_token(inputs, 0) == "<image>" * 17
    assert picture_tokens(json.loads(json.dumps(tokens.settings)), sized) == tokens


@pytest.mark.parametrize(
    ("name", "count"),
    [("InternVLProcessor", 256), ("Idefics3Processor", 169), ("Gemma3Processor", 256), ("Qwen2VLProcessor", 0)],
)
def test_settings_are_kept(name: str, count: int) -> None:
    """And where they are silent, the number of tokens is that of transformers."""
    tokens = picture_tokens({"processor_class": name, "image_processor": {"size": 3}})
    kept = json.loads(json.dumps(tokens.settings))
    assert picture_tokens(kept) == tokens
    assert not count or kept.popitem()[1] == count


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "of a processor_class None are not known: there are AyaVisionProcessor, Gemma3Processor"),
        ({"processor_class": "FuyuProcessor"}, "of a processor_class FuyuProcessor are not known"),
        ({"processor_class": "LlavaNextProcessor", "patch_size": 14}, "do not say their height and width"),
        ({"processor_class": "Idefics3Processor", "image_seq_len": 0}, "image_seq_len = 0 and needs a whole number"),
        ({"processor_class": "LlavaProcessor"}, "patch_size = None and needs a whole number"),
        ({"processor_class": "LlavaProcessor", "patch_size": 14}, "do not say their height and width"),
        ({"processor_class": "Idefics3Processor", "row_token": "r"}, "setting row_token = r, which is not known"),
    ],
)
def test_what_is_not_known_is_refused(settings: dict[str, object], words: str) -> None:
    with pytest.raises(MediaError, match=words):
        picture_tokens(settings)


def test_each_picture_needs_a_placeholder() -> None:
    tokens = picture_tokens({"processor_class": "Qwen2VLProcessor"})
    with pytest.raises(MediaError, match=r"has 1 placeholders <\|image_pad\|> for 2 pictures: each picture needs one"):
        expand_pictures("<|image_pad|>", tokens, [PictureLayout(1, 1)] * 2)
