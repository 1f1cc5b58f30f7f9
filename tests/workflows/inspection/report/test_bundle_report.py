"""The report on a bundle: what is kept of a build is what it tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.bundle.making import bundle, draft
from tests.workflows.inspection.report.test_report_files import STAGE
from tests.workflows.measure.run_reports import run as made_run
from workflows.bundle import read_bundle
from workflows.bundle.evidence import save_evidence
from workflows.bundle.manifest import MANIFEST, make_manifest
from workflows.inspection.report.bundle_report import report_on_bundle
from workflows.inspection.report.document import ReportTable
from workflows.measure.history import DATABASE_FILE, RunHistory
from workflows.measure.recording import record_build
from workflows.wire.events import STAGES, BuildDone, StageEvent
from workflows.wire.reports.runs import RunReport


def test_each_stage_that_is_kept_is_reported_in_the_order_of_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    folder = bundle(tmp_path / "small")
    ended = {
        name: StageEvent(stage=name, state="done", seconds=n + 0.5, peak_mib=100 + n) for n, name in enumerate(STAGES)
    }
    done = BuildDone(bundle=str(folder), seconds=99.0, bytes=9, components=["decode"])
    record_build(done, dict(reversed(ended.items())), pytest.fail)
    (run,) = RunHistory(tmp_path / "home" / DATABASE_FILE).runs()
    parts = report_on_bundle(read_bundle(folder), [RunReport(run, [])]).parts
    (built,) = [one for one in parts if isinstance(one, ReportTable) and one.head[:2] == ["stage", "time"]]
    inner = STAGES.index("import")
    outer = sum(n + 0.5 for n in range(len(STAGES)) if n != inner)
    names = [("of it loading PyTorch" if n == inner else name) for n, name in enumerate(STAGES)]
    assert [tuple(row) for row in built.rows] == [
        *((name, f"{n}.5 s", f"{100 + n} MiB") for n, name in enumerate(names)),
        ("other work", f"{99 - outer:.1f} s", "–"),
        ("whole build", "99.0 s", f"{99 + len(STAGES)} MiB"),
    ]
    seconds = [float(row[1].split()[0]) for row in built.rows if not row[0].startswith("of it")]
    assert sum(seconds[:-1]) == seconds[-1]


def test_the_four_newest_evaluations_are_shown(tmp_path: Path) -> None:
    runs = [RunReport(made_run(f"e{n}", "eval", minute=9 - n, top1=n / 10), []) for n in range(6)]
    parts = report_on_bundle(read_bundle(bundle(tmp_path / "small")), runs).parts
    heads = [one.head for one in parts if isinstance(one, ReportTable) and "demo-int4 (e0)" in one.head]
    assert heads == [["", *(f"demo-int4 (e{n})" for n in range(4))]]


def test_the_time_of_a_stage_is_stated_once(tmp_path: Path) -> None:
    """It is that of all components of the stage."""
    folder = draft(tmp_path / "two")
    entries = [
        {**STAGE, "name": name, "component": part, "seconds": seconds}
        for name, seconds in (("export", 2.5), ("optimize", 1.5)) for part in ("prefill", "decode")
    ]  # fmt: skip
    save_evidence(folder, entries)
    (folder / MANIFEST).write_text(make_manifest(folder).model_dump_json(), "utf-8")
    parts = report_on_bundle(read_bundle(folder), []).parts
    (table,) = [one for one in parts if isinstance(one, ReportTable) and one.head[:2] == ["stage", "nodes"]]
    assert [row[3] for row in table.rows] == ["2.5 s", "", "1.5 s", ""]
