"""Records in this machine's history what ran on another one.

{"run", "steps"} from there ──machine's name, the bundle's folder here──▶ RunHistory
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from workflows.common.errors import JoineryError, printable
from workflows.measure.history import RunHistory
from workflows.process.machines import RemoteMachine
from workflows.service.remote.copying import CopiedPaths
from workflows.wire.codec import read
from workflows.wire.reports.runs import RunReport


def record_remote_run(machine: RemoteMachine, paths: CopiedPaths, run: object, notify: Callable[[str], None]) -> None:
    """Saves a run that took place on `machine`. notify: receives problems."""
    try:
        report = read(RunReport, run)
        figures = {
            name: paths.localized(one) if isinstance(one, str) else one for name, one in report.run.figures.items()
        }
        record = replace(
            report.run,
            bundle=paths.localized(report.run.bundle),
            machine=f"{machine.name}: {report.run.machine}",
            figures=figures,
        )
        RunHistory(on_problem=notify).add(record, report.steps)
    except (OSError, JoineryError, ValueError) as error:
        notify(f"The run on {machine.name} could not be kept in the history: {printable(error, 200)}")
