"""What one prompt feeds to the runs of its tokens besides these: encoder outputs, source masks, and feature rows.

SourceReader.outputs ─┬─ whole ──▶ a decoder that attends to them
                      └─ rows ───▶ the runs whose tokens are their placeholders
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from workflows.bundle.outline import Port
from workflows.common.errors import PromptError
from workflows.common.tensors import Array
from workflows.kvcache import PositionMap
from workflows.kvcache.cache_inputs import POSITIONS
from workflows.kvcache.grid_positions import GridPositions
from workflows.kvcache.layouts import Positions
from workflows.runtime.loading.sessions import OpenSession
from workflows.runtime.program.program import InputSource, Program, ProgramPhase
from workflows.runtime.source_reader import NamedInputs, SourceReader

__all__ = ["NamedInputs", "PromptInputs"]


class PromptInputs:
    """The inputs of one prompt. ids: its tokens. source: what came with it, and the outputs of what read that."""

    def __init__(self, program: Program, sessions: Mapping[str, OpenSession], ids: Sequence[int] = ()) -> None:
        self.source = SourceReader(program, sessions)
        self._program = program
        self._ids = np.asarray(ids, np.int64)

    def arrays(self, run: ProgramPhase, start: int, tokens: Sequence[int]) -> dict[Port, Array]:
        """The inputs of a run of `tokens` at position `start`: encoder outputs, source masks, and feature rows.

        Raises PromptError where a token is a placeholder without a feature left for it.
        """
        arrays = dict(self.source.outputs)
        for port in run.fed_by("given"):
            arrays[port] = self.source.mask(self.source.spec(port))
        for port, feed in run.features.items():
            arrays[port] = self._rows(port, feed, start, tokens)
        return arrays

    def feeds_features(self, run: ProgramPhase, tokens: Sequence[int]) -> bool:
        """Whether `tokens` are placeholders of features, so that no other run has the same inputs."""
        return any(self._placeholder(feed) in tokens for feed in run.features.values())

    def check_places(self) -> None:
        """Raises PromptError where the prompt has more placeholders, or fewer, than there are feature rows."""
        for port, feed in self._feature_inputs.items():
            places, rows = self._count(feed, len(self._ids)), len(self._features(port, feed))
            if places != rows:
                raise PromptError(
                    f"The prompt has {places:,} placeholders for {feed.name} features (token "
                    f"{self._placeholder(feed)}), and there are {rows:,} feature rows: they must be as many."
                )

    def position_map(self) -> PositionMap | None:
        """The position ids of graphs that take three numbers per token; None for graphs that take one."""
        spec = self._program.drivers.get(POSITIONS)
        if spec is None or len(spec.shape) != 3:
            return None
        grids, inputs = self._grids(), self._feature_inputs
        if grids is None or not inputs:
            return _repeated
        port, feed = min(inputs.items(), key=lambda one: one[1].name == "audio")  # grids are of pictures and videos
        return GridPositions(self._ids.tolist(), self._placeholder(feed), grids, len(self._features(port, feed)))

    @property
    def _feature_inputs(self) -> dict[Port, InputSource]:
        return {**self._program.prefill.features, **self._program.decode.features}

    def _grids(self) -> NDArray[np.int64] | None:
        given = self.source.given.items()
        values = next((value for name, value in given if name.split(".", 1)[1] == self._program.grid), None)
        if values is None:
            return None
        return np.concatenate([np.asarray(one).reshape(-1, 3) for one in values]).astype(np.int64)

    def _placeholder(self, feed: InputSource) -> int:
        return (self._program.places or {})[feed.name]  # type: ignore[index]

    def _count(self, feed: InputSource, end: int) -> int:
        """The placeholders among the first `end` tokens of the prompt."""
        return int(np.count_nonzero(self._ids[:end] == self._placeholder(feed)))

    def _features(self, port: Port, feed: InputSource) -> Array:
        """All feature rows, [rows, D]; no rows where nothing was given."""
        assert feed.source is not None
        rows = self.source.outputs.get(feed.source)
        if rows is not None:
            return rows.reshape(-1, rows.shape[-1])
        spec = self.source.spec(port)
        size = spec.shape[-1]
        return np.zeros((0, size if isinstance(size, int) else 0), spec.numpy_dtype)

    def _rows(self, port: Port, feed: InputSource, start: int, tokens: Sequence[int]) -> Array:
        """The rows of the placeholders among the tokens, [k, D] or [1, k, D]."""
        first, last = self._count(feed, start), self._count(feed, start + len(tokens))
        wanted = int(np.count_nonzero(np.asarray(tokens) == self._placeholder(feed)))
        if last - first != wanted:
            raise PromptError(
                f"The token {self._placeholder(feed)} is a placeholder for {feed.name} features, and none are left "
                "for it."
            )
        rows = np.ascontiguousarray(self._features(port, feed)[first:last])
        return rows if len(self.source.spec(port).shape) == 2 else rows[None]


def _repeated(positions: Positions) -> NDArray[np.int64]:
    """[n] positions → [3, n], the same number three times."""
    return np.broadcast_to(positions, (3, len(positions)))
