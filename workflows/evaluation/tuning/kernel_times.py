"""Times products with 4-bit weights in each format, as a decoder's step and a chunk of a prompt have them.

    sizes [N,K] of the weights ──▶ for each size and format a graph of several products with weights of their own
                                   ──▶ run in turns, formats alternating ──▶ medians, summed over the sizes
    the fastest format ──▶ the same with half, three quarters and all of the cores as threads
                       ──▶ the layers' products of 64 to 512 tokens of a prompt at once, by token

The weights of one graph exceed the processor's caches, for those of a model do. Values do not matter for the time: the
integers are random. Threads of a graph that has run stop at once, or they would slow the next one down.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from operator import truediv
from statistics import median
from typing import TypeVar

import numpy as np
import onnxruntime as ort
import psutil
from numpy.typing import NDArray
from onnx import TensorProto, helper

from workflows.common.errors import Cancelled
from workflows.evaluation.tuning.product_sizes import Sizes
from workflows.processor.cores import processor_name, usable_cores
from workflows.processor.tuning import (
    DEFAULT_BLOCK,
    DEFAULT_SYMMETRIC,
    FormatTime,
    ThreadTime,
    Tuning,
    WidthTime,
    runtime_version,
)
from workflows.quantize.block_quantization import dequantize_rows, quantize_rows
from workflows.quantize.grids import BlockFormat
from workflows.wire.events import Event, ProgressEvent

Variant = TypeVar("Variant", BlockFormat, int)
FORMATS = tuple(BlockFormat(4, size, symmetric) for size in (32, 64, 128) for symmetric in (True, False))
_DEFAULT = BlockFormat(4, DEFAULT_BLOCK, DEFAULT_SYMMETRIC)
CHUNK = 64
WIDTHS = (64, 128, 256, 512)
_BYTES = 64 << 20  # of the weights of one graph
_ROUNDS = 15
_CHUNK_ROUNDS = 5
_WIDTH_ROUNDS = 4
_LEVEL = 4  # accuracy_level of a recipe
_SAMPLE = (256, 2048)  # normal numbers that are rounded


def tune(
    sizes: Sizes,
    weights: str,
    report: Callable[[Event], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Tuning:
    """Times FORMATS for `sizes`, and the fastest with fewer threads and with more tokens.

    weights: what the sizes are of, for the report.

    Raises Cancelled.
    """
    own, began = psutil.Process(), time.perf_counter()
    before, used = sum(own.cpu_times()[:2]), _busy_seconds()
    cores = usable_cores()
    counts = sorted({-(-cores // 2), -(-3 * cores // 4), cores})
    in_layers = {size: count for size, count in sizes.items() if count > 1} or sizes  # the head is for one token
    progress = _SizeProgress(len(sizes) * 2 + len(in_layers), report, cancelled)
    by_format = _sums(sizes, in_layers, {how: (how, cores) for how in FORMATS}, _DEFAULT, progress)
    formats = [FormatTime(how.size, how.symmetric, _error(how), *by_format[how]) for how in FORMATS]
    tuning = Tuning(processor_name(), runtime_version(), weights, formats)
    best = tuning.fastest()
    how = BlockFormat(4, best.block_size, best.symmetric)
    by_count = _sums(sizes, in_layers, {count: (how, count) for count in counts}, cores, progress)
    threads = [ThreadTime(count, *by_count[count]) for count in counts]
    widths = _widths(in_layers, how, cores, progress)
    mine, every = sum(own.cpu_times()[:2]) - before, psutil.cpu_count() or 1
    others = max(0.0, _busy_seconds() - used - mine) / ((time.perf_counter() - began) * every)
    return replace(tuning, threads=threads, widths=widths, others=round(others, 3))


class _SizeProgress:
    """Reports each size before it is timed. Raises Cancelled."""

    def __init__(self, total: int, report: Callable[[Event], None], cancelled: Callable[[], bool]) -> None:
        self._total, self._report, self._cancelled, self._done = total, report, cancelled, 0

    def __call__(self, message: str) -> None:
        if self._cancelled():
            raise Cancelled("The tuning was cancelled.")
        self._report(
            ProgressEvent(stage="tune", message=message, done=self._done, total=self._total, unit="measurements")
        )
        self._done += 1


def _sums(
    sizes: Sizes,
    in_layers: Sizes,
    variants: Mapping[Variant, tuple[BlockFormat, int]],
    base: Variant,
    progress: _SizeProgress,
) -> dict[Variant, tuple[float, float]]:
    """Variant → milliseconds of all products of one token, and of those of the layers for a chunk of tokens.

    variants: a format and threads each.
    """
    sums: dict[Variant, list[float]] = {one: [0.0, 0.0] for one in variants}
    for size, count in sizes.items():
        progress(f"products of {size[1]:,} × {size[0]:,}")
        for phase, rows in enumerate((1, CHUNK) if size in in_layers else (1,)):
            for one, seconds in _times(*size, rows, variants, base).items():
                sums[one][phase] += 1000 * count * seconds
    return {one: (round(step, 4), round(chunk, 4)) for one, (step, chunk) in sums.items()}


def _widths(sizes: Sizes, how: BlockFormat, threads: int, progress: _SizeProgress) -> list[WidthTime]:
    """The time of each of WIDTHS, by token, from rounds in which they take turns."""
    sums = dict.fromkeys(WIDTHS, 0.0)
    for (outer, inner), count in sizes.items():
        progress(f"prompts through {inner:,} × {outer:,}")
        session, chances = _session(outer, inner, how, 1, threads), np.random.default_rng(0)
        rows = {width: {"x": chances.standard_normal((width, inner)).astype(np.float32)} for width in WIDTHS}
        seen: dict[int, list[float]] = {width: [] for width in WIDTHS}
        for turn in range(_WIDTH_ROUNDS + 1):
            for width, inputs in rows.items():
                began = time.perf_counter()
                session.run(None, inputs)
                if turn:  # the first one warms up
                    seen[width].append((time.perf_counter() - began) / width)
        base = seen[CHUNK]
        for width, found in seen.items():
            sums[width] += 1000 * count * median(map(truediv, found, base)) * median(base)
    return [WidthTime(width, round(milliseconds, 5)) for width, milliseconds in sums.items()]


def _busy_seconds() -> float:
    """Seconds that all cores worked since the system's start."""
    times = psutil.cpu_times()
    return float(sum(times) - times.idle - getattr(times, "iowait", 0.0))


