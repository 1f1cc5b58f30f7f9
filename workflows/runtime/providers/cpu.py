"""The CPU provider: part of every build, the reference for all others."""

from __future__ import annotations

import platform

from workflows.common.memory import total_bytes
from workflows.runtime.providers.provider import Provider


class CpuProvider(Provider):
    """The processor."""

    def facts(self) -> tuple[str, int | None]:
        """The processor's name, and the memory that there is for a process."""
        return platform.processor() or platform.machine(), total_bytes()


CPU = CpuProvider("cpu", "CPU", "CPUExecutionProvider", "CPU")
