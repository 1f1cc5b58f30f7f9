"""The one process that an agent runs: a worker, or a command of `joinery`, in a process group of its own.

    INPUT frames ──▶ stdin   module   stdout ──▶ OUTPUT frames, stderr ──▶ ERRORS frames, its end ──▶ {"exit": code}

The group is killed as a whole: what a worker starts does not outlive it. On Linux the system kills the process too when
the agent is gone, whatever it does then.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO

import psutil

from workflows.common.errors import RequestError
from workflows.process.activity import ProcessActivity
from workflows.process.subprocesses import module_search_path, own_group, python_command

GUARD = "workflows.process.guard"
MODULES = ("workflows", "workflows.service.worker")
"""The modules that a connection may start: the command line, and the worker."""
_READ = 1 << 16


class Child:
    """A running process.

    on_output: called in threads, with True for stdout. on_exit: called with its exit code. Both only after `watch`.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        on_output: Callable[[bool, bytes], None],
        on_exit: Callable[[int], None],
    ) -> None:
        if module not in MODULES:
            raise RequestError(f"A connection starts {' or '.join(MODULES)} and nothing else.")
        own = {"PYTHONPATH": module_search_path(os.environ.get("PYTHONPATH", ""))}
        self._process = subprocess.Popen(
            [*python_command(GUARD), str(os.getpid()), module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **own, **environment},
            **own_group(),
        )
        self.pid = self._process.pid
        self._activity = ProcessActivity()
        self._input: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._on_output, self._on_exit = on_output, on_exit

    def watch(self) -> None:
        """Passes on what the process reads, writes and ends with, from now on."""
        assert self._process.stdout is not None and self._process.stderr is not None
        pumps = [
            threading.Thread(target=_pump, args=(self._process.stdout, True, self._on_output), daemon=True),
            threading.Thread(target=_pump, args=(self._process.stderr, False, self._on_output), daemon=True),
        ]
        threading.Thread(target=self._write, daemon=True).start()
        threading.Thread(target=self._wait, args=(pumps,), daemon=True).start()

    def write(self, data: bytes) -> None:
        """Queues bytes for stdin; empty ones close it."""
        self._input.put(data or None)

    def interrupt(self) -> None:
        """What Ctrl+C does on a terminal: SIGINT to the whole group."""
        if sys.platform == "win32":
            self._process.terminate()
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGINT)

    def kill(self) -> None:
        """Kills the whole group at once."""
        if sys.platform == "win32":
            self._process.kill()
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def state(self) -> dict[str, object]:
        """Its resident bytes, and whether it works."""
        try:
            resident = psutil.Process(self.pid).memory_info().rss
        except psutil.Error:
            return {"memory": 0, "active": True}
        return {"memory": resident, "active": self._activity.sample(self.pid)}

    def _write(self) -> None:
        assert self._process.stdin is not None
        with suppress(OSError), self._process.stdin as stdin:
            while (data := self._input.get()) is not None:
                stdin.write(data)
                stdin.flush()

    def _wait(self, pumps: Sequence[threading.Thread]) -> None:
        for pump in pumps:
            pump.start()
        code = self._process.wait()
        for pump in pumps:
            pump.join(2.0)  # what it started may hold the pipes
        self.kill()
        self._on_exit(code)


def _pump(stream: IO[bytes], is_output: bool, on_output: Callable[[bool, bytes], None]) -> None:
    """Passes on what arrives, as soon as it does."""
    while data := os.read(stream.fileno(), _READ):
        on_output(is_output, data)
