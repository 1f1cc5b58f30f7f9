"""A bundle and a device in, logits out: sessions, their bindings, and the executor that runs the flow.

    Bundle ──devices/sessions──▶ InferenceSessions ──executor──▶ run(tokens) → logits, the cache advanced
    {component: graph file} ──────assemble──────────────┘
                                └──single──▶ run(arrays) → arrays, for one graph without a cache
"""

from workflows.runtime.assemble import open_onnx
from workflows.runtime.devices import DEVICES, device_named, devices
from workflows.runtime.executor import Executor, open_executor
from workflows.runtime.single import SingleGraph, open_single, run_single

__all__ = [
    "DEVICES",
    "Executor",
    "SingleGraph",
    "device_named",
    "devices",
    "open_executor",
    "open_onnx",
    "open_single",
    "run_single",
]
