"""The hidden states that graphs give beside the logits, from which heads draft what comes next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workflows.kvcache import Step
from workflows.runtime.binding import Binding
from workflows.runtime.program.program import ProgramPhase

HiddenStates = NDArray[np.float32]


def hidden_rows(run: ProgramPhase, bound: Binding, step: Step) -> HiddenStates | None:
    """Those of a step's tokens, [n, H]; of the last one alone where no more are given, None where none are."""
    if run.hidden is None:
        return None
    port, spec = run.hidden
    rows = spec.as_float32(bound.outputs[port][0])
    if len(rows) == step.width:
        return rows[step.real]
    return rows[-1:] if step.parents is None else None
