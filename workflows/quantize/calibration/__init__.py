"""Ranges of activations from what the floating-point composite really computes.

    prompts ──▶ prefill and greedy steps of the composite itself ──▶ each session's values ──▶ Ranges, by component
"""

from workflows.quantize.calibration.prompts import calibration_prompts
from workflows.quantize.calibration.ranges import Ranger, make_ranger
from workflows.quantize.calibration.taps import add_observers
from workflows.quantize.calibration.trajectories import follow_trajectories

__all__ = ["Ranger", "add_observers", "calibration_prompts", "follow_trajectories", "make_ranger"]
