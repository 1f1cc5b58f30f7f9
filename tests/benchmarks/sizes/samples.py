"""The measurements of a work folder, one line of JSON each, and the table of them."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.benchmarks.peers.machine import today
from tests.benchmarks.sizes.runs import Result
from tests.provenance import header_line
from workflows.processor.cores import processor_name

TITLE = "## Memory and time of builds"
SOURCES = ("workflows", "tests/benchmarks/sizes")
HEADS = (
    "shape, options", "peak, GB", "pages of files, GB", "wall, s", "stages, s (peak, GB)", "written, GB",
    "work folder, GB", "bundle, GB", "genai: wall, s", "genai: peak, GB", "time × genai", "peak × genai", "others, %",
)  # fmt: skip


@dataclass
class Sample:
    """One run of one engine. row: the shape with the build's options; state: the engine's code (peers.machine).

    Figures are in bytes and seconds; stages has the seconds of each stage, peaks its largest own memory in bytes.
    failed: the reason of a run without figures. note: a sentence below the table.
    """

    row: str
    engine: str
    state: str
    figures: dict[str, float] = field(default_factory=dict)
    stages: dict[str, float] = field(default_factory=dict)
    peaks: dict[str, float] = field(default_factory=dict)
    failed: str = ""
    note: str = ""


class Samples:
    """The file of samples; each is written when it is taken."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def add(self, sample: Sample) -> None:
        """Appends it."""
        with self._file.open("a") as file:
            file.write(json.dumps(asdict(sample)) + "\n")

    def of(self, state: str) -> list[Sample]:
        """Those that were taken with this state of the engine."""
        lines = self._file.read_text().splitlines() if self._file.exists() else []
        return [one for one in (Sample(**json.loads(line)) for line in lines) if one.state == state]


def markdown(samples: Sequence[Sample]) -> str:
    """The section with its table: a row for each shape and options, medians of the runs."""
    notes: list[str] = []
    rows = [_row(row, [one for one in samples if one.row == row], notes) for row in dict.fromkeys(_rows(samples))]
    lines = [HEADS, ["---", *["---:"] * (len(HEADS) - 1)], *rows]
    notes += dict.fromkeys(f"{one.row}: {one.note}." for one in samples if one.note)
    return "\n".join(
        [
            TITLE,
            "",
            f"{today()}, {processor_name()}; random weights, medians of the runs.",
            "Peak: largest sum of anonymous and shared memory over all processes of a build, read every 50 ms; GB are "
            "10⁹ bytes.",
            "",
            header_line(*SOURCES),
            "",
            *("| " + " | ".join(line) + " |" for line in lines),
            "",
            *(f"- {note}" for note in notes),
            *([""] if notes else []),
        ]
    )


def _rows(samples: Iterable[Sample]) -> Iterator[str]:
    return (sample.row for sample in samples)


def _row(row: str, samples: Sequence[Sample], notes: list[str]) -> list[str]:
    own = [one for one in samples if one.engine == "joinery"]
    genai = [one for one in samples if one.engine == "genai"]
    for engine, runs in (("Joinery", own), ("genai", genai)):
        if runs and not any(one.figures for one in runs):
            notes.append(f"{row}: {engine} failed: {runs[-1].failed.rstrip('.')}.")
    mine, theirs = (lambda key: _figure(own, key)), (lambda key: _figure(genai, key))
    return [
        row,
        _shown(mine("own"), 1e9, 2),
        _shown(mine("file"), 1e9, 2),
        _shown(mine("seconds"), 1, 0),
        _stages(own),
        *(_shown(mine(key), 1e9, 2) for key in ("written", "folder", "bundle")),
        _shown(theirs("seconds"), 1, 0),
        _shown(theirs("own"), 1e9, 2),
        _shown(_ratio(mine("seconds"), theirs("seconds")), 1, 2),
        _shown(_ratio(mine("own"), theirs("own")), 1, 2),
        _shown(mine("others"), 0.01, 0),
    ]


def _stages(samples: Sequence[Sample]) -> str:
    """`export 60 (2.1), quantize 9 (1.0)`: seconds and peak in GB; without those of less than half a second."""
    seconds: dict[str, list[float]] = {}
    peaks: dict[str, list[float]] = {}
    for sample in samples:
        for name, value in sample.stages.items():
            seconds.setdefault(name, []).append(value)
            peaks.setdefault(name, []).append(sample.peaks.get(name, 0.0))
    middle = {name: statistics.median(values) for name, values in seconds.items()}
    told = (f"{name} {value:.0f} ({statistics.median(peaks[name]) / 1e9:.1f})" for name, value in middle.items())
    return ", ".join(text for text, value in zip(told, middle.values(), strict=True) if value >= 0.5) or "–"


def _median(samples: Sequence[Sample], read: Callable[[Sample], float | None]) -> float | None:
    values = [value for one in samples if one.figures and (value := read(one)) is not None]
    return statistics.median(values) if values else None


def _figure(samples: Sequence[Sample], key: str) -> float | None:
    return _median(samples, lambda one: one.figures.get(key))


def _ratio(value: float | None, other: float | None) -> float | None:
    return value / other if value is not None and other else None


def _shown(value: float | None, scale: float, digits: int) -> str:
    return "–" if value is None else f"{value / scale:.{digits}f}"


def write_section(file: Path, section: str) -> None:
    """Puts the section into a document in place of the one with its heading, else at its end."""
    text = file.read_text("utf-8") if file.exists() else ""
    heading = section.partition("\n")[0]
    old = re.compile(rf"^{re.escape(heading)}$.*?(?=^##? |\Z)", re.M | re.S)
    if old.search(text):
        text = old.sub(lambda _: section, text, count=1)
    else:
        text = f"{text.rstrip()}\n\n{section}".lstrip()
    file.write_text(text, "utf-8")


def figures_of(result: Result, bundle: int) -> dict[str, float]:
    """The figures of a `runs.Result`; bundle: bytes of what it made."""
    peak = result.peak
    told = {"own": peak.own, "file": peak.file, "both": peak.both, "folder": peak.folder, "bundle": bundle}
    return {**told, "seconds": result.seconds, "written": result.written, "others": result.others}
