"""Labels of pictures, from the logits of one graph.

file ──PictureModel──▶ logits [labels] ──softmax or sigmoid──▶ label → probability
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from workflows.common.errors import Cancelled
from workflows.media import SizedProcessor, read_picture, sized_processor
from workflows.predict.classifier import label_settings, ranked_labels
from workflows.predict.picture_model import PictureModel
from workflows.wire.reports.labels import ScoredLabel


@dataclass(frozen=True)
class ClassifiedPicture:
    """The labels of a picture, the most probable first. width, height: of the file; notes: what of it was not used."""

    index: int
    picture: str
    width: int
    height: int
    labels: Sequence[ScoredLabel]
    notes: Sequence[str] = ()


class PictureClassifier:
    """An open bundle that gives labels to pictures."""

    def __init__(self, model: PictureModel[SizedProcessor]) -> None:
        self.model, self.settings = model, label_settings(model.bundle, model.output)

    def classify(
        self, files: Sequence[str | Path], cancelled: Callable[[], bool] = lambda: False
    ) -> list[ClassifiedPicture]:
        """The labels of picture files, in order. Raises MediaError that names the file, and Cancelled between two."""
        classified = []
        for index, file in enumerate(files):
            if cancelled():
                raise Cancelled("The pictures were not read to the end.")
            picture = read_picture(Path(file))
            logits = self.model.run(self.model.prepare(picture))[self.model.output.name][0]
            labels = ranked_labels(self.settings, logits.astype("float32"))
            size = picture.width, picture.height
            classified.append(ClassifiedPicture(index, str(file), *size, labels, picture.notes))
        return classified


def open_picture_classifier(folder: str | Path, provider: str = "cpu") -> PictureClassifier:
    """Opens a bundle for image-classification. Raises BundleError for another one, MediaError for its settings."""
    return PictureClassifier(PictureModel.open(folder, provider, "image-classification", sized_processor))
