"""The pictures of depth models have the values of transformers' processors, and depths come back as theirs do."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from PIL import Image

from tests.workflows.media.pictures.making import picture
from workflows.common.errors import MediaError
from workflows.media.pictures import depth_processor, sized_processor

SIZES = [(40, 40), (97, 64), (64, 97), (65, 64), (201, 311), (130, 129), (33, 150)]
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "DPT": ("DPTImageProcessor", {"size": {"height": 48, "width": 64}}),
    "Depth Anything": ("DPTImageProcessor", {"size": 70, "keep_aspect_ratio": True, "ensure_multiple_of": 14}),
    "Depth Anything, half multiples": ("DPTImageProcessor", {"size": {"height": 21, "width": 35}, "resample": 2,
                                                             "ensure_multiple_of": 14}),
    "GLPN": ("GLPNImageProcessor", {}),
    "GLPN, normalized": ("GLPNImageProcessor", {"size_divisor": 8, "do_normalize": True, "image_mean": [0.4, 0.5, 0.6],
                                                "image_std": [0.2, 0.3, 0.4]}),
    "ZoeDepth": ("ZoeDepthImageProcessor", {"size": {"height": 48, "width": 64}, "ensure_multiple_of": 32}),
    "ZoeDepth, cubic": ("ZoeDepthImageProcessor", {"size": {"height": 40, "width": 56}, "ensure_multiple_of": 8,
                                                   "keep_aspect_ratio": False, "do_pad": False, "resample": 3}),
}  # fmt: skip


def theirs(kind: str, settings: dict[str, Any]) -> Any:
    return getattr(transformers, f"{kind}Pil")(**settings)


@pytest.mark.parametrize("case", CASES)
def test_values_are_those_of_transformers(case: str) -> None:
    kind, settings = CASES[case]
    reference = theirs(kind, settings)
    written = json.loads(reference.to_json_string())
    ours = depth_processor(written)
    assert depth_processor(ours.settings).settings == ours.settings
    exact = kind != "ZoeDepthImageProcessor"  # torch scales in float32
    for height, width in SIZES:
        one = picture(height, width)
        wanted = np.asarray(reference(Image.fromarray(one.pixels), return_tensors="np")["pixel_values"])
        values = ours([one]).tensors["pixel_values"]
        assert values.shape == wanted.shape and values.dtype == np.float32, (height, width)
        assert np.abs(values - wanted).max() <= (0 if exact else 2e-4), (height, width)
        assert ours.picture_size in (None, values.shape[2:])


@pytest.mark.parametrize("case", CASES)
def test_depths_come_back_to_the_size_of_the_picture(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, settings = CASES[case]
    reference, ours = theirs(kind, settings), depth_processor({"image_processor_type": kind, **settings})
    if kind == "ZoeDepthImageProcessor":  # torchvision's, without antialiasing, is torch's
        functional = SimpleNamespace(
            InterpolationMode=SimpleNamespace(BICUBIC="bicubic"),
            resize=lambda depth, size, interpolation, antialias: torch.nn.functional.interpolate(
                depth[None], tuple(size), mode=interpolation
            )[0],
        )
        module = transformers.models.zoedepth.image_processing_pil_zoedepth
        monkeypatch.setattr(module, "tvF", functional, raising=False)
        monkeypatch.setattr(module, "torch", torch, raising=False)
    found = np.random.default_rng(1).random((1, 24, 40), np.float32)
    outputs = SimpleNamespace(predicted_depth=torch.from_numpy(found))
    for size in SIZES:
        more = {"source_sizes": [size]} if kind == "ZoeDepthImageProcessor" else {}
        (wanted,) = reference.post_process_depth_estimation(outputs, target_sizes=[size], **more)
        made = ours.depths(found[0], *size, None)
        assert made.shape == size
        assert np.abs(made - wanted["predicted_depth"].numpy()).max() < 5e-5, size


@pytest.mark.parametrize("view", [None, 48.5])
def test_depth_pro_scales_what_is_normalized_and_counts_in_metres(view: float | None) -> None:
    """transformers has it over torchvision alone, so its steps stand here in torch."""
    ours = depth_processor({"image_processor_type": "DepthProImageProcessorFast", "size": 96})
    one = picture(131, 77)
    pixels = torch.from_numpy(one.pixels.copy()).permute(2, 0, 1)[None].float()
    wanted = torch.nn.functional.interpolate((pixels / 255 - 0.5) / 0.5, (96, 96), mode="bilinear")
    values = ours([one]).tensors["pixel_values"]
    assert ours.picture_size == (96, 96) and np.abs(values - wanted.numpy()).max() < 1e-5
    found = np.random.default_rng(1).random((96, 96), np.float32) + 0.01
    depth = torch.from_numpy(found)
    if view is not None:
        focal = 0.5 * 77 / torch.tan(0.5 * torch.deg2rad(torch.tensor(view)))
        depth = depth * 77 / focal
    scaled = torch.nn.functional.interpolate(depth[None, None], (131, 77), mode="bilinear")[0, 0]
    metres = (1 / torch.clamp(scaled, 1e-4, 1e4)).numpy()
    assert np.allclose(ours.depths(found, 131, 77, view), metres, rtol=1e-4)


def test_what_is_not_honoured_is_named() -> None:
    for settings, named in (
        ({"image_processor_type": "DPTImageProcessor", "do_pad": True}, "do_pad"),
        ({"image_processor_type": "DPTImageProcessor", "unheard_of": 1}, "unheard_of"),
        ({"image_processor_type": "DPTImageProcessor", "size": {"shortest_edge": 9}}, "size"),
        ({"image_processor_type": "ZoeDepthImageProcessor", "resample": 0}, "resample"),
        ({"image_processor_type": "ZoeDepthImageProcessor", "ensure_multiple_of": 0}, "ensure_multiple_of"),
        ({"image_processor_type": "DepthProImageProcessor", "resample": 3}, "resample"),
        ({"image_processor_type": "GLPNImageProcessor", "do_resize": False}, "do_resize"),
        ({"image_processor_type": "EfficientNetImageProcessor", "do_normalize": False}, "include_top"),
        ({"image_processor_type": "ConvNextImageProcessor", "crop_pct": 0}, "crop_pct"),
        ({"image_processor_type": "ConvNextImageProcessor", "size": {"height": 2, "width": 2}}, "size"),
        ({"image_processor_type": "SegformerImageProcessor"}, "SegformerImageProcessor"),
        ({}, "image_processor_type"),
    ):
        with pytest.raises(MediaError, match=named):
            sized_processor(settings)
    with pytest.raises(MediaError, match="ViTImageProcessor"):
        depth_processor({"image_processor_type": "ViTImageProcessor"})


def test_a_picture_without_a_whole_multiple_is_refused() -> None:
    with pytest.raises(MediaError, match="multiples of 32"):
        depth_processor({"image_processor_type": "GLPNImageProcessor"})([picture(31, 90)])
    with pytest.raises(MediaError, match="mirrored border"):
        depth_processor({"image_processor_type": "ZoeDepthImageProcessor"})([picture(3, 90)])


def test_a_picture_is_fitted_to_a_graph_of_one_size() -> None:
    anything = depth_processor({"image_processor_type": "DPTImageProcessor", "keep_aspect_ratio": True, "size": 70})
    one = picture(40, 90)
    fixed = theirs("DPTImageProcessor", {"size": {"height": 56, "width": 70}})
    wanted = fixed(Image.fromarray(one.pixels), return_tensors="np")["pixel_values"]
    assert (anything.fitted(56, 70)([one]).tensors["pixel_values"] == wanted).all()
