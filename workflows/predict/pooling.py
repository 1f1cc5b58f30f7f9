"""One vector from the hidden states of a text, as the bundle's pipeline file states it.

hidden states [S,H] ──pool──▶ [modes · H] ──steps: dense, normalize──▶ vector [D]

The formulas are those of sentence-transformers' Pooling, Dense and Normalize; sums are in float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from workflows.bundle import Bundle
from workflows.bundle.text_tasks import Activation, DenseStep, EmbeddingSettings, PoolingMode, Similarity
from workflows.common.errors import BundleError

Vector = NDArray[np.float64]
_SMALLEST = 1e-12  # a shorter vector is divided by this


def pool(hidden: Vector, counted: NDArray[np.bool_], modes: Sequence[PoolingMode]) -> Vector:
    """The joined vectors of `modes`. hidden: [S,H]; counted: [S], the tokens that take part, at least one of them."""
    return np.concatenate([_POOL[mode](hidden, counted) for mode in modes])


def _weighted_mean(hidden: Vector, counted: NDArray[np.bool_]) -> Vector:
    """A token's weight is its place in the text, from 1."""
    weights = np.arange(1, len(hidden) + 1) * counted
    return np.asarray(weights @ hidden / weights.sum())


_POOL: Mapping[PoolingMode, Callable[[Vector, NDArray[np.bool_]], Vector]] = {
    "cls": lambda hidden, counted: np.asarray(hidden[counted][0]),
    "max": lambda hidden, counted: np.asarray(hidden[counted].max(axis=0)),
    "mean": lambda hidden, counted: np.asarray(hidden[counted].mean(axis=0)),
    "mean_sqrt_len_tokens": lambda hidden, counted: np.asarray(hidden[counted].sum(axis=0) / math.sqrt(counted.sum())),
    "weightedmean": _weighted_mean,
    "lasttoken": lambda hidden, counted: np.asarray(hidden[counted][-1]),
}

_erf = np.vectorize(math.erf, otypes=[np.float64])
_ACTIVATE: Mapping[Activation, Callable[[Vector], Vector]] = {
    "identity": lambda x: x,
    "tanh": lambda x: np.asarray(np.tanh(x)),
    "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: np.asarray(x * (1 + _erf(x / math.sqrt(2))) / 2),
    "sigmoid": lambda x: np.asarray(1 / (1 + np.exp(-x))),
}


class EmbeddingHead:
    """Pooling and the steps after it, with the weights of its layers."""

    def __init__(self, settings: EmbeddingSettings, bundle: Bundle) -> None:
        self.settings = settings
        self._layers = {step.file: _read_layer(step, bundle) for step in settings.steps if step.kind == "dense"}

    def vector(self, hidden: NDArray[np.float32], prompt: int = 0) -> NDArray[np.float32]:
        """The vector of a text. hidden: [S,H]. prompt: the first tokens, which the settings may exclude."""
        counted = np.ones(len(hidden), bool)
        if not self.settings.include_prompt and prompt < len(hidden):
            counted[:prompt] = False
        value = pool(hidden.astype(np.float64), counted, self.settings.pooling)
        for step in self.settings.steps:
            if step.kind == "normalize":
                value = value / max(float(np.linalg.norm(value)), _SMALLEST)
                continue
            weight, bias = self._layers[step.file]
            if len(value) != step.inputs:
                raise BundleError(f"The layer {step.file} takes {step.inputs} numbers, and it is given {len(value)}.")
            value = _ACTIVATE[step.activation](weight @ value + bias)
        return value.astype(np.float32)


def _read_layer(step: DenseStep, bundle: Bundle) -> tuple[Vector, Vector]:
    """The weight [outputs, inputs] and the bias [outputs]."""
    numbers = np.fromfile(bundle.file(step.file), "<f4").astype(np.float64)
    size = step.inputs * step.outputs
    if len(numbers) != size + step.bias * step.outputs:
        raise BundleError(
            f"{step.file} in {bundle.folder} has {len(numbers):,} numbers, and the pipeline file states a layer of "
            f"{step.inputs} to {step.outputs}: build the bundle anew."
        )
    return numbers[:size].reshape(step.outputs, step.inputs), numbers[size:] if step.bias else np.zeros(step.outputs)


def similarities(vectors: Sequence[NDArray[np.float32]], kind: Similarity) -> Vector:
    """How similar each two of the vectors are [N,N]; distances are negative, so that larger is always more similar."""
    rows = np.stack(vectors).astype(np.float64)
    if kind == "cosine":
        rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), _SMALLEST)
    if kind in ("cosine", "dot"):
        return np.asarray(rows @ rows.T)
    apart = rows[:, None] - rows[None]
    return np.asarray(-np.linalg.norm(apart, axis=2) if kind == "euclidean" else -np.abs(apart).sum(axis=2))
