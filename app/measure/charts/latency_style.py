"""How latency is drawn; apart from the drawing, which needs numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class LatencyStyle:
    """Whose percentiles are lines, whether prefill may run out of the picture, and whether the scale is a log scale."""

    lines: Literal["decode", "prefill"] = "decode"
    fit_decode: bool = False
    log: bool = False
