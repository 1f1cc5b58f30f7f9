"""How many drafted tokens one run of a machine can look at, and which phase looks at them."""

from __future__ import annotations

from workflows.kvcache import KVCache
from workflows.runtime.program.program import Program
from workflows.wire.events import Phase


class Verifier:
    """The run that verifies drafts. enabled: False where chunks are wrong on the device; then nothing is verified.

    phase: the run that gives the logits of each of several tokens; None where all runs give the last token's alone.
    """

    def __init__(self, program: Program, cache: KVCache, *, enabled: bool) -> None:
        self._cache, self._enabled = cache, enabled
        phases: tuple[Phase, ...] = ("decode", "prefill")
        rows = (phase for phase in phases if program.runs[phase].gives_rows)
        self.phase = None if program.final is not None or program.pad_left else next(rows, None)
        self._width = None if self.phase is None else program.runs[self.phase].columns

    def drafts(self, chunk: int) -> int:
        """How many tokens beyond the next one a run can take now and take back again. chunk: tokens of one run.

        0 where that run would evict tokens, and where the cache cannot be rewound.
        """
        cache = self._cache
        if self.phase is None or not self._enabled or cache.carried:
            return 0
        ends = [end for end in (cache.capacity, cache.positions) if end is not None]
        wanted = min(chunk, min(ends) - cache.length)
        return max(cache.takes(cache.length, wanted, self._width) - 1, 0) if wanted > 1 else 0

    def branches(self, chunk: int) -> int:
        """How many branching tokens beyond the next one a run takes, `drafts` of them on one path; 0 for none."""
        cache = self._cache
        if not cache.branches or not self.drafts(chunk):
            return 0
        return max(cache.takes(cache.length, min(chunk, self._width or chunk), self._width) - 1, 0)
