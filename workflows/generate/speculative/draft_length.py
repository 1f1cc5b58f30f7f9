"""Tunes the number of drafted tokens for the most tokens per second, by measured run times and acceptance."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

_SMOOTHING = 0.125  # weight of the newest token in the estimated acceptance rate
_TIMES_KEPT = 4  # run times per length, of which the quickest counts, for the first run also binds its memory
_INITIAL_ACCEPTANCE = 0.7  # acceptance rate assumed before the first draft
_TOKEN_COST = 0.15  # assumed cost of each further token before any was measured, as a share of a plain run's time
_FIRST_REST, _LONGEST_REST = 8, 128  # plain runs between two trials after drafts did not pay
_TRIALS, _MOST_RUNS = 0.02, 2048  # share of time that trials may take; runs after which one happens anyway


class DraftLengthTuner:
    """Chooses the length of drafts, for all generations with one proposer.

    A run with n drafted tokens gives (1 - a^(n + 1)) / (1 - a) tokens where each is accepted with probability a
    (Leviathan et al. 2023, equation 1). Run times per length are measured, and interpolated between measured lengths.
    Where no length gains, drafting pauses, and is tried again after longer and longer pauses.

    measured: False has run times assumed in place of measured ones, so that the lengths follow from the tokens alone:
    drafts take part in what a seed draws, and the clock must not.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.perf_counter, measured: bool = True) -> None:
        self._most, self.clock, self._measured = most, clock, measured
        self._runs: dict[int, deque[float]] = {}  # seconds of runs with n drafted tokens, drafting included
        self._accepts, self._rest, self._resting = _INITIAL_ACCEPTANCE, _FIRST_REST, 0
        self._drafts, self._again, self._due = 0, 0.0, False

    def begin(self, anew: bool) -> None:
        """Starts another text. anew: whether to forget the acceptance rate of earlier texts."""
        if anew:
            self._accepts, self._rest, self._resting, self._again = _INITIAL_ACCEPTANCE, _FIRST_REST, 0, self._again / 2

    def length(self, limit: int) -> int:
        """The number of tokens of the next draft, at most `limit`; 0 for a plain run."""
        most = min(self._most, limit)
        if most < 1 or 0 not in self._runs:  # a plain run is the baseline
            return 0
        if self._resting:
            self._resting -= 1
            self._due = self._resting == 0
            return 0
        best = max(range(most + 1), key=self._rate)
        if best == 0:
            trial = 1 if self._accepts < 0.05 else min(2, most)  # the shortest useful trial
            if self._due:
                self._due = False
                return trial
            self._resting, self._rest = max(self._rest, self._worth(trial)), min(2 * self._rest, _LONGEST_REST)
            return 0
        self._rest = _FIRST_REST
        return best

    def note(self, drafted: int, accepted: int, seconds: float, judged: int, again: float = 0.0) -> None:
        """Records a run with `drafted` tokens that took `seconds`, drafting included; the first `judged` tokens were
        verified, and `accepted` of them accepted.

        again: seconds in which tokens were fed a second time because of earlier drafts.
        """
        if not self._measured:
            seconds, again = 1 + _TOKEN_COST * drafted, 0.0
        self._drafts += drafted > 0
        self._again += again
        self._runs.setdefault(drafted, deque(maxlen=_TIMES_KEPT)).append(seconds)
        for place in range(min(drafted, judged)):
            self._accepts += _SMOOTHING * ((place < accepted) - self._accepts)

    def _rate(self, count: int) -> float:
        accepts = min(self._accepts, 0.99)
        tokens = (1 - accepts ** (count + 1)) / (1 - accepts)
        return tokens / (self._cost(count) + (self._after if count else 0.0))

    @property
    def _after(self) -> float:
        """Seconds of feeding tokens again, per draft."""
        return self._again / self._drafts if self._drafts else 0.0

    def _worth(self, count: int) -> int:
        """The plain runs after which a trial of `count` tokens costs only the allowed share of the time."""
        lost = max(self._runs.get(count, (0.0,))) - min(self._runs[0]) + self._after
        return int(min(max(lost / (_TRIALS * min(self._runs[0])), 0), _MOST_RUNS))

    def _cost(self, count: int) -> float:
        """Seconds of a run with `count` drafted tokens."""
        if count in self._runs:
            return min(self._runs[count])
        below = max(one for one in self._runs if one < count)
        above = min((one for one in self._runs if one > count), default=None)
        plain, near = min(self._runs[0]), min(self._runs[below])
        if above is not None:
            slope = (min(self._runs[above]) - near) / (above - below)
        else:
            slope = _TOKEN_COST * plain if below == 0 else (near - plain) / below
        return near + max(slope, 0.0) * (count - below)
