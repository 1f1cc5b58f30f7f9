"""The devices of the chosen machine, for whatever offers a choice of providers.

follow_devices ──ListDevices──▶ show(report): now, when another machine is chosen, when a plugin came or went here
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from app.state.context import AppContext
from app.state.machines import LOCAL
from workflows.wire.reports.devices import DevicesReport
from workflows.wire.requests import ListDevices


def follow_devices(context: AppContext, show: Callable[[DevicesReport], object], owner: QObject) -> None:
    """Calls `show` now and after each change, as long as the window and `owner` live."""

    def request(*_: object) -> None:
        context.machine_probe.request(ListDevices()).on_answer(show, owner)

    def on_plugins(_device: object, report: DevicesReport) -> None:
        if context.machines.current == LOCAL:
            show(report)

    request()
    context.machines.chosen.connect(request)
    context.plugins.done.connect(on_plugins)
