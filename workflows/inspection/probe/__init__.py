"""Describes a checkpoint and the recipe for it before a build; writes nothing and runs none of its code.

    source ──find_checkpoint──▶ Found ──isolated_probe──▶ [ read_checkpoint ──▶ checkpoint_facts ] ──▶ a report

The calling process has network access; the process that reads the files has none.
"""

from workflows.inspection.probe.isolated_probe import plan, probe

__all__ = ["plan", "probe"]
