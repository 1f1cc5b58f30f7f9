"""Exports runs as data: JSON with all recorded values, CSV with one line a step."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from workflows.measure.measures import MEASURES, measure_value
from workflows.wire.codec import dumps
from workflows.wire.reports.runs import RunReport

RUN_COLUMNS = ("run", "kind", "time", "bundle", "digest", "precision", "layout", "provider")
FIGURES = tuple(f"{one.key} ({one.unit})" if one.unit else one.key for one in MEASURES.values())
STEP = ("step", "phase", "latency_ms", "used", "capacity")


def json_of(reports: Sequence[RunReport]) -> str:
    """Returns `{"runs": [{"run", "steps"}]}`."""
    return dumps({"runs": list(reports)}) + "\n"


def csv_of(reports: Sequence[RunReport]) -> str:
    """Returns a table of steps with their run and its measures; a run without steps has one line."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow((*RUN_COLUMNS, *STEP, *FIGURES))
    for report in reports:
        run = report.run
        owner = [run.id, *(getattr(run, name) for name in RUN_COLUMNS[1:])]
        figures = [measure_value(run, one) for one in MEASURES.values()]
        steps = [[getattr(step, name) for name in STEP] for step in report.steps] or [[""] * len(STEP)]
        rows.writerows([*owner, *step, *figures] for step in steps)
    return text.getvalue()
