"""Ctrl+C: an error after it is its effect, work that goes on is ended, and the first imports end at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from workflows import cli
from workflows.cli import interrupts
from workflows.cli.interrupts import GRACE_S, end_on_interrupt, stop_on_interrupt
from workflows.common.errors import Cancelled, PackageError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="SIGINT cannot be sent to one process on Windows")

GOES_ON = """
import time
from workflows.cli.interrupts import {scope}

with {scope}() as interrupted:
    said = False
    while True:
        try:
            if not said:
                said = True
                print("ready", flush=True)  # here, where the interrupt that answers it is caught
            time.sleep(60)
        except KeyboardInterrupt:
            pass  # as code in a library that catches everything
"""
ENDS_SLOWLY = """
import time
from workflows.cli.interrupts import end_on_interrupt, interruptible

try:
    with end_on_interrupt(), interruptible() as cancelled:
        print("ready", flush=True)
        while not cancelled():
            time.sleep(0.01)
        raise OSError("what was cancelled failed")
finally:
    time.sleep(60)
"""


def interrupted_process(code: str) -> tuple[int, bytes, float]:
    """Exit code and stderr of a process after SIGINT, and the seconds that it took."""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    _, err = process.communicate(timeout=50)
    return process.returncode, err, time.monotonic() - began


@pytest.mark.parametrize(
    "code",
    [GOES_ON.format(scope="end_on_interrupt"), GOES_ON.format(scope="interruptible"), ENDS_SLOWLY],
    ids=["a command", "its work", "what follows its error"],
)
def test_what_goes_on_is_ended_in_one_sentence(code: str) -> None:
    returned, err, seconds = interrupted_process(code)
    assert (returned, err) == (130, b"joinery: Cancelled.\n") and seconds > GRACE_S / 2


def test_an_outer_scope_knows_of_an_inner_one_that_failed() -> None:
    with end_on_interrupt() as outer:
        with pytest.raises(OSError, match="cut short"), stop_on_interrupt(lambda: None, ends=False) as inner:
            signal.raise_signal(signal.SIGINT)
            while not inner():
                time.sleep(0.001)
            raise OSError("cut short")
        assert not outer()  # a chat goes on after a reply that was stopped


def test_ctrl_c_raises_restores_the_handler_and_ends_what_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    monkeypatch.setattr(interrupts, "_exit_process", ended.set)
    monkeypatch.setattr(interrupts, "GRACE_S", 0.01)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), end_on_interrupt():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before and ended.wait(60)


@pytest.mark.parametrize(
    ("error", "interrupted", "code", "text"),
    [
        (ImportError("cannot load"), True, 130, "joinery: Cancelled.\n"),
        (PackageError("onnxruntime is missing."), True, 130, "joinery: Cancelled.\n"),
        (Cancelled("The build was cancelled."), True, 130, "joinery: The build was cancelled.\n"),
        (KeyboardInterrupt(), True, 130, "joinery: Cancelled.\n"),
        (PackageError("onnxruntime is missing."), False, 1, "joinery: onnxruntime is missing.\n"),
    ],
)
def test_an_error_after_ctrl_c_is_its_effect(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    interrupted: bool,
    code: int,
    text: str,
) -> None:
    def fail(*_: object, **__: object) -> int:
        raise error

    monkeypatch.setattr(cli.typer.main, "get_command", lambda _: fail)
    assert cli.run(["devices"], interrupted=lambda: interrupted) == code
    assert capsys.readouterr().err == text


FIRST_IMPORTS = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "workflows.cli":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
from workflows.__main__ import main
main()
"""


def test_ctrl_c_during_the_first_imports_ends_at_once_in_one_sentence() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_IMPORTS, "devices"], capture_output=True)
    assert (done.returncode, done.stderr, done.stdout) == (130, b"joinery: Cancelled.\n", b"")


AFTER_THE_WORK = """
import atexit, os, signal
from workflows import cli
from workflows.cli import interrupts

cli.run = lambda *_: 0
atexit.register(lambda: (os.kill(os.getpid(), signal.SIGINT), print("the end")))
cli.main()
"""


def test_ctrl_c_after_the_work_changes_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", AFTER_THE_WORK, "devices"], capture_output=True)
    assert (done.returncode, done.stderr, done.stdout) == (0, b"", b"the end\n")
