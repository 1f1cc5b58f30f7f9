"""The depth of each pixel of a picture, from the numbers of one graph.

file ──PictureModel──▶ predicted_depth [H,W], field_of_view ──DepthProcessor──▶ depths of the picture's size
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workflows.bundle.picture_tasks import DepthUnit
from workflows.media import DepthProcessor, Picture, depth_processor, read_picture
from workflows.predict.picture_model import PictureModel

_VIEW = "field_of_view"


@dataclass(frozen=True)
class DepthMap:
    """values: float32 [height, width] of the picture. unit: metres, or the inverse of a depth (near is large)."""

    values: NDArray[np.float32]
    unit: DepthUnit
    notes: tuple[str, ...] = ()

    @property
    def lowest(self) -> float:
        return float(self.values.min())

    @property
    def highest(self) -> float:
        return float(self.values.max())


class DepthEstimator:
    """An open bundle that estimates depths."""

    def __init__(self, model: PictureModel[DepthProcessor]) -> None:
        self.model = model
        stated = model.bundle.pipeline.metadata.depth
        self.unit: DepthUnit = stated.unit if stated else "inverse"

    def estimate(self, file: str | Path) -> DepthMap:
        """The depths of a picture file. Raises MediaError that names the file, or says why the model cannot take it."""
        picture = read_picture(Path(file))
        processor, notes = self._processor(picture)
        outputs = self.model.run(np.asarray(processor([picture]).tensors["pixel_values"]))
        view = float(outputs[_VIEW].reshape(-1)[0]) if _VIEW in outputs else None
        predicted = outputs[self.model.output.name][0].astype(np.float32)
        values = processor.depths(predicted, picture.height, picture.width, view)
        return DepthMap(values, self.unit, (*picture.notes, *notes))

    def _processor(self, picture: Picture) -> tuple[DepthProcessor, tuple[str, ...]]:
        """The processor for a picture, and what it does not keep: a graph of one size takes every picture in it."""
        size = self.model.size
        if size is None or self.model.processor.picture_size == size:
            return self.model.processor, ()
        if self.model.prepare(picture).shape[2:] == size:
            return self.model.processor, ()
        height, width = size
        note = (
            f"The graph takes pictures of {width} × {height} pixels alone, so the picture is scaled to that size and "
            "loses its ratio: its depths differ from those of the checkpoint."
        )
        return self.model.processor.fitted(height, width), (note,)


def open_depth_estimator(folder: str | Path, provider: str = "cpu") -> DepthEstimator:
    """Opens a bundle for depth-estimation. Raises BundleError for another one, MediaError for its settings."""
    return DepthEstimator(PictureModel.open(folder, provider, "depth-estimation", depth_processor))
