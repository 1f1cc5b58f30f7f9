"""Starts modules of Joinery as subprocesses, with Joinery's code whatever the current folder holds.

run_isolated(module)            ──starts──▶ main ──exit_with_parent()──▶ stdout lines │ ends with us or after its time
ServiceProcess(module).request  ──stdin───▶ main, until stdin ends ──stdout──▶ a line │ killed beyond its limits
"""

from __future__ import annotations

import atexit
import faulthandler
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from queue import Empty, Queue
from threading import Lock
from typing import Any

from workflows.common.errors import Cancelled

_TIMEOUT_VARIABLE = "JOINERY_APART_SECONDS"  # seconds after which a process of run_isolated ends by itself
_TIMEOUT_MARGIN = 5.0  # seconds after the time at which its parent kills it
_EXIT_GRACE = 10.0  # seconds from a process's last line to its end


def python_command(module: str) -> list[str]:
    """The command line that runs a module; -P keeps the current folder off the import path."""
    return [sys.executable, "-P", "-m", module]


def module_search_path(inherited: str) -> str:
    """PYTHONPATH of a subprocess: this checkout, then the absolute folders of the inherited one."""
    here = str(Path(__file__).parents[2])
    others = [entry for entry in inherited.split(os.pathsep) if Path(entry).is_absolute() and entry != here]
    return os.pathsep.join([here, *others])


def own_group() -> dict[str, Any]:
    """Arguments of Popen for a process in a group of its own, which Ctrl+C does not reach."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


@dataclass(frozen=True)
class ProcessResult:
    """The end of a subprocess. last_line: of stdout. log: stderr. failure: a clause; empty after exit code 0."""

    last_line: str
    log: str
    failure: str = ""


def run_isolated(
    module: str,
    arguments: Sequence[str],
    seconds: float,
    *,
    on_line: Callable[[str], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> ProcessResult:
    """Runs a module in a subprocess that may crash or hang; kills it after `seconds`.

    The module's main calls exit_with_parent, so that it ends with this process. on_line: called with each line of its
    stdout. Raises Cancelled when `cancelled` returns True, after the process was killed.
    """
    own = {
        "PYTHONPATH": module_search_path(os.environ.get("PYTHONPATH", "")),
        _TIMEOUT_VARIABLE: str(seconds + _TIMEOUT_MARGIN),
    }
    command = [*python_command(module), *arguments]
    with tempfile.TemporaryFile() as log, _parent_pipe() as leash:
        running = subprocess.Popen(command, stdin=leash, stdout=subprocess.PIPE, stderr=log, env=os.environ | own)
        try:
            last_line = _follow(running, time.monotonic() + seconds, on_line, cancelled)
            code = running.wait(_EXIT_GRACE)
            failure = exit_description(code) if code else ""
        except subprocess.TimeoutExpired:
            last_line, failure = "", f"did not answer in {seconds:.0f} s"
        finally:
            if running.poll() is None:
                running.kill()
                running.wait()
        log.seek(0)
        return ProcessResult(last_line, log.read().decode("utf-8", "replace"), failure)


def signal_description(number: int) -> str:
    """A signal that ended a process: `signal SIGSEGV`, or its number if it has no name here."""
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = str(number)
    if name == "SIGKILL":
        return "signal SIGKILL, with which the system ends what takes too much memory"
    return f"signal {name}"


def exit_description(code: int) -> str:
    """How a process ended, as a clause: `ended (code 3)`, `ended (signal SIGSEGV)`."""
    return f"ended ({f'code {code}' if code >= 0 else signal_description(-code)})"


class ServiceProcess:
    """A module as a subprocess that answers each line of stdin with a line of stdout and ends with this process.

    For each request it may use `seconds` of processor time and `memory` bytes; time in which it waits does not count.
    """

    def __init__(self, module: str, seconds: float, memory: int) -> None:
        self._seconds, self._memory = seconds, memory
        own = {"PYTHONPATH": module_search_path(os.environ.get("PYTHONPATH", ""))}
        self._running = subprocess.Popen(
            python_command(module),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | own,
        )
        self._result: ProcessResult | None = None
        self._lines: Queue[str | None] = Queue()
        threading.Thread(target=_read_lines, args=(self._running, self._lines), daemon=True).start()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._running.pid

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._running.poll() is None

    @cached_property
    def greeting(self) -> str | ProcessResult:
        """The first line, printed when the process is ready; a ProcessResult if it ended before."""
        return self._answer()

    def request(self, line: str) -> str | ProcessResult:
        """The answer to a line, or how the process ended."""
        if isinstance(self.greeting, ProcessResult) or self._result is not None:
            return self._result or self.greeting
        assert self._running.stdin is not None
        with suppress(OSError):  # the process has ended, which _answer reports
            self._running.stdin.write(line.encode() + b"\n")
            self._running.stdin.flush()
        return self._answer()

    def _answer(self) -> str | ProcessResult:
        """The next line; checks the limits every tenth of a second while it waits."""
        before: float | None = None
        while (line := _next_line(self._lines)) is not None:
            if line:
                return line
            used, held = _usage(self._running.pid)
            before = used if before is None else before
            if used - before > self._seconds:
                return self._end(f"took longer than {self._seconds:g} s of computing and was ended")
            if held > self._memory:
                return self._end(f"took more than {self._memory >> 20} MiB of memory and was ended")
        return self._end("")

    def _end(self, why: str) -> ProcessResult:
        if why:
            self._running.kill()
        code = self._running.wait()
        self.close()
        self._result = ProcessResult("", "", why or exit_description(code))
        return self._result

    def close(self) -> None:
        """Ends the process."""
        self._running.kill()
        self._running.wait()
        assert self._running.stdin is not None
        with suppress(OSError):
            self._running.stdin.close()


def _usage(pid: int) -> tuple[float, int]:
    """Processor seconds and resident bytes of a process; zeros if it has ended."""
    import psutil

    try:
        process = psutil.Process(pid)
        return sum(process.cpu_times()[:2]), process.memory_info().rss
    except psutil.Error:
        return 0.0, 0


@contextmanager
def _parent_pipe() -> Iterator[int]:
    """The read end of a pipe, for a child's stdin; the system closes the write end when this process ends."""
    leash, held = os.pipe()
    try:
        yield leash
    finally:
        os.close(leash)
        os.close(held)


