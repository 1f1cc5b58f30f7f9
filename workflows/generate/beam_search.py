"""Beam search, exact as transformers' (generation/utils.py, _beam_search): the same candidates, scores and ends.

prompt ──▶ root ─┬─ a ─┬─ b   the cache holds one path at a time; switching to another rewinds to the common prefix,
                 └─ c  └─ d   and writes the rows of the tokens after it
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from workflows.common.errors import RequestError
from workflows.common.tensors import Array
from workflows.generate.logits import Logits, last_logits
from workflows.generate.processors import log_softmax
from workflows.runtime import Machine

Rows = Mapping[str, Array]


@dataclass(eq=False)
class TokenBranch:
    """A token after its parent; the root is the common text. rows: of the token; None before it was fed."""

    parent: TokenBranch | None = None
    token: int = -1
    rows: Rows | None = field(default=None, repr=False)

    def path(self) -> list[TokenBranch]:
        """The branches from the first one after the root to this one."""
        path: list[TokenBranch] = []
        one = self
        while one.parent is not None:
            path.append(one)
            one = one.parent
        return path[::-1]

    @property
    def tokens(self) -> list[int]:
        """The tokens after the root."""
        return [one.token for one in self.path()]


class BranchedCache:
    """The branches after what the machine's cache holds now. Raises RequestError for a cache that cannot be rewound.

    length: the most tokens of a branch, all of which the cache must be able to hold.
    """

    def __init__(self, machine: Machine, length: int) -> None:
        cache = machine.cache
        if cache.carried:
            raise RequestError(
                "Beams need a cache that can be rewound, and this model has another state: use one beam."
            )
        if cache.layout.evicts and cache.length + length > cache.capacity:
            raise RequestError(
                f"Beams need a cache that keeps every token, and the {cache.layout.name} cache of {cache.capacity:,} "
                "would evict some: open it with a larger --capacity, or request fewer tokens."
            )
        self._machine, self._base = machine, cache.length
        self._held: list[TokenBranch] = []  # the path whose rows are in the cache
        self.root = TokenBranch()

    def logits(self, branch: TokenBranch) -> Logits:
        """Feeds `branch` and returns a copy of the logits [V] after it; the next branch overwrites the original.

        Raises what Machine.step and last_logits raise.
        """
        self.hold(branch.parent or self.root)
        logits = last_logits(self._machine, [branch.token], "decode").copy()
        branch.rows = self._machine.cache.newest()
        self._held = branch.path()
        return logits

    def hold(self, branch: TokenBranch) -> None:
        """Makes the cache hold the path to `branch`, all of whose tokens were fed."""
        path, cache = branch.path(), self._machine.cache
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], zip(self._held, path, strict=False)))
        cache.rewind(self._base + shared)
        if missing := [one.rows for one in path[shared:] if one.rows is not None]:
            cache.append(missing)
        self._held = path


EarlyStopping = Literal["never"] | bool
LogitsFunction = Callable[[Sequence[int], Logits], Logits]
_NEVER = -1e9  # transformers' score of an excluded candidate


@dataclass(frozen=True)
class BeamOptions:
    """The options of a beam search, with transformers' names and meanings."""

    num_beams: int
    length_penalty: float = 1.0
    early_stopping: EarlyStopping = False


@dataclass(frozen=True)
class Hypothesis:
    """A continuation of the prompt and its score: the sum of log-probabilities, length-normalized once it has ended."""

    branch: TokenBranch
    score: float


