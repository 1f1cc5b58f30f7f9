"""A command's stages, memory and death are those that it had; and a limit that it cannot exceed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import psutil
import pytest

from tests.benchmarks.peers.environments import PeerError
from tests.benchmarks.sizes.limits import limited, parse_bytes
from tests.benchmarks.sizes.runs import run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
BUILD = """
import json, sys, time
def stage(name, state, **rest): print(json.dumps({"event": "stage", "stage": name, "state": state, **rest}), flush=True)
stage("checkpoint", "reused")
stage("export", "started"); stage("import", "started"); print("a line of a library", flush=True)
stage("import", "done", seconds=0.25)
held = bytearray(120 << 20); time.sleep(0.4)
stage("export", "done", seconds=1.5); del held
stage("quantize", "started"); time.sleep(0.2)
"""


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def test_stages_have_their_seconds_and_peaks(tmp_path: Path) -> None:
    end = "stage('quantize', 'done', seconds=0.2)"
    result = run(python(BUILD + end), os.environ, tmp_path / "log", tmp_path)
    assert result.stages == {"import": 0.25, "export": 1.5, "quantize": 0.2}
    assert result.reused == ["checkpoint"] and result.killed is None and result.seconds > 0.6
    assert result.peak.stages["export"] > 120 << 20 > result.peak.stages["quantize"]
    assert (tmp_path / "log").read_text() == "a line of a library\n"


def test_a_killed_run_names_its_stage_and_leaves_no_process(tmp_path: Path) -> None:
    """Its child is in a session of its own, as a sandbox's is."""
    child = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(99)'], "
    child += f"start_new_session=True, stdout=open({str(tmp_path / 'out')!r}, 'w'))\n"
    result = run(python(child + BUILD + "time.sleep(99)"), os.environ, tmp_path / "log", tmp_path, kill_after=4)
    assert result.killed == "quantize" and 4 <= result.seconds < 60
    assert not any("time.sleep(99)" in " ".join(one.info["cmdline"] or ()) for one in psutil.process_iter(["cmdline"]))


def test_a_run_that_ends_before_its_kill_is_whole(tmp_path: Path) -> None:
    assert run(python("pass"), os.environ, tmp_path / "log", tmp_path, kill_after=60).killed is None


def test_a_failure_has_its_reason(tmp_path: Path) -> None:
    error = """import sys; print('{"event": "error", "message": "No room."}', flush=True); sys.exit(1)"""
    with pytest.raises(PeerError, match=r"^No room\.$"):
        run(python(error), os.environ, tmp_path / "log", tmp_path)
    with pytest.raises(PeerError, match="ended with 3: 'no word said'"):
        run(python("import sys; sys.exit(3)"), os.environ, tmp_path / "empty", tmp_path)
    died = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    with pytest.raises(PeerError, match="out of memory"):
        run(python(died), os.environ, tmp_path / "log", tmp_path, kill_after=60)


def test_a_run_that_never_ends_has_its_stage(tmp_path: Path) -> None:
    with pytest.raises(PeerError, match="did not end within 4 s, and was in quantize"):
        run(python(BUILD + "time.sleep(99)"), os.environ, tmp_path / "log", tmp_path, longest=4)


@pytest.mark.parametrize("root", [None, "nowhere"])
def test_a_limit_ends_a_command_that_exceeds_it(root: str | None, tmp_path: Path) -> None:
    """Once by a control group, where this user may make one, and once by prlimit."""
    mounted = {"mounted": tmp_path / root} if root else {}
    with limited(100_000_000, **mounted) as limit:
        assert limit.name.startswith("prlimit") or not root
        run(limit.command(python("held = bytearray(30_000_000)")), os.environ, tmp_path / "log", tmp_path)
        with pytest.raises(PeerError, match=r"out of memory|MemoryError"):
            run(limit.command(python("held = bytearray(200_000_000)")), os.environ, tmp_path / "log", tmp_path)
    with limited(None) as free:
        assert free.command(["a"]) == ["a"] and free.name == ""


def test_sizes_have_units() -> None:
    assert parse_bytes("8GB") == 8 * 10**9 and parse_bytes("1.5 GiB") == 3 << 29
    for wrong in ("8", "GB", "8TB", ""):
        with pytest.raises(ValueError, match="is no size"):
            parse_bytes(wrong)
