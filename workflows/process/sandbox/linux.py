"""Removes network access from a process and its children by a seccomp filter, which needs no privilege.

    socket(family, …) ──filter in the kernel──▶ AF_UNIX, AF_NETLINK: unchanged │ any other family: EACCES
    io_uring_setup, calls of another architecture's table ──▶ ENOSYS: they would bypass the filter

Both allowed families are local: X11 and drivers communicate over AF_UNIX and query devices over AF_NETLINK.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from typing import NamedTuple


class _SyscallNumbers(NamedTuple):
    """The audit number of an architecture and the numbers of its system calls."""

    audit: int
    socket: int
    seccomp: int


_ARCHITECTURES = {"x86_64": _SyscallNumbers(0xC000003E, 41, 317), "aarch64": _SyscallNumbers(0xC00000B7, 198, 277)}
_IO_URING_SETUP = 425  # on all architectures
_X32 = 0x40000000  # offset of the x32 table of system calls, which has its own socket call
_AF_UNIX, _AF_NETLINK = 1, 16
_SET_NO_NEW_PRIVS, _FILTER, _ALL_THREADS = 38, 1, 1
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # of classic BPF
_NUMBER, _ARCHITECTURE, _FAMILY = 0, 4, 16  # offsets in struct seccomp_data
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000


def deny_network() -> str:
    """Removes network access from all threads of this process; returns why it failed, empty if it did not."""
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
    """The C library with the argument types of prctl and syscall."""
    library = ctypes.CDLL(None, use_errno=True)
    word = ctypes.c_ulong
    library.prctl.argtypes = (ctypes.c_int, word, word, word, word)
    library.syscall.argtypes, library.syscall.restype = (ctypes.c_long, word, word, ctypes.c_char_p), ctypes.c_long
    return library


def _errno_text(what: str) -> str:
    code = ctypes.get_errno()
    return f"the kernel refuses it {what} ({os.strerror(code) if code else 'for a thread has another'})"


def _program(calls: _SyscallNumbers) -> bytes:
    """The BPF program; each row has the opcode, the jumps if true and if false, and the operand."""
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
