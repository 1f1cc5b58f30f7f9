"""Compares graphs whose weights are described, segment by segment over the tokens of a reference.

reference.npz ──tokens──▶ SegmentedRunner over each graph ──logits of each step──▶ Parity, ReferenceParity

The tokens are given, where ParityRunner generates them: a greedy token needs the whole model before the next one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workflows.bundle.schema import Pipeline
from workflows.evaluation.parity import Outputs, Parity, ParityRunner, ReferenceParity, check_spread, logits_difference
from workflows.evaluation.segments import SegmentedRunner
from workflows.export.reference import ReferenceLogits


class LayerwiseParityRunner(ParityRunner):
    """Runs one composite with different graphs, always on the tokens of `reference`."""

    def __init__(self, pipeline: Pipeline, reference: ReferenceLogits) -> None:
        super().__init__(pipeline)
        self._reference, self._tokens = reference, reference.ids.tolist()
        self._done: tuple[dict[str, Path], dict[int, NDArray[np.float32]]] = {}, {}  # the last files, and their logits

    def run(self, files: Mapping[str, Path], mapped: bool = True) -> Outputs:
        """The logits after each step: chunks of the prompt, then single tokens. Raises as ParityRunner.run."""
        logits = self._logits(files, mapped)
        return [logits[row] for row in sorted(logits)]

    def compare_with_reference(self, reference: ReferenceLogits, files: Mapping[str, Path]) -> ReferenceParity:
        """Compares the graphs with the model's own logits. Raises as ParityRunner.compare_with_reference."""
        check_spread(reference)
        logits, wanted = self._logits(files), dict(zip(reference.rows.tolist(), reference.logits, strict=True))
        off = tuple(logits_difference(wanted[row], logits[row]) for row in sorted(logits) if row in wanted)
        largest = float(np.abs(reference.logits).max(initial=0))
        return ReferenceParity(off, len(reference.ids), largest, reference.routed)

    def compare_with_model(self, files: Mapping[str, Path]) -> Parity:
        """Compares the graphs with the model's own logits, as two runs are compared."""
        logits, reference = self._logits(files), self._reference
        wanted = dict(zip(reference.rows.tolist(), reference.logits, strict=True))
        rows = [row for row in sorted(logits) if row in wanted]
        return self.compare([wanted[row] for row in rows], [logits[row] for row in rows])

    def reference_of(self, files: Mapping[str, Path]) -> ReferenceLogits:
        """The logits of these graphs, as a reference for others."""
        logits = self._logits(files)
        rows = sorted(logits)
        stacked = np.stack([logits[row] for row in rows])
        return ReferenceLogits(self._reference.ids, np.array(rows), stacked, self._reference.routed)

    def _logits(self, files: Mapping[str, Path], mapped: bool = True) -> dict[int, NDArray[np.float32]]:
        if self._done[0] != files:
            ids, runner = self._reference.ids.tolist(), SegmentedRunner(self._pipeline)
            self._done = dict(files), runner.run(files, ids, mapped=mapped)
        return self._done[1]
