"""What a graph that reads one picture needs beside its preprocessor_config.json: part of `metadata`.

predicted_depth [H,W] ──DepthSettings: what the numbers mean──▶ a depth for each pixel
"""

from __future__ import annotations

from typing import Literal

from workflows.bundle.strict_model import StrictModel

DepthUnit = Literal["metres", "inverse"]


class DepthSettings(StrictModel):
    """unit: metres, or the inverse of a depth up to a scale and an offset, which is larger where a thing is nearer."""

    unit: DepthUnit
