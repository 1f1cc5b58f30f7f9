"""The CPU provider: part of every build, the reference for all others."""

from __future__ import annotations

import platform

import psutil

from workflows.runtime.providers.base import Provider


class Cpu(Provider):
    """The processor."""

    def facts(self) -> tuple[str, int | None]:
        """The processor's name and the machine's memory."""
        return platform.processor() or platform.machine(), psutil.virtual_memory().total


CPU = Cpu("cpu", "CPU", "CPUExecutionProvider", "CPU")
