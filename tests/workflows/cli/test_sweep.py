"""`joinery sweep`: its output, its exit codes, and its help, which shows a plan that can be read."""

from __future__ import annotations

import json
import textwrap
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.sweep_step import run_fake_step
from workflows.cli import run
from workflows.cli.sweep import sweep
from workflows.service.sweep import run as sweep_run
from workflows.service.sweep.executors import LocalPool
from workflows.service.sweep.plan import read_plan
from workflows.wire.reports.sweep import StepResult, SweepStep


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sweep_run, "LocalPool", partial(LocalPool, run=run_fake_step))
    path = tmp_path / "plan.toml"
    path.write_text('sources = ["demo:qwen3"]', "utf-8")
    return path


def failing(runs: Path, step: SweepStep, cancelled: object) -> StepResult:
    from dataclasses import replace

    return run_fake_step(runs, replace(step, arguments={"options": {"fail": "No."}}) if step.kind == "eval" else step)


def test_done_in_one_line(plan: Path, tmp_path: Path, capsys: Any) -> None:
    assert run(["sweep", str(plan), "--out", str(tmp_path / "runs")]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'runs' / 'report.html'}: 3 of 3 steps done, 0 failed\n"


def test_a_failure_is_exit_code_1_with_its_reason(
    plan: Path, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_run, "LocalPool", partial(LocalPool, run=failing))
    assert run(["sweep", str(plan), "--out", str(tmp_path / "runs")]) == 1
    printed = capsys.readouterr()
    assert "2 of 3 steps done, 1 failed" in printed.out and "joinery: qwen3.default.auto.eval: No." in printed.err


def test_json_is_an_event_a_line(plan: Path, tmp_path: Path, capsys: Any) -> None:
    assert run(["sweep", str(plan), "--out", str(tmp_path / "runs"), "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["state"] for one in lines if one["event"] == "step"] == ["running", "done"] * 3
    assert lines[-1]["event"] == "done" and lines[-1]["counts"]["done"] == 3 and lines[-1]["failures"] == {}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--workers", "0"], "A sweep cannot have 0 workers: give 1 to 256."),
        (["--workers", "2", "--scheduler", "tcp://a:1"], "leave --workers out"),
    ],
)
def test_options_that_do_not_fit(plan: Path, tmp_path: Path, capsys: Any, options: list[str], said: str) -> None:
    assert run(["sweep", str(plan), "--out", str(tmp_path / "runs"), *options]) == 2
    assert said in capsys.readouterr().err


def test_a_wrong_plan_is_exit_code_2(plan: Path, tmp_path: Path, capsys: Any) -> None:
    plan.write_text("sources = []", "utf-8")
    assert run(["sweep", str(plan), "--out", str(tmp_path / "runs")]) == 2
    assert capsys.readouterr().err == f"joinery: The plan {plan} has nothing to do: its 'sources' is empty.\n"


def test_the_plan_of_the_help_can_be_read(tmp_path: Path) -> None:
    text = textwrap.dedent((sweep.__doc__ or "").split("\b\n")[1].split("\n\n")[0])
    path = tmp_path / "plan.toml"
    path.write_text(text + '\n[[recipe]]\nname = "fp32"\n', "utf-8")
    assert [one.name for one in read_plan(path).recipe] == ["int4", "fp32"]
