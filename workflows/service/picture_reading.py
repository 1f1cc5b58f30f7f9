"""Pictures classified, or their depths estimated, by one bundle, which stays open between requests.

LabelPictures ──bundle──▶ PictureClassifier ──▶ PictureLabelsReport
EstimateDepth ──bundle──▶ DepthEstimator ──▶ depth.npy, depth.png, depth-colors.png, DepthReport
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from workflows.wire.reports.labels import ScoredLabel
from workflows.wire.reports.pictures import DepthReport, PictureLabelsReport
from workflows.wire.requests import EstimateDepth, LabelPictures

if TYPE_CHECKING:
    from workflows.predict import DepthEstimator, PictureClassifier


class PictureService:
    """Keeps the last bundle open."""

    def __init__(self) -> None:
        self._key: tuple[str, str, str, str] | None = None
        self._opened: PictureClassifier | DepthEstimator | None = None

    def label(self, request: LabelPictures, cancelled: Callable[[], bool]) -> PictureLabelsReport:
        """Raises MediaError that names the wrong file, Cancelled, and what open_picture_classifier raises."""
        from workflows.predict import PictureClassifier, open_picture_classifier

        classifier = self._open(request, open_picture_classifier)
        assert isinstance(classifier, PictureClassifier)
        classified = classifier.classify(request.pictures, cancelled)
        return PictureLabelsReport(
            labels=[[ScoredLabel(one.label, round(one.score, 4)) for one in picture.labels] for picture in classified],
            notes=[note for picture in classified for note in picture.notes],
        )

    def depth(self, request: EstimateDepth) -> DepthReport:
        """Raises MediaError for a picture that cannot be read, RequestError where its files cannot be written."""
        from workflows.predict import DepthEstimator, open_depth_estimator
        from workflows.predict.depth_files import write_depths

        estimator = self._open(request, open_depth_estimator)
        assert isinstance(estimator, DepthEstimator)
        depths = estimator.estimate(request.picture)
        folder = Path(request.folder)
        grey, colors, numbers = (folder / name for name in ("depth.png", "depth-colors.png", "depth.npy"))
        write_depths(depths, numbers)
        write_depths(depths, grey)
        write_depths(depths, colors, colored=True)
        height, width = depths.values.shape
        files = str(grey), str(colors), str(numbers)
        return DepthReport(width, height, depths.unit, depths.lowest, depths.highest, *files, [*depths.notes])

    def _open(
        self,
        request: LabelPictures | EstimateDepth,
        make: Callable[[str, str], PictureClassifier | DepthEstimator],
    ) -> PictureClassifier | DepthEstimator:
        """What `make` opens of a bundle as it is now: one that was built anew is opened again."""
        from workflows.bundle import read_bundle

        key = (request.job, request.bundle, read_bundle(request.bundle).digest, request.provider)
        if key != self._key or self._opened is None:
            self._key, self._opened = None, None  # two models are never in memory at once
            self._opened, self._key = make(request.bundle, request.provider), key
        return self._opened
