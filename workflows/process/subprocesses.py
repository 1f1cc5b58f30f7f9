"""How a Python process of ours is started: with our code, whatever lies in the current folder.

run_isolated(module) ──starts──▶ its main ──exit_with_parent()──▶ told on stdout │ ends with us, or when late
Kept(module).ask(line) ──stdin──▶ its main, until stdin ends ──stdout──▶ a line │ killed where that takes too much
"""

from __future__ import annotations

import faulthandler
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from io import TextIOWrapper
from pathlib import Path
from queue import Empty, Queue

from workflows.common.errors import Cancelled

_TIMEOUT_VARIABLE = "JOINERY_APART_SECONDS"  # after which the process ends by itself, that run_isolated starts
_TIMEOUT_MARGIN = 5.0  # than it would be killed


def python_command(module: str) -> list[str]:
    """The command line that runs one of our modules; -P keeps the current folder off its import path."""
    return [sys.executable, "-P", "-m", module]


def module_search_path(given: str) -> str:
    """PYTHONPATH for it: this checkout first, then of what was `given` all that does not hang on the current folder."""
    here = str(Path(__file__).parents[2])
    others = [entry for entry in given.split(os.pathsep) if Path(entry).is_absolute() and entry != here]
    return os.pathsep.join([here, *others])


_EXIT_GRACE = 10.0  # seconds from a process's last word to its end


@dataclass(frozen=True)
class ProcessResult:
    """How a process of ours ended.

    told: the last line that it printed. log: what it said besides. why: how, in words, where it did not exit with 0.
    """

    told: str
    log: str
    why: str = ""


