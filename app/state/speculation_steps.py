"""The runs of the model in generations that draft: when each ended, and what was kept of its draft.

SpeculationEvent ──▶ Slab ──rows_of_runs──▶ Looks ──use(which)──▶ SpeculationUse
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
"""Run, time in the run at its end (s), latency (ms), drafted, accepted and kept tokens: see Slab."""


@dataclass(frozen=True, slots=True)
class SpeculationSteps:
    """Arrays have one entry a run of the model, [n]. run: index of the reply that it is of."""

    time_s: Floats
    latency_ms: Floats
    drafted: Floats
    accepted: Floats
    kept: Floats
    run: Ints

    def __len__(self) -> int:
        return len(self.time_s)

    def seen(self, left: float = -inf, right: float = inf) -> Mask:
        """Which of them are seen between two times [n]: each is a bar as wide as it took."""
        found: Mask = (self.time_s >= left) & (self.time_s - self.latency_ms / 1000 <= right)
        return found

    def use(self, which: Mask) -> SpeculationUse | None:
        """What came of the drafts of some of them; None where there are none."""
        if not which.any():
            return None
        drafted, accepted, kept = (int(one[which].sum()) for one in (self.drafted, self.accepted, self.kept))
        return SpeculationUse(drafted=drafted, accepted=accepted, steps=int(which.sum()), kept=kept)

    def at(self, second: float) -> int:
        """The one within which a time is, or -1."""
        import numpy as np

        index = int(np.searchsorted(self.time_s, second - 1e-9))
        begins = self.time_s[index] - self.latency_ms[index] / 1000 if index < len(self) else inf
        return index if begins <= second + 1e-9 else -1


def rows_of_runs(columns: Sequence[Numbers], numbers: Numbers, begins: Floats) -> tuple[Ints, Ints]:
    """(index of the reply, which row) of the rows whose reply is one of `numbers` [r], since `begins` [r] of each.

    columns: the first is the number of the reply, the second the time in it.
    """
    import numpy as np

    rows = np.flatnonzero(np.isin(columns[0], numbers))
    run = np.searchsorted(numbers, columns[0][rows])
    kept = columns[1][rows] >= begins[run] - 1e-9
    return run[kept], rows[kept]
