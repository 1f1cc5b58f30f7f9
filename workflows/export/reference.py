"""Reference logits: computed by the checkpoint's own code, stored for later comparison with the graphs.

equivalence.py, eager ──▶ ReferenceLogits ──file──▶ parity.py, the graphs on onnxruntime ──▶ equal, or refused
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FILE, SEEING_FILE = "reference.npz", "reference_seeing.npz"  # of a text, and of a text with pictures
_GIVEN = "given."  # before the names of the inputs in the file
STEPS, QUICK_STEPS = 12, 1  # tokens at the end of the sequence that are fed one by one, and those of a quick check


@dataclass(frozen=True)
class ReferenceLogits:
    """A sequence [N] int64, and the logits [R,V] float32 after its tokens number `rows` [R].

    routed: the model selects experts, where rounding may tip a near tie, so single rows may differ. steps: the tokens
    at the end that are fed one by one. given: what comes with the sequence, by the inputs of the graph that reads it.
    """

    ids: NDArray[np.int64]
    rows: NDArray[np.int64]
    logits: NDArray[np.float32]
    routed: bool = False
    steps: int = STEPS
    given: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def write(self, folder: Path, name: str = FILE) -> None:
        """Writes the logits into `folder`, which is that of a stage."""
        arrays = {"routed": np.array(self.routed), "steps": np.array(self.steps)}
        arrays |= {f"{_GIVEN}{key}": value for key, value in self.given.items()}
        np.savez(folder / name, ids=self.ids, rows=self.rows, logits=self.logits, **arrays)  # type: ignore[arg-type]

    @classmethod
    def read(cls, folder: Path, name: str = FILE) -> ReferenceLogits | None:
        """Reads the logits; None where the stage stored none: models without a cache, or with an encoder."""
        if not (folder / name).is_file():
            return None
        with np.load(folder / name) as stored:
            routed, steps = bool(stored["routed"]), int(stored["steps"])
            given = {key.removeprefix(_GIVEN): stored[key] for key in stored.files if key.startswith(_GIVEN)}
            return cls(stored["ids"], stored["rows"], stored["logits"], routed, steps, given)
