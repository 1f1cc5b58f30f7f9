"""Optimized graphs in, graphs of smaller weights out; each method says what it left alone, and why.

model ──Method.requires──▶ call (ranges of calibration, where it needs them) ──▶ PassReport; one method a file
"""

from workflows.quantize.base import Method, Ranges, check_excluded, run_method
from workflows.quantize.weight_only import WeightOnly

METHODS: dict[str, Method] = {method.name: method for method in (WeightOnly(8), WeightOnly(4))}

__all__ = ["METHODS", "Method", "Ranges", "check_excluded", "run_method"]
