"""The sampler sees what a child and its child allocate, pages of files apart, and what a folder takes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.benchmarks.sizes.sampler import Sampler, disk_bytes, written_bytes

linux = pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
CHILD = "held = bytearray(150 << 20); import time; time.sleep(1)"
PARENT = f"import subprocess, sys; held = bytearray(50 << 20); subprocess.run([sys.executable, '-c', {CHILD!r}])"


@linux
def test_memory_of_the_whole_tree_is_summed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT]) as process, Sampler(process.pid) as sampler:
        sampler.stage = "export"
        process.wait()
    assert 200 << 20 < sampler.peak.own < 300 << 20
    assert sampler.peak.stages == {"export": sampler.peak.own}
    assert 0 < sampler.peak.file < sampler.peak.own <= sampler.peak.both


@linux
def test_a_mapped_file_is_no_own_memory(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(os.urandom(100 << 20))
    read = f"import mmap, time; f = open({str(file)!r}, 'r+b'); m = mmap.mmap(f.fileno(), 0); "
    read += "touched = [m[at] for at in range(0, len(m), 4096)]; time.sleep(0.5)"
    with subprocess.Popen([sys.executable, "-c", read]) as process, Sampler(process.pid) as sampler:
        process.wait()
    assert sampler.peak.file > 100 << 20 and sampler.peak.own < 50 << 20


@linux
def test_a_child_counts_after_its_parent_ended() -> None:
    program = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {CHILD!r}]); time.sleep(.3)"
    with subprocess.Popen([sys.executable, "-c", program]) as process, Sampler(process.pid) as sampler:
        process.wait()
        assert sampler.processes()
        deadline = time.monotonic() + 30
        while sampler.processes() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert sampler.processes() == []
    assert sampler.peak.own > 150 << 20


@linux
def test_a_folder_counts_a_file_with_two_names_once(tmp_path: Path) -> None:
    assert disk_bytes(tmp_path / "none") == 0
    (tmp_path / "below").mkdir()
    (tmp_path / "one").write_bytes(bytes(1 << 20))
    (tmp_path / "below" / "other").hardlink_to(tmp_path / "one")
    assert 1 << 20 <= disk_bytes(tmp_path) < 2 << 20


@linux
def test_bytes_that_a_child_wrote_are_counted() -> None:
    before = written_bytes()
    program = "import tempfile, os; f = tempfile.TemporaryFile(dir='.'); f.write(bytes(8 << 20)); os.fsync(f.fileno())"
    subprocess.run([sys.executable, "-c", program], check=True)
    assert written_bytes() - before >= 0
