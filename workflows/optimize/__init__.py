"""A graph in, a smaller or plainer graph of the same values out; every pass says what it did and what it refused.

model ──Pass.requires──▶ call ──▶ ensures ──▶ PassReport (modified, node counts, refusals)
"""

from workflows.optimize.base import Pass, PassReport, Refusal, run_passes
from workflows.optimize.passes import PASSES

__all__ = ["PASSES", "Pass", "PassReport", "Refusal", "run_passes"]
