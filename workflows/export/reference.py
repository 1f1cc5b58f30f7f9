"""What a model itself says, kept from the checkpoint's own code to what is made of it.

check.py, eager ──▶ Reference ──file──▶ parity.py, the graphs on onnxruntime ──▶ equal, or refused
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FILE = "reference.npz"
STEPS = 12  # tokens at the end of the sequence that are fed one by one


@dataclass(frozen=True)
class ReferenceLogits:
    """A sequence [N] int64, and the logits [R,V] float32 that follow its tokens number `rows` [R].

    routed: the model chooses experts, where rounding may tip a near tie, so that single rows may differ.
    """

    ids: NDArray[np.int64]
    rows: NDArray[np.int64]
    logits: NDArray[np.float32]
    routed: bool = False

    def write(self, folder: Path) -> None:
        """Into `folder`, which is that of a stage."""
        np.savez(folder / FILE, ids=self.ids, rows=self.rows, logits=self.logits, routed=np.array(self.routed))

    @classmethod
    def read(cls, folder: Path) -> ReferenceLogits | None:
        """None where the stage kept none: models without a cache, and those with an encoder."""
        if not (folder / FILE).is_file():
            return None
        with np.load(folder / FILE) as kept:
            return cls(kept["ids"], kept["rows"], kept["logits"], bool(kept["routed"]))
