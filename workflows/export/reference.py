"""Reference logits: computed by the checkpoint's own code, stored for later comparison with the graphs.

equivalence.py, eager ──▶ ReferenceLogits ──file──▶ parity.py, the graphs on onnxruntime ──▶ equal, or refused
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FILE = "reference.npz"
STEPS, QUICK_STEPS = 12, 1  # tokens at the end of the sequence that are fed one by one, and those of a quick check


@dataclass(frozen=True)
class ReferenceLogits:
    """A sequence [N] int64, and the logits [R,V] float32 after its tokens number `rows` [R].

    routed: the model selects experts, where rounding may tip a near tie, so single rows may differ. steps: the tokens
    at the end that are fed one by one.
    """

    ids: NDArray[np.int64]
    rows: NDArray[np.int64]
    logits: NDArray[np.float32]
    routed: bool = False
    steps: int = STEPS

    def write(self, folder: Path) -> None:
        """Writes the logits into `folder`, which is that of a stage."""
        routed, steps = np.array(self.routed), np.array(self.steps)
        np.savez(folder / FILE, ids=self.ids, rows=self.rows, logits=self.logits, routed=routed, steps=steps)

    @classmethod
    def read(cls, folder: Path) -> ReferenceLogits | None:
        """Reads the logits; None where the stage stored none: models without a cache, or with an encoder."""
        if not (folder / FILE).is_file():
            return None
        with np.load(folder / FILE) as stored:
            routed, steps = bool(stored["routed"]), int(stored["steps"])
            return cls(stored["ids"], stored["rows"], stored["logits"], routed, steps)