def run_isolated(
    module: str,
    arguments: Sequence[str],
    seconds: float,
    *,
    heard: Callable[[str], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> ProcessResult:
    """Runs one of our modules in a process that may crash or hang: after so many seconds it is killed.

    Its main calls exit_with_parent, so that it ends with this process as well. heard: told of each line that it prints,
    as it does. Raises Cancelled on request; the process is killed then too.
    """
    own = {
        "PYTHONPATH": module_search_path(os.environ.get("PYTHONPATH", "")),
        _TIMEOUT_VARIABLE: str(seconds + _TIMEOUT_MARGIN),
    }
    command = [*python_command(module), *arguments]
    with tempfile.TemporaryFile() as log, _parent_pipe() as leash:
        running = subprocess.Popen(command, stdin=leash, stdout=subprocess.PIPE, stderr=log, env=os.environ | own)
        try:
            told = _listen(running, time.monotonic() + seconds, heard, cancelled)
            code = running.wait(_EXIT_GRACE)
            why = _exit_description(code) if code else ""
        except subprocess.TimeoutExpired:
            told, why = "", f"did not answer in {seconds:.0f} s"
        finally:
            if running.poll() is None:
                running.kill()
                running.wait()
        log.seek(0)
        return ProcessResult(told, log.read().decode("utf-8", "replace"), why)


def signal_description(number: int) -> str:
    """What ended a process, in words: `signal SIGSEGV`; by its number, where this system has no name for it."""
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = str(number)
    return f"signal {name}{', with which the system ends what takes too much memory' if name == 'SIGKILL' else ''}"


def _exit_description(code: int) -> str:
    return f"ended ({f'code {code}' if code >= 0 else signal_description(-code)})"


class ServiceProcess:
    """One of our modules as a process that answers each line with a line, and ends with this process.

    Over a question it may compute for `seconds` and have `most` bytes of memory; time in which it waits, or the machine
    does something else, does not count.
    """

    def __init__(self, module: str, seconds: float, most: int) -> None:
        self._seconds, self._most = seconds, most
        own = {"PYTHONPATH": module_search_path(os.environ.get("PYTHONPATH", ""))}
        self._running = subprocess.Popen(
            python_command(module),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | own,
        )
        self._over: ProcessResult | None = None
        self._lines: Queue[str | None] = Queue()
        threading.Thread(target=_read_lines, args=(self._running, self._lines), daemon=True).start()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._running.pid

    @property
    def alive(self) -> bool:
        """Whether it could be asked."""
        return self._running.poll() is None

    @cached_property
    def hello(self) -> str | ProcessResult:
        """The line that it begins with, when it is ready."""
        return self._answer()

    def ask(self, line: str) -> str | ProcessResult:
        """The line that it answers with, or how it ended."""
        if isinstance(self.hello, ProcessResult) or self._over is not None:
            return self._over or self.hello
        assert self._running.stdin is not None
        with suppress(OSError):  # it has ended, which its answer tells
            self._running.stdin.write(line.encode() + b"\n")
            self._running.stdin.flush()
        return self._answer()

    def _answer(self) -> str | ProcessResult:
        """The next line; watched from the first tenth of a second on, before which nothing takes much."""
        before: float | None = None
        while (line := _next_line(self._lines)) is not None:
            if line:
                return line
            used, held = _usage(self._running.pid)
            before = used if before is None else before
            if used - before > self._seconds:
                return self._end(f"took longer than {self._seconds:g} s of computing and was ended")
            if held > self._most:
                return self._end(f"took more than {self._most >> 20} MiB of memory and was ended")
        return self._end("")

    def _end(self, why: str) -> ProcessResult:
        if why:
            self._running.kill()
        code = self._running.wait()
        self.close()
        self._over = ProcessResult("", "", why or _exit_description(code))
        return self._over

    def close(self) -> None:
        """Ends it."""
        self._running.kill()
        self._running.wait()
        assert self._running.stdin is not None
        with suppress(OSError):
            self._running.stdin.close()


def _usage(pid: int) -> tuple[float, int]:
    """Seconds of computing and resident bytes of a process; nothing of one that has ended."""
    import psutil

    try:
        process = psutil.Process(pid)
        return sum(process.cpu_times()[:2]), process.memory_info().rss
    except psutil.Error:
        return 0.0, 0


@contextmanager
def _parent_pipe() -> Iterator[int]:
    """What a process has for stdin: its other end is closed when this process ends, however it does."""
    leash, held = os.pipe()
    try:
        yield leash
    finally:
        os.close(leash)
        os.close(held)


def _listen(
    running: subprocess.Popen[bytes], until: float, heard: Callable[[str], None], cancelled: Callable[[], bool]
) -> str:
    """The last line that it prints. Raises TimeoutExpired, by the monotonic clock, and Cancelled."""
    lines: Queue[str | None] = Queue()
    threading.Thread(target=_read_lines, args=(running, lines), daemon=True).start()
    told = ""
    while (line := _next_line(lines)) is not None:
        if line:
            told = line
            heard(line)
        if cancelled():
            raise Cancelled("The process was cancelled.")
        if time.monotonic() > until:
            raise subprocess.TimeoutExpired(running.args, 0.0)
    return told


def _read_lines(running: subprocess.Popen[bytes], lines: Queue[str | None]) -> None:
    """Every line that the process prints, and None when it prints no more."""
    assert running.stdout is not None
    with running.stdout:
        for line in running.stdout:
            lines.put(line.decode("utf-8", "replace").rstrip("\r\n"))
    lines.put(None)


def _next_line(lines: Queue[str | None]) -> str | None:
    """The next line, an empty one where there is none yet; None at the end."""
    try:
        return lines.get(timeout=0.1)
    except Empty:
        return ""


def exit_with_parent() -> None:
    """Called by what run_isolated started: this process ends when the other does, and at the latest after its seconds.

    The clock runs without Python's lock, which a driver that hangs may hold.
    """
    faulthandler.dump_traceback_later(float(os.environ[_TIMEOUT_VARIABLE]), exit=True)

    def follow() -> None:
        os.read(0, 1)  # unbuffered: a thread that holds sys.stdin's lock aborts the end of the process
        os._exit(1)

    threading.Thread(target=follow, name="leash", daemon=True).start()


def claim_stdout(encoding: str) -> TextIOWrapper:
    """stdout for our words alone: what a driver's library prints to file descriptor 1 goes to stderr from now on.

    What `encoding` has no sign for is escaped.
    """
    out = os.fdopen(os.dup(1), "w", encoding=encoding, newline="\n", errors="backslashreplace")
    os.dup2(2, 1)
    return out
