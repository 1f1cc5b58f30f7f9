"""Pictures read by an open bundle: the predictors' own answers, files of depths, and another build opened anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.workflows.families.test_single import IMAGES
from tests.workflows.predict.picture_bundles import LABELS, VIT, make_bundle, picture_files
from workflows.common.errors import BundleError, Cancelled
from workflows.predict import open_depth_estimator, open_picture_classifier
from workflows.service.picture_reading import PictureService
from workflows.wire.requests import EstimateDepth, LabelPictures


@pytest.fixture(scope="module")
def vit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = {**VIT, "image_size": 32, **LABELS}
    processor = {"image_processor_type": "ViTImageProcessor", "size": 32}
    return make_bundle(tmp_path_factory.mktemp("v"), "vit", "AutoModelForImageClassification", config, processor)[1]


@pytest.fixture(scope="module")
def dpt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = next(row[2] for row in IMAGES if row[0] == "dpt")
    processor = {"image_processor_type": "DPTImageProcessor", "size": 32}
    return make_bundle(tmp_path_factory.mktemp("d"), "dpt", "AutoModelForDepthEstimation", config, processor)[1]


def test_labels_are_those_of_the_classifier(vit: Path, tmp_path: Path) -> None:
    service, files = PictureService(), picture_files(tmp_path)[:3]
    request = LabelPictures(str(vit), tuple(map(str, files)))
    report, own = service.label(request, lambda: False), open_picture_classifier(vit).classify(files)
    assert [[one.label for one in row] for row in report.labels] == [[one.label for one in row.labels] for row in own]
    assert report.labels[2][0].score == pytest.approx(own[2].labels[0].score, abs=6e-5) and report.notes == []
    opened = service._opened
    service.label(request, lambda: False)
    assert service._opened is opened
    with pytest.raises(Cancelled):
        service.label(request, lambda: True)
    with pytest.raises(BundleError, match="give a bundle for depth-estimation"):
        service.depth(EstimateDepth(str(vit), str(files[0]), str(tmp_path)))


def test_depths_are_written(vit: Path, dpt: Path, tmp_path: Path) -> None:
    service, file = PictureService(), picture_files(tmp_path)[0]
    service.label(LabelPictures(str(vit), (str(file),)), lambda: False)
    report = service.depth(EstimateDepth(str(dpt), str(file), str(tmp_path)))
    own = open_depth_estimator(dpt).estimate(file)
    assert (np.load(report.numbers) == own.values).all()
    assert (report.width, report.height, report.unit) == (61, 47, "inverse") and report.notes == []
    assert (report.lowest, report.highest) == (own.lowest, own.highest)
    assert Path(report.grey).stat().st_size > 100 and Path(report.colors).stat().st_size > 100
