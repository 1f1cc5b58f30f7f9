"""Downloads one file of the Hub to a partial file: resumable, hashed while it arrives, stoppable within a second.

    caller's thread   run_in_thread ── report(progress), cancelled() ten times a second ──┐
                                                                                          ├── DownloadState
    worker thread     download ── GET, Range ──▶ <hash>.incomplete, hash ─────────────────┘

`hf_hub_download` keeps no partial file (since 2.x) and cannot be stopped while it waits for bytes; here the caller
shuts the socket down, which ends the worker's read at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import queue
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from workflows.checkpoint.files import CHUNK
from workflows.common.errors import Cancelled
from workflows.wire.events import Event, ProgressEvent

if TYPE_CHECKING:
    import httpx2

POLL = 0.1  # seconds between two calls of `cancelled`
RETRIES = 3  # consecutive attempts without a byte
PAUSE = 1.0  # seconds between attempts
_JOIN = 0.7  # seconds to wait for a stopped worker; it is a daemon thread and ends at its next timeout at the latest


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a repository; `etag` is its SHA-256 (LFS) or its git blob id (SHA-1 with git's prefix), in hex."""

    name: str
    size: int
    etag: str

    def hasher(self) -> hashlib._Hash:
        """A new hash object whose result must equal `etag`."""
        return hashlib.sha256() if len(self.etag) == 64 else hashlib.sha1(f"blob {self.size}\0".encode())


class StoppedError(Exception):
    """Ends the worker's job after `DownloadState.stop`; never leaves this package."""


class DownloadState:
    """State that the worker and the caller share: progress, pending events, and stopping."""

    def __init__(self) -> None:
        self.name = ""
        self.total = 0
        self.finished = 0  # bytes of completed files
        self.current = 0  # bytes of the current file
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._response: httpx2.Response | None = None

    def check(self) -> None:
        """Raises StoppedError after `stop`."""
        if self._stop.is_set():
            raise StoppedError

    def pause(self, seconds: float) -> None:
        """Waits `seconds`; raises StoppedError after `stop`."""
        self._stop.wait(seconds)
        self.check()

    def start_file(self, name: str) -> None:
        """Starts the next file."""
        self.check()
        self.name, self.current = name, 0

    def finish_file(self, size: int) -> None:
        """Completes the current file."""
        self.finished, self.current = self.finished + size, 0

    def advance(self, count: int) -> None:
        """Adds `count` bytes to the current file."""
        self.check()
        self.current += count

    def stop(self) -> None:
        """Stops the worker, even while it waits for bytes."""
        self._stop.set()
        with self._lock:
            stream = self._response.extensions.get("network_stream") if self._response else None
            connection = stream.get_extra_info("socket") if stream else None
            if isinstance(connection, socket.socket):
                with contextlib.suppress(OSError):  # already closed
                    # The plain socket's method: TLS must not be shut down while another thread reads.
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)

    @contextlib.contextmanager
    def reading(self, response: httpx2.Response) -> Iterator[None]:
        """Makes the socket of `response` reachable for `stop` while the worker reads it."""
        with self._lock:
            self._response = response
        try:
            self.check()
            yield
        finally:
            with self._lock:
                self._response = None


def run_in_thread(
    job: Callable[[], Path], state: DownloadState, report: Callable[[Event], None], cancelled: Callable[[], bool]
) -> Path:
    """Runs `job` in a thread and reports its progress meanwhile. Returns its result; raises its error, or Cancelled."""
    future: Future[Path] = Future()

    def run() -> None:
        try:
            future.set_result(job())
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            future.set_exception(error)

    worker = threading.Thread(target=run, name="joinery-hub", daemon=True)
    worker.start()
    try:
        _watch(worker, state, report, cancelled)
    finally:
        if worker.is_alive():
            state.stop()
            worker.join(_JOIN)
    return future.result()


def _watch(
    worker: threading.Thread, state: DownloadState, report: Callable[[Event], None], cancelled: Callable[[], bool]
) -> None:
    reported: tuple[str, int, int] = ("", 0, 0)
    while True:
        worker.join(POLL)
        alive = worker.is_alive()
        while not state.events.empty():
            report(state.events.get())
        now = (state.name, state.finished + state.current, state.total)
        if now != reported and now[0]:
            reported = now
            report(ProgressEvent(stage="checkpoint", message=now[0], done=now[1], total=now[2], unit="bytes"))
        if not alive:
            return
        if cancelled():
            raise Cancelled("Cancelled; the received part is kept, and the next download continues from there.")


def download(
    session: httpx2.Client, url: str, headers: dict[str, str], file: RemoteFile, partial: Path, state: DownloadState
) -> str:
    """Completes `partial` from its current length and returns its hash in hex, for comparison with `etag`.

    Raises httpx2.HTTPError after RETRIES attempts without a byte, HfHubHTTPError for a refusal, StoppedError.
    """
    import httpx2

    failures = 0
    while True:
        before = partial.stat().st_size if partial.exists() else 0
        try:
            return _attempt(session, url, headers, file, partial, state)
        except (httpx2.TimeoutException, httpx2.NetworkError, httpx2.RemoteProtocolError):
            state.check()
            failures = 0 if partial.exists() and partial.stat().st_size > before else failures + 1
            if failures >= RETRIES:
                raise
            state.pause(PAUSE)


def _attempt(
    session: httpx2.Client, url: str, headers: dict[str, str], file: RemoteFile, partial: Path, state: DownloadState
) -> str:
    import httpx2
    from huggingface_hub.utils import hf_raise_for_status

    with partial.open("ab+") as out:
        hasher, start = _resume(file, out, state)
        if start < file.size or file.size == 0:
            request = {**headers, "Accept-Encoding": "identity"} | ({"Range": f"bytes={start}-"} if start else {})
            timeout = httpx2.Timeout(30, connect=10)
            with session.stream("GET", url, headers=request, timeout=timeout) as response, state.reading(response):
                if response.status_code >= 400:
                    response.read()
                hf_raise_for_status(response)
                if start and not response.headers.get("Content-Range", "").startswith(f"bytes {start}-"):
                    out.truncate(0)  # the server sends the whole file again
                    hasher, state.current = file.hasher(), 0
                _receive(response, file, out, hasher, state)
        out.flush()
        os.fsync(out.fileno())
    if state.current < file.size:
        raise httpx2.RemoteProtocolError(f"{state.current} of {file.size} bytes arrived")
    return hasher.hexdigest()


def _receive(
    response: httpx2.Response, file: RemoteFile, out: BinaryIO, hasher: hashlib._Hash, state: DownloadState
) -> None:
    """Writes the body to the partial file; stops at a body longer than the file, whose hash is then wrong."""
    for chunk in response.iter_bytes():
        state.advance(len(chunk))
        out.write(chunk)
        hasher.update(chunk)
        if state.current > file.size:
            return


def _resume(file: RemoteFile, out: BinaryIO, state: DownloadState) -> tuple[hashlib._Hash, int]:
    """Returns hash and length of the bytes that exist; truncates a partial file that is too long."""
    if out.seek(0, os.SEEK_END) > file.size:
        out.truncate(0)
    hasher, state.current = file.hasher(), 0
    out.seek(0)
    while chunk := out.read(CHUNK):
        hasher.update(chunk)
        state.advance(len(chunk))
    return hasher, state.current
