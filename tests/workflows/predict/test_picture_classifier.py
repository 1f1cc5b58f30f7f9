"""Labels of picture files are those of transformers: its processor and its model in eager PyTorch, by their values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.predict.picture_bundles import DINO, LABELS, RESNET, VIT, make_bundle, picture_files
from workflows.bundle import read_bundle
from workflows.cli import run
from workflows.common.errors import BundleError, Cancelled, MediaError
from workflows.predict import open_depth_estimator, open_picture_classifier

KIND = "AutoModelForImageClassification"
HALVES = {"image_mean": [0.4, 0.5, 0.6], "image_std": [0.2, 0.3, 0.25]}
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "vit": ("vit", {**VIT, "image_size": 32, **LABELS},
            {"image_processor_type": "ViTImageProcessor", "size": {"height": 32, "width": 32}, **HALVES}),
    "vit, an old file without a kind": ("vit", {**VIT, "image_size": 32, **LABELS}, {"size": 32, "do_resize": True}),
    "several labels": ("vit", {**VIT, "image_size": 32, **LABELS, "problem_type": "multi_label_classification"},
                       {"image_processor_type": "ViTImageProcessorFast", "size": 32, "resample": 3}),
    "resnet of any size": ("resnet", {**RESNET, **LABELS},
                           {"feature_extractor_type": "ConvNextFeatureExtractor", "size": 40, "crop_pct": 0.875}),
    "dinov2 at another size than its positions": (
        "dinov2", {**{k: v for k, v in DINO.items() if k not in ("model_type", "out_features")}, **LABELS},
        {"image_processor_type": "BitImageProcessor", "size": {"shortest_edge": 48},
         "crop_size": {"height": 42, "width": 42}, **HALVES}),
}  # fmt: skip
PROCESSORS = {"vit": "ViTImageProcessorPil", "resnet": "ConvNextImageProcessorPil", "dinov2": "BitImageProcessorPil"}


def eager(checkpoint: Path, model_type: str, processor: dict[str, Any], file: Path) -> np.ndarray:
    import torch
    import transformers
    from transformers.image_utils import load_image

    settings = {name: value for name, value in processor.items() if not name.endswith("_type")}
    inputs = getattr(transformers, PROCESSORS[model_type])(**settings)(load_image(str(file)), return_tensors="pt")
    model = transformers.AutoModelForImageClassification.from_pretrained(checkpoint, dtype=torch.float32).eval()
    with torch.no_grad():
        logits = model(**inputs).logits[0]
    several = model.config.problem_type == "multi_label_classification"
    return (torch.sigmoid(logits) if several else torch.softmax(logits, -1)).numpy()


@pytest.mark.parametrize("case", CASES)
def test_labels_are_those_of_transformers(case: str, tmp_path: Path) -> None:
    model_type, config, processor = CASES[case]
    checkpoint, bundle = make_bundle(tmp_path, model_type, KIND, config, processor)
    classifier = open_picture_classifier(bundle)
    assert classifier.settings.labels == ["cat", "dog", "fern", "tin"]
    files = picture_files(tmp_path, [(61, 47), (33, 90)])
    classified = classifier.classify(files)
    for file, one in zip(files, classified, strict=True):
        wanted = eager(checkpoint, model_type, processor, file)
        scores = {label.label: label.score for label in one.labels}
        assert [label.score for label in one.labels] == sorted(scores.values(), reverse=True)
        assert np.abs([scores[label] for label in ("cat", "dog", "fern", "tin")] - wanted).max() < 1e-5, file.name
    turned = classified[10]
    assert (turned.width, turned.height, turned.picture) == (47, 61, str(files[10]))
    assert len({one.labels[0].score for one in classified}) > 5  # else equality would prove nothing


@pytest.fixture(scope="module")
def vit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model_type, config, processor = CASES["vit"]
    return make_bundle(tmp_path_factory.mktemp("vit"), model_type, KIND, config, processor)[1]


def test_what_cannot_be_read_is_one_sentence(vit: Path, tmp_path: Path) -> None:
    classifier = open_picture_classifier(vit)
    (tmp_path / "no.png").write_bytes(b"no picture")
    with pytest.raises(MediaError, match=r"no\.png"):
        classifier.classify([tmp_path / "no.png"])
    with pytest.raises(Cancelled):
        classifier.classify([tmp_path / "no.png"], lambda: True)
    with pytest.raises(BundleError, match="built for image-classification: give a bundle for depth-estimation"):
        open_depth_estimator(vit)


@pytest.mark.parametrize(("processor", "sentence", "notice"), [
    (None, "has no tokenizer/preprocessor_config.json", "has no preprocessor_config.json"),
    ({"image_processor_type": "ViTImageProcessor", "do_sharpen": True}, "do_sharpen", "do_sharpen"),
    ({"image_processor_type": "LevitImageProcessor"}, "LevitImageProcessor", "LevitImageProcessor"),
    ({"image_processor_type": "ViTImageProcessor", "size": 48}, "1 × 3 × 48 × 48", ""),
], ids=str)  # fmt: skip
def test_a_processor_that_is_not_honoured_is_named(
    processor: dict[str, Any] | None, sentence: str, notice: str, tmp_path: Path
) -> None:
    """When a picture is read, and by a notice of the build, whose graph takes numbers alone then."""
    from tests.workflows.families.test_single import save
    from workflows.builder import BuildRequest, build
    from workflows.wire.events import NoticeEvent

    checkpoint = save("vit", KIND, CASES["vit"][1], tmp_path / "checkpoint")
    if processor is not None:
        (checkpoint / "preprocessor_config.json").write_text(json.dumps(processor), "utf-8")
    events: list[Any] = []
    build(BuildRequest(str(checkpoint), tmp_path / "bundle", {}), events.append)
    notices = [one.message for one in events if isinstance(one, NoticeEvent) and one.code == "pictures"]
    assert [notice in one for one in notices] == [True] * bool(notice)
    with pytest.raises((BundleError, MediaError), match=sentence):
        open_picture_classifier(tmp_path / "bundle").classify(picture_files(tmp_path)[:1])


def test_a_bundle_keeps_its_labels(vit: Path) -> None:
    kept = read_bundle(vit).pipeline.metadata
    assert kept.classification is not None and kept.classification.activation == "softmax" and kept.depth is None


def test_the_command(vit: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, *_ = files = picture_files(tmp_path)
    own = open_picture_classifier(vit).classify(files[:2])
    line = ["classify", str(vit), "--picture", str(first), "--picture", str(second)]
    assert run([*line, "--top", "2", "--json"]) == 0
    rows = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    assert [list(row) for row in rows] == [["index", "picture", "width", "height", "labels"]] * 2
    assert [row["picture"] for row in rows] == [str(first), str(second)] and rows[0]["width"] == 61
    assert rows[1]["labels"] == [{"label": one.label, "score": one.score} for one in own[1].labels[:2]]
    assert run([*line, "--top", "1"]) == 0
    best = own[0].labels[0]
    assert capsys.readouterr().out.splitlines()[:2] == [str(first), f"  {best.score:8.4f}  {best.label}"]
    assert run([*line, "--text", "x"]) == 2 and "texts or pictures" in capsys.readouterr().err
    assert run(["classify", str(vit), "--text", "x", "--top", "2"]) == 2 and "--picture" in capsys.readouterr().err
    assert run(["classify", str(vit), "--text", "x"]) == 2
    assert "takes pixel_values, so its graph reads no texts" in capsys.readouterr().err