class BeamSearch:
    """One search from what the machine's cache holds.

    ids: the prompt. process: the generation's processors, applied to log-probabilities; None for none. eos: the end
    tokens. limit: the most new tokens.
    """

    def __init__(
        self,
        machine: Machine,
        beams: BeamOptions,
        ids: Sequence[int],
        process: LogitsFunction | None,
        eos: frozenset[int],
        limit: int,
    ) -> None:
        self._beams, self._ids, self._process = beams, list(ids), process
        self._eos, self._limit = eos, limit
        self._branches = BranchedCache(machine, limit)
        self._running = [Hypothesis(self._branches.root, 0.0)]
        self._finished: list[Hypothesis] = []
        self._length = 0
        self._improvable = True

    def begin(self, logits: Logits) -> bool:
        """Takes the first tokens from the logits [V] after the prompt; returns whether the search continues."""
        return self._advance([logits])

    def step(self) -> bool:
        """Extends each running text; returns whether the search continues. Raises what Machine.step raises."""
        return self._advance([self._branches.logits(one.branch) for one in self._running])

    @property
    def best(self) -> Hypothesis:
        """The best text that ended."""
        return self._finished[0]

    def forget(self) -> None:
        """Rewinds the cache to the prompt, as before the search."""
        self._branches.hold(self._branches.root)

    def hold_best(self) -> None:
        """Makes the cache hold all but the last token of the best text, as after a greedy generation."""
        self._branches.hold(self.best.branch.parent or self._branches.root)

    def _advance(self, rows: Sequence[Logits]) -> bool:
        scores = np.stack([self._scored(one, row) for one, row in zip(self._running, rows, strict=True)])
        candidates = self._candidates(scores)
        full = self._length + 1 >= self._limit
        ends = [full or one.branch.token in self._eos for one in candidates]
        self._finish(candidates, ends)
        going = sorted(
            (_postponed(one) if ended else one for one, ended in zip(candidates, ends, strict=True)),
            key=lambda one: -one.score,
        )
        self._running = going[: self._beams.num_beams]
        self._length += 1
        self._improvable = self._improvable and self._can_improve()
        done = len(self._finished) >= self._beams.num_beams and self._beams.early_stopping is True
        return self._improvable and not done and not all(ends)

    def _scored(self, one: Hypothesis, logits: Logits) -> NDArray[np.float32]:
        """The scores [V] of the texts that continue with each token."""
        scores = log_softmax(logits)
        if self._process is not None:
            scores = self._process([*self._ids, *one.branch.tokens], scores)
        return scores + np.float32(one.score)

    def _candidates(self, scores: NDArray[np.float32]) -> list[Hypothesis]:
        """The best continuations of all texts, the best first; enough for num_beams of them to continue."""
        count = min(max(2, 1 + len(self._eos)) * self._beams.num_beams, scores.size)
        flat = scores.ravel()
        chosen = np.argpartition(-flat, count - 1)[:count]
        chosen = chosen[np.lexsort((chosen, -flat[chosen]))]
        vocabulary = scores.shape[1]
        return [
            Hypothesis(
                TokenBranch(self._running[place // vocabulary].branch, int(place % vocabulary)), float(flat[place])
            )
            for place in chosen
        ]

    def _finish(self, candidates: Sequence[Hypothesis], ends: Sequence[bool]) -> None:
        """Adds the ended texts among the first candidates to the best finished ones."""
        beams = self._beams
        if not self._improvable or (len(self._finished) >= beams.num_beams and beams.early_stopping is True):
            return
        length = np.float32((self._length + 1) ** beams.length_penalty)
        new = [
            Hypothesis(one.branch, float(np.float32(one.score) / length))
            for one, ended in zip(candidates[: beams.num_beams], ends, strict=False)
            if ended
        ]
        self._finished = sorted([*self._finished, *new], key=lambda one: -one.score)[: beams.num_beams]

    def _can_improve(self) -> bool:
        """Whether the best running text can still beat the worst finished one."""
        beams = self._beams
        longest = beams.early_stopping == "never" and beams.length_penalty > 0
        length = self._limit if longest else self._length
        best: float = self._running[0].score / length**beams.length_penalty
        worst = self._finished[-1].score if len(self._finished) >= beams.num_beams else _NEVER
        return best > worst


def _postponed(one: Hypothesis) -> Hypothesis:
    """An ended text with a score so low that it continues only where too few others do."""
    return Hypothesis(one.branch, float(np.float32(one.score) + np.float32(_NEVER)))
