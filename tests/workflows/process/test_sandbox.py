"""What a process cannot do once it has confined itself, what goes on, and that what could not be taken is said."""

from __future__ import annotations

import errno
import struct
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from workflows.process.sandbox import linux

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the filter is Linux's own; elsewhere its lack is said")
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="a job object does it there")


def confined(code: str, most: int = 1 << 32) -> str:
    """What a process printed that confined itself and then ran `code`."""
    begin = "import socket, os, subprocess, sys\nfrom workflows.process.sandbox import confine\n"
    begin += f"assert confine({most}) == ''\n"
    done = subprocess.run(
        [sys.executable, "-P", "-c", begin + code], capture_output=True, encoding="utf-8", timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


OPENS = """
def tried(*family):
    try:
        socket.socket(*family).close()
        return 0
    except OSError as error:
        return error.errno
"""


@LINUX
def test_no_socket_leaves_the_machine() -> None:
    """Of any family but those of this machine, raw ones included."""
    families = "(socket.AF_INET,), (socket.AF_INET6,), (socket.AF_INET, socket.SOCK_DGRAM), (socket.AF_PACKET,), (40,)"
    assert confined(f"{OPENS}\nprint({{tried(*one) for one in ({families})}})") == f"{{{errno.EACCES}}}"


@LINUX
def test_the_ways_past_the_filter_are_closed() -> None:
    """io_uring, which makes sockets of its own, and what this process starts."""
    rings = "import ctypes\nc = ctypes.CDLL(None, use_errno=True)\nprint(c.syscall(425, 1, 0), ctypes.get_errno())"
    assert confined(rings) == f"-1 {errno.ENOSYS}"
    child = "import socket; socket.socket()"
    code = f"print(subprocess.run([sys.executable, '-c', {child!r}], stderr=-1, text=True).stderr)"
    assert "Permission denied" in confined(code)


@LINUX
def test_a_thread_that_was_there_before_has_no_network_either() -> None:
    code = (
        "import socket, threading\nfrom workflows.process.sandbox import confine\ngo = threading.Event()\nfound = []\n"
        "def later():\n    go.wait()\n    try:\n        socket.socket()\n    except OSError as error:\n"
        "        found.append(error.errno)\n"
        "thread = threading.Thread(target=later)\nthread.start()\nconfine(1 << 32)\n"
        "go.set()\nthread.join()\nprint(found)"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == f"[{errno.EACCES}]"


@LINUX
def test_files_pipes_and_sockets_of_the_machine_go_on(tmp_path: Any) -> None:
    (tmp_path / "file").write_text("read", "utf-8")
    code = f"""
os.chdir({str(tmp_path)!r})
served = socket.socket(socket.AF_UNIX)
served.bind('door')
served.listen()
caller = socket.socket(socket.AF_UNIX)
caller.connect('door')
there, _ = served.accept()
caller.sendall(b'heard')
one, other = socket.socketpair()
ends = os.pipe()
os.write(ends[1], b'piped')
print(open('file').read(), there.recv(5).decode(), os.read(ends[0], 5).decode(), one.family.name)
"""
    assert confined(code) == "read heard piped AF_UNIX"


@LINUX
def test_memory_is_limited_and_its_exhaustion_is_recognized() -> None:
    """More than there may be is an error like any other, and what is within goes on."""
    code = "try:\n    bytearray(1 << 30)\nexcept MemoryError:\n    print(len(bytearray(1 << 20)))"
    assert confined(code, 1 << 29) == str(1 << 20)


@LINUX
def test_a_limit_that_holds_already_is_not_raised() -> None:
    """What a person's `ulimit -d` says is the less."""
    code = (
        "import resource\nfrom workflows.process.sandbox import confine\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, resource.RLIM_INFINITY))\nconfine(1 << 40)\n"
        "print(resource.getrlimit(resource.RLIMIT_DATA)[0] == 1 << 30)"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "True"


def fake_kernel(monkeypatch: pytest.MonkeyPatch, prctl: int = 0, syscall: int = 0) -> None:
    """A kernel that answers so, and does nothing."""
    answers = SimpleNamespace(prctl=lambda *_: prctl, syscall=lambda *_: syscall)
    monkeypatch.setattr(linux, "_kernel", lambda: answers)


@pytest.mark.parametrize(
    ("prctl", "syscall", "told"),
    [(-1, 0, "the kernel refuses it no_new_privs"), (0, -1, "the kernel refuses it a filter of system calls")],
)
def test_a_kernel_that_refuses_is_reported(
    monkeypatch: pytest.MonkeyPatch, prctl: int, syscall: int, told: str
) -> None:
    monkeypatch.setattr(linux.platform, "machine", lambda: "x86_64")
    fake_kernel(monkeypatch, prctl, syscall)
    assert linux.deny_network().startswith(told)


def test_an_architecture_without_a_filter_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_kernel(monkeypatch)
    monkeypatch.setattr(linux.platform, "machine", lambda: "riscv64")
    assert "riscv64" in linux.deny_network()


@LINUX
def test_what_could_not_be_taken_is_a_sentence() -> None:
    """As whoever is asked to tell it gets it; in a process of its own, for the limit of memory stays."""
    code = (
        "from workflows.process import sandbox\nfrom workflows.process.sandbox import linux\n"
        "linux.deny_network = lambda: 'the kernel refuses it'\nprint(sandbox.confine(1 << 32))"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, encoding="utf-8", check=True)
    told = "Untrusted input is opened by a process that can reach the network: the kernel refuses it."
    assert done.stdout.strip() == told


ALLOW, NO, NONE = 0x7FFF0000, 0x50000 | errno.EACCES, 0x50000 | errno.ENOSYS
X86, ARM = linux._ARCHITECTURES["x86_64"], linux._ARCHITECTURES["aarch64"]


@pytest.mark.parametrize(
    ("calls", "audit", "number", "family", "verdict"),
    [
        (X86, 0xC000003E, 41, 2, NO),
        (X86, 0xC000003E, 41, 10, NO),
        (X86, 0xC000003E, 41, 1, ALLOW),
        (X86, 0xC000003E, 41, 16, ALLOW),
        (X86, 0xC000003E, 0, 2, ALLOW),  # read, of file 2
        (X86, 0xC000003E, 425, 0, NONE),
        (X86, 0xC000003E, 0x40000029, 2, NONE),  # socket of x32
        (X86, 0x40000003, 359, 2, NONE),  # socket of i386
        (ARM, 0xC00000B7, 198, 2, NO),
        (ARM, 0xC00000B7, 198, 1, ALLOW),
        (ARM, 0xC00000B7, 41, 2, ALLOW),  # pivot_root
        (ARM, 0xC00000B7, 425, 0, NONE),
        (ARM, 0x40000028, 281, 2, NONE),  # socket of 32-bit ARM
    ],
)
def test_the_filter_of_both_architectures(calls: Any, audit: int, number: int, family: int, verdict: int) -> None:
    """Run here as the kernel runs it there."""
    assert run_filter(linux._program(calls), {0: number, 4: audit, 16: family}) == verdict


def run_filter(program: bytes, data: dict[int, int]) -> int:
    """What classic BPF gives for a call."""
    lines = list(struct.iter_unpack("HBBI", program))
    at = held = 0
    while True:
        code, then, other, operand = lines[at]
        at += 1
        if code == 0x06:
            return operand
        if code == 0x20:
            held = data[operand]
        else:
            at += then if (held == operand if code == 0x15 else held >= operand) else other


@POSIX
def test_computing_has_an_end_that_the_system_holds() -> None:
    code = "from workflows.process.sandbox import limit_cpu_seconds\nlimit_cpu_seconds(0)\nwhile True: pass"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, timeout=120, check=False)
    assert done.returncode < 0
