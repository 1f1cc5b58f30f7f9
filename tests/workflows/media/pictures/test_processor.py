"""Every processor gives the values of transformers' PIL backend, bit by bit, and refuses what it does not honour."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.workflows.media.pictures.making import picture
from workflows.common.errors import MediaError
from workflows.media import PictureLayout, picture_processor
from workflows.media.pictures import sized_processor
from workflows.media.pictures.fixed_size import ALONE

SIZES = [(1, 1), (3, 200), (200, 3), (27, 29), (40, 40), (97, 64), (64, 97), (65, 64), (301, 211), (130, 129), (5, 7)]
HALF = [0.5, 0.5, 0.5]
TILE = {"size": {"longest_edge": 256}, "max_image_size": {"longest_edge": 64}}
RESOLUTIONS = [[32, 64], [64, 32], [64, 64], [32, 96], [96, 96]]
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "Qwen2-VL": ("Qwen2VLImageProcessor", {"size": {"shortest_edge": 3136, "longest_edge": 50_000}}),
    "Qwen2-VL, older": ("Qwen2VLImageProcessor", {"min_pixels": 28 * 28, "max_pixels": 9000}),
    "Qwen3-VL": (
        "Qwen2VLImageProcessor",
        {"patch_size": 16, "image_mean": HALF, "image_std": HALF}
        | {"size": {"shortest_edge": 4096, "longest_edge": 65536}},
    ),
    "three frames, merge 1": ("Qwen2VLImageProcessor", {"temporal_patch_size": 3, "merge_size": 1, "patch_size": 8,
                                                       "max_pixels": 9000, "do_normalize": False}),
    "GLM-4.1V": ("Glm4vImageProcessor", {"size": {"shortest_edge": 12544, "longest_edge": 60_000}}),
    "GLM-4.6V, small": ("Glm46VImageProcessor", {"size": {"shortest_edge": 99, "longest_edge": 5000}, "patch_size": 8}),
    "Idefics3": ("Idefics3ImageProcessor", TILE),
    "Idefics3, clamp": ("Idefics3ImageProcessor", TILE | {"do_image_splitting": False, "size": {"longest_edge": 5000}}),
    "Idefics3, not divided": ("Idefics3ImageProcessor", TILE | {"do_image_splitting": False, "resample": 0}),
    "Idefics3, one size": ("Idefics3ImageProcessor", TILE | {"size": {"height": 100, "width": 130}}),
    "SmolVLM": ("SmolVLMImageProcessor", TILE | {"do_rescale": False, "do_normalize": False}),
    "CLIP": ("CLIPImageProcessor", {"size": {"shortest_edge": 32}, "crop_size": {"height": 32, "width": 32}}),
    "CLIP, numbers": ("CLIPImageProcessor", {"size": 30, "crop_size": 41, "rescale_factor": 0.01}),
    "CLIP, no crop": ("CLIPImageProcessor", {"size": {"height": 20, "width": 33}, "do_center_crop": False}),
    "SigLIP": ("SiglipImageProcessor", {}),
    "SigLIP, a number": ("SiglipImageProcessor", {"size": 17, "image_mean": 0.25}),
    "Gemma 3": ("Gemma3ImageProcessor", {"size": {"height": 96, "width": 96}, "do_convert_rgb": None}),
    "InternVL": ("GotOcr2ImageProcessor", {"size": {"height": 32, "width": 32}, "crop_to_patches": True}),
    "InternVL, some tiles": ("GotOcr2ImageProcessor", {"size": {"height": 40, "width": 24}, "crop_to_patches": True,
                                                       "min_patches": 3, "max_patches": 7}),
    "InternVL, not divided": ("GotOcr2ImageProcessor", {"size": {"height": 32, "width": 40}}),
    "LLaVA-NeXT": ("LlavaNextImageProcessor", {"size": {"shortest_edge": 32}, "crop_size": {"height": 32, "width": 32},
                                               "image_grid_pinpoints": RESOLUTIONS}),
    "LLaVA-OneVision": ("LlavaOnevisionImageProcessor", {"size": {"height": 32, "width": 32}, "image_mean": HALF,
                                                         "image_grid_pinpoints": RESOLUTIONS}),
    "Gemma 3, a number": ("Gemma3ImageProcessor", {"size": 40, "resample": 5}),
    "ViT": ("ViTImageProcessor", {"size": {"height": 30, "width": 22}, "image_mean": [0.4, 0.5, 0.6]}),
    "ViT, a number": ("ViTImageProcessor", {"size": 24, "resample": 3, "do_normalize": False}),
    "BEiT": ("BeitImageProcessor", {"size": 37, "do_center_crop": True, "crop_size": {"height": 20, "width": 41}}),
    "DeiT": ("DeiTImageProcessor", {"size": 40, "crop_size": 33, "do_rescale": False}),
    "DINOv2": ("BitImageProcessor", {"size": {"shortest_edge": 40}, "crop_size": {"height": 33, "width": 33}}),
    "MobileNetV2": ("MobileNetV2ImageProcessor", {"size": {"shortest_edge": 41}, "crop_size": 30}),
    "EfficientNet": ("EfficientNetImageProcessor", {"size": 25, "image_std": [0.47, 0.4, 0.2], "resample": 0}),
    "EfficientNet, from -1": ("EfficientNetImageProcessor", {"size": 25, "rescale_offset": True, "include_top": False,
                                                             "rescale_factor": 1 / 127.5, "do_normalize": False}),
}  # fmt: skip
NARROW = [(3, 200), (200, 3)]  # a larger one is slow where its longer edge becomes 5,000


def reference(kind: str, settings: dict[str, Any]) -> Any:
    import transformers

    return getattr(transformers, f"{kind}Pil")(**settings)


def made(settings: dict[str, Any]) -> Any:
    """By the function for models that read texts, or for those that read a picture alone."""
    kind = settings.get("image_processor", settings)["image_processor_type"].removesuffix("Fast")
    return (sized_processor if kind in ALONE else picture_processor)(settings)


@pytest.mark.parametrize("case", CASES)
def test_values_are_those_of_transformers(case: str) -> None:
    kind, settings = CASES[case]
    theirs, ours = reference(kind, settings), made({"image_processor_type": kind} | settings)
    tiled = {"return_row_col_info": True} if kind in ("Idefics3ImageProcessor", "SmolVLMImageProcessor") else {}
    batched = bool(tiled) or "image_grid_pinpoints" in settings
    for height, width in NARROW if "clamp" in case else SIZES:
        one = picture(height, width)
        expected = theirs(Image.fromarray(one.pixels), return_tensors="np", **tiled)
        result = ours([one])
        rows = [int(expected[name][0][0]) for name in ("rows", "cols")] if tiled else None
        assert rows is None or [result.layouts[0].rows, result.layouts[0].columns] == rows, (height, width)
        assert result.tensors["pixel_values"].dtype == np.float32
        for name, values in result.tensors.items():
            wanted = np.asarray(expected[name])
            wanted = wanted[0] if batched else wanted  # [prompts, tiles, …]
            assert wanted.shape == values.shape and (wanted == values).all(), (name, height, width)


@pytest.mark.parametrize("case", CASES)
def test_settings_make_an_equal_processor(case: str) -> None:
    """Those of a checkpoint's file as transformers writes it, and those that a bundle keeps of them."""
    kind, settings = CASES[case]
    ours = made({"image_processor_type": kind} | settings)
    kept = json.loads(json.dumps(ours.settings))
    written = json.loads(reference(kind, settings).to_json_string())
    for again in (kept, written, {"image_processor": kept}, kept | {"image_processor_type": f"{kind}Fast"}):
        assert made(again).settings == ours.settings == kept


