"""Where two runs part: two bundles, two stages of one, or two providers, on the same tokens.

A, B (bundle, stage, provider) ─subject─▶ graphs, views ─pairs─▶ the values that both have
prompt ─feeding─▶ the same runs of both ─┐
values ─taps─▶ graphs that show them ────┴─find─▶ what each node adds by itself ─rounding─▶ DivergenceReport
"""

from workflows.evaluation.divergence.diverge import STEPS, diverge
from workflows.evaluation.divergence.subject import SubjectOptions

__all__ = ["STEPS", "SubjectOptions", "diverge"]
