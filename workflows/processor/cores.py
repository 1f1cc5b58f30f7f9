"""This machine's processor: its name, the instructions that products of matrices use, and the cores at hand."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import psutil

from workflows.common.control_groups import control_groups

_INSTRUCTIONS = (
    "avx2", "avx512f", "avx512_vnni", "avx_vnni", "avx512_bf16", "amx_int8", "amx_bf16", "asimddp", "i8mm", "sve",
)  # fmt: skip


@cache
def processor_name() -> str:
    """`AMD EPYC, 2 cores, avx2`: the same for machines whose kernels are equally fast, as far as the system tells."""
    return f"{model_name()}, {os.cpu_count()} cores, {' '.join(instructions()) or 'instructions unknown'}"


def instructions() -> tuple[str, ...]:
    """The instructions by Linux's names; () where the system tells none."""
    facts = _cpuinfo()
    flags = facts.get("flags", facts.get("Features", "")).split() or [*_flags_of_numpy()]
    return tuple(flag for flag in _INSTRUCTIONS if flag in flags)


def model_name() -> str:
    """What the maker calls the processor; its architecture where the system tells no name."""
    return _cpuinfo().get("model name") or platform.processor() or platform.machine()


def _flags_of_numpy() -> Iterator[str]:
    """The instructions that numpy found, by Linux's names: what it tells of other systems."""
    import numpy as np  # a command that looks at the processor starts sooner without it

    found = {*np.show_config("dicts").get("SIMD Extensions", {}).get("found", ())}
    for flag, names in (("avx2", {"AVX2", "X86_V3"}), ("avx512f", {"AVX512F", "AVX512_SKX", "X86_V4"})):
        if names & found:
            yield flag


def _cpuinfo() -> dict[str, str]:
    """Linux's facts on a core; none on other systems."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text("utf-8", "replace").splitlines() if file.exists() else []
    pairs = (line.partition(":") for line in lines if ":" in line)
    return {key.strip(): value.strip() for key, _, value in pairs}


def usable_cores() -> int:
    """Cores that this process may use: those of the machine, of its affinity, and of its control groups' quotas."""
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quotas = (quota for group in control_groups("cpu") for quota in _quota(group))
    return max(1, min(psutil.cpu_count(logical=False) or 1, affinity, *quotas))


def _quota(group: Path) -> Iterator[int]:
    """The whole cores of which a control group may use the time; nothing without a limit."""
    one, two = group / "cpu.max", group / "cpu.cfs_quota_us"
    if one.is_file():
        quota, period = one.read_text("utf-8").split()
    elif two.is_file():
        quota, period = two.read_text("utf-8").strip(), (group / "cpu.cfs_period_us").read_text("utf-8").strip()
    else:
        return
    if quota.isdecimal():  # neither "max" nor -1
        yield math.ceil(int(quota) / int(period))
