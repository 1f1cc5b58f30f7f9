"""A relay on loopback between a client and a server: slow, silent or cut off.

client ──▶ port ──each part after `delay` seconds──▶ server, and back;  freeze(): nothing passes, nothing is closed
"""

from __future__ import annotations

import queue
import socket
import threading
import time
from contextlib import suppress


class Relay:
    """Listens on `port` and passes on to `target`. delay: seconds of one way."""

    def __init__(self, target: int, delay: float = 0.0) -> None:
        self.delay = delay
        self._target, self._frozen = target, threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._sockets = list[socket.socket]()
        threading.Thread(target=self._accept, daemon=True).start()

    def freeze(self) -> None:
        """From now on nothing passes, and neither end is told."""
        self._frozen.set()

    def cut(self) -> None:
        """Closes all connections."""
        for one in self._sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self._sockets.clear()

    def close(self) -> None:
        """Ends the relay."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._target))
                for one in (near, far):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._sockets += [near, far]
                for source, target in ((near, far), (far, near)):
                    parts: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()
                    threading.Thread(target=self._read, args=(source, parts), daemon=True).start()
                    threading.Thread(target=self._write, args=(parts, target), daemon=True).start()

    def _read(self, source: socket.socket, parts: queue.SimpleQueue[tuple[float, bytes]]) -> None:
        data = b"?"
        while data:
            try:
                data = source.recv(1 << 16)
            except OSError:
                data = b""
            parts.put((time.monotonic() + self.delay, data))

    def _write(self, parts: queue.SimpleQueue[tuple[float, bytes]], target: socket.socket) -> None:
        with suppress(OSError):
            while True:
                due, data = parts.get()
                time.sleep(max(0.0, due - time.monotonic()))
                if self._frozen.is_set():
                    continue
                if not data:
                    target.shutdown(socket.SHUT_WR)
                    return
                target.sendall(data)
