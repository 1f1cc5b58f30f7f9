"""A bundle and a device in, logits out: sessions, their bindings, and the machine that runs the program.

pipeline.json ──program──▶ Program ─┐
Bundle ──devices, sessions──────────┴─opening─▶ Machine: start(given), step(tokens) → logits, finish()
{component: graph file} ──────assemble──────────────┘
                            └──single──▶ run(arrays) → arrays, for one graph without a cache
"""

from workflows.runtime.assemble import open_onnx
from workflows.runtime.loading import Loading
from workflows.runtime.machine import Machine
from workflows.runtime.opening import open_machine, second_machine
from workflows.runtime.providers import PROVIDERS, device_named, devices
from workflows.runtime.single import SingleGraph, open_single, run_single

__all__ = [
    "PROVIDERS",
    "Loading",
    "Machine",
    "SingleGraph",
    "device_named",
    "devices",
    "open_machine",
    "open_onnx",
    "open_single",
    "run_single",
    "second_machine",
]
