"""A bundle and a device in, logits out: sessions, their bindings, and the machine that runs the program.

pipeline.json ──program/──▶ Program ─┐
Bundle ──providers/, loading/────────┴─loading.machines─▶ Machine: start(given), step(tokens) → logits, finish()
{component: graph file} ──────open_onnx──────────────┘
                            └──single_graph──▶ run(arrays) → arrays, for one graph without a cache
Machine ──RowBatch──▶ several texts, of which a step continues some in one run
"""

from workflows.runtime.execution.machine import Machine
from workflows.runtime.execution.row_batch import RowBatch
from workflows.runtime.loading.machines import machine_with_own_cache, open_machine, open_onnx
from workflows.runtime.loading.sessions import LoadCancellation
from workflows.runtime.providers import PROVIDERS, device_named, devices
from workflows.runtime.single_graph import SingleGraph, open_single, run_single

__all__ = [
    "PROVIDERS",
    "LoadCancellation",
    "Machine",
    "RowBatch",
    "SingleGraph",
    "device_named",
    "devices",
    "machine_with_own_cache",
    "open_machine",
    "open_onnx",
    "open_single",
    "run_single",
]
