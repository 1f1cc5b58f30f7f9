"""Runs as rows of a table: the texts, the sort values, and the words that a filter finds.

Run ──run_row──▶ RunRow ──group_rows──▶ RunGroup: the runs of one bundle, precision and provider, with their medians
                                                                               made in a thread: no widgets here
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QLocale

from app.text.figures import figure_titles
from app.text.formatting import format_bytes, format_local_time, format_number, pluralize
from app.text.translatable import tr
from workflows.measure.run_measures import (
    MEASURES,
    Measure,
    MeasureSpread,
    bundle_name,
    drafts_of,
    measure_value,
    run_label,
)
from workflows.wire.reports.runs import RunRecord

IDENTITY = ("time", "kind", "bundle", "precision", "layout", "provider", "drafts")
WHERE = ("version", "machine", "id")
FIGURES = (
    "prefill", "decode", "ttft", "top1", "kl", "perplexity", "task", "p50", "p95", "p99", "roofline", "accept",
    "per_step", "speedup", "memory", "resident", "size",
)  # fmt: skip
"""The measures in the order of the columns: speed, accuracy, the others."""
COLUMNS = ("bundle", "runs", "time", "kind", "precision", "provider", "drafts", *FIGURES, "layout", *WHERE)
"""The keys of the columns, in order."""
FIRST_FIGURE = COLUMNS.index(FIGURES[0])
Value = float | str | None


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run. texts, values: one a column. searched_text: all texts, in lower case."""

    run: RunRecord
    texts: tuple[str, ...]
    values: tuple[Value, ...]
    searched_text: str

    @property
    def key(self) -> str:
        return self.run.id

    @property
    def runs(self) -> tuple[RunRecord, ...]:
        return (self.run,)

    @property
    def label(self) -> str:
        return run_label(self.run)

    def spread(self, measure: Measure) -> MeasureSpread | None:
        """Its value of a measure; None where it has none."""
        value = measure_value(self.run, measure)
        return None if value is None else MeasureSpread.of([value])


GroupKey = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunGroup:
    """The runs of one bundle, precision, provider and proposer of drafts, the newest first; texts have medians."""

    key: GroupKey
    rows: tuple[RunRow, ...]
    texts: tuple[str, ...]
    values: tuple[Value, ...]
    spreads: Mapping[str, MeasureSpread]

    @property
    def runs(self) -> tuple[RunRecord, ...]:
        return tuple(row.run for row in self.rows)

    def spread(self, measure: Measure) -> MeasureSpread | None:
        """A measure over its runs; None where none of them has it."""
        return self.spreads.get(measure.key)

    @property
    def label(self) -> str:
        run = self.rows[0].run
        count = pluralize(len(self.rows), tr("1 run"), tr("{0} runs"))
        return " · ".join(filter(None, (bundle_name(run), run.precision, run.provider, drafts_of(run), count)))


Item = RunGroup | RunRow
"""A row of the history."""


def run_row(run: RunRecord) -> RunRow:
    """The row of one run."""
    return next(run_rows([run]))


def run_rows(runs: Iterable[RunRecord]) -> Iterator[RunRow]:
    """The rows of runs. What repeats is made once, as a history has ten thousand."""
    title_of, locale, measures = cache(kind_title), QLocale(), [MEASURES[key] for key in FIGURES]
    for run in runs:
        has = run.figures.keys()
        figures = [None if one.figures.keys().isdisjoint(has) else measure_value(run, one) for one in measures]
        name, owner = bundle_name(run), (run.time, title_of(run.kind), run.precision, run.provider, drafts_of(run))
        where = (run.layout, run.version, run.machine, run.id)
        numbers = [
            "" if value is None else figure_text(value, one, locale)
            for value, one in zip(figures, measures, strict=True)
        ]
        texts = (name, "", format_local_time(run.time), *owner[1:], *numbers, *where)
        yield RunRow(run, texts, (name, None, *owner, *figures, *where), " ".join(texts).casefold())


def group_rows(rows: Iterable[RunRow]) -> list[RunGroup]:
    """The groups of rows, in the order of each group's first row."""
    groups = dict[GroupKey, list[RunRow]]()
    for row in rows:
        run = row.run
        groups.setdefault((run.digest, run.precision, run.provider, drafts_of(run)), []).append(row)
    return [_group(key, some) for key, some in groups.items()]