def _times(
    outer: int, inner: int, rows: int, variants: Mapping[Variant, tuple[BlockFormat, int]], base: Variant
) -> dict[Variant, float]:
    """Variant → seconds of one product, from rounds in which the variants take turns.

    The median of `base`, times the median of each variant's ratio to it within a round: other work on the machine slows
    whole rounds.
    """
    inputs = {"x": np.random.default_rng(0).standard_normal((rows, inner)).astype(np.float32)}
    copies = max(1, math.ceil(_BYTES / (outer * inner / 2))) if rows == 1 else 1
    sessions = {one: _session(outer, inner, how, copies, threads) for one, (how, threads) in variants.items()}
    seen: dict[Variant, list[float]] = {one: [] for one in variants}
    for turn in range((_ROUNDS if rows == 1 else _CHUNK_ROUNDS) + 1):
        for one, session in sessions.items():
            began = time.perf_counter()
            session.run(None, inputs)
            if turn:  # the first one warms up
                seen[one].append((time.perf_counter() - began) / copies)
    ratios = {one: median(map(truediv, found, seen[base])) for one, found in seen.items()}
    return {one: ratio * median(seen[base]) for one, ratio in ratios.items()}


def _session(outer: int, inner: int, how: BlockFormat, copies: int, threads: int) -> ort.InferenceSession:
    """A graph of `copies` products of x [S,K] with weights of their own."""
    facts = {"K": inner, "N": outer, "bits": 4, "block_size": how.size, "accuracy_level": _LEVEL}
    nodes, tensors = [], []
    for copy in range(copies):
        held = dict(_weights(outer, inner, how, copy))
        tensors += [
            helper.make_tensor(f"{name}{copy}", helper.np_dtype_to_tensor_dtype(array.dtype), array.shape,
                               array.tobytes(), raw=True)
            for name, array in held.items()
        ]  # fmt: skip
        names = [f"{name}{copy}" for name in held]
        nodes.append(helper.make_node("MatMulNBits", ["x", *names], [f"y{copy}"], domain="com.microsoft", **facts))
    ends = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, inner])]
    results = [helper.make_tensor_value_info(node.output[0], TensorProto.FLOAT, [None, outer]) for node in nodes]
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(
        helper.make_graph(nodes, "g", ends, results, tensors), opset_imports=imports, ir_version=10
    )
    options = ort.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 3, threads
    options.add_session_config_entry("session.force_spinning_stop", "1")
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def _weights(outer: int, inner: int, how: BlockFormat, seed: int) -> Iterator[tuple[str, NDArray[np.generic]]]:
    """q, scales and zero points [N,…] of random integers."""
    rng = np.random.default_rng(seed)
    packed, scales, zeros = how.shapes(outer, inner)
    yield "q", rng.integers(0, 256, packed, np.uint8)
    yield "s", np.full(scales, 0.01, np.float32)
    if not how.symmetric:
        yield "z", rng.integers(0, 256, zeros, np.uint8)


def _error(how: BlockFormat) -> float:
    """The relative error of rounded normal numbers."""
    rows = np.random.default_rng(0).standard_normal(_SAMPLE).astype(np.float32)
    packed, scales, zeros = quantize_rows(rows, how)
    rounded = dequantize_rows(packed, scales, None if how.symmetric else zeros, rows.shape[1], how)
    return round(float(np.linalg.norm(rounded - rows) / np.linalg.norm(rows)), 5)
