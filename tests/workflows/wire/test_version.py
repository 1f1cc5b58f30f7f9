"""The wire's version changes with a field, and with nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass

import pytest

from workflows.wire import events
from workflows.wire.version import wire_version


def test_it_is_the_same_in_each_process() -> None:
    """Whatever was imported before."""
    program = "from workflows.wire.version import wire_version; print(wire_version())"
    other = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
    assert re.fullmatch("[0-9a-f]{8}", other) and other == wire_version()


def test_another_field_is_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass
    class LogEvent:
        message: str
        level: int

    LogEvent.__module__ = events.__name__
    before = wire_version()
    monkeypatch.setattr(events, "LogEvent", LogEvent)
    assert wire_version.__wrapped__() != before
