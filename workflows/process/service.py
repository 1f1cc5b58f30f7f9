"""A client of a confined process that this process starts once and shares."""

from __future__ import annotations

import atexit
import json
import os
from collections.abc import Mapping
from importlib.util import find_spec
from threading import Lock
from typing import Any

from workflows.process.subprocesses import ProcessResult, ServiceProcess


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
