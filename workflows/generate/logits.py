"""Runs of the machine whose logits are checked: NaN and infinite logits raise LogitsError instead of giving a token."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from workflows.common.errors import LogitsError
from workflows.kvcache.token_tree import token_tree
from workflows.runtime import Machine
from workflows.wire.events import Phase

Logits = NDArray[np.float32]


def last_logits(machine: Machine, tokens: Sequence[int], phase: Phase) -> Logits:
    """Feeds `tokens` and returns the logits [V] after the last of them.

    Raises LogitsError where they are NaN, infinite, or all -inf, and what Machine.step raises.
    """
    start = machine.cache.length
    logits: Logits = machine.step(tokens, phase)[-1]
    _check(machine, logits, phase, start)
    return logits


def greedy_step(machine: Machine, token: int) -> tuple[int, Logits]:
    """Feeds `token` and returns the index of the largest logit after it, the first of equal ones, and all logits [V].

    Raises what last_logits raises.
    """
    start = machine.cache.length
    logits: Logits = machine.step((token,), "decode")[0]
    best = int(logits.argmax())  # argmax returns NaN first
    if not isfinite(logits[best]):
        _check(machine, logits, "decode", start)
    return best, logits


def logits_per_token(machine: Machine, tokens: Sequence[int]) -> Iterator[Logits]:
    """Feeds `tokens` in one run of the phase Machine.verify_phase; yields the logits [V] after each of them.

    Raises what last_logits raises, for each row when it is reached: rows after a rejected draft are not checked.
    """
    start, phase = machine.cache.length, machine.verify_phase or "decode"
    for place, row in enumerate(machine.step(tokens, phase, rows=len(tokens))):
        _check(machine, row, phase, start + place)
        yield row


def all_logits(machine: Machine, tokens: Sequence[int], phase: Phase) -> Logits:
    """Feeds `tokens` in one run and returns the logits [n, V] after each of them, which the next run overwrites.

    Raises what last_logits raises, for any of the rows.
    """
    start = machine.cache.length
    logits: Logits = machine.step(tokens, phase, rows=len(tokens))
    finite = np.isfinite(logits.max(axis=-1))  # NaN where any of a row is
    if not finite.all():
        place = int(np.argmin(finite))
        _check(machine, logits[place], phase, start + place)
    return logits


def tree_logits(machine: Machine, tokens: Sequence[int], parents: Sequence[int]) -> Callable[[int], Logits]:
    """Feeds branching tokens; returns a function from a token's index to the logits [V] after it.

    The function raises what logits_per_token raises.
    """
    start, phase = machine.cache.length, machine.verify_phase or "decode"
    depths, rows = token_tree(parents, len(tokens)).depths, machine.step(tokens, phase, len(tokens), parents)

    def after(place: int) -> Logits:
        row: Logits = rows[place]
        _check(machine, row, phase, start + int(depths[place]))
        return row

    return after


def _check(machine: Machine, logits: Logits, phase: Phase, position: int) -> None:
    best = logits.max()  # NaN where any of them is
    if not np.isfinite(best):
        raise LogitsError(
            f"The {phase} step at position {position:,} gave {_describe_logits(float(best))} "
            f"({_logits_session(machine, phase)}), from which no token can be chosen: build the bundle with another "
            "precision (fp32), check the checkpoint's weights, or try the cpu provider."
        )


def _logits_session(machine: Machine, phase: Phase) -> str:
    """The session that gives the logits, and its provider: `decode on qnn`."""
    name = machine.program.runs[phase].giver
    return f"{name} on {machine.sessions[name].provider.name}"


def check_choice(scores: Logits, step: int) -> None:
    """Raises LogitsError where the processors have masked every token for new token `step`."""
    if not np.isfinite(scores.max()):
        raise LogitsError(
            f"The generation's settings mask every token at step {step:,}: relax what suppresses, forbids or forces "
            "tokens."
        )


def _describe_logits(best: float) -> str:
    return "logits that are NaN" if np.isnan(best) else f"logits whose largest is {best}"
