"""Depths of picture files are those of transformers: its processor, its model in eager PyTorch, and its sizes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.workflows.families.test_single import IMAGES
from tests.workflows.predict.picture_bundles import ANYTHING, make_bundle, picture_files
from workflows.bundle import read_bundle
from workflows.cli import run
from workflows.common.errors import RequestError
from workflows.predict import open_depth_estimator
from workflows.predict.depth_files import share_of, write_depths

KIND = "AutoModelForDepthEstimation"
CONFIGS: dict[str, dict[str, Any]] = {row[0]: row[2] for row in IMAGES if row[3] == "depth-estimation"}
RATIO = {"image_processor_type": "DPTImageProcessor", "size": {"height": 70, "width": 70}, "keep_aspect_ratio": True,
         "ensure_multiple_of": 14}  # fmt: skip
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any], str]] = {
    "dpt": ("dpt", CONFIGS["dpt"], {"image_processor_type": "DPTImageProcessor", "size": 32}, "inverse"),
    "depth anything": ("depth_anything", ANYTHING, RATIO, "inverse"),
    "depth anything in metres": ("depth_anything", {**ANYTHING, "depth_estimation_type": "metric", "max_depth": 20},
                                 {**RATIO, "resample": 2}, "metres"),
    "glpn": ("glpn", CONFIGS["glpn"], {"image_processor_type": "GLPNImageProcessor", "size_divisor": 32}, "metres"),
}  # fmt: skip


def eager(checkpoint: Path, processor: dict[str, Any], file: Path) -> np.ndarray:
    import torch
    import transformers
    from transformers.image_utils import load_image

    settings = {name: value for name, value in processor.items() if not name.endswith("_type")}
    prepare = getattr(transformers, f"{processor['image_processor_type']}Pil")(**settings)
    image = load_image(str(file))
    inputs = prepare(image, return_tensors="pt")
    model = transformers.AutoModelForDepthEstimation.from_pretrained(checkpoint, dtype=torch.float32).eval()
    with torch.no_grad():
        outputs = model(**inputs)
    (made,) = prepare.post_process_depth_estimation(outputs, target_sizes=[(image.height, image.width)])
    return made["predicted_depth"].numpy()


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(one, marks=[pytest.mark.slow] * (one in ("glpn", "dpt", "depth anything in metres")))
        for one in CASES
    ],
)
def test_depths_are_those_of_transformers(case: str, tmp_path: Path) -> None:
    model_type, config, processor, unit = CASES[case]
    checkpoint, bundle = make_bundle(tmp_path, model_type, KIND, config, processor)
    estimator = open_depth_estimator(bundle)
    kinds = ("RGBA", "P.png", "CMYK", "turned", "L.png")
    files = picture_files(tmp_path, [(161, 97), (64, 133), (90, 90)])
    for file in (file for file in files if any(kind in file.name for kind in kinds)):
        depths = estimator.estimate(file)
        wanted = eager(checkpoint, processor, file)
        assert depths.values.shape == wanted.shape and depths.unit == unit and not depths.notes, file.name
        span = wanted.max() - wanted.min()
        assert span > 1e-4 * abs(wanted).max()  # else equality would prove nothing
        assert np.abs(depths.values - wanted).max() < 0.01 * span, file.name


def test_a_graph_of_one_size_says_what_is_lost(tmp_path: Path) -> None:
    """A target of fixed shapes: the picture is scaled without its ratio, as the processor does where it keeps none."""
    checkpoint, bundle = make_bundle(tmp_path, "depth_anything", KIND, ANYTHING, RATIO, target="dml")
    estimator = open_depth_estimator(bundle)
    assert estimator.model.size == (56, 56)
    (file,) = [one for one in picture_files(tmp_path, [(161, 97)]) if "RGB.bmp" in one.name]
    depths = estimator.estimate(file)
    assert len(depths.notes) == 1 and "56 × 56 pixels alone" in depths.notes[0]
    wanted = eager(checkpoint, {"image_processor_type": "DPTImageProcessor", "size": 56}, file)
    assert np.abs(depths.values - wanted).max() < 1e-4 * max(1, np.abs(wanted).max())
    kept = read_bundle(bundle).pipeline.metadata
    assert kept.depth is not None and kept.depth.unit == "inverse" and kept.classification is None


def test_depths_are_written_as_numbers_and_pictures(tmp_path: Path) -> None:
    _, bundle = make_bundle(tmp_path, "dpt", KIND, CONFIGS["dpt"], CASES["dpt"][2])
    depths = open_depth_estimator(bundle).estimate(picture_files(tmp_path)[0])
    for name in ("d.npy", "grey.png"):
        write_depths(depths, tmp_path / name)
    write_depths(depths, tmp_path / "colors.PNG", colored=True)
    assert (np.load(tmp_path / "d.npy") == depths.values).all()
    with Image.open(tmp_path / "grey.png") as grey:
        pixels = np.asarray(grey)
    assert pixels.dtype == np.uint16 and (pixels.min(), pixels.max()) == (0, 65535)
    assert np.abs(pixels / 65535 - share_of(depths)).max() < 1e-4
    with Image.open(tmp_path / "colors.PNG") as colors:
        shown = np.asarray(colors)
    low, high = (np.unravel_index(found, depths.values.shape) for found in (pixels.argmin(), pixels.argmax()))
    assert shown[low].tolist() == [68, 1, 84] and shown[high].tolist() == [253, 231, 37]
    with pytest.raises(RequestError, match=r"\.png or \.npy, and not as d\.jpg"):
        write_depths(depths, tmp_path / "d.jpg")
    with pytest.raises(RequestError, match="cannot read or write"):
        write_depths(depths, tmp_path / "d.npy" / "d.npy")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, bundle = make_bundle(tmp_path, "dpt", KIND, CONFIGS["dpt"], CASES["dpt"][2])
    file, numbers, grey = picture_files(tmp_path)[0], tmp_path / "d.npy", tmp_path / "d.png"
    line = ["depth", str(bundle), "--picture", str(file), "--out", str(numbers), "--out", str(grey)]
    assert run([*line, "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    values = np.load(numbers)
    assert row == {
        "picture": str(file), "width": 61, "height": 47, "unit": "inverse", "lowest": float(values.min()),
        "highest": float(values.max()), "files": [str(numbers), str(grey)],
    }  # fmt: skip
    assert run([*line, "--colored"]) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith("61 × 47 pixels, ") and first.endswith("(inverse depth, larger is nearer)")
    assert [one.strip() for one in rest] == [str(numbers), str(grey)]
    with Image.open(grey) as image:
        assert image.mode == "RGB"
    assert run(["depth", str(bundle), "--picture", str(file), "--out", str(tmp_path / "d.bmp")]) == 2
    assert ".png or .npy, and not as d.bmp" in capsys.readouterr().err
    assert run(["depth", str(bundle), "--picture", str(numbers)]) == 2
    assert "not a picture" in capsys.readouterr().err
