"""The environment and the priority of a worker process, and the reason why it ended."""

from __future__ import annotations

import sys
from contextlib import suppress

from PySide6.QtCore import QProcess, QProcessEnvironment

from workflows.process.subprocesses import module_search_path, signal_description

BACKGROUND_NICE = 10


def exit_cause(code: int, status: QProcess.ExitStatus) -> str:
    """How a process ended, as text. Qt reports a signal's number as the exit code of a crash."""
    if status == QProcess.ExitStatus.CrashExit:
        return signal_description(code) if sys.platform != "win32" else f"code {code & 0xFFFFFFFF:#x}"
    return f"exit code {code}"


def lower_priority(pid: int) -> None:
    """Lowers the priority of a process; does nothing for one that has ended."""
    import psutil

    with suppress(psutil.Error):
        process = psutil.Process(pid)
        if sys.platform == "win32":
            process.nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
        else:
            process.nice(min(process.nice() + BACKGROUND_NICE, 19))


def worker_environment() -> QProcessEnvironment:
    """The environment of a worker: the window's, without telemetry, unbuffered, with this checkout's packages first."""
    environment = QProcessEnvironment.systemEnvironment()
    for name in ("ORT_DISABLE_TELEMETRY", "PYTHONUNBUFFERED", "HF_HUB_DISABLE_TELEMETRY"):
        environment.insert(name, "1")
    environment.insert("PYTHONIOENCODING", "utf-8")
    environment.insert("PYTHONPATH", module_search_path(environment.value("PYTHONPATH")))
    return environment
