"""Before a build: what a source is, and what a recipe would make of it. Nothing is written, nothing of it is run.

    source ──find_checkpoint──▶ Found ──apart.py──▶ [ confined ──▶ read_checkpoint ──▶ facts.py ] ──▶ a report

Who asks may ask the hub again at any time; what it sent is read by a process that cannot.
"""

from workflows.inspection.probe.isolated_probe import plan, probe

__all__ = ["plan", "probe"]
