"""The process at the other end of a connection: answers requests, keeps files, and runs one child.

    stdin ──frames──▶ reader ──▶ queue ──▶ main thread: greeting, files, start, interrupt ──answers──▶ stdout
                        └─ silence, end of stdin ─▶ the child's group is killed, the process ends

Requests are CONTROL frames with the key "op"; each is answered by {"answer": …} or {"error": sentence, "kind": class}.
{"exit": code} and {"run": …} (a record for the history) come by themselves. Only the standard library, psutil and files
are touched here: no driver can hang this process.
"""

from __future__ import annotations

import os
import platform
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import workflows
from workflows.common.errors import JoineryError, RequestError, describe_os_error
from workflows.common.files import free_disk_bytes
from workflows.process.run_outbox import RUNS_FOLDER, take_runs
from workflows.service.remote.child import Child
from workflows.service.remote.frames import (
    ALIVE,
    ALIVE_EVERY_S,
    BLOCK,
    CONTROL,
    DATA,
    ERRORS,
    INPUT,
    MARKER,
    OUTPUT,
    SILENCE_S,
    Frame,
    read_frame,
    write_control,
    write_frame,
)
from workflows.service.remote.store import FileStore, PartialFile, disk_problem
from workflows.wire.version import wire_version

Message = Mapping[str, Any]
_PENDING = 64
"""Frames that wait for the main thread: beyond them the sender waits."""


