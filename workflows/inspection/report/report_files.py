"""Writes reports and data to files; the file's suffix chooses the format.

runs   ──▶ .html | .md and its pictures | .csv | .json
bundle ──▶ .html | .md and its pictures
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from workflows.bundle import read_bundle
from workflows.common.errors import RequestError, printable
from workflows.common.files import write_atomically
from workflows.inspection.report.bundle_report import report_on_bundle
from workflows.inspection.report.document import Document, html_of, markdown_of
from workflows.inspection.report.runs_report import report_on_runs
from workflows.measure.history import RunHistory, short_digest
from workflows.measure.run_measures import MEASURES, measure_value
from workflows.wire.codec import dumps
from workflows.wire.reports.runs import RunReport, WrittenReport

RUN_COLUMNS = ("run", "kind", "time", "bundle", "digest", "precision", "layout", "provider")
FIGURES = tuple(f"{one.key} ({one.unit})" if one.unit else one.key for one in MEASURES.values())
STEP_COLUMNS = ("step", "phase", "latency_ms", "used", "capacity")
DOCUMENTS = (".html", ".md")


def json_of(reports: Sequence[RunReport]) -> str:
    """Returns `{"runs": [{"run", "steps"}]}`."""
    return dumps({"runs": list(reports)}) + "\n"


def csv_of(reports: Sequence[RunReport]) -> str:
    """Returns a table of steps with their run and its measures; a run without steps has one line."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow((*RUN_COLUMNS, *STEP_COLUMNS, *FIGURES))
    for report in reports:
        run = report.run
        owner = [run.id, *(getattr(run, name) for name in RUN_COLUMNS[1:])]
        figures = [measure_value(run, one) for one in MEASURES.values()]
        steps = [[getattr(step, name) for name in STEP_COLUMNS] for step in report.steps] or [[""] * len(STEP_COLUMNS)]
        rows.writerows([*owner, *step, *figures] for step in steps)
    return text.getvalue()


DATA: Mapping[str, Callable[[Sequence[RunReport]], str]] = {".csv": csv_of, ".json": json_of}


def write_runs(history: RunHistory, idents: Sequence[str], out: Path) -> WrittenReport:
    """Writes runs, given by prefixes of their ids. Raises RequestError for an unknown id or suffix, OSError."""
    ending = _ending(out, (*DOCUMENTS, *DATA))
    reports = [RunReport(run, history.steps(run.id)) for run in map(history.find, dict.fromkeys(idents))]
    if ending in DATA:
        _put(out, DATA[ending](reports))
        return WrittenReport([str(out)])
    return _write(report_on_runs(reports), out, ending)


def write_bundle(history: RunHistory, folder: Path | str, out: Path) -> WrittenReport:
    """Writes a bundle with its runs. Raises RequestError for an unknown suffix, BundleError, OSError."""
    ending = _ending(out, DOCUMENTS)
    bundle = read_bundle(folder)
    runs = history.runs(digest=short_digest(bundle.digest))
    return _write(report_on_bundle(bundle, [RunReport(run, history.steps(run.id)) for run in runs]), out, ending)


def _write(document: Document, out: Path, ending: str) -> WrittenReport:
    if ending == ".html":
        _put(out, html_of(document))
        return WrittenReport([str(out)])
    text, pictures = markdown_of(document, out.stem)
    for name, svg in pictures.items():
        _put(out.with_name(name), svg)
    _put(out, text)
    return WrittenReport([str(out), *(str(out.with_name(name)) for name in pictures)])


def _put(out: Path, text: str) -> None:
    """Writes the text as UTF-8; lone surrogates are escaped."""
    write_atomically(out, text.encode("utf-8", "backslashreplace"))


def _ending(out: Path, known: Sequence[str]) -> str:
    ending = out.suffix.lower()
    if ending not in known:
        named = f"{', '.join(known[:-1])} or {known[-1]}"
        suffix = printable(out.suffix) or "a file without an ending"
        raise RequestError(f"{printable(out, 400)} cannot be written as {suffix}: end it in {named}.")
    return ending
