"""Finds where two runs diverge: two bundles, two build stages of one, or two providers, on the same tokens.

A, B (bundle, stage, provider) ─subject─▶ graphs ─matching─▶ the values that both have
prompt ─feed_plan─▶ the same runs of both ────────┐
values ─graph_taps─▶ graphs with them as outputs ─┴─diverge, tolerance─▶ the error that each node adds ─▶ report
A on another machine ─recorded_values─▶ a file in A's place
"""

from workflows.evaluation.divergence.diverge import STEPS, diverge
from workflows.evaluation.divergence.recorded_values import record_values
from workflows.evaluation.divergence.subject import SubjectOptions

__all__ = ["STEPS", "SubjectOptions", "diverge", "record_values"]
