"""The report on a sweep: the counts, a row per bundle and provider, the front, the failures, and its size."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.fakes.sweep_step import result_of
from workflows.inspection.report.document import Heading, Paragraph, ReportPicture, ReportTable
from workflows.inspection.report.sweep_report import report_on_sweep, write_sweep
from workflows.measure.sweep_folder import SweepSnapshot, step_states
from workflows.wire.reports.sweep import StepResult, SweepPlanFile, SweepStep


def snapshot(bundles: int, ended: int, failed: tuple[str, ...] = ()) -> SweepSnapshot:
    """The first `ended` bundles are through."""
    steps = [
        SweepStep(
            f"{n}.{kind}", kind, f"{n}", f"{n * 997 % 65536:04x}", "qwen3", f"r{n}", "gqa", "cpu", "local", {},
            [f"{n}.build"] * (kind != "build"),
        )
        for n in range(bundles)
        for kind in ("build", "eval", "bench")
    ]  # fmt: skip
    results: dict[str, StepResult] = {one.id: result_of(one) for one in steps[: 3 * ended] if one.id not in failed}
    results |= {one.id: result_of(one, "failed", "No <such> layout.") for one in steps if one.id in failed}
    return SweepSnapshot(SweepPlanFile("plan.toml", steps), results, step_states(steps, results, []), True, "")


def test_the_parts() -> None:
    parts = report_on_sweep(snapshot(4, 2, ("2.build",))).parts
    tables = [part for part in parts if isinstance(part, ReportTable)]
    assert tables[0].rows == [["12", "6", "1", "2", "0", "3"]]
    headings = [part.text for part in parts if isinstance(part, Heading)]
    assert headings == ["top-1 against decode", "Bundles", "Failed", "Not ended"]
    front = tables[1]
    assert list(front.head) == ["bundle", "decode", "top-1", "on the front"]
    assert [row[3] for row in front.rows] == ["no", "yes"], "the second is faster and more accurate"
    bundles = tables[2]
    assert list(bundles.head) == ["source", "recipe", "layout", "provider", "decode", "TTFT", "size", "top-1", "KL"]
    assert list(bundles.rows[0][:5]) == ["qwen3", "r0", "gqa", "cpu", "100 tok/s"]
    assert tables[3].rows == [("2.build", "No <such> layout.", "here")]
    assert [row[1] for row in tables[4].rows] == ["blocked", "blocked", "waiting", "waiting", "waiting"]


def test_before_anything_ended() -> None:
    parts = report_on_sweep(snapshot(1, 0)).parts
    assert [part.text for part in parts if isinstance(part, Heading)] == ["Not ended"]


def test_a_bundle_without_a_benchmark_has_a_row(tmp_path: Path) -> None:
    seen = snapshot(1, 1)
    built = replace(seen, results={"0.build": seen.results["0.build"]})
    tables = [part for part in report_on_sweep(built).parts if isinstance(part, ReportTable)]
    assert tables[1].rows == [["qwen3", "r0", "gqa", "–", "1.0 MiB"]]


def test_the_file_stands_alone_and_is_loaded_again_until_the_end(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    write_sweep(snapshot(2, 1, ("1.build",)), out)
    text = out.read_text("utf-8")
    assert "No &lt;such&gt; layout." in text and "<script" not in text and "src=" not in text
    assert 'http-equiv="refresh"' not in text, "nothing waits"
    write_sweep(snapshot(2, 1), out)
    assert '<meta http-equiv="refresh" content="10">' in out.read_text("utf-8")


def test_of_many_points_the_front_alone_is_named() -> None:
    parts = report_on_sweep(snapshot(300, 300)).parts
    (picture,) = [part.svg for part in parts if isinstance(part, ReportPicture)]
    assert picture.count("(on the front)") == 2 and "and 299 more" in picture
    assert len(picture) < 100_000
    waiting = report_on_sweep(snapshot(300, 0)).parts
    assert any(isinstance(part, Paragraph) and part.text == "And 700 more." for part in waiting)
