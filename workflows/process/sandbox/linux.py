"""No network for a process and all that it starts, by a seccomp filter: no right is needed, and none is gained.

    socket(family, …) ──filter in the kernel──▶ AF_UNIX, AF_NETLINK: as ever │ any other family: EACCES
    io_uring_setup, calls of another architecture's table ──▶ ENOSYS: ways past the filter

Both families that stay are of this machine alone: X11 and drivers speak over the one, and ask for devices over the
other.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from typing import NamedTuple


class _SyscallNumbers(NamedTuple):
    """The numbers of an architecture: its own in the kernel's audit, and those of system calls."""

    audit: int
    socket: int
    seccomp: int


_ARCHITECTURES = {"x86_64": _SyscallNumbers(0xC000003E, 41, 317), "aarch64": _SyscallNumbers(0xC00000B7, 198, 277)}
_IO_URING_SETUP = 425  # on all
_X32 = 0x40000000  # calls of x86-64's second table, which has a socket of its own
_AF_UNIX, _AF_NETLINK = 1, 16
_SET_NO_NEW_PRIVS, _FILTER, _ALL_THREADS = 38, 1, 1
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # of classic BPF
_NUMBER, _ARCHITECTURE, _FAMILY = 0, 4, 16  # where the kernel lays them: struct seccomp_data
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000


def deny_network() -> str:
    """Takes the network from every thread of this process, for good; why it could not be, empty where it was."""
    machine = platform.machine()
    calls = _ARCHITECTURES.get(machine)
    if calls is None:
        return f"there is no filter of system calls for {machine} here"
    kernel = _kernel()
    if kernel.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        return _errno_text("no_new_privs")
    words = _program(calls)
    code = ctypes.create_string_buffer(words)
    program = struct.pack("HxxxxxxP", len(words) // 8, ctypes.addressof(code))
    refused = kernel.syscall(calls.seccomp, _FILTER, _ALL_THREADS, program)
    return _errno_text("a filter of system calls") if refused else ""


def _kernel() -> ctypes.CDLL:
    """The two calls of the C library, with the widths that the kernel reads."""
    library = ctypes.CDLL(None, use_errno=True)
    word = ctypes.c_ulong
    library.prctl.argtypes = (ctypes.c_int, word, word, word, word)
    library.syscall.argtypes, library.syscall.restype = (ctypes.c_long, word, word, ctypes.c_char_p), ctypes.c_long
    return library


def _errno_text(what: str) -> str:
    code = ctypes.get_errno()
    return f"the kernel refuses it {what} ({os.strerror(code) if code else 'for a thread has another'})"


def _program(calls: _SyscallNumbers) -> bytes:
    """The filter: each line an instruction, how far it jumps where it holds and where not, and its operand."""
    lines = (
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 0, 8, calls.audit),
        (_LOAD, 0, 0, _NUMBER),
        (_EQUAL, 6, 0, _IO_URING_SETUP),
        (_AT_LEAST, 5, 0, _X32),
        (_EQUAL, 0, 5, calls.socket),
        (_LOAD, 0, 0, _FAMILY),
        (_EQUAL, 3, 0, _AF_UNIX),
        (_EQUAL, 2, 0, _AF_NETLINK),
        (_RETURN, 0, 0, _REFUSE | errno.EACCES),
        (_RETURN, 0, 0, _REFUSE | errno.ENOSYS),
        (_RETURN, 0, 0, _ALLOW),
    )
    return b"".join(struct.pack("HBBI", *line) for line in lines)
