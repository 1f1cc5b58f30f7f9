"""Peak memory of export's last step: a random model of about 500 MB through `save_graphs`, prefill and decode alike.

    python -m tests.benchmarks.weights [MEGABYTES]

Prints resident memory before, at the peak and the share of the weights that came on top.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import onnx_ir as ir
import psutil

from workflows.graph.weights import WEIGHTS, save_graphs

PIECE = 1 << 22  # float32 elements: 16 MiB a tensor


def main(megabytes: int) -> None:
    """Two graphs over the same tensors, of which each packs four into one as the passes do."""
    chances, count = np.random.default_rng(0), max(4, megabytes // 16)
    arrays = [chances.standard_normal(PIECE, np.float32) for _ in range(count)]
    models = {f"{name}.onnx": make_model(arrays) for name in ("prefill", "decode")}
    process, peaks, done = psutil.Process(), [0], threading.Event()
    before = process.memory_info().rss

    def watch() -> None:
        while not done.is_set():
            peaks[0] = max(peaks[0], process.memory_info().rss)
            time.sleep(0.002)

    with tempfile.TemporaryDirectory() as folder:
        watcher = threading.Thread(target=watch)
        watcher.start()
        began = time.monotonic()
        save_graphs(models, Path(folder))
        seconds = time.monotonic() - began
        done.set()
        watcher.join()
        written = (Path(folder) / WEIGHTS).stat().st_size
    weights = sum(array.nbytes for array in arrays)
    print(f"weights {weights / 2**20:,.0f} MiB, written {written / 2**20:,.0f} MiB in {seconds:.1f} s")
    print(
        f"resident before {before / 2**20:,.0f} MiB, on top at the peak {(peaks[0] - before) / 2**20:,.0f} MiB, "
        f"{(peaks[0] - before) / weights:.2f} × the weights"
    )


def make_model(arrays: list[np.ndarray]) -> ir.Model:
    """All arrays, the first four packed when they are asked for."""

    def packed() -> ir.TensorProtocol:
        return ir.tensor(np.concatenate(arrays[:4]))

    tensors: list[ir.TensorProtocol] = [ir.LazyTensor(packed, ir.DataType.FLOAT, ir.Shape([4 * PIECE]))]
    tensors += [ir.tensor(array) for array in arrays[4:]]
    values = [ir.Value(name=f"w{i}", const_value=tensor) for i, tensor in enumerate(tensors)]
    node = ir.Node("", "Sum", values)
    graph = ir.Graph([], node.outputs, nodes=[node], initializers=values, opset_imports={"": 21}, name="random")
    return ir.Model(graph, ir_version=10)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 512)
