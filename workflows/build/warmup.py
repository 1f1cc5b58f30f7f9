"""What a build waits for before its first tensor, done ahead by a process that is to build."""

from __future__ import annotations

import sys

from workflows.common.memory import gc_paused


def warm_up() -> None:
    """Imports what the stages need, and has the exporter fill its tables with a graph of one node."""
    import_exporter()
    from workflows.export.warmup import export_minimal_graph

    export_minimal_graph()


def import_exporter() -> None:
    """Imports torch, transformers and what traces with them: seconds, once a process."""
    if "workflows.export" not in sys.modules:
        with gc_paused():
            import workflows.export  # noqa: F401
