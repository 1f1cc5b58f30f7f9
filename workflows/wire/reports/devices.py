"""The execution providers of this machine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from workflows.wire.codec import ABSENT
from workflows.wire.reports.base import Report
from workflows.wire.reports.memory import MemoryFit

Kind = Literal["CPU", "GPU", "NPU"]


@dataclass
class Device:
    """One provider on this machine. reason: why it is unusable; remedy: how to make it usable.

    install: the missing package that `joinery devices --install` installs. uninstall: the installed package that
    `--uninstall` removes.
    """

    name: str
    title: str
    provider: str
    kind: Kind
    vendor: str = ""
    memory_bytes: int | None = None
    usable: bool = False
    reason: str = ""
    remedy: str = ""
    compiles: bool = False
    install: str = ""
    uninstall: str = ""


@dataclass
class PluginReport(Report):
    """What pip would do for a provider's plugin. hashes: the allowed hashes of its file, each "sha256:…". sources: the
    indexes and folders that pip searches. environment: the folder of the Python to install into."""

    provider: str
    package: str
    version: str
    hashes: list[str]
    sources: list[str]
    environment: str


@dataclass
class DevicesReport(Report):
    """Every known provider, the CPU first. memory: what the requested bundle takes on the CPU; None without one."""

    devices: list[Device]
    memory: MemoryFit | None = field(default=None, metadata=ABSENT)
