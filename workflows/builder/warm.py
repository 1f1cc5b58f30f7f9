"""What a build waits for before its first tensor, done ahead by a process that is to build."""

from __future__ import annotations


def warm() -> None:
    """Imports what the stages need, and has the exporter fill its tables with a graph of one node."""
    from workflows.export.warm import export_least

    export_least()
