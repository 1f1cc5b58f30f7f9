"""Imports and initializes in advance what a build waits for before its first tensor."""

from __future__ import annotations

import sys

from workflows.common.memory import gc_paused
from workflows.processor.cores import usable_cores


def warm_up() -> None:
    """Imports what the stages need, and exports a graph of one node so that the exporter fills its tables."""
    import_exporter()
    from workflows.export.trace import export_minimal_graph

    export_minimal_graph()


def import_exporter() -> None:
    """Imports torch, transformers and the tracing code; takes seconds, once per process.

    torch counts the machine's cores: where the process may use fewer, its threads would wait for each other.
    """
    if "workflows.export.components" in sys.modules:
        return
    with gc_paused():
        import workflows.export.components  # noqa: F401
    import torch

    if torch.get_num_threads() > usable_cores():
        torch.set_num_threads(usable_cores())
