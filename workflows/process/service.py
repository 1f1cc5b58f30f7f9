"""The way to a process of ours that is kept, which all of this process share."""

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
    """To a module that answers lines of JSON by such lines, the first of which has `open`: what it is not kept from.

    It is started with the first question or ahead, and anew where it was ended, as Kept says over `seconds` and `most`.
    package: what its module imports and this process does not; asking raises ModuleNotFoundError where it is missing.
    """

    def __init__(self, module: str, seconds: float, most: int, package: str = "") -> None:
        self._to, self._package = (module, seconds, most), package
        self._kept: ServiceProcess | None = None
        self._owner = 0
        self._alone = Lock()
        atexit.register(self.close)

    def start(self) -> None:
        """Has it start while something else is done: that takes a fifth of a second and more."""
        with self._alone:
            self._started()

    def ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Its answer; `ended`: how the process was ended over the question.

        Raises ValueError and TypeError for what is no JSON.
        """
        line = json.dumps(question, default=dict)  # a tool may be any mapping
        with self._alone:
            found = self._started().ask(line)
        if isinstance(found, ProcessResult):
            return {"ended": found.why}
        answer: dict[str, Any] = json.loads(found)
        return answer

    def why_open(self) -> str:
        """What the process could not be kept from, as a sentence; empty where it is kept from all that it should."""
        with self._alone:
            hello = self._started().hello
        return "" if isinstance(hello, ProcessResult) else str(json.loads(hello)["open"])

    def _started(self) -> ServiceProcess:
        ours = self._owner == os.getpid()  # what a fork has of its parent's is its parent's
        if self._kept is None or not ours or not self._kept.alive:
            if self._package and find_spec(self._package) is None:
                raise ModuleNotFoundError(f"No module named {self._package!r}", name=self._package)
            self._kept, self._owner = ServiceProcess(*self._to), os.getpid()
        return self._kept

    def close(self) -> None:
        """Ends it; the next question starts another one."""
        with self._alone:
            if self._kept is not None and self._owner == os.getpid():
                self._kept.close()
            self._kept = None
