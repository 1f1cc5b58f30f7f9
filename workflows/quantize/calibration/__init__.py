"""Ranges and moments of activations from what the floating-point composite really computes.

prompts ──▶ prefill and greedy steps of the composite itself ──▶ each session's values ─┬▶ Ranges, by component
                                                                                        └▶ Moments, by weight
"""

from workflows.quantize.calibration.moments import Moments
from workflows.quantize.calibration.prompts import calibration_prompts
from workflows.quantize.calibration.ranges import Ranger, Watcher, make_ranger
from workflows.quantize.calibration.taps import add_observers
from workflows.quantize.calibration.trajectories import follow_trajectories

__all__ = [
    "Moments",
    "Ranger",
    "Watcher",
    "add_observers",
    "calibration_prompts",
    "follow_trajectories",
    "make_ranger",
]
