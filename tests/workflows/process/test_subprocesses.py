"""Processes of ours: what they say, how they end, and that they end with us."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from workflows.common.errors import Cancelled
from workflows.process.subprocesses import (
    ProcessResult,
    ServiceProcess,
    python_command,
    run_isolated,
    signal_description,
)


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module `apart` that such a process may run."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path / "apart.py"


def test_the_last_line_is_told_and_the_rest_is_the_log(module: Path) -> None:
    module.write_text("import sys\nprint('first')\nprint(sys.argv[1:])\nprint('aside', file=sys.stderr)\n")
    assert run_isolated("apart", ["a", "b c"], 20) == ProcessResult("['a', 'b c']", "aside\n")


KILLED = "ended (signal SIGKILL, with which the system ends what takes too much memory)"


@pytest.mark.parametrize(
    ("code", "why"), [("raise SystemExit(3)", "ended (code 3)"), ("import os\nos.kill(os.getpid(), 9)", KILLED)]
)
def test_how_it_ended_is_said(module: Path, code: str, why: str) -> None:
    module.write_text(code)
    assert why in run_isolated("apart", [], 20).failure


def test_signals_have_names() -> None:
    assert signal_description(signal.SIGSEGV) == "signal SIGSEGV"
    assert signal_description(200) == "signal 200"


def test_one_that_hangs_is_killed_in_time(module: Path) -> None:
    before = set(psutil.Process().children())  # what renders templates stays for the session
    module.write_text("import time\ntime.sleep(600)")
    assert run_isolated("apart", [], 0.5).failure == "did not answer in 0 s"
    later = set(psutil.Process().children()) - before
    assert not [one for one in later if one.is_running() and one.status() != "zombie"]


def test_cancelled_it_is_killed(module: Path) -> None:
    module.write_text("import time\nprint('up', flush=True)\ntime.sleep(600)")
    said: list[tuple[str, float]] = []
    with pytest.raises(Cancelled):
        run_isolated(
            "apart", [], 600, on_line=lambda line: said.append((line, time.monotonic())), cancelled=lambda: bool(said)
        )
    assert said[0][0] == "up" and time.monotonic() - said[0][1] < 60


def test_cancelled_before_it_says_anything(module: Path) -> None:
    module.write_text("import time\ntime.sleep(600)")
    began = time.monotonic()
    with pytest.raises(Cancelled):
        run_isolated("apart", [], 600, cancelled=lambda: time.monotonic() > began + 0.3)
    assert time.monotonic() - began < 60


def test_each_line_is_heard_as_it_comes(module: Path) -> None:
    module.write_text("import sys\nprint('one')\nprint()\nprint('two')\nprint('three', file=sys.stderr)\nsys.exit(1)")
    said: list[str] = []
    assert run_isolated("apart", [], 20, on_line=said.append) == ProcessResult("two", "three\n", "ended (code 1)")
    assert said == ["one", "two"]


@pytest.mark.skipif(sys.platform == "win32", reason="what ends a process there is another")
def test_it_ends_with_who_started_it(module: Path) -> None:
    stays = "from workflows.process.subprocesses import exit_with_parent; exit_with_parent()"
    module.write_text(f"{stays}\nimport os, time\nprint(os.getpid(), flush=True)\ntime.sleep(600)")
    here = str(Path(__file__).parents[3])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([here, str(module.parent)])}
    code = "run_isolated('apart', [], 600, on_line=lambda line: print(line, flush=True))"
    starter = f"from workflows.process.subprocesses import run_isolated; {code}"
    with subprocess.Popen([sys.executable, "-c", starter], stdout=subprocess.PIPE, env=environment) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    assert psutil.wait_procs([child], timeout=10)[1] == []


ANSWERS = "import sys\nprint('up', flush=True)\nfor line in sys.stdin:\n    print(eval(line), flush=True)\n"
COMPUTES = "all(True for _ in iter(int, 1))"


@pytest.fixture
def service(module: Path) -> Iterator[ServiceProcess]:
    """One that computes what it is asked, for 1 s at most and with 200 MiB."""
    module.write_text(ANSWERS)
    service = ServiceProcess("apart", 1.0, 200 << 20)
    yield service
    service.close()


def test_a_service_answers_each_line(service: ServiceProcess) -> None:
    assert (service.greeting, service.request("1 + 1"), service.request("'é' * 2")) == ("up", "2", "éé")


def test_a_service_is_ended_by_what_it_computes(service: ServiceProcess) -> None:
    ended = ProcessResult("", "", "took longer than 1 s of computing and was ended")
    assert service.request(COMPUTES) == ended
    assert not service.alive
    assert service.request("1") == ended


def test_a_service_is_ended_by_the_memory_it_takes(service: ServiceProcess) -> None:
    found = service.request("(bytearray(b'x') * (1 << 28), __import__('time').sleep(600))")
    assert found == ProcessResult("", "", "took more than 200 MiB of memory and was ended")


def test_waiting_is_no_computing(service: ServiceProcess) -> None:
    """Neither its own nor that of a machine which is busy with others: here it stands still for three times its second.

    Afterwards it answers as if nothing had been.
    """
    assert service.greeting == "up"
    process = psutil.Process(service.pid)
    process.suspend()
    later = threading.Timer(3.0, process.resume)
    later.start()
    assert service.request("__import__('time').sleep(1.5) or 7") == "7"
    later.join()


def test_a_service_tells_how_it_ended(service: ServiceProcess) -> None:
    assert service.request("sys.exit(3)") == ProcessResult("", "", "ended (code 3)")


@pytest.mark.skipif(sys.platform == "win32", reason="what ends a process there is another")
@pytest.mark.parametrize("asked", ["", COMPUTES])
def test_a_service_ends_with_who_started_it(module: Path, asked: str) -> None:
    """Whether it waits or computes, and hears nothing then: the system ends it."""
    bound = "from workflows.process.sandbox import limit_cpu_seconds\nlimit_cpu_seconds(1)\n"
    module.write_text(bound + ANSWERS.replace("'up'", "__import__('os').getpid()"))
    here = str(Path(__file__).parents[3])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([here, str(module.parent)])}
    ask = f"service.request({asked!r})" if asked else "time.sleep(600)"
    starter = (
        "import time\nfrom workflows.process.subprocesses import ServiceProcess\n"
        "service = ServiceProcess('apart', 600, 1 << 40)\n"
        f"print(service.greeting, flush=True)\n{ask}"
    )
    with subprocess.Popen([sys.executable, "-c", starter], stdout=subprocess.PIPE, env=environment) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    assert psutil.wait_procs([child], timeout=60)[1] == []


def test_our_code_comes_first() -> None:
    assert python_command("workflows.service.worker") == [sys.executable, "-P", "-m", "workflows.service.worker"]
