"""Times products with 4-bit weights in each format, as a decoder's step and a chunk of a prompt have them.

    sizes [N,K] of the weights ──▶ for each size and format a graph of several products with weights of their own
                                   ──▶ run in turns, formats alternating ──▶ medians, summed over the sizes

The weights of one graph exceed the processor's caches, for those of a model do. Values do not matter for the time: the
integers are random.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from operator import truediv
from statistics import median

import numpy as np
import onnxruntime as ort
import psutil
from numpy.typing import NDArray
from onnx import TensorProto, helper

from workflows.common.errors import Cancelled
from workflows.common.processor import processor_name
from workflows.evaluation.tuning.product_sizes import Sizes
from workflows.quantize.block_quantization import dequantize_rows, quantize_rows
from workflows.quantize.grids import BlockFormat
from workflows.recipe.tuning import DEFAULT_BLOCK, DEFAULT_SYMMETRIC, FormatTime, Tuning, runtime_version
from workflows.wire.events import Event, ProgressEvent

FORMATS = tuple(BlockFormat(4, size, symmetric) for size in (32, 64, 128) for symmetric in (True, False))
_DEFAULT = BlockFormat(4, DEFAULT_BLOCK, DEFAULT_SYMMETRIC)
CHUNK = 64
_BYTES = 64 << 20  # of the weights of one graph
_ROUNDS = 15
_LEVEL = 4  # accuracy_level of a recipe
_SAMPLE = (256, 2048)  # normal numbers that are rounded


def tune(
    sizes: Sizes,
    weights: str,
    report: Callable[[Event], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Tuning:
    """Times FORMATS for `sizes`. weights: what they are of, for the report. Raises Cancelled."""
    steps, chunks = dict.fromkeys(FORMATS, 0.0), dict.fromkeys(FORMATS, 0.0)
    own, began = psutil.Process(), time.perf_counter()
    before, used = sum(own.cpu_times()[:2]), _busy_seconds()
    for index, ((outer, inner), count) in enumerate(sizes.items()):
        if cancelled():
            raise Cancelled("The tuning was cancelled.")
        message = f"products of {inner:,} × {outer:,}"
        report(ProgressEvent(stage="tune", message=message, done=index, total=len(sizes), unit="sizes"))
        for rows, sums in ((1, steps), (CHUNK, chunks)):
            for how, seconds in _times(outer, inner, rows).items():
                sums[how] += 1000 * count * seconds
    formats = [FormatTime(how.size, how.symmetric, _error(how), round(steps[how], 4), round(chunks[how], 4))
               for how in FORMATS]  # fmt: skip
    mine, cores = sum(own.cpu_times()[:2]) - before, psutil.cpu_count() or 1
    others = max(0.0, _busy_seconds() - used - mine) / ((time.perf_counter() - began) * cores)
    return Tuning(processor_name(), runtime_version(), weights, formats, round(others, 3))


def _busy_seconds() -> float:
    """Seconds that all cores worked since the system's start."""
    times = psutil.cpu_times()
    return float(sum(times) - times.idle - getattr(times, "iowait", 0.0))


def _times(outer: int, inner: int, rows: int) -> dict[BlockFormat, float]:
    """Format → seconds of one product, from rounds in which the formats take turns.

    The default's median, times the median of each format's ratio to it within a round: other work on the machine slows
    whole rounds.
    """
    inputs = {"x": np.random.default_rng(0).standard_normal((rows, inner)).astype(np.float32)}
    copies = max(1, math.ceil(_BYTES / (outer * inner / 2))) if rows == 1 else 1
    sessions = {how: _session(outer, inner, how, copies) for how in FORMATS}
    seen: dict[BlockFormat, list[float]] = {how: [] for how in FORMATS}
    for turn in range(_ROUNDS + 1):
        for how, session in sessions.items():
            began = time.perf_counter()
            session.run(None, inputs)
            if turn:  # the first one warms up
                seen[how].append((time.perf_counter() - began) / copies)
    usual = seen[_DEFAULT]
    ratios = {how: median(map(truediv, found, usual)) for how, found in seen.items()}
    return {how: ratio * median(usual) for how, ratio in ratios.items()}


def _session(outer: int, inner: int, how: BlockFormat, copies: int) -> ort.InferenceSession:
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
    options.log_severity_level = 3
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
