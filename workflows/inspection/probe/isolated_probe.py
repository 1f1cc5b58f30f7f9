"""Reads a checkpoint in a sandboxed service process: one line of JSON in, one line of JSON out, until stdin ends.

    {"found": its location, "options": a recipe's}  ──▶  {"report": …} │ {"error": …, "message": …} │ {"fault": …}
    {"found": …, "options": null}                    ──▶  the same for a probe

The calling process has network access, so another one, in a sandbox, reads the files.
"""

from __future__ import annotations

import json
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from workflows.checkpoint import CheckpointLocation, find_checkpoint
from workflows.checkpoint.checkpoint import read_checkpoint
from workflows.common.errors import CheckpointError, error_from_dict, error_to_dict, printable
from workflows.process.sandbox import confine, limit_cpu_seconds
from workflows.process.subprocesses import ConfinedService, claim_stdout
from workflows.recipe.adapters import open_adapters, split_source
from workflows.wire.codec import dumps, read
from workflows.wire.events import Event, NoticeEvent
from workflows.wire.reports.plan import PlanReport, ProbeReport

SECONDS, BYTES = 120.0, 4 << 30
"""Of computing over one source, and of memory: a tokenizer's file alone may have 256 MiB."""
PROBE_SERVICE = ConfinedService("workflows.inspection.probe.isolated_probe", SECONDS, BYTES)
Report = TypeVar("Report", ProbeReport, PlanReport)


def probe(source: str, report: Callable[[Event], None], cancelled: Callable[[], bool]) -> ProbeReport:
    """Returns the contents of `source`, or of an adapter's base, as the wizard shows them.

    An architecture that cannot be built gives a reason.

    Raises CheckpointError and its subclasses if the checkpoint is missing or incomplete, and Cancelled.
    """
    location = find_checkpoint(split_source(source, {})[0], report=report, cancelled=cancelled)
    if why := PROBE_SERVICE.confinement_problem():
        report(NoticeEvent(code="open", message=why))
    return _request(location, None, ProbeReport)


def plan(source: str, options: Mapping[str, object], cancelled: Callable[[], bool]) -> PlanReport:
    """Returns the recipe that `options` give for `source`, its components, and the resources that the build needs.

    Raises CheckpointError and RecipeError, one sentence each, and Cancelled.
    """
    source, options = split_source(source, options)
    return _request(find_checkpoint(source, cancelled=cancelled), options, PlanReport)


def _request(location: CheckpointLocation, options: Mapping[str, object] | None, kind: type[Report]) -> Report:
    answer = PROBE_SERVICE.request({"found": location._asdict() | {"folder": str(location.folder)}, "options": options})
    if "ended" in answer:
        raise CheckpointError(
            f"{printable(location.source)} cannot be read: the process that read it {answer['ended']}."
        )
    if "fault" in answer:
        raise RuntimeError(answer["fault"])
    if "error" in answer:
        raise error_from_dict(answer)
    report: Report = read(kind, answer["report"])
    return report


# -- in the process of its own ---------------------------------------------------------------------------------


def main() -> None:
    """Answers until stdin ends. The first line lists the restrictions that the system does not support."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is its owner's
    out = claim_stdout("utf-8")
    answer = dumps({"open": confine(BYTES)})
    while True:
        out.write(answer + "\n")
        out.flush()
        if not (line := sys.stdin.readline()):
            return
        limit_cpu_seconds(2 * SECONDS)  # for a process whose owner was killed meanwhile
        request = json.loads(line)
        where = request["found"]
        answer = dumps(_answer(CheckpointLocation(Path(where.pop("folder")), **where), request["options"]))


def _answer(location: CheckpointLocation, options: Mapping[str, object] | None) -> dict[str, object]:
    from workflows.inspection.probe.checkpoint_facts import plan_report, probe_report

    try:
        checkpoint = open_adapters(read_checkpoint(*location), options or {})
        return {"report": probe_report(checkpoint) if options is None else plan_report(checkpoint, options)}
    except Exception as error:  # noqa: BLE001 - the owner tells of it
        return dict(error_to_dict(error, "build") or {"fault": traceback.format_exc()})


if __name__ == "__main__":
    main()
