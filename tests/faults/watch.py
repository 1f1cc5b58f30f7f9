"""Every change of a folder that a process makes, seen by its parent before it happens: let by, refused, or the last.

    fork ──seccomp: these calls ask first──▶ call ──listener──▶ Watch ──▶ goes on │ gives errno │ SIGKILL

Linux alone, from 5.5 on, x86-64 and aarch64. The kernel asks, so that what SQLite, Qt and onnx write counts as much as
what Python does. fsync is counted and answered, and not done: no process here loses its power, and a disk takes time.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import select
import signal
import socket
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fcntl import ioctl
from pathlib import Path

_ARM = platform.machine() == "aarch64"
# name: number on x86-64 (None where it is of old) and on aarch64, which argument is the path, or the file's handle
_CALLS: dict[str, tuple[int | None, int | None, int]] = {
    "open": (2, None, 0), "openat": (257, 56, 1), "write": (1, 64, -1), "pwrite": (18, 68, -1),
    "writev": (20, 66, -1), "pwritev": (296, 70, -1), "truncate": (76, 45, 0), "ftruncate": (77, 46, -1),
    "fallocate": (285, 47, -1), "fsync": (74, 82, -1), "fdatasync": (75, 83, -1), "rename": (82, None, 1),
    "renameat": (264, 38, 3), "renameat2": (316, 276, 3), "link": (86, None, 1), "linkat": (265, 37, 3),
    "symlink": (88, None, 1), "symlinkat": (266, 36, 2), "unlink": (87, None, 0), "unlinkat": (263, 35, 1),
    "rmdir": (84, None, 0), "mkdir": (83, None, 0), "mkdirat": (258, 34, 1), "chmod": (90, None, 0),
    "fchmod": (91, 52, -1), "fchmodat": (268, 53, 1), "sendfile": (40, 71, -1), "copy_file_range": (326, 285, -3),
    "flock": (73, 32, -1),
}  # fmt: skip
_BY_NUMBER = {numbers[_ARM]: (name, numbers[2]) for name, numbers in _CALLS.items() if numbers[_ARM] is not None}
_AT = {"openat", "renameat", "renameat2", "linkat", "symlinkat", "unlinkat", "mkdirat", "fchmodat"}
_WRITES = {"write", "pwrite"}
_SYNCS = {"fsync", "fdatasync"}
TAKES_ROOM = {"open", "openat", "write", "pwrite", "writev", "pwritev", "ftruncate", "fallocate", "rename", "renameat",
              "link", "linkat", "mkdir", "mkdirat", "sendfile", "copy_file_range"}  # fmt: skip
_SECCOMP = 277 if _ARM else 317
_NEW_LISTENER, _TAKE, _ANSWER, _GO_ON = 8, 0xC0502100, 0xC0182101, 1
_NO_NEW_RIGHTS, _HERE = 38, -100
_CHANGES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


@dataclass(frozen=True)
class Operation:
    """A change of a file: the call's name and the file's path, that of the new name where there are two."""

    name: str
    path: Path


@dataclass(frozen=True)
class Fault:
    """What becomes of one operation. code: an errno; 0: the process is killed, in the middle of what it writes.

    lasts: every later operation that takes room ends so, as on a disk that is full and stays so.
    """

    name: str
    code: int = 0
    lasts: bool = False


KILL = Fault("killed")
FAULTS = (
    Fault("ENOSPC", errno.ENOSPC),
    Fault("ENOSPC from then on", errno.ENOSPC, lasts=True),
    Fault("EIO", errno.EIO),
    Fault("EINTR", errno.EINTR),
    KILL,
)
_INTERRUPTED = {"open", "openat", "write", "pwrite", "writev", "pwritev", "fallocate", "flock", "fsync", "fdatasync"}


def can_meet(fault: Fault, operation: Operation) -> bool:
    """Whether a system would do that: a full disk refuses no removal, and a signal interrupts only what may wait."""
    if fault.code == errno.EINTR:
        return operation.name in _INTERRUPTED
    return fault.code != errno.ENOSPC or operation.name in TAKES_ROOM | _SYNCS


@dataclass
class Ended:
    """How a watched process ended. told: what its work returned. code: of its exit, minus the signal's number."""

    code: int
    told: str
    operations: list[Operation]


def why_not() -> str:
    """Why nothing can be watched here; empty where it can."""
    if sys.platform != "linux":
        return "only Linux lets a process see another's calls before they happen"
    try:
        return "" if watched(lambda: "", Path("/nowhere")).code == 0 else "the watched process did not end well"
    except OSError as error:
        return f"this system lets no process watch its own: {error}"


def watched(work: Callable[[], str], root: Path, fault: Fault | None = None, at: int = 0) -> Ended:
    """Does `work` in a fork, whose operations below `root` are counted from 1; that numbered `at` meets the fault."""
    ours, theirs = socket.socketpair()
    told = os.memfd_create("told")
    child = os.fork()
    if child == 0:
        _work(work, theirs, told)
    theirs.close()
    try:
        message, handles, _, _ = socket.recv_fds(ours, 8, 1)
        operations = _Watch(child, handles[0], os.path.realpath(root), fault, at).follow() if handles else []
    finally:
        ours.close()
        status = os.waitpid(child, 0)[1]
    with os.fdopen(told, "rb") as said:
        said.seek(0)
        text = said.read().decode()
    if not handles:
        raise OSError(int(message or b"0"), os.strerror(int(message or b"0")))
    code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    return Ended(code, text, operations)


