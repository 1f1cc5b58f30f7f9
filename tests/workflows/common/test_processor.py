"""The processor's name tells what its kernels depend on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workflows.common import processor


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
    assert processor.processor_name() == f"Other CPU, {os.cpu_count()} cores, instructions unknown"
    processor.processor_name.cache_clear()
