"""Checks a machine: connects, starts a worker there, and asks it for its execution providers.

machine ──Connection──▶ greeting ──RemoteWorker, ListDevices──▶ MachineReport; what fails is its problem, one sentence
"""

from __future__ import annotations

import time

from workflows.common.errors import Cancelled, JoineryError
from workflows.process.machines import RemoteMachine
from workflows.service.remote.connection import Cancellation
from workflows.service.remote.remote_worker import RemoteWorker
from workflows.wire.events import ResultEvent
from workflows.wire.reports.devices import DevicesReport
from workflows.wire.reports.machines import MachineReport
from workflows.wire.requests import ListDevices


def check(machine: RemoteMachine, cancelled: Cancellation = lambda: False) -> MachineReport:
    """What the machine has, or why it cannot be used. Raises Cancelled."""
    report, began = describe(machine), time.monotonic()
    try:
        worker = RemoteWorker(machine, lambda _: None, cancelled=cancelled)
    except Cancelled:
        raise
    except JoineryError as error:
        report.problem = str(error)
        return report
    try:
        greeting = worker.connection.greeting
        report.connect_s = round(time.monotonic() - began, 3)
        report.joinery, report.wire, report.python = greeting.joinery, greeting.wire, greeting.python
        report.system, report.free_bytes, report.copied_bytes = greeting.system, greeting.free, greeting.copied
        for event in worker.events(ListDevices(), cancelled):
            if isinstance(event, ResultEvent) and isinstance(event.value, DevicesReport):
                report.devices = event.value.devices
        report.usable = True
    except Cancelled:
        raise
    except JoineryError as error:
        report.problem = f"{machine.name} has Joinery, but its providers cannot be listed: {error}"
    finally:
        worker.close()
    return report


def describe(machine: RemoteMachine) -> MachineReport:
    """A machine as it was added, unchecked."""
    return MachineReport(machine.name, machine.address, machine.joinery)
