"""The report on runs: their measures side by side, latency curves, accuracy against speed, and their environments."""

from __future__ import annotations

from collections.abc import Sequence

from workflows.inspection.report import charts
from workflows.inspection.report.document import (
    Document,
    DocumentPart,
    Heading,
    Paragraph,
    ReportPicture,
    ReportTable,
    format_measure,
)
from workflows.measure.pareto_front import ParetoScatter, scatter
from workflows.measure.run_measures import (
    ACCURACY,
    MEASURES,
    SPEED,
    Measure,
    best_indices,
    bundle_name,
    decode_latencies,
    drafts_of,
    is_equal_work,
    measure_value,
    run_label,
)
from workflows.wire.reports.runs import RunRecord, RunReport

WHOSE = ("kind", "name", "precision", "layout", "provider", "digest")
WHERE = ("bundle", "version", "machine")
BEST = " (best)"
ABREAST = 6
"""Runs that have a column each at most; more of them have a row each."""
CURVES = 12
"""Curves in a picture at most."""


def report_on_runs(reports: Sequence[RunReport]) -> Document:
    """Returns the report on the selected runs."""
    runs = [one.run for one in reports]
    count = "1 run" if len(runs) == 1 else f"{len(runs)} runs"
    parts: list[DocumentPart] = [Paragraph(f"{count}, compared side by side."), side_by_side(runs)]
    parts += [*latency_curves(reports), *accuracy_against_speed(runs), *environment(runs)]
    return Document("Joinery: runs compared", parts)


def side_by_side(runs: Sequence[RunRecord]) -> ReportTable:
    """Returns a row for each measure that some run has and a column for each run, or transposed; marks the best."""
    rows = [["time", *(f"{run.time[:16].replace('T', ' ')} UTC" for run in runs)]]
    rows += [[name, *(str(getattr(run, name)) for run in runs)] for name in WHOSE]
    if any(drafts_of(run) for run in runs):
        rows.append(["drafts", *(drafts_of(run) or "–" for run in runs)])
    for measure in MEASURES.values():
        values = [measure_value(run, measure) for run in runs]
        if any(one is not None for one in values):
            top = best_indices(values, measure.better) if is_equal_work(runs, measure) else set()
            cells = [format_measure(one, measure) + (BEST if at in top else "") for at, one in enumerate(values)]
            rows.append([measure.title, *cells])
    against = [run.figures.get("against") for run in runs]
    if any(against):
        rows.append(["evaluated against", *(str(one or "–") for one in against)])
    table = [["", *(f"{bundle_name(run)} ({run.id})" for run in runs)], *rows]
    if len(runs) > ABREAST:
        table = [list(column) for column in zip(*table, strict=True)]
    return ReportTable(table[0], table[1:])


def latency_curves(reports: Sequence[RunReport]) -> list[DocumentPart]:
    """Returns the curves of runs with recorded steps, without the first step, which is the prompt's."""
    series = [charts.ChartSeries(run_label(one.run), decode_latencies(one)) for one in reports]
    series = [one for one in series if one.values]
    if not series:
        return []
    drawn = series[:CURVES]
    picture = charts.line_chart(drawn, "decoded token", "latency in ms")
    text = f"The first {CURVES} of {len(series)} runs with steps are drawn."
    more = [Paragraph(text)] if len(series) > CURVES else []
    count = "1 run" if len(drawn) == 1 else f"{len(drawn)} runs"
    return [Heading("Latency of each decoded token"), ReportPicture(picture, f"Latency curves of {count}"), *more]


def accuracy_against_speed(runs: Sequence[RunRecord]) -> list[DocumentPart]:
    """Returns the chart of the first two measures that give points; a run with one of them only is named."""
    if not any(measure_value(run, MEASURES[key]) is not None for run in runs for key in ACCURACY):
        return []
    speed, accuracy, points = max(
        ((MEASURES[s], MEASURES[a], scatter(runs, MEASURES[s], MEASURES[a])) for a in ACCURACY for s in SPEED),
        key=lambda one: len(one[2].points),
    )
    return [Heading(f"{accuracy.title} against {speed.title}"), *_scatter_parts(points, speed, accuracy)]


def _scatter_parts(points: ParetoScatter, speed: Measure, accuracy: Measure) -> list[DocumentPart]:
    parts = list[DocumentPart]()
    if points.points:
        dots = [
            charts.ScatterPoint(one.name, speed.on_axis(one.x.median), accuracy.on_axis(one.y.median), one.on_front)
            for one in points.points
        ]
        parts.append(ReportPicture(charts.scatter_chart(dots, axis(speed), axis(accuracy)), "Accuracy against speed"))
        rows = [
            [
                one.name, format_measure(one.x.median, speed), format_measure(one.y.median, accuracy),
                "yes" if one.on_front else "no",
            ]
            for one in points.points
        ]  # fmt: skip
        parts.append(ReportTable(["bundle", speed.title, accuracy.title, "on the front"], rows))
    else:
        parts.append(Paragraph("No bundle has both a speed and an accuracy here."))
    reasons = [f"{run_label(run)} has no {MEASURES[key].title}" for run, key in points.left_out]
    return [*parts, Paragraph("Left out: " + "; ".join(reasons) + ".")] if reasons else parts


def environment(runs: Sequence[RunRecord]) -> list[DocumentPart]:
    """Returns where and with what each run was made."""
    rows = [[run.id, *(str(getattr(run, name)) for name in WHERE)] for run in runs]
    return [Heading("Environment"), ReportTable(["run", *WHERE], rows)]


def axis(measure: Measure) -> str:
    """Returns the label of an axis: a measure's name and unit."""
    return f"{measure.title} ({measure.axis_unit})" if measure.unit else measure.title
