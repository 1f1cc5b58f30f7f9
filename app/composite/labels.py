"""The labels in the picture of a composite, in the language of the window."""

from __future__ import annotations

from PySide6.QtCore import QObject

from workflows.inspection.picture.diagram import PictureLabels


def composite_labels(owner: QObject) -> PictureLabels:
    """The labels, translated by `owner`."""
    return PictureLabels(
        cache=owner.tr("KV cache"),
        cross=owner.tr("Cross cache"),
        carried=owner.tr("Carried state"),
        driver=owner.tr("Drivers"),
        given=owner.tr("Given"),
        output=owner.tr("Output"),
        host=owner.tr("written by the host"),
        graph=owner.tr("written by the graph"),
        frozen=owner.tr("written once, then read"),
        layer=owner.tr("layer {0}"),
        layers=owner.tr("layers {0}"),
        more=owner.tr("+ {0} more"),
    )
