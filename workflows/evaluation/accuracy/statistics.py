"""Statistics over positions: agreement of next-token distributions, cosines, perplexity."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

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
    logits that are not numbers: they count as disagreement, and have no divergence.
    """

    positions: int = 0
    top1: RunningMean = field(default_factory=RunningMean)
    top5: RunningMean = field(default_factory=RunningMean)
    kl: RunningMean = field(default_factory=RunningMean)
    difference: RunningMean = field(default_factory=RunningMean)
    not_finite: int = 0

    def add(self, reference: Logits, candidate: Logits) -> None:
        """Adds one position; both [V]."""
        self.positions += 1
        if np.isnan(candidate).any() or np.isposinf(candidate).any():
            self.not_finite += 1
            self.top1.add(0.0)
            self.top5.add(0.0)
            return
        self.top1.add(float(np.argmax(reference) == np.argmax(candidate)))
        count = min(TOP, len(reference))
        best = [set(np.argpartition(logits, -count)[-count:].tolist()) for logits in (reference, candidate)]
        self.top5.add(len(best[0] & best[1]) / count)
        seen = np.isfinite(reference) & np.isfinite(candidate)  # a token that both rule out differs by nothing
        self.difference.add(float(np.abs(reference[seen].astype(np.float64) - candidate[seen]).max()))
        p, q = log_softmax(reference), log_softmax(candidate)
        likely = p > -np.inf
        self.kl.add(max(0.0, float(np.sum(np.exp(p[likely]) * (p[likely] - q[likely])))))


def log_softmax(logits: Logits) -> Log:
    """Returns log-probabilities [V] in float64."""
    shifted = logits.astype(np.float64) - float(logits.max())
    return np.asarray(shifted - np.log(np.exp(shifted).sum()), np.float64)


def surprise(logits: Logits, token: int) -> float:
    """Returns −log p(token) in nats; infinite if the logits are not numbers."""
    if np.isnan(logits).any():
        return math.inf
    return -float(log_softmax(logits)[token])


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
