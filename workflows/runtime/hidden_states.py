"""The hidden states that graphs give beside the logits, from which extra heads draft tokens."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workflows.kvcache import Step
from workflows.runtime.binding import Binding
from workflows.runtime.program.program import ProgramPhase

HiddenStates = NDArray[np.float32]


class HiddenStateListener(Protocol):
    """Receives the hidden states of the tokens that a machine's cache takes."""

    def on_hidden_states(self, start: int, rows: HiddenStates) -> None:
        """The hidden states [n, H] of the tokens from position `start` on; earlier rows of later positions are void."""
        ...


def hidden_rows(run: ProgramPhase, bound: Binding, step: Step) -> HiddenStates | None:
    """The hidden states [n, H] of a step's tokens; of the last token alone where the graph gives no more.

    None where the run gives none.
    """
    if run.hidden is None:
        return None
    port, spec = run.hidden
    rows = spec.as_float32(bound.outputs[port][0])
    if len(rows) == step.width:
        return rows[step.real]
    return rows[-1:] if step.parents is None else None
