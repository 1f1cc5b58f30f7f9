"""Starts programs without their imports: a process that has a module loaded forks itself for each of them (Linux).

    Server("tests.fakes.worker").command("{}") ──▶ python launch.py SOCKET {} ──its streams, folder, environment──▶ fork
                                                          │ signals ─▶ the fork │ ◀─ how it ended

launch.py lives as long as the fork, passes signals on and ends as it ends: whoever starts the command sees an ordinary
process. Standard streams may be pipes, files, closed, or a terminal that is not the controlling one. What Python reads
of the environment before the program begins (PYTHONPATH, PYTHONIOENCODING) is the server's.
"""

from __future__ import annotations

import gc
import marshal
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any, cast

LAUNCH = Path(__file__).with_name("launch.py")
AVAILABLE = sys.platform == "linux"


class Server:
    """A server whose forks run the `main` of a module, in which `preloaded` modules are imported as well."""

    def __init__(self, module: str, *preloaded: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="forks")
        self._socket = str(Path(self._folder.name) / "s")
        command = [sys.executable, "-m", "tests.fakes.fork_server", self._socket, module, *preloaded]
        root = str(Path(__file__).parents[2])
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, cwd=root
        )
        assert self._process.stdout
        self._process.stdout.readline()  # it listens

    def command(self, *arguments: str) -> list[str]:
        """The command line that runs the module with these arguments."""
        return [sys.executable, "-I", "-S", str(LAUNCH), self._socket, *arguments]

    def close(self) -> None:
        """Ends the server and all that it started."""
        self._process.communicate()
        self._folder.cleanup()


class _Forks:
    """The server's loop."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._clients: dict[int, socket.socket] = {}
        self._wakeup, write = os.pipe()
        os.set_blocking(write, False)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._descriptors = [self._wakeup, write]

    def run(self) -> list[str]:
        """Serves until stdin ends, and exits then. Returns in each fork, with its arguments."""
        while True:
            watched: list[Any] = [0, self._listener, self._wakeup, *self._clients.values()]
            ready, _, _ = select.select(watched, [], [])
            if 0 in ready:
                for process in self._clients:
                    os.kill(process, signal.SIGKILL)
                os._exit(0)
            self._end_forks(ready)
            if self._wakeup in ready:
                os.read(self._wakeup, 4096)
                self._report_ended()
            if self._listener in ready:
                arguments = self._fork(self._listener.accept()[0])
                if arguments is not None:
                    return arguments

    def _end_forks(self, ready: list[object]) -> None:
        """A client that was killed takes its fork along."""
        for process, client in self._clients.items():
            if client in ready:
                os.kill(process, signal.SIGKILL)

    def _report_ended(self) -> None:
        for process in list(self._clients):
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended:
                with self._clients.pop(process) as client:
                    try:
                        client.sendall(struct.pack("i", os.waitstatus_to_exitcode(status)))
                    except OSError:
                        continue  # the client was killed

    def _fork(self, client: socket.socket) -> list[str] | None:
        descriptors: list[int] = []
        try:
            head, descriptors, _, _ = socket.recv_fds(client, 4, 3)
            data = _read(client, struct.unpack("I", head)[0])
        except (OSError, struct.error):
            client.close()  # it was killed at once
            for descriptor in descriptors:
                os.close(descriptor)
            return None
        streams, arguments, folder, environment = marshal.loads(data)
        process = os.fork()
        if process:
            for descriptor in descriptors:
                os.close(descriptor)
            self._clients[process] = client
            with suppress(OSError):  # it was killed meanwhile: `_end_forks` sees its end
                client.sendall(struct.pack("i", process))
            return None
        self._become(dict(zip(streams, descriptors, strict=True)), client)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        return list(arguments)

    def _become(self, streams: dict[int, int], client: socket.socket) -> None:
        """In the fork: the client's streams and nothing of the server's."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for each in (self._listener, client, *self._clients.values()):
            each.close()
        for descriptor in self._descriptors:
            os.close(descriptor)
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            if number in streams:
                os.dup2(streams[number], number)
                os.close(streams[number])
            else:
                os.close(number)
                setattr(sys, name, None)
                setattr(sys, f"__{name}__", None)
        if 1 in streams and os.isatty(1):
            cast(TextIOWrapper, sys.stdout).reconfigure(line_buffering=True)


def _read(client: socket.socket, size: int) -> bytes:
    """`size` bytes. Raises OSError if the client ended before."""
    data = b""
    while len(data) < size:
        part = client.recv(1 << 20)
        if not part:
            raise OSError("the client ended within its request")
        data += part
    return data


def main() -> None:
    """Listens, imports, forks."""
    path, module, *preloaded = sys.argv[1:]
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    os.write(1, b"\n")
    run: Callable[[], object] = import_module(module).main
    for name in preloaded:
        import_module(name)
    gc.collect()
    gc.freeze()
    arguments = _Forks(listener).run()
    sys.argv = [str(sys.modules[module].__file__), *arguments]
    run()


if __name__ == "__main__":
    main()
