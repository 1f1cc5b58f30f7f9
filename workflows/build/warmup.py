"""Imports and initializes in advance what a build waits for before its first tensor."""

from __future__ import annotations

import sys

from workflows.common.memory import gc_paused


def warm_up() -> None:
    """Imports what the stages need, and exports a graph of one node so that the exporter fills its tables."""
    import_exporter()
    from workflows.export.trace import export_minimal_graph

    export_minimal_graph()


def import_exporter() -> None:
    """Imports torch, transformers and the tracing code; takes seconds, once per process."""
    if "workflows.export.components" not in sys.modules:
        with gc_paused():
            import workflows.export.components  # noqa: F401