def _group(key: GroupKey, rows: list[RunRow]) -> RunGroup:
    rows.sort(key=lambda row: row.run.time, reverse=True)
    newest = rows[0]
    texts, values = list(newest.texts), list(newest.values)
    texts[FIRST_FIGURE : FIRST_FIGURE + len(FIGURES)] = [""] * len(FIGURES)
    values[FIRST_FIGURE : FIRST_FIGURE + len(FIGURES)] = [None] * len(FIGURES)
    texts[1], values[1] = format_number(len(rows)), float(len(rows))
    for at in (COLUMNS.index("kind"), *range(FIRST_FIGURE + len(FIGURES), len(COLUMNS))):
        if any(row.texts[at] != texts[at] for row in rows):
            texts[at] = values[at] = "" if COLUMNS[at] == "id" else tr("various")
    spreads = dict[str, MeasureSpread]()
    for at, name in enumerate(FIGURES, FIRST_FIGURE):
        spread = MeasureSpread.of([row.values[at] for row in rows if row.values[at] is not None])  # type: ignore[misc]  # figures are numbers
        if spread is not None:
            spreads[name] = spread
            texts[at], values[at] = spread_text(spread, MEASURES[name], unit=False), spread.median
    return RunGroup(key, tuple(rows), tuple(texts), tuple(values), spreads)


def titles() -> dict[str, str]:
    """The name of each column."""
    return {
        "bundle": tr("bundle"),
        "runs": tr("runs"),
        "time": tr("time"),
        "kind": tr("kind"),
        "precision": tr("precision"),
        "layout": tr("cache"),
        "provider": tr("provider"),
        "drafts": tr("drafts"),
        "version": tr("version"),
        "machine": tr("machine"),
        "id": tr("run"),
        **figure_titles(),
    }


def kind_title(name: str) -> str:
    """The kind of a run, translated."""
    return {
        "build": tr("build"),
        "generate": tr("generation"),
        "bench": tr("measurement"),
        "eval": tr("evaluation"),
    }.get(name, name)


def work_text(runs: Sequence[RunRecord]) -> str:
    """What the runs had to do: their prompt and new tokens; empty where they do not say so."""
    sizes = {tuple(run.figures.get(name) for name in ("prompt_tokens", "new_tokens")) for run in runs}
    sizes = {size for size in sizes if None not in size}
    if len(sizes) > 1:
        return tr("various")
    return "".join(tr("{0} + {1} tok").format(*map(_whole, size)) for size in sizes)


def _whole(value: object) -> str:
    return format_number(value) if isinstance(value, int | float) else str(value)


def figure_text(value: float, measure: Measure, locale: QLocale | None = None) -> str:
    """A measure in the system's locale without its unit; bytes with theirs."""
    if measure.unit == "share":
        return format_number(100 * value, 2)
    if measure.unit == "bytes":
        return format_bytes(value)
    return format_number(value) if abs(value) >= 1000 else (locale or QLocale()).toString(float(value), "g", 4)


def measure_text(value: float | None, measure: Measure, nothing: str = "–") -> str:
    """A measure with its unit in the system's locale."""
    if value is None:
        return nothing
    return f"{figure_text(value, measure)} {_unit(measure)}".strip()


def spread_text(spread: MeasureSpread, measure: Measure, unit: bool = True) -> str:
    """The median, and in brackets the lowest and highest value if they differ: 171 tok/s (155–190)."""
    middle = measure_text(spread.median, measure) if unit else figure_text(spread.median, measure)
    low, high = (figure_text(one, measure) for one in (spread.lowest, spread.highest))
    return middle if low == high else f"{middle} ({low}–{high})"


def _unit(measure: Measure) -> str:
    return "" if measure.unit == "bytes" else measure.axis_unit


def axis_title(measure: Measure) -> str:
    """The name and unit of a measure, for an axis."""
    name = figure_titles()[measure.key]
    return f"{name} ({measure.axis_unit})" if measure.unit else name


def column_title(key: str) -> str:
    """The heading of a column: its name, and the unit that its cells leave out."""
    unit = _unit(MEASURES[key]) if key in MEASURES else ""
    return f"{titles()[key]} ({unit})" if unit else titles()[key]
