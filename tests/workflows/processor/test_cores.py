"""The processor's name tells what its kernels depend on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workflows.processor import cores as processor
from workflows.runtime.providers.registry import CPU


@pytest.fixture(autouse=True)
def _asked_anew() -> None:
    processor.processor_name.cache_clear()


def test_the_name_has_cores_and_instructions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text("model name\t: Made Up 3000\nflags\t\t: fpu avx2 avx512_vnni sse\n\n")
    monkeypatch.setattr(processor, "Path", lambda _: tmp_path / "cpuinfo")
    assert processor.processor_name() == f"Made Up 3000, {os.cpu_count()} cores, avx2 avx512_vnni"
    processor.processor_name.cache_clear()


def test_a_system_without_cpuinfo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(processor, "Path", lambda _: tmp_path / "none")
    monkeypatch.setattr("platform.processor", lambda: "Other CPU")
    for found, named in (
        ([], "instructions unknown"), (["AVX2", "FMA3"], "avx2"), (["X86_V3", "X86_V4"], "avx2 avx512f"),
    ):  # fmt: skip
        config = {"SIMD Extensions": {"baseline": ["SSE"], "found": found}}
        monkeypatch.setattr("numpy.show_config", lambda _mode, config=config: config)
        processor.processor_name.cache_clear()
        assert processor.processor_name() == f"Other CPU, {os.cpu_count()} cores, {named}"
    processor.processor_name.cache_clear()


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Sixteen cores with two threads each, and no limit; the folder is its control group."""
    monkeypatch.setattr(processor.psutil, "cpu_count", lambda logical: 32 if logical else 16)
    monkeypatch.setattr(processor.os, "sched_getaffinity", lambda _pid: set(range(32)), raising=False)
    monkeypatch.setattr(processor, "control_groups", lambda name: [tmp_path / name, tmp_path])
    (tmp_path / "cpu").mkdir()
    return tmp_path / "cpu"


def test_all_cores_of_a_machine_without_limits(machine: Path) -> None:
    assert processor.usable_cores() == 16
    (machine / "cpu.max").write_text("max 100000\n")
    (machine.parent / "cpu.cfs_quota_us").write_text("-1\n")
    (machine.parent / "cpu.cfs_period_us").write_text("100000\n")
    assert processor.usable_cores() == 16


def test_affinity_and_quotas_of_either_version(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container of four cores on a large machine, else its threads wait for each other."""
    monkeypatch.setattr(processor.os, "sched_getaffinity", lambda _pid: set(range(12)), raising=False)
    assert processor.usable_cores() == 12
    (machine / "cpu.max").write_text("450000 100000\n")
    assert processor.usable_cores() == 5
    (machine.parent / "cpu.cfs_quota_us").write_text("50000\n")
    (machine.parent / "cpu.cfs_period_us").write_text("100000\n")
    assert processor.usable_cores() == 1


def test_the_cpu_is_listed_by_the_name_of_its_maker() -> None:
    """Where the system tells one; `x86_64` is no name."""
    vendor, memory = CPU.facts()
    assert vendor == processor.model_name() and processor.processor_name().startswith(f"{vendor}, ") and memory
    names = [line.partition(":")[2].strip() for line in _cpuinfo_lines() if line.startswith("model name")]
    assert not names or vendor == names[0]


def _cpuinfo_lines() -> list[str]:
    file = Path("/proc/cpuinfo")
    return file.read_text("utf-8").splitlines() if file.is_file() else []
