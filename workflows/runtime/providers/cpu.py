"""The CPU provider: part of every build, the reference for all others."""

from __future__ import annotations

import platform

from workflows.memory import most_bytes
from workflows.runtime.providers.base import Provider


class Cpu(Provider):
    """The processor."""

    def facts(self) -> tuple[str, int | None]:
        """The processor's name, and the memory that there is for a process."""
        return platform.processor() or platform.machine(), most_bytes()


CPU = Cpu("cpu", "CPU", "CPUExecutionProvider", "CPU")
