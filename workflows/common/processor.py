"""Names this machine's processor and the instructions that products of matrices use."""

from __future__ import annotations

import os
import platform
from functools import cache
from pathlib import Path

_INSTRUCTIONS = (
    "avx2", "avx512f", "avx512_vnni", "avx_vnni", "avx512_bf16", "amx_int8", "amx_bf16", "asimddp", "i8mm", "sve",
)  # fmt: skip


@cache
def processor_name() -> str:
    """`AMD EPYC, 2 cores, avx2`: the same for machines whose kernels are equally fast, as far as the system tells."""
    facts = _cpuinfo()
    flags = facts.get("flags", facts.get("Features", "")).split()
    found = " ".join(flag for flag in _INSTRUCTIONS if flag in flags) or "instructions unknown"
    name = facts.get("model name") or platform.processor() or platform.machine()
    return f"{name}, {os.cpu_count()} cores, {found}"


def _cpuinfo() -> dict[str, str]:
    """Linux's facts on a core; none on other systems."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text("utf-8", "replace").splitlines() if file.exists() else []
    pairs = (line.partition(":") for line in lines if ":" in line)
    return {key.strip(): value.strip() for key, _, value in pairs}
