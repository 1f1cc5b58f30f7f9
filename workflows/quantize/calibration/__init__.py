"""Ranges and second moments of activations, measured on the floating-point composite.

prompts ──▶ prefill and greedy steps of the composite itself ──▶ each session's values ─┬▶ Ranges, by component
                                                                                        └▶ Moments, by weight
"""

from workflows.quantize.calibration.moments import SecondMoments
from workflows.quantize.calibration.observers import add_observers
from workflows.quantize.calibration.prompts import calibration_prompts
from workflows.quantize.calibration.ranges import RangeFinder, RunObserver, make_range_finder
from workflows.quantize.calibration.trajectories import run_trajectories

__all__ = [
    "RangeFinder",
    "RunObserver",
    "SecondMoments",
    "add_observers",
    "calibration_prompts",
    "make_range_finder",
    "run_trajectories",
]
