"""The server of this window: its choices, its state, what it does, and its last lines.

stopped ──start──▶ starting ──served──▶ running ──stop──▶ stopping ──ended──▶ stopped
              └──────────── ended with an error ──────────────┴──▶ stopped, with a failure
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from PySide6.QtCore import QObject, QTimer, Signal

from app.jobs.server_process import ServerProcess
from app.jobs.worker_client import worker_environment
from app.state.server_options import EVERY_NETWORK, LOOPBACK, SavedServerOptions, ServerOptions
from app.state.server_traffic import ServerTraffic
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.server import ServerStatus

ServerState = Literal["stopped", "starting", "running", "stopping"]
SAMPLE_MS = 500
_LINES = 500
_SAVE_MS = 500  # a field that is being edited changes often
_WILDCARDS = {EVERY_NETWORK: LOOPBACK, "[::]": "[::1]"}


class ServerModel(QObject):
    """One server at a time. program: the server's command line, if it is not the engine's own."""

    changed = Signal()  # its state, its failure or its choices
    sampled = Signal()  # what it does
    logged = Signal(str)
    errorOccurred = Signal(str)  # noqa: N815  the choices could not be saved

    def __init__(self, folder: Path, program: Sequence[str] | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.program = program
        self._saved = SavedServerOptions(folder, self._report_error)
        self.options = self._saved.load()
        self.state: ServerState = "stopped"
        self.address = ""
        """http://127.0.0.1:8080, as clients of this machine write it; that of the last run while it is stopped."""
        self.failure: ErrorEvent | None = None
        self.status: ServerStatus | None = None
        self.traffic = ServerTraffic()
        self.progress = ""
        """What is copied to another machine while it starts."""
        self.lines = deque[str](maxlen=_LINES)
        self._process: ServerProcess | None = None
        self._saving = QTimer(self, interval=_SAVE_MS, singleShot=True)
        self._saving.timeout.connect(lambda: self._saved.save(self.options))
        self._clock = QTimer(self, interval=SAMPLE_MS)
        self._clock.timeout.connect(self._sample)

    @property
    def on(self) -> bool:
        """Whether a process runs."""
        return self.state != "stopped"

    @property
    def client_address(self) -> str:
        """The address for clients of this machine; before the first start the one that the choices lead to."""
        options = self.options.used
        if self.address and self.on:
            return self.address
        host = f"[{options.host}]" if ":" in options.host else options.host
        return f"http{'s' if options.certificate else ''}://{_WILDCARDS.get(host, host)}:{options.port or 8080}"

    @property
    def busy(self) -> int:
        """The number of requests that run or wait."""
        return sum(one.running + one.waiting for one in self.status.bundles) if self.status and self.on else 0

    @property
    def pid(self) -> int:
        """The server's process id; 0 while it is stopped."""
        return self._process.pid if self._process is not None else 0

    def choose(self, options: ServerOptions) -> None:
        """Other choices for the next start."""
        if options != self.options:
            self.options = options
            self._saving.start()
            self.changed.emit()

    def change(self, **values: Any) -> None:
        """Other values of some choices."""
        self.choose(replace(self.options, **values))

    def start(self, **once: Any) -> None:
        """Starts a server, unless one runs or the choices have a problem. once: choices for this start alone."""
        if self.on or self.options.problem:
            return
        self.failure, self.status, self.traffic, self.address, self.progress = None, None, ServerTraffic(), "", ""
        process = self._process = ServerProcess(self.program, self)
        process.served.connect(self._on_served)
        process.reported.connect(self._on_report)
        process.progressed.connect(self._on_progress)
        process.logged.connect(self._log)
        process.ended.connect(self._on_end)
        starting = self.tr("Starting on {1}: {0}") if self.options.machine else self.tr("Starting: {0}")
        self._log(starting.format(", ".join(self.options.bundles), self.options.machine))
        self._set("starting")
        environment = worker_environment()
        inherited = {name: environment.value(name) for name in environment.keys()}  # noqa: SIM118  no dict
        options = replace(self.options, **once)
        process.start(options.arguments, options.environment(inherited))

    def stop(self) -> None:
        """Ends the server after the requests that run; at once where it stops already."""
        if self._process is None:
            return
        if self.state == "stopping":
            self._process.kill()
            return
        self._log(self.tr("Stopping, after the requests that run."))
        self._set("stopping")
        self._process.stop()

    def close(self) -> None:
        """Ends the server with the window, and saves the choices."""
        if self._saving.isActive():
            self._saving.stop()
            self._saved.save(self.options)
        if self._process is not None:
            self._process.close()

    def forget_failure(self) -> None:
        """The failure was read."""
        self.failure = None

    def _on_served(self, address: str) -> None:
        scheme, _, place = address.partition("://")
        host, _, port = place.rpartition(":")
        self.address = f"{scheme}://{_WILDCARDS.get(host, host)}:{port}"
        self._log(self.tr("Listening at {0}").format(address))
        self._clock.start()
        if self.state == "starting":
            self._set("running")

    def _on_progress(self, message: str) -> None:
        if self.state == "starting":
            self.progress = message
            self.changed.emit()

    def _on_report(self, status: ServerStatus) -> None:
        self.status = status
        if self.state == "stopping":  # the number of the requests that still run
            self.changed.emit()

    def _sample(self) -> None:
        if self.status is not None:
            self.traffic.sample(time.monotonic(), self.status)
            self.sampled.emit()

    def _on_end(self, error: ErrorEvent | None) -> None:
        self._sample()
        self._clock.stop()
        if self.status is not None:
            self.status = _without_server(self.status)
        if self._process is not None:
            self._process.deleteLater()
        self._process = None
        if error is not None:
            self.failure = ErrorEvent(kind=error.kind, message=error.message, details="\n".join(self.lines))
            if not self.lines or self.lines[-1].partition("  ")[2] != error.message:
                self._log(error.message)
        else:
            self._log(self.tr("Stopped."))
        self._set("stopped")

    def _log(self, line: str) -> None:
        self.lines.append(f"{time.strftime('%H:%M:%S')}  {line}")
        self.logged.emit(self.lines[-1])

    def _set(self, state: ServerState) -> None:
        self.state = state
        self.changed.emit()

    def _report_error(self, message: str) -> None:
        QTimer.singleShot(0, self, lambda: self.errorOccurred.emit(message))


def _without_server(status: ServerStatus) -> ServerStatus:
    """The last status of a server that has ended: no request runs any more, and no bundle is open."""
    open_states = ("waiting", "opening", "running")
    requests = [replace(one, state="cancelled") if one.state in open_states else one for one in status.requests]
    bundles = [replace(one, open=False, waiting=0, running=0, cache_used=0) for one in status.bundles]
    ended = sum(one.state in open_states for one in status.requests)
    return replace(status, requests=requests, bundles=bundles, cancelled=status.cancelled + ended)
