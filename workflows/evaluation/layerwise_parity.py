"""Compares graphs whose weights are described, segment by segment over the tokens of a reference.

reference.npz ──tokens──▶ SegmentedRunner over each graph ──logits of each step──▶ Parity, ReferenceParity

The tokens are given, where ParityRunner generates them: a greedy token needs the whole model before the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workflows.bundle.schema import Pipeline
from workflows.common.tensors import Array
from workflows.evaluation.parity import (
    TOLERANCE,
    Outputs,
    Parity,
    ParityRunner,
    ReferenceParity,
    check_spread,
    logits_difference,
)
from workflows.evaluation.segments import SegmentedRunner
from workflows.export.reference import ReferenceLogits


def _into(rows: dict[int, list[Array]]) -> Callable[[int, Mapping[str, Array]], None]:
    """Copies each layer's cache rows into `rows`."""

    def copy(layer: int, values: Mapping[str, Array]) -> None:
        rows[layer] = [np.array(values[name], np.float32) for name in sorted(values)]

    return copy


class LayerwiseParityRunner(ParityRunner):
    """Runs one composite with different graphs, always on the tokens of `reference`.

    on_segment: receives how many segments are done, of how many, before each; it may raise.
    """

    def __init__(
        self, pipeline: Pipeline, reference: ReferenceLogits, on_segment: Callable[[int, int], None] = lambda *_: None
    ) -> None:
        super().__init__(pipeline)
        self._on_segment = on_segment
        self._reference, self._tokens = reference, reference.ids.tolist()
        self._done: tuple[dict[str, Path], dict[int, NDArray[np.float32]]] = {}, {}  # the last files, and their logits

    def run(self, files: Mapping[str, Path], mapped: bool = True) -> Outputs:
        """The logits after each step: chunks of the prompt, then single tokens. Raises as ParityRunner.run."""
        logits = self._logits(files, mapped)
        return [logits[row] for row in sorted(logits)]

    def compare_with_reference(self, reference: ReferenceLogits, files: Mapping[str, Path]) -> ReferenceParity:
        """Compares the graphs with the model's own logits. Raises as ParityRunner.compare_with_reference."""
        check_spread(reference)
        logits = self._logits(files) if not reference.given else self._run_segments(files, reference)
        wanted = dict(zip(reference.rows.tolist(), reference.logits, strict=True))
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
        return replace(self._reference, rows=np.array(rows), logits=np.stack([logits[row] for row in rows]))

    def first_difference(self, before: Mapping[str, Path], after: Mapping[str, Path]) -> int | None:
        """The first layer whose keys or values differ by more than rounding; None where only later values do."""
        rows: list[dict[int, list[Array]]] = []
        for files in (before, after):
            found: dict[int, list[Array]] = {}
            runner = SegmentedRunner(self._pipeline)
            runner.run(files, self._reference.ids.tolist(), on_segment=self._on_segment, on_layer=_into(found))
            rows.append(found)
        for layer in sorted(rows[0].keys() & rows[1].keys()):
            for one, other in zip(rows[0][layer], rows[1][layer], strict=True):
                if not float(np.abs(one - other).max(initial=0)) <= TOLERANCE * max(
                    1.0, float(np.abs(one).max(initial=0))
                ):
                    return layer
        return None

    def _logits(self, files: Mapping[str, Path], mapped: bool = True) -> dict[int, NDArray[np.float32]]:
        if self._done[0] != files:
            self._done = dict(files), self._run_segments(files, self._reference, mapped)
        return self._done[1]

    def _run_segments(
        self, files: Mapping[str, Path], reference: ReferenceLogits, mapped: bool = True
    ) -> dict[int, NDArray[np.float32]]:
        """The logits after each step of the reference's tokens, and of what comes with them."""
        return SegmentedRunner(self._pipeline).run(
            files,
            reference.ids.tolist(),
            on_segment=self._on_segment,
            mapped=mapped,
            singles=reference.steps,
            prompt_inputs=reference.given,
        )
