"""Pictures with the labels that a bundle gives them, and the depths of one."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.wire.reports.base import Report
from workflows.wire.reports.labels import ScoredLabel


@dataclass
class PictureLabelsReport(Report):
    """labels: of each picture in order, the most probable first. notes: what of the files was not used."""

    labels: list[list[ScoredLabel]]
    notes: list[str]


@dataclass
class DepthReport(Report):
    """Of a picture of width × height pixels. unit: metres, or inverse, which is larger where a thing is nearer.

    lowest, highest: of the depths. grey, colors, numbers: the files that were written, .png, .png and .npy.
    """

    width: int
    height: int
    unit: str
    lowest: float
    highest: float
    grey: str
    colors: str
    numbers: str
    notes: list[str]
