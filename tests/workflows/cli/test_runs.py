"""`joinery runs`: what other commands did is listed, shown, compared, written and pruned."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from workflows.cli import run
from workflows.measure.history import DATABASE_FILE, RunHistory, current_time, new_id
from workflows.wire.reports.runs import Figure, RunRecord

FIELDS = ["id", "kind", "time", "bundle", "name", "digest", "precision", "layout", "provider", "version", "machine",
          "figures"]  # fmt: skip


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A history of its own."""
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def lines(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[Any]:
    """What a command prints with --json."""
    capsys.readouterr()
    assert run([*arguments, "--json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_what_was_done_is_reported_with_whose_it_is(
    demo_split_bundle: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = str(demo_split_bundle)
    done = lines(capsys, "generate", bundle, "--prompt-ids", "5,6,7", "--max-new-tokens", "4")[-1]
    (row,) = lines(capsys, "bench", bundle, "--prompt-tokens", "4", "--new-tokens", "3", "--repeats", "1")
    measured, generated = lines(capsys, "runs", "list")
    assert list(generated) == FIELDS and generated["kind"] == "generate" and measured["kind"] == "bench"
    for one in (measured, generated):
        whose = (one["bundle"], one["precision"], one["layout"], one["provider"])
        assert whose == (str(demo_split_bundle.resolve()), "fp32", "static", "cpu")
        assert one["digest"] == generated["digest"] and one["version"].startswith("onnxruntime ")
    figures = generated["figures"]
    assert figures["new_tokens"] == len(done["token_ids"]) == 4 and figures["prompt_tokens"] == 3
    assert figures["finish_reason"] == done["finish_reason"]
    assert figures["ttft_ms"] == pytest.approx(done["ttft_ms"], 1e-3)
    assert measured["figures"]["decode_tokens_per_s"] == row["decode_tokens_per_s"]
    (shown,) = lines(capsys, "runs", "show", generated["id"][:5])
    assert shown["run"] == generated and [one["phase"] for one in shown["steps"]] == ["prefill", *["decode"] * 3]
    (both,) = lines(capsys, "runs", "compare", generated["id"], measured["id"])
    assert both["runs"] == [generated, measured]
    assert lines(capsys, "runs", "list", "--kind", "bench") == [measured]
    for name in ("o.json", "o.csv", "o.md", "o.html"):
        assert run(["runs", "export", generated["id"], measured["id"], "--out", str(tmp_path / name)]) == 0
    written = json.loads((tmp_path / "o.json").read_text("utf-8"))["runs"]
    assert [one["run"] for one in written] == [generated, measured] and len(written[0]["steps"]) == 4
    rows = list(csv.DictReader((tmp_path / "o.csv").open(encoding="utf-8")))
    assert len(rows) == 5 and {one["provider"] for one in rows} == {"cpu"} and rows[4]["step"] == ""
    assert f"({generated['id']}) |" in (tmp_path / "o.md").read_text("utf-8")
    assert "<svg" in (tmp_path / "o.html").read_text("utf-8") and (tmp_path / "o-1.svg").exists()
    capsys.readouterr()
    assert run(["report", bundle, "--out", str(tmp_path / "b.html")]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'b.html'}\n"
    page = (tmp_path / "b.html").read_text("utf-8")
    assert generated["id"] in page and "tokens alike" in page and "&quot;" in page
    assert run(["runs", "prune", "--keep", "1"]) == 0 and lines(capsys, "runs", "list") == [measured]


def test_the_roofline_share_stands_beside_the_speed(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    figures: dict[str, Figure] = {"decode_tokens_per_s": 212.4, "roofline_share": 0.4123, "ttft_ms": 21.5}
    one = RunRecord(
        new_id(), "bench", current_time(), "/b/demo", "demo", "d", "fp32", "static", "cpu", "v", "m", figures
    )
    RunHistory().add(one)
    assert run(["runs", "list"]) == 0
    assert "212.4 tok/s, 0.4123 of the roofline, TTFT 21.5 ms" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["runs", "show", "zz"], "no run whose id begins with 'zz'"),
        (["runs", "list", "--kind", "walk"], "no runs of the kind 'walk'"),
        (["runs", "prune"], "Say what to remove"),
        (["runs", "list", "--last", "0"], "--last must be at least 1"),
        (["runs", "export", "zz", "--out", "r.pdf"], "end it in .html, .md, .csv or .json"),
        (["report", "nowhere", "--out", "r.csv"], "end it in .html or .md"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    home: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert run(arguments) == 2
    error = capsys.readouterr().err
    assert told in error and error.count("\n") == 1


def test_without_runs_the_first_step_is_named(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["runs"]) == 0 and "build or generate something first" in capsys.readouterr().out


def test_a_history_that_cannot_be_written_ends_nothing(
    demo_split_bundle: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its folder is a file; the tokens come all the same, and it is said."""
    home.write_text("in the way")
    assert run(["generate", str(demo_split_bundle), "--prompt-ids", "5", "--max-new-tokens", "2", "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out.splitlines()[-1])["event"] == "done"
    assert (
        printed.err.startswith("joinery: The run could not be kept in the history: ")
        and DATABASE_FILE not in printed.out
    )
