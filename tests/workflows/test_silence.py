"""Nothing connects and nothing listens while a local checkpoint is built and chatted with.

The system calls of a real run are watched (strace), with CI unset and a home of its own: onnxruntime's wheels tell
their vendor of every import otherwise (facts: trust.md), and are silent where CI is set.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CALLS = re.compile(r"\b(connect|bind|listen|sendto|sendmsg|sendmmsg)\(.*\bAF_INET6?\b|\blisten\(")
# The same for programs without a network: what the watch must show of a connection that is refused at once.
CONNECT = "import socket; socket.socket().connect_ex(('127.0.0.1', 9))"
TALK = """
import sys
from pathlib import Path
from workflows.cli import run
out = Path(sys.argv[1])
if not out.exists():
    from workflows.builder import BuildRequest, build
    build(BuildRequest("demo:qwen3", out, {}))
assert run(["chat", str(out)]) == 0
"""
IMPORT = "import onnxruntime"


def environment(home: Path, **changes: str) -> dict[str, str]:
    """CI unset, no telemetry switch set from outside, every place that a home is found by in `home`."""
    unset = ("CI", "GITHUB_ACTIONS", "TF_BUILD", "ORT_DISABLE_TELEMETRY", "HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY")
    kept = {key: value for key, value in os.environ.items() if key not in unset and not key.startswith("XDG_")}
    root = str(Path(__file__).parents[2])
    return kept | {"HOME": str(home), "JOINERY_HOME": str(home / "joinery"), "PYTHONPATH": root} | changes


def watched(home: Path, code: str, *arguments: str, stdin: str = "") -> list[str]:
    """Runs Python code under strace; every system call that reaches for the network by IP."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed, so system calls cannot be watched")
    log = home / "calls"
    command = ["strace", "-f", "-q", "-e", "trace=network", "-o", str(log), sys.executable, "-c", code, *arguments]
    done = subprocess.run(
        command, input=stdin, capture_output=True, encoding="utf-8", env=environment(home), cwd=home, timeout=240
    )
    if "ptrace" in done.stderr and "not permitted" in done.stderr:
        pytest.skip("strace may not watch processes here: " + done.stderr.strip().splitlines()[-1])
    assert done.returncode == 0, done.stderr
    if stdin:
        assert "56" in done.stdout and "15" in done.stdout, done.stdout
    return [line for line in log.read_text("utf-8", "replace").splitlines() if CALLS.search(line)]


def test_the_watch_sees_a_connection(tmp_path: Path) -> None:
    """The control: a child that connects to a closed port of this machine is caught."""
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {CONNECT!r}], check=True)"
    found = watched(tmp_path, child)
    assert any("connect(" in line and "127.0.0.1" in line for line in found)


def test_nothing_connects_and_nothing_listens_in_a_chat(tmp_path: Path, default_bundle: Path) -> None:
    """demo:qwen3 answers twice; no socket call with an address of the internet, no trace in the home."""
    check_silent(tmp_path, default_bundle)


@pytest.mark.slow
def test_nothing_connects_and_nothing_listens_in_a_build(tmp_path: Path) -> None:
    """With torch and transformers in the process, and a chat after it."""
    check_silent(tmp_path, tmp_path / "bundle")


def check_silent(home: Path, bundle: Path) -> None:
    assert watched(home, TALK, str(bundle), stdin="What is 8*7?\nWhat is 9+6?\n") == []
    assert list(home.rglob("deviceid")) == []


@pytest.mark.skipif(sys.platform != "linux", reason="where the device id lies is known for Linux")
def test_the_device_id_is_left_where_nothing_forbids_it(tmp_path: Path) -> None:
    """The control: onnxruntime alone leaves its id in the home; with Joinery imported first it does not."""
    for name, code in (("alone", IMPORT), ("ours", f"import workflows; {IMPORT}")):
        home = tmp_path / name
        home.mkdir()
        subprocess.run([sys.executable, "-c", code], env=environment(home), cwd=home, timeout=60, check=True)
    assert any((tmp_path / "alone").rglob("deviceid"))
    assert not any((tmp_path / "ours").rglob("deviceid"))
