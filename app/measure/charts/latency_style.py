"""The style of the latency plot; a module of its own because the drawing needs numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class LatencyStyle:
    """lines: the phase whose percentiles are drawn; fit_decode: scale to decode, so that prefill blocks are cut off."""

    lines: Literal["decode", "prefill"] = "decode"
    fit_decode: bool = False
    log: bool = False