class Agent:
    """Serves one connection. end: ends the process, which tests replace."""

    def __init__(
        self, requests: BinaryIO, out: BinaryIO, store: FileStore, end: Callable[[int], None] = os._exit
    ) -> None:
        self._requests, self._out, self._store, self._end = requests, out, store, end
        self._write = threading.Lock()
        self._frames: queue.Queue[Frame | None] = queue.Queue(_PENDING)
        self._child: Child | None = None
        self._received_at = time.monotonic()
        self._ending = threading.RLock()  # a second signal interrupts the handler of the first one
        self._runs = store.session / "runs"
        self._operations: Mapping[object, Callable[[Message], object]] = {
            "arrived": lambda message: store.arrived(message["files"], message["temporary"]),
            "receive": self._receive,
            "folder": self._make_folder,
            "output_file": lambda message: str(store.make_output_file(message["name"])),
            "fetch": self._fetch,
            "start": self._start,
            "interrupt": self._interrupt,
            "clear": lambda _: store.clear(),
        }

    def run(self) -> None:
        """Serves until the connection ends; then ends the process."""
        with self._write:
            self._out.write(MARKER)
        for act in (self._read, self._watch, self._report):
            threading.Thread(target=act, name=act.__name__, daemon=True).start()
        try:
            self._store.open_session()
        except (JoineryError, OSError) as error:
            self._send({"greeting": {**_facts(), "problem": _sentence(error)}})
        else:
            sizes = {"free": free_disk_bytes(self._store.session), "copied": self._store.copied_bytes}
            self._send({"greeting": {**_facts(), **sizes}})
        while (frame := self._frames.get()) is not None:
            if frame.kind == INPUT and self._child is not None:
                self._child.write(frame.content)
            elif frame.kind == CONTROL:
                self._answer(frame)

    # -- threads -------------------------------------------------------------------------------------

    def _read(self) -> None:
        """Reads frames until the connection ends, and then ends everything."""
        with suppress(OSError, ValueError):
            while (frame := read_frame(self._requests)) is not None:
                self._received_at = time.monotonic()
                if frame.kind != ALIVE:
                    self._frames.put(frame)
                    self._received_at = time.monotonic()
        self.stop()

    def _watch(self) -> None:
        """Ends everything when the connection is silent."""
        while time.monotonic() - self._received_at < SILENCE_S:
            time.sleep(0.25)
        self.stop()

    def _report(self) -> None:
        """Reports that this end is alive, how the child is, and what it recorded."""
        while True:
            time.sleep(ALIVE_EVERY_S)
            child = self._child
            with suppress(OSError, ValueError):
                if child is not None:
                    self._send_runs()
                self._send(child.state() if child is not None else {}, ALIVE)

    def stop(self) -> None:
        """Kills the child's group and ends the process."""
        with self._ending:
            if self._child is not None:
                self._child.kill()
            self._store.close_session()
            self._end(0)

    # -- requests ------------------------------------------------------------------------------------

    def _answer(self, frame: Frame) -> None:
        try:
            message = frame.json()
            act = self._operations.get(message["op"])
            if act is None:
                raise RequestError("The other end has a request that is not known here: install one version on both.")
            self._send({"answer": act(message)})
        except JoineryError as error:
            self._send({"error": str(error), "kind": type(error).__name__})
        except OSError as error:
            self._send({"error": _sentence(error), "kind": "RemoteError"})
        except (KeyError, TypeError, ValueError) as error:
            problem = f"A request is malformed ({error!r}): install one version on both."
            self._send({"error": problem, "kind": "RemoteError"})

    def _receive(self, message: Message) -> object:
        """Appends the DATA frames that follow, up to the next CONTROL frame."""
        file: PartialFile | None = None
        problem: Exception | None = None
        try:
            file = self._store.receive(message["sha256"], message["bytes"], message["temporary"])
        except (JoineryError, OSError) as error:
            problem = error
        self._send({"answer": file.bytes if file is not None else -1})
        while (frame := self._frames.get()) is not None and frame.kind != CONTROL:
            if frame.kind == INPUT and self._child is not None:
                self._child.write(frame.content)
            elif frame.kind == DATA and file is not None and problem is None:
                try:
                    file.append(frame.content)
                except (JoineryError, OSError) as error:
                    problem = error
                    self._send({"stop": True})
        whole = False
        if file is not None:
            try:
                whole = file.finish()
            except (JoineryError, OSError) as error:
                problem = problem or error
        if frame is None:
            self._frames.put(None)  # the end of the connection is the main loop's
        if problem is not None:
            raise problem
        return whole

    def _make_folder(self, message: Message) -> object:
        return str(self._store.make_folder_of(message["name"], message["files"], message["temporary"]))

    def _fetch(self, message: Message) -> object:
        """Sends a file of this session as DATA frames."""
        path = Path(message["path"])
        if not path.resolve().is_relative_to(self._store.session.resolve()):
            raise RequestError("Only files of this connection can be fetched.")
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                with self._write:
                    write_frame(self._out, DATA, block)
        return path.stat().st_size

    def _start(self, message: Message) -> object:
        if self._child is not None:
            raise RequestError("This connection runs a process already.")
        self._runs.mkdir(exist_ok=True)
        environment = {**message["environment"], RUNS_FOLDER: str(self._runs)}
        self._child = Child(message["module"], message["arguments"], environment, self._on_output, self._on_exit)
        self._child.watch()  # only now: it may end at once
        return None

    def _interrupt(self, _: Message) -> object:
        if self._child is not None:
            self._child.interrupt()
        return None

    # -- the child -----------------------------------------------------------------------------------

    def _on_output(self, is_output: bool, data: bytes) -> None:
        with suppress(OSError, ValueError):
            if is_output:
                self._send_runs()  # a run comes before the event that ends its job
            with self._write:
                write_frame(self._out, OUTPUT if is_output else ERRORS, data)

    def _on_exit(self, code: int) -> None:
        with suppress(OSError, ValueError):
            self._send_runs()
            self._child = None
            self._send({"exit": code})

    def _send_runs(self) -> None:
        with self._write:
            for run in take_runs(self._runs):
                write_control(self._out, {"run": run})

    def _send(self, message: Message, kind: bytes = CONTROL) -> None:
        with self._write:
            write_control(self._out, message, kind)


def _facts() -> dict[str, object]:
    """What the greeting states of this machine."""
    return {
        "joinery": workflows.__version__,
        "wire": wire_version(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "pid": os.getpid(),
    }


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError):
        return disk_problem(error) or describe_os_error(error)
    return str(error)


def main() -> None:
    """Serves the connection on stdin and stdout; whatever else is printed goes to stderr."""
    out = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    if sys.platform != "win32":
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a limit on the size of files is an error, not an end
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    agent = Agent(sys.stdin.buffer, os.fdopen(out, "wb"), FileStore())
    for number in (signal.SIGTERM, signal.SIGINT, *((signal.SIGHUP,) if sys.platform != "win32" else ())):
        signal.signal(number, lambda *_: agent.stop())
    agent.run()


if __name__ == "__main__":
    main()