def _work(work: Callable[[], str], theirs: socket.socket, told: int) -> None:
    """The fork's whole life."""
    code = 1
    try:
        try:
            socket.send_fds(theirs, [b"0"], [_listen()])
        except OSError as error:
            theirs.send(str(error.errno).encode())
            return
        text = work().encode()
        os.write(told, text)
        code = 0
    finally:
        os._exit(code)


def _listen() -> int:
    """Has the kernel ask before each of the calls; the handle where it does. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_RIGHTS, *map(ctypes.c_ulong, (1, 0, 0, 0)))
    numbers = list(_BY_NUMBER)
    program = struct.pack("HBBI", 0x20, 0, 0, 0)  # load the call's number
    for left, number in zip(range(len(numbers) - 1, -1, -1), numbers, strict=True):
        program += struct.pack("HBBI", 0x15, left + 1, 0, number)  # equal: to the end
    program += struct.pack("HBBI", 6, 0, 0, 0x7FFF0000) + struct.pack("HBBI", 6, 0, 0, 0x7FC00000)  # go on; ask
    code = ctypes.create_string_buffer(program, len(program))
    filter_ = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code)), 16)
    long, given = ctypes.c_ulong, ctypes.c_void_p(ctypes.addressof(filter_))
    handle = libc.syscall(long(_SECCOMP), long(1), long(_NEW_LISTENER), given)
    if handle < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return int(handle)


class _Watch:
    """The parent's side: answers each call of the process and of those that it starts, until the last has ended."""

    def __init__(self, child: int, listener: int, root: str, fault: Fault | None, at: int) -> None:
        self._child, self._listener, self._root = child, listener, root
        self._fault, self._at = fault, at
        self._operations: list[Operation] = []

    def follow(self) -> list[Operation]:
        poll = select.poll()
        poll.register(self._listener, select.POLLIN)
        try:
            while not (poll.poll()[0][1] & select.POLLHUP):
                try:
                    self._answer()
                except FileNotFoundError:  # it was killed while it asked
                    if self._has_ended():  # by its own alarm: the kernel goes on to say that somebody asks
                        break
        finally:
            os.close(self._listener)
        return self._operations

    def _has_ended(self) -> bool:
        """Whether the child has; it is not reaped."""
        return os.waitid(os.P_PID, self._child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _answer(self) -> None:
        asked = bytearray(80)
        ioctl(self._listener, _TAKE, asked)
        ident, pid, _, number, _, _, *arguments = struct.unpack("QIIiIQ6Q", asked)
        name, where = _BY_NUMBER[number]
        code, done = 0, False
        try:
            path = self._path(pid, name, where, arguments)
        except OSError:  # a handle of nothing, or a process that has gone
            path = None
        if path is not None:
            self._operations.append(Operation(name, path))
            done = name in _SYNCS
            code = self._meet(name, pid, arguments)
        ioctl(self._listener, _ANSWER, struct.pack("QqiI", ident, 0, -code, 0 if code or done else _GO_ON))

    def _meet(self, name: str, pid: int, arguments: list[int]) -> int:
        """The errno of the operation that was just counted; 0 where it goes on."""
        fault, count = self._fault, len(self._operations)
        if fault is None or count < self._at or (count > self._at and not (fault.lasts and name in TAKES_ROOM)):
            return 0
        if fault.code == 0:
            if name in _WRITES:
                _write_half(pid, *arguments[:3])
            os.kill(self._child, signal.SIGKILL)
        return fault.code

    def _path(self, pid: int, name: str, where: int, arguments: list[int]) -> Path | None:
        """The file that a call would change, below the root; None for others."""
        if name in ("open", "openat") and not arguments[where + 1] & _CHANGES:
            return None
        if where < 0:
            text = str(Path(f"/proc/{pid}/fd/{arguments[-1 - where]}").readlink()).removesuffix(" (deleted)")
        else:
            at = struct.unpack("i", struct.pack("I", arguments[where - 1] & 0xFFFFFFFF))[0] if name in _AT else _HERE
            start = Path(f"/proc/{pid}/cwd" if at == _HERE else f"/proc/{pid}/fd/{at}").readlink()
            text = os.path.normpath(start / _text(pid, arguments[where]))
        return Path(text) if text.startswith(self._root + "/") else None


def _text(pid: int, address: int) -> str:
    """What C string a process has there."""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:  # noqa: PTH123
        found = b""
        while b"\0" not in found:
            memory.seek(address + len(found))
            more = memory.read(4096 - (address + len(found)) % 4096)
            if not more:  # the process died while it asked, and its memory is gone
                raise ProcessLookupError(pid)
            found += more
    return os.fsdecode(found.partition(b"\0")[0])


def _write_half(pid: int, handle: int, address: int, size: int) -> None:
    """What a process that is killed while it writes may have written."""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:  # noqa: PTH123
        memory.seek(address)
        half = memory.read(size // 2)
    facts = Path(f"/proc/{pid}/fdinfo/{handle}").read_text()
    at = int(facts.split()[1])
    target = os.open(f"/proc/{pid}/fd/{handle}", os.O_WRONLY)
    try:
        os.pwrite(target, half, at)
    finally:
        os.close(target)
