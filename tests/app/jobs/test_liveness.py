"""When a worker counts as hung: what is stopped does, and nothing that computes, answers, or is yet to begin."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import psutil
import pytest

from app.jobs.liveness import CHECKS, CHECKS_AT_START, LivenessMonitor

COMPUTES = "print(flush=True)\nwhile True: pass"
WAITS = "import time; print(flush=True); time.sleep(600)"
Start = Callable[[str], int]


@pytest.fixture
def start() -> Iterator[Start]:
    """Begins a process that says one line; its id."""
    begun = list[subprocess.Popen[bytes]]()

    def begin(code: str) -> int:
        begun.append(subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE))
        assert begun[-1].stdout is not None and begun[-1].stdout.readline()
        return begun[-1].pid

    yield begin
    for one in begun:
        one.kill()
        one.communicate()


@pytest.fixture
def said() -> list[object]:
    return []


@pytest.fixture
def pulse(qapp: object, said: list[object]) -> LivenessMonitor:
    found = LivenessMonitor(lambda: said.append("ping"))
    found.hung.connect(said.append)
    return found


def settled(pid: int) -> int:
    """It waits: no thread of it is on its way to a processor any more."""
    while psutil.Process(pid).status() in (psutil.STATUS_RUNNING, psutil.STATUS_DISK_SLEEP) and sys.platform == "linux":
        pass
    return pid


@pytest.mark.skipif(sys.platform == "win32", reason="no signals there")
def test_one_that_is_stopped_hangs_until_it_is_heard_of(
    pulse: LivenessMonitor, start: Start, said: list[object]
) -> None:
    """Asked once, and told once."""
    pid = start(COMPUTES)
    pulse.note_output()
    psutil.Process(pid).send_signal(signal.SIGSTOP)
    settled(pid)
    for _ in range(CHECKS + 5):
        pulse.check(pid)
    assert said == ["ping", True]
    pulse.note_output()
    assert said == ["ping", True, False]


@pytest.mark.skipif(sys.platform == "win32", reason="no states of threads there")
def test_a_busy_process_is_alive_without_output(pulse: LivenessMonitor, start: Start, said: list[object]) -> None:
    """Looked at ten times at once: it runs, or waits for a processor."""
    pid = start(COMPUTES)
    pulse.note_output()
    for _ in range(10):
        pulse.check(pid)
    assert said == []


def test_one_that_waits_and_answers_is_alive(pulse: LivenessMonitor, start: Start, said: list[object]) -> None:
    """A download, say: it is asked, and hangs not."""
    pid = settled(start(WAITS))
    pulse.check(pid)  # what it took to begin
    for _ in range(10):
        pulse.check(pid)
        pulse.note_output()
    assert said == ["ping"] * 10


def test_a_beginning_takes_longer(pulse: LivenessMonitor, start: Start, said: list[object]) -> None:
    """Before its first word a process may have waited for what no look sees; and the next one is another."""
    pid = settled(start(WAITS))
    pulse.check(pid)
    for _ in range(CHECKS_AT_START - 1):
        pulse.check(pid)
    assert said == ["ping"]
    pulse.check(pid)
    assert said == ["ping", True]
    pulse.end()
    assert said == ["ping", True, False]


def test_one_that_is_gone_is_reported_by_others(pulse: LivenessMonitor, said: list[object]) -> None:
    """There is nothing to look at."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for _ in range(CHECKS_AT_START + 1):
        pulse.check(gone.pid)
    assert said == []
