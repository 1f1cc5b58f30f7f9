"""Other machines that a user has added, and what a check of one says."""

from __future__ import annotations

from dataclasses import dataclass, field

from workflows.wire.reports.base import Report
from workflows.wire.reports.devices import Device


@dataclass
class MachineReport(Report):
    """One machine. path: of Joinery there, as it was added. The other fields are of a check: usable, or its problem.

    connect_s: seconds from the start of ssh to the worker's. free_bytes: of the disk that bundles are copied to.
    copied_bytes: of the copies there.
    """

    name: str
    address: str
    path: str = ""
    usable: bool = False
    problem: str = ""
    joinery: str = ""
    wire: str = ""
    python: str = ""
    system: str = ""
    connect_s: float = 0.0
    free_bytes: int = 0
    copied_bytes: int = 0
    devices: list[Device] = field(default_factory=list)
