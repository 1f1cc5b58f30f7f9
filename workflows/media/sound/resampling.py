"""Changes the sampling rate by a polyphase windowed-sinc filter, block by block.

samples at `source` Hz ──▶ chunk of whole periods ──matrix per group of outputs──▶ samples at `target` Hz

With target / source = up / down in lowest terms, `up` outputs take up `down` inputs, and then the filter's phases
repeat. The outputs of a period are computed in groups: the windows of inputs below a group, times a matrix whose column
is the filter at the phase of one output. The filter is a sinc in a Kaiser window; its length and shape follow Kaiser's
formulas (Oppenheim and Schafer, Discrete-Time Signal Processing, 3rd edition, 7.5.3).

Not soxr 1.1 (0.5 MB, four times as fast: a minute of 44.1 kHz in 56 ms, here 215), whose best quality passes less of
the band: at 0.93 of it a sine is off by −46 dB, here by −101. It also rounds the number of outputs, not up as here.
"""

from __future__ import annotations

from math import ceil, gcd

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Samples = NDArray[np.float32]

STOP_BAND = 100.0
"""Attenuation in dB of what lies above half of the lower rate."""
PASS_BAND = 0.93
"""The part of the band below half of the lower rate that passes unchanged."""
_GROUP = 128  # outputs of one matrix: it is then about twice as wide as the filter is long
_FEW_GROUPS = 8
_CHUNK_SECONDS = (2, 64)  # for few matrices, and for many: fewer and longer multiplications
_CACHED_BYTES = 64 << 20  # of all matrices; where they are larger, each is computed again for each chunk


class Resampler:
    """A stream of samples at another rate; the memory that it needs does not grow with the stream's length.

    source, target: rates in Hz. The first output lies at the time of the first input; n inputs give
    ceil(n · target / source) outputs. Before and after the stream there is silence.
    """

    def __init__(self, source: int, target: int) -> None:
        divisor = gcd(source, target)
        self._up, self._down = target // divisor, source // divisor
        repeat = ceil(_GROUP / self._up)
        self._outputs, self._inputs = self._up * repeat, self._down * repeat  # of one period
        edge = 0.5 * min(1, target / source)  # cycles per input
        self._cutoff = edge * (1 + PASS_BAND) / 2
        self._half = ceil((STOP_BAND - 7.95) / (14.36 * edge * (1 - PASS_BAND)) / 2)  # inputs on each side
        self._beta = 0.1102 * (STOP_BAND - 8.7)
        groups = ceil(self._outputs / _GROUP)
        self._periods = max(1, _CHUNK_SECONDS[groups > _FEW_GROUPS] * source // self._inputs)  # of one chunk
        width = 2 * self._half + self._inputs // groups
        self._cache: dict[int, Samples] | None = {} if 4 * self._outputs * width <= _CACHED_BYTES else None
        self._pending: list[Samples] = [np.zeros(self._half, np.float32)]
        self._waiting, self._received, self._emitted = self._half, 0, 0

    def push(self, samples: Samples) -> Samples:
        """The outputs [m] that the inputs [n] complete; m may be 0."""
        if self._up == self._down:
            return samples
        self._pending.append(samples)
        self._waiting += len(samples)
        self._received += len(samples)
        return self._convert(self._periods) if self._waiting >= self._needed(self._periods) else samples[:0]

    def finish(self) -> Samples:
        """The remaining outputs; the stream ends."""
        if self._up == self._down:
            return np.empty(0, np.float32)
        total = -(-self._received * self._up // self._down)
        periods = -(-(total - self._emitted) // self._outputs)
        if not periods:
            return np.empty(0, np.float32)
        self._pending.append(np.zeros(max(0, self._needed(periods) - self._waiting), np.float32))
        before = self._emitted
        return self._convert(periods)[: total - before]

    def _needed(self, periods: int) -> int:
        """The inputs below some periods, and half a filter on each side."""
        return periods * self._inputs + 2 * self._half

    def _convert(self, at_once: int) -> Samples:
        """Converts the pending inputs in chunks of `at_once` periods for as long as they last."""
        buffer = np.concatenate(self._pending)
        chunks, start = [], 0
        while len(buffer) - start >= self._needed(at_once):
            chunks.append(self._chunk(buffer[start : start + self._needed(at_once)], at_once))
            start += at_once * self._inputs
        self._pending, self._waiting = [buffer[start:].copy()], len(buffer) - start
        result = np.concatenate(chunks)
        self._emitted += len(result)
        return result

    def _chunk(self, buffer: Samples, periods: int) -> Samples:
        """[needed(periods)] inputs → [periods · outputs]; buffer[half] lies at the time of the first output."""
        result = np.empty((periods, self._outputs), np.float32)
        for first in range(0, self._outputs, _GROUP):
            matrix = self._matrix(first)  # [width, outputs of the group]
            start = first * self._down // self._up
            windows = sliding_window_view(buffer, len(matrix))[start :: self._inputs][:periods]
            result[:, first : first + _GROUP] = np.ascontiguousarray(windows) @ matrix
        return result.ravel()

    def _matrix(self, first: int) -> Samples:
        """The filter of the outputs from `first` on: row k belongs to the k-th input of their window."""
        if self._cache is not None and first in self._cache:
            return self._cache[first]
        outputs = np.arange(first, min(first + _GROUP, self._outputs), dtype=np.int64)
        start, end = first * self._down // self._up, int(outputs[-1]) * self._down // self._up
        inputs = np.arange(start - self._half, end + self._half + 1, dtype=np.int64)
        times = (inputs[:, None] * self._up - outputs * self._down) / self._up  # in inputs, exact before the division
        inside = np.sqrt(np.maximum(0, 1 - (times / self._half) ** 2))
        kernel = np.sinc(2 * self._cutoff * times) * np.i0(self._beta * inside) * (np.abs(times) < self._half)
        matrix: Samples = (kernel / kernel.sum(axis=0)).astype(np.float32)  # a constant stays what it is in each phase
        if self._cache is not None:
            self._cache[first] = matrix
        return matrix
