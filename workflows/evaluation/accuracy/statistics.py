"""Statistics over positions: agreement of next-token distributions, cosines, perplexity."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workflows.common.tensors import Array

Logits = NDArray[np.float32]  # [V]
Log = NDArray[np.float64]  # [V], log-probabilities
TOP = 5


@dataclass
class RunningMean:
    """The mean and the maximum of the values so far; both None without values."""

    total: float = 0.0
    count: int = 0
    largest: float | None = None
    squares: float = 0.0

    def add(self, values: float | Array) -> None:
        array = np.atleast_1d(np.asarray(values, np.float64))
        if array.size:
            self.total += float(array.sum())
            self.squares += float(np.square(array).sum())
            self.count += array.size
            self.largest = max(float(array.max()), -math.inf if self.largest is None else self.largest)

    @property
    def mean(self) -> float | None:
        return self.total / self.count if self.count else None

    @property
    def error(self) -> float | None:
        """The standard error of the mean; None with less than two values."""
        if self.count < 2:
            return None
        spread = max(0.0, self.squares - self.total**2 / self.count)
        return math.sqrt(spread / (self.count - 1) / self.count)


@dataclass
class Agreement:
    """The agreement of the candidate's next-token distributions with the reference's.

    kl is KL(reference ‖ candidate) = Σ p (log p − log q) in nats. not_finite counts positions with candidate
    logits that are not numbers: they count as disagreement, and have no divergence. overlaps: whether `top5`, which
    takes as long as all others, is wanted.
    """

    positions: int = 0
    top1: RunningMean = field(default_factory=RunningMean)
    top5: RunningMean = field(default_factory=RunningMean)
    kl: RunningMean = field(default_factory=RunningMean)
    difference: RunningMean = field(default_factory=RunningMean)
    not_finite: int = 0
    overlaps: bool = True

    def add(self, reference: NextToken, candidate: NextToken) -> None:
        """Adds one position."""
        self.positions += 1
        ours, theirs = reference.logits, candidate.logits
        if np.isnan(theirs).any() or np.isposinf(theirs).any():
            self.not_finite += 1
            self.top1.add(0.0)
            self.top5.add(0.0)
            return
        self.top1.add(float(np.argmax(ours) == np.argmax(theirs)))
        if self.overlaps:
            self.top5.add(len(reference.best & candidate.best) / len(reference.best))
        with np.errstate(invalid="ignore"):
            difference = np.abs(ours - theirs)
        self.difference.add(float(difference[np.isfinite(difference)].max()))  # without tokens that one rules out
        self.kl.add(max(0.0, reference.divergence_to(candidate)))


class NextToken:
    """The distribution of the next token at one position, by its logits [V]."""

    def __init__(self, logits: Logits) -> None:
        self.logits = logits

    @cached_property
    def log(self) -> Log:
        """Log-probabilities [V]."""
        return log_softmax(self.logits)

    @cached_property
    def best(self) -> set[int]:
        """The TOP most probable tokens, or all of a smaller vocabulary."""
        count = min(TOP, len(self.logits))
        return set(np.argpartition(self.logits, -count)[-count:].tolist())

    def surprise(self, token: int) -> float:
        """Returns −log p(token) in nats; infinite if the logits are not numbers."""
        value = -float(self.log[token])
        return math.inf if math.isnan(value) else value

    def divergence_to(self, candidate: NextToken) -> float:
        """Returns Σ p (log p − log q) in nats, where q is the candidate's distribution."""
        with np.errstate(invalid="ignore"):
            terms = np.exp(self.log) * (self.log - candidate.log)
        return float(terms.sum() if np.isfinite(self.logits).all() else terms[self.log > -np.inf].sum())


def log_softmax(logits: Logits) -> Log:
    """Returns log-probabilities [V] in float64."""
    shifted = logits.astype(np.float64) - float(logits.max())
    return np.asarray(shifted - np.log(np.exp(shifted).sum()), np.float64)


def perplexity(surprises: RunningMean) -> float | None:
    """Returns exp of the mean of −log p; None without tokens and if it is not a number."""
    mean = surprises.mean
    return None if mean is None or not math.isfinite(mean) or mean > 700 else math.exp(mean)


def wilson_lower_bound(share: float, count: int) -> float:
    """Returns the lower bound of Wilson's score interval (1927) of a share of `count`, one standard error wide."""
    middle = share + 0.5 / count
    half = math.sqrt(share * (1 - share) / count + 0.25 / count**2)
    return (middle - half) / (1 + 1 / count)


def cosines(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float64]:
    """Returns the cosine of each row of two [n, D] arrays; 1 for two zero rows, 0 if one is zero or not a number."""
    a, b = one.astype(np.float64), other.astype(np.float64)
    norms = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        cosine = np.sum(a * b, axis=-1) / norms
    cosine = np.where(np.all(a == b, axis=-1), 1.0, cosine)
    return np.asarray(np.clip(np.where(np.isfinite(cosine), cosine, 0.0), -1, 1), np.float64)
