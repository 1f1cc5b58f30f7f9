"""The limit by memory bandwidth: a decoder reads every weight and every valid key and value once per token; of experts,
the selected ones.

    tokens/s at most = read bandwidth / (weights' bytes + valid KV bytes)      (Williams et al. 2009, memory-bound side)

Small models stay in the processor's caches and can be above it. An embedding table that is no head is counted whole
though one row of it is read, so the share is then a little too high.
"""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from workflows.bundle import Bundle
from workflows.common.errors import BundleError
from workflows.common.memory import free_bytes
from workflows.processor.cores import usable_cores
from workflows.runtime import Machine

_BYTES = 256 << 20  # more than a processor's caches hold
_PASSES = 5


def read_bandwidth() -> float:
    """Bytes a second that a streaming read gets, with a thread a core; the best of a few passes."""
    threads = usable_cores()
    size = min(_BYTES, free_bytes() // 4)
    parts = np.array_split(np.ones(max(size // 4, threads), np.float32), threads)
    best = float("inf")
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(_PASSES):
            began = time.perf_counter()
            list(pool.map(np.max, parts))  # numpy lets go of the interpreter while it reads
            best = min(best, time.perf_counter() - began)
    return sum(part.nbytes for part in parts) / best


def weight_bytes(bundle: Bundle) -> int:
    """Bytes of weights that a decode step reads: those of the `step` sessions, as the build noted them."""
    steps = {stage.run for stage in bundle.pipeline.pipeline.flow if stage.when == "step"}
    noted: dict[str, int] = {}
    try:
        for entry in json.loads(bundle.text("evidence.json") or "[]"):
            read = entry.get("step_bytes", entry.get("bytes"))  # older builds noted no step_bytes
            if entry.get("component") in steps and isinstance(read, int):
                noted[entry["component"]] = read  # the last stage's counts
    except (ValueError, AttributeError, TypeError):
        raise BundleError("evidence.json of the bundle cannot be read: build the bundle anew.") from None
    if noted:
        return sum(noted.values())
    return sum(path.stat().st_size for name, path in bundle.files.items() if name.endswith((".data", ".onnx")))


def kv_bytes(machine: Machine) -> int:
    """Bytes of the cache that the next step reads: keys and values of the tokens in it, and state of fixed size."""
    views = (*machine.cache.view(), *machine.source_view())
    return sum(
        view.bytes * (view.length - view.evicted) // max(view.allocated, 1) if view.capacity else view.bytes
        for view in views
    )
