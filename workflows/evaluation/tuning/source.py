"""Tunes this processor for a model: its sizes are read, the formats timed, and the result kept for builds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from workflows.bundle import read_bundle
from workflows.bundle.read import PIPELINE
from workflows.checkpoint import open_checkpoint
from workflows.evaluation.tuning.kernel_times import tune
from workflows.evaluation.tuning.product_sizes import COMMON, sizes_of_bundle, sizes_of_checkpoint
from workflows.processor.tuning import Tuning, save_tunings
from workflows.wire.events import Event

# Numbers in all weights of a step: the products of fewer are in a processor's cache, where one thread may be fastest,
# and the result is for all models that run here.
SMALLEST = 1 << 26
_COMMON = "a decoder of 0.6 billion parameters"


def tune_for(
    source: str | None,
    report: Callable[[Event], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Tuning:
    """source: a bundle's folder or a checkpoint; None for common sizes, which stand for those of a small model too.

    Raises RequestError, Cancelled.
    """
    if source is None:
        sizes, weights = COMMON, _COMMON
    elif (Path(source) / PIPELINE).is_file():
        sizes, weights = sizes_of_bundle(read_bundle(source)), Path(source).name
    else:
        sizes, weights = sizes_of_checkpoint(open_checkpoint(source)), source
    if sum(outer * inner * count for (outer, inner), count in sizes.items()) < SMALLEST:
        sizes, weights = COMMON, f"{_COMMON} ({weights} is too small to speak for other models)"
    tuning = tune(sizes, weights, report, cancelled)
    save_tunings([tuning])
    return tuning
