"""The machines that were added, and the one that Chat, Measure and Devices use.

add, check ──▶ a one-shot worker ──▶ report, machines;  remove, read ──▶ the file ──▶ machines;  choose(name) ──▶ chosen
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from app.jobs.one_shot_worker import OneShotModel, OneShotWorker
from app.jobs.worker_client import WorkerClient
from app.text.engine_text import translate_engine_text
from workflows.common.errors import JoineryError, describe_os_error
from workflows.process.machines import list_machines, remove_machine
from workflows.process.subprocesses import python_command
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.machines import MachineReport
from workflows.wire.requests import AddMachine, CheckMachine, Request

BRIDGE = "workflows.service.remote.bridge"
LOCAL = ""
"""The name that stands for this machine."""


class MachinesModel(OneShotModel):
    """One request at a time. report: the answer of the last check."""

    chosen = Signal(str)  # the name of the machine, LOCAL for this one

    def __init__(self, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(OneShotWorker(new_worker, hard_stop=True), parent)
        self.machines: list[MachineReport] = []
        self.report: MachineReport | None = None
        self.current = LOCAL

    def program(self, name: str | None = None) -> Sequence[str] | None:
        """The command line of a worker on a machine, by default the chosen one; None for this machine."""
        name = self.current if name is None else name
        return None if name == LOCAL else [*python_command(BRIDGE), name]

    def read(self) -> None:
        """Reads the machines anew; what a check said of one stays."""
        checked = {(one.name, one.address, one.path): one for one in self.machines}
        try:
            listed = list_machines()
        except (JoineryError, OSError) as error:
            self._show_error(error)
            return
        self.machines = [
            checked.get((one.name, one.address, one.joinery)) or MachineReport(one.name, one.address, one.joinery)
            for one in listed
        ]
        self.changed.emit()

    def add(self, name: str, address: str, path: str) -> bool:
        """Adds and checks a machine; returns False while another request runs."""
        return self.start(AddMachine(name, address, path))

    def check(self, name: str) -> bool:
        """Connects to a machine; returns False while another request runs."""
        return self.start(CheckMachine(name))

    def remove(self, name: str) -> bool:
        """Forgets a machine; returns False while a request runs."""
        if self.running:
            return False
        if name == self.current:
            self.choose(LOCAL)
        try:
            remove_machine(name)
        except (JoineryError, OSError) as error:
            self._show_error(error)
            return True
        self.read()
        return True

    def _show_error(self, error: JoineryError | OSError) -> None:
        if isinstance(error, OSError):
            self._on_error(ErrorEvent(kind="system", message=translate_engine_text(describe_os_error(error))))
        else:
            self._on_error(ErrorEvent(kind=error.kind, message=translate_engine_text(str(error))))

    def start(self, request: Request[MachineReport]) -> bool:
        """Starts a request; returns False while another runs."""
        if self.running:
            return False
        self.report = None
        self._run(request)
        return True

    def choose(self, name: str) -> None:
        """Makes a machine the one that is used."""
        if name != self.current:
            self.current = name
            self.chosen.emit(name)

    def _on_event(self, event: object) -> None:
        """Nothing: a check is one answer."""

    def _on_answer(self, answer: MachineReport) -> None:
        self.report = answer
        others = [one for one in self.machines if one.name != answer.name]
        self.machines = sorted([*others, answer], key=lambda one: one.name)
        self.state = "done"
        self.changed.emit()