def _follow(
    running: subprocess.Popen[bytes], until: float, on_line: Callable[[str], None], cancelled: Callable[[], bool]
) -> str:
    """The last line of its stdout. until: by the monotonic clock. Raises TimeoutExpired and Cancelled."""
    lines: Queue[str | None] = Queue()
    threading.Thread(target=_read_lines, args=(running, lines), daemon=True).start()
    last_line = ""
    while (line := _next_line(lines)) is not None:
        if line:
            last_line = line
            on_line(line)
        if cancelled():
            raise Cancelled("The process was cancelled.")
        if time.monotonic() > until:
            raise subprocess.TimeoutExpired(running.args, 0.0)
    return last_line


def _read_lines(running: subprocess.Popen[bytes], lines: Queue[str | None]) -> None:
    """Puts every line of the process's stdout into the queue, then None."""
    assert running.stdout is not None
    with running.stdout:
        for line in running.stdout:
            lines.put(line.decode("utf-8", "replace").rstrip("\r\n"))
    lines.put(None)


def _next_line(lines: Queue[str | None]) -> str | None:
    """The next line; an empty one if there is none within 0.1 s, None at the end."""
    try:
        return lines.get(timeout=0.1)
    except Empty:
        return ""


def exit_with_parent() -> None:
    """Ends this process when its parent ends, and after its time limit; called by modules that run_isolated starts.

    The timer needs no interpreter lock, which a driver that hangs may hold.
    """
    faulthandler.dump_traceback_later(float(os.environ[_TIMEOUT_VARIABLE]), exit=True)

    def wait_for_parent() -> None:
        os.read(0, 1)  # unbuffered: a thread that holds sys.stdin's lock aborts the end of the process
        os._exit(1)

    threading.Thread(target=wait_for_parent, name="leash", daemon=True).start()


def claim_stdout(encoding: str) -> TextIOWrapper:
    """stdout for this program alone: file descriptor 1 becomes stderr, where drivers' libraries print then.

    Characters that `encoding` lacks are escaped.
    """
    out = os.fdopen(os.dup(1), "w", encoding=encoding, newline="\n", errors="backslashreplace")
    os.dup2(2, 1)
    return out


class ConfinedService:
    """Requests to a module that runs as a ServiceProcess and answers a line of JSON with a line of JSON.

    Its first line has the key `open`: what the process could not be confined from. It starts with the first request or
    by `start`, and again after it was ended. seconds, memory: the limits of a request, as ServiceProcess has them.
    package: an import of the module that this process does not load; a request raises ModuleNotFoundError without it.
    """

    def __init__(self, module: str, seconds: float, memory: int, package: str = "") -> None:
        self._arguments, self._package = (module, seconds, memory), package
        self._process: ServiceProcess | None = None
        self._owner = 0
        self._lock = Lock()
        atexit.register(self.close)

    def start(self) -> None:
        """Starts the process and returns at once; it takes a fifth of a second and more to be ready."""
        with self._lock:
            self._running()

    def request(self, message: Mapping[str, object]) -> dict[str, Any]:
        """The answer to a message, or {"ended": how the process ended over it}.

        Raises ValueError and TypeError for a message that JSON cannot hold.
        """
        line = json.dumps(message, default=dict)  # a tool may be any mapping
        with self._lock:
            reply = self._running().request(line)
        if isinstance(reply, ProcessResult):
            return {"ended": reply.failure}
        answer: dict[str, Any] = json.loads(reply)
        return answer

    def confinement_problem(self) -> str:
        """What the process could not be confined from, as a sentence; empty if it is confined fully."""
        with self._lock:
            greeting = self._running().greeting
        return "" if isinstance(greeting, ProcessResult) else str(json.loads(greeting)["open"])

    def _running(self) -> ServiceProcess:
        is_owner = self._owner == os.getpid()  # a forked child must not use its parent's process
        if self._process is None or not is_owner or not self._process.alive:
            if self._package and find_spec(self._package) is None:
                raise ModuleNotFoundError(f"No module named {self._package!r}", name=self._package)
            self._process, self._owner = ServiceProcess(*self._arguments), os.getpid()
        return self._process

    def close(self) -> None:
        """Ends the process; the next request starts another one."""
        with self._lock:
            if self._process is not None and self._owner == os.getpid():
                self._process.close()
            self._process = None
