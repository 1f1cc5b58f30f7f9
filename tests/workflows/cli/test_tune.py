"""`joinery tune` measures, keeps, lists and shares; `build --for-processor` takes another processor's format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.workflows.processor.test_tuning import HERE
from workflows.cli import run
from workflows.evaluation.tuning import kernel_times
from workflows.processor.cores import processor_name
from workflows.processor.tuning import read_tunings, save_tunings


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))


def test_a_bundles_sizes_are_measured_and_kept(
    demo_bundle: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kernel_times, "_BYTES", 1 << 14)
    monkeypatch.setattr(kernel_times, "_ROUNDS", 1)
    monkeypatch.setattr("workflows.evaluation.tuning.product_sizes.LEAST", 1 << 13)
    monkeypatch.setattr("workflows.evaluation.tuning.source.SMALLEST", 0)
    assert run(["tune", str(demo_bundle), "--json"]) == 0
    (printed,) = json.loads(capsys.readouterr().out)
    (kept,) = read_tunings()
    assert printed["processor"] == kept.processor == processor_name() and printed["weights"] == demo_bundle.name
    assert printed["fastest"] == kept.fastest().settings() and printed["fastest_threads"] == kept.fastest_threads()
    assert run(["tune", "--list"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert f"Builds for this processor take {kept.fastest().title}." in shown
    assert f"in runs of {kept.fastest_width()} tokens (ms a token: 64 " in shown
    assert f"Sessions take {kept.fastest_threads() or kept.threads[-1].threads} threads (ms a token: " in shown


def test_results_are_shared_by_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tune", "--list"]) == 0
    assert capsys.readouterr().out == "No processor was tuned: run joinery tune.\n"
    save_tunings([HERE], tmp_path / "other.json")
    assert run(["tune", "--import", str(tmp_path / "other.json")]) == 0
    assert read_tunings() == [HERE]
    assert run(["tune", "--export", str(tmp_path / "mine.json")]) == 0
    assert read_tunings(tmp_path / "mine.json") == [HERE]
    capsys.readouterr()
    assert run(["tune", "--import", str(tmp_path / "none.json")]) == 2
    assert "none.json cannot be read: No such file or directory." in capsys.readouterr().err


def test_another_precision_has_no_such_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_tunings([HERE])
    words = ["build", "demo:qwen3", "--out", str(tmp_path / "b"), "--for-processor", HERE.processor]
    assert run([*words, "--precision", "fp16"]) != 0 and not (tmp_path / "b").exists()
    assert "--for-processor chooses among int4 formats: give --precision int4 too." in capsys.readouterr().err


@pytest.mark.slow
def test_a_build_for_another_processor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_tunings([HERE])
    words = ["build", "demo:qwen3", "--precision", "int4", "--out", str(tmp_path / "b")]
    assert run([*words, "--for-processor", "no such one"]) != 0
    assert "No tuned processor has 'no such one' in the name" in capsys.readouterr().err
    assert run([*words, "--for-processor", HERE.processor, "--preset", "compact"]) == 0
    quantize = json.loads((tmp_path / "b" / "recipe.json").read_text())["quantize"]
    assert (quantize["block_size"], quantize["symmetric"]) == (32, True)
