"""Graph optimization: passes that keep a graph's values; each pass reports its changes and what it refused.

model ──Pass.requires──▶ call ──▶ ensures ──▶ PassReport (modified, node counts, refusals)
"""

from workflows.optimize.base import Pass, PassReport, Refusal, run_passes
from workflows.optimize.passes import PASSES

__all__ = ["PASSES", "Pass", "PassReport", "Refusal", "run_passes"]