@pytest.mark.parametrize("settings", [
    {"size": {"shortest_edge": 32}},
    {"size": 45, "crop_pct": 0.9, "resample": 2},
    {"size": {"shortest_edge": 384}, "image_std": [0.2, 0.3, 0.4]},
], ids=str)  # fmt: skip
def test_convnext_crops_a_part_of_the_shortest_edge(settings: dict[str, Any]) -> None:
    theirs = reference("ConvNextImageProcessor", settings)
    written = json.loads(theirs.to_json_string())
    older = {name: value for name, value in written.items() if name != "image_processor_type"}
    for given in (written, older | {"feature_extractor_type": "ConvNextFeatureExtractor"}):
        ours = sized_processor(given)
        for height, width in SIZES:
            one = picture(height, width)
            wanted = theirs(Image.fromarray(one.pixels), return_tensors="np")["pixel_values"]
            values = ours([one]).tensors["pixel_values"]
            assert ours.picture_size == values.shape[2:] and (wanted == values).all(), (height, width)
    assert sized_processor(ours.settings).settings == ours.settings


COMMON = {"do_convert_rgb": True, "do_normalize": True, "do_rescale": True, "do_resize": True, "rescale_factor": 0.1}
PUBLISHED: dict[str, tuple[dict[str, Any], tuple[int, ...], tuple[int, int]]] = {
    "Qwen2.5-VL": ({"min_pixels": 3136, "max_pixels": 12_845_056, "patch_size": 14, "temporal_patch_size": 2,
                    "merge_size": 2, "image_processor_type": "Qwen2VLImageProcessor",
                    "processor_class": "Qwen2_5_VLProcessor"}, (18 * 28, 1176), (9, 14)),
    "Qwen3-VL": ({"size": {"longest_edge": 16_777_216, "shortest_edge": 65_536}, "patch_size": 16, "merge_size": 2,
                  "temporal_patch_size": 2, "image_mean": HALF, "image_std": HALF,
                  "processor_class": "Qwen3VLProcessor", "image_processor_type": "Qwen2VLImageProcessorFast"},
                 (16 * 24, 1536), (8, 12)),
    "SmolVLM2": (COMMON | {"do_image_splitting": True, "do_pad": True, "image_mean": HALF, "image_std": HALF,
                           "image_processor_type": "SmolVLMImageProcessor", "max_image_size": {"longest_edge": 512},
                           "processor_class": "SmolVLMProcessor", "resample": 1, "size": {"longest_edge": 512},
                           "video_sampling": {"fps": 1, "max_frames": 64}}, (1, 3, 512, 512), (0, 0)),
    "Gemma 3": (COMMON | {"do_convert_rgb": None, "do_pan_and_scan": None, "image_mean": HALF, "image_std": HALF,
                          "image_processor_type": "Gemma3ImageProcessor", "image_seq_length": 256,
                          "pan_and_scan_max_num_crops": None, "pan_and_scan_min_crop_size": None,
                          "pan_and_scan_min_ratio_to_activate": None, "processor_class": "Gemma3Processor",
                          "resample": 2, "size": {"height": 896, "width": 896}}, (1, 3, 896, 896), (1, 1)),
    "CLIP, older": ({"crop_size": 224, "do_center_crop": True, "do_normalize": True, "do_resize": True, "resample": 3,
                     "feature_extractor_type": "CLIPFeatureExtractor", "image_processor_type": "CLIPImageProcessor",
                     "size": 224}, (1, 3, 224, 224), (1, 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_files_of_published_checkpoints_are_read(name: str) -> None:
    """With all keys that they have; a picture of 400 × 250."""
    settings, shape, layout = PUBLISHED[name]
    result = picture_processor(settings)([picture(250, 400)])
    assert result.tensors["pixel_values"].shape == shape
    assert result.layouts == (PictureLayout(*layout),)


def test_several_pictures() -> None:
    """Of different sizes: their patches and tiles one after another, as transformers joins them."""
    pictures = [picture(50, 70, 1), picture(130, 61, 2), picture(40, 40, 3)]
    images = [Image.fromarray(one.pixels) for one in pictures]
    settings = {"size": {"shortest_edge": 3136, "longest_edge": 20_000}}
    expected = reference("Qwen2VLImageProcessor", settings)(images, return_tensors="np")
    result = picture_processor({"image_processor_type": "Qwen2VLImageProcessor"} | settings)(pictures)
    assert (result.tensors["pixel_values"] == expected["pixel_values"]).all()
    assert result.tensors["image_grid_thw"].tolist() == expected["image_grid_thw"].tolist()
    grids = result.tensors["image_grid_thw"] // (1, 2, 2)
    assert result.layouts == tuple(PictureLayout(int(rows), int(columns)) for _, rows, columns in grids)
    expected = reference("Idefics3ImageProcessor", TILE)([images], return_tensors="np")
    result = picture_processor({"image_processor_type": "Idefics3ImageProcessor"} | TILE)(pictures)
    assert (result.tensors["pixel_values"] == expected["pixel_values"][0]).all()
    assert len(result.tensors["pixel_values"]) == sum(one.rows * one.columns + 1 for one in result.layouts)


def test_one_of_several_pictures_becomes_a_square() -> None:
    """In OneVision, where a single one is cut into tiles; LLaVA-NeXT cuts each."""
    pictures = [picture(50, 71, 1), picture(130, 61, 2), picture(40, 40, 3)]
    images = [Image.fromarray(one.pixels) for one in pictures]
    for kind, count in (("LlavaOnevisionImageProcessor", 3), ("LlavaNextImageProcessor", 10 + 10 + 5)):
        settings = {
            "size": {"height": 32, "width": 32},
            "crop_size": {"height": 32, "width": 32},
            "image_grid_pinpoints": RESOLUTIONS,
        }
        theirs = reference(kind, settings)([images], return_tensors="np")
        result = picture_processor({"image_processor_type": kind} | settings)(pictures)
        values, start = result.tensors["pixel_values"], 0
        for expected, layout in zip(theirs["pixel_values"], result.layouts, strict=True):
            tiles = 1 + layout.rows * layout.columns
            assert (values[start : start + tiles] == np.asarray(expected)[:tiles]).all()
            start += tiles
        assert start == count == len(values)


@pytest.mark.parametrize("size", [{"longest_edge": 96}, {"height": 50, "width": 200}])
@pytest.mark.parametrize("merge", [1, 2])
def test_patches_of_pictures_in_their_shape(merge: int, size: dict[str, int]) -> None:
    """As Pixtral cuts them, block by block; transformers pads the pictures of a prompt to one size."""
    pictures = [picture(*one) for one in SIZES if one != (200, 3) or "height" not in size]  # transformers: no width
    settings = {"size": size, "patch_size": {"height": 8 * merge, "width": 8 * merge}}
    theirs = reference("PixtralImageProcessor", settings)
    expected = theirs([Image.fromarray(one.pixels) for one in pictures], return_tensors="np")
    ours = picture_processor({"image_processor_type": "PixtralImageProcessor", "size": size, "patch_size": 8,
                              "spatial_merge_size": merge})  # fmt: skip
    result = ours(pictures)
    assert result.tensors["image_sizes"].tolist() == expected["image_sizes"].tolist()
    start, patches = 0, result.tensors["pixel_values"]
    for values, (height, width), layout in zip(
        expected["pixel_values"], expected["image_sizes"], result.layouts, strict=True
    ):
        rows, columns = layout.rows * merge, layout.columns * merge
        blocks = patches[start : start + rows * columns].reshape(layout.rows, layout.columns, merge, merge, 3, 8, 8)
        whole = blocks.transpose(4, 0, 2, 5, 1, 3, 6).reshape(3, rows * 8, columns * 8)
        assert (whole == values[:, :height, :width]).all()
        start += rows * columns
    assert start == len(patches)
    assert picture_processor(json.loads(json.dumps(ours.settings))).settings == ours.settings


@pytest.mark.parametrize("settings", [{}, {"patch_size": 5, "pooling_kernel_size": 2, "max_soft_tokens": 70}])
def test_patches_of_scaled_pictures(settings: dict[str, int]) -> None:
    """As Gemma 4 cuts them, in blocks here and in rows there, where each patch has its place."""
    pictures = [picture(*one) for one in SIZES]
    expected = reference("Gemma4ImageProcessor", settings)([Image.fromarray(one.pixels) for one in pictures])
    ours = picture_processor({"image_processor_type": "Gemma4ImageProcessor", **settings})
    result, pool = ours(pictures), settings.get("pooling_kernel_size", 3)
    patches, start, patch = result.tensors["pixel_values"], 0, settings.get("patch_size", 16)
    for index, layout in enumerate(result.layouts):
        assert layout.rows * layout.columns == expected["num_soft_tokens_per_image"][index]
        sizes = layout.rows * pool * patch, layout.columns * pool * patch
        assert tuple(result.tensors["image_sizes"][index]) == sizes
        count = layout.rows * layout.columns * pool**2
        blocks = patches[start : start + count].reshape(layout.rows, layout.columns, pool, pool, -1)
        ordered = blocks.transpose(0, 2, 1, 3, 4).reshape(count, -1)
        assert ordered.dtype == np.float32
        assert (ordered == expected["pixel_values"][index][:count]).all()
        assert tuple(expected["image_position_ids"][index][count - 1]) == (sizes[1] // patch - 1, sizes[0] // patch - 1)
        start += count
    assert start == len(patches)
    assert picture_processor(json.loads(json.dumps(ours.settings))).settings == ours.settings
    with pytest.raises(MediaError, match="max_soft_tokens = 71 and needs one of 70, 140"):
        picture_processor({"image_processor_type": "Gemma4ImageProcessor", "max_soft_tokens": 71})


def test_pictures_of_several_sizes_need_one_at_a_time() -> None:
    processor = picture_processor({"image_processor_type": "SiglipImageProcessor", "size": {"shortest_edge": 20}})
    with pytest.raises(MediaError, match=r"several sizes \(20 × 40, 40 × 20\), and the model takes one"):
        processor([picture(40, 20), picture(20, 40)])


@pytest.mark.parametrize(
    ("kind", "height", "width", "words"),
    [
        ("Qwen2VLImageProcessor", 1, 201, "201 × 1 pixels is too narrow for this model"),
        ("LlavaOnevisionImageProcessor", 1, 4000, "4,000 × 1 pixels is too narrow for this model: cut it"),
        ("CLIPImageProcessor", 1, 4000, "would be scaled to 896,000 × 224, which is more than 80,000,000 pixels"),
    ],
)
def test_pictures_that_cannot_be_scaled_are_refused(kind: str, height: int, width: int, words: str) -> None:
    with pytest.raises(MediaError, match=words):
        picture_processor({"image_processor_type": kind})([picture(height, width)])


@pytest.mark.parametrize(
    ("kind", "settings", "words"),
    [
        ("None", {}, "by settings that name no image_processor_type: there are CLIPImageProcessor, Gemma3"),
        ("FuyuImageProcessorFast", {}, "of the kind FuyuImageProcessorFast: there are"),
        ("LlavaNextImageProcessor", {"size": 30}, "size = 30 and needs one length for the height, the width and"),
        ("LlavaNextImageProcessor", {"image_grid_pinpoints": [[224]]}, "heights and widths that are multiples of 224"),
        (
            "Gemma3ImageProcessor",
            {"do_pan_and_scan": True},
            "do_pan_and_scan = True, and crops of a picture are not made",
        ),
        ("CLIPImageProcessor", {"do_resize": False}, "do_resize = False, and models take .*: only True can be used"),
        (
            "CLIPImageProcessor",
            {"do_sharpen": 2},
            "CLIPImageProcessor has the setting do_sharpen = 2, which is not known",
        ),
        ("CLIPImageProcessor", {"image_std": 0}, "image_std = 0 and needs numbers other than 0"),
        ("CLIPImageProcessor", {"resample": 9}, "resample = 9 and needs a whole number from 0 to 5"),
        ("CLIPImageProcessor", {"pad_size": {"height": 1, "width": 1}}, "not padded to a size: leave it out"),
        ("Idefics3ImageProcessor", {"do_pad": False}, "do_pad = False, and tiles are given with their mask"),
        ("Qwen2VLImageProcessor", {"do_center_crop": True}, "do_center_crop = True"),
        (
            "Qwen2VLImageProcessor",
            {"size": {"height": 3, "width": 3}},
            r"needs \{longest_edge, shortest_edge\} or \{max_",
        ),
    ],
)
def test_what_is_not_honoured_is_refused(kind: str, settings: dict[str, object], words: str) -> None:
    with pytest.raises(MediaError, match=words):
        picture_processor(settings | ({} if kind == "None" else {"image_processor_type": kind}))
