"""The model runs of generations with drafts: when each ended, and how much of its draft was kept.

SpeculationEvent ──▶ ColumnStore ──rows_of_runs──▶ SpeculationSteps ──use(which)──▶ SpeculationUse
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from workflows.wire.events import SpeculationUse

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from app.state.column_store import Numbers

    Floats = NDArray[np.float64]
    Ints = NDArray[np.intp]
    Mask = NDArray[np.bool_]

SPECULATION_KINDS = "iddiii"
"""Run, time in the run at its end (s), latency (ms), drafted, accepted and kept tokens: see ColumnStore."""


@dataclass(frozen=True, slots=True)
class SpeculationSteps:
    """Arrays have one entry a model run, [n]. run: index of the reply."""

    time_s: Floats
    latency_ms: Floats
    drafted: Floats
    accepted: Floats
    kept: Floats
    run: Ints

    def __len__(self) -> int:
        return len(self.time_s)

    def seen(self, left: float = -inf, right: float = inf) -> Mask:
        """A mask [n] of the steps within two times; each is a bar as wide as its latency."""
        mask: Mask = (self.time_s >= left) & (self.time_s - self.latency_ms / 1000 <= right)
        return mask

    def use(self, which: Mask) -> SpeculationUse | None:
        """The use of drafts in some of the steps; None if there are none."""
        if not which.any():
            return None
        drafted, accepted, kept = (int(one[which].sum()) for one in (self.drafted, self.accepted, self.kept))
        return SpeculationUse(drafted=drafted, accepted=accepted, steps=int(which.sum()), kept=kept)

    def at(self, second: float) -> int:
        """The index of the step at a time, or -1."""
        import numpy as np

        index = int(np.searchsorted(self.time_s, second - 1e-9))
        begins = self.time_s[index] - self.latency_ms[index] / 1000 if index < len(self) else inf
        return index if begins <= second + 1e-9 else -1


def rows_of_runs(columns: Sequence[Numbers], numbers: Numbers, begins: Floats) -> tuple[Ints, Ints]:
    """(index of the reply, row index) of the rows whose reply is one of `numbers` [r], from `begins` [r] on.

    columns: the first is the number of the reply, the second the time in it.
    """
    import numpy as np

    rows = np.flatnonzero(np.isin(columns[0], numbers))
    run = np.searchsorted(numbers, columns[0][rows])
    kept = columns[1][rows] >= begins[run] - 1e-9
    return run[kept], rows[kept]
