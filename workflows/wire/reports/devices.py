"""The execution providers of this machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workflows.wire.reports.base import Report

Kind = Literal["CPU", "GPU", "NPU"]


@dataclass
class Device:
    """One provider on this machine; `reason` says why it cannot be used, `remedy` what would make it so.

    install: the package that `joinery devices --install` would bring, where that is what lacks. uninstall: the one
    that `--uninstall` would remove, where it is here.
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
    """What pip would do for a provider's plugin. hashes: those that its file may have, each "sha256:…". sources: the
    indexes and folders where pip looks. environment: the folder of the Python that it is installed into."""

    provider: str
    package: str
    version: str
    hashes: list[str]
    sources: list[str]
    environment: str


@dataclass
class DevicesReport(Report):
    """Every provider that Joinery knows, the CPU first."""

    devices: list[Device]
