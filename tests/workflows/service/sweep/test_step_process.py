"""The process of a step with the real engine: a failure's sentence, and slowly an evaluation and a benchmark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.worker import bench_row
from workflows.measure.sweep_folder import SweepFolder
from workflows.process.machines import RemoteMachine
from workflows.service.sweep.step_process import run_step_here
from workflows.service.sweep.step_runner import run_step
from workflows.wire.events import Event, ProgressEvent, ResultEvent
from workflows.wire.reports.bench import BenchReport
from workflows.wire.reports.sweep import StepKind, StepResult, SweepStep
from workflows.wire.requests import Bench


def run(runs: Path, kind: StepKind, **arguments: object) -> StepResult:
    step = SweepStep(f"x.{kind}", kind, "x", "0f", "s", "r", "", "cpu", "local", arguments, seconds=300.0)
    return run_step(runs, step, lambda: False)


def test_a_build_without_a_source_fails_in_a_sentence(tmp_path: Path) -> None:
    source = str(tmp_path / "nothing")
    result = run(tmp_path, "build", source=source, options={}, trust_remote_code=False)
    assert result.state == "failed" and "nothing" in result.reason and "fault" not in result.reason
    assert result.reason.endswith(".") and result.runs == []
    assert "Traceback" in (tmp_path / "steps" / "x.build" / "log.txt").read_text("utf-8")


def test_a_benchmark_on_another_machine_is_of_that_machine(
    tmp_path: Path, demo_bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection itself is tested with the remote machines."""
    requests = list[Bench]()

    class Worker:
        def __init__(self, machine: RemoteMachine, notify: object) -> None:
            assert machine.name == "board"

        def events(self, request: Bench) -> Iterator[Event]:
            requests.append(request)
            yield ProgressEvent(stage="bench")
            yield ResultEvent(value=BenchReport([bench_row("cpu", request)]))

        def close(self) -> None:
            requests.append(Bench("closed"))

    monkeypatch.setattr("workflows.service.remote.remote_worker.RemoteWorker", Worker)
    monkeypatch.setattr("workflows.process.machines.machine_named", lambda name: RemoteMachine(name, "ssh://a@b"))
    (tmp_path / "bundles").mkdir()
    (tmp_path / "bundles" / "x").symlink_to(demo_bundle)
    load: dict[str, object] = {"prompt_tokens": 8, "new_tokens": 4, "repeats": 1}
    step = SweepStep("x.bench-cpu-board", "bench", "x", "0f", "s", "r", "", "cpu", "board", load, seconds=60.0)
    result = run_step_here(SweepFolder(tmp_path), step)
    assert (result.state, result.reason) == ("done", "")
    assert requests == [Bench(str(tmp_path / "bundles" / "x"), ("cpu",), 8, 4, 1), Bench("closed")]
    (recorded,) = result.runs
    assert (recorded.machine, recorded.kind, recorded.figures["decode_tokens_per_s"]) == ("board", "bench", 200.0)


@pytest.mark.slow
def test_an_evaluation_and_a_benchmark_of_a_bundle(tmp_path: Path, demo_bundle: Path) -> None:
    (tmp_path / "bundles").mkdir()
    (tmp_path / "bundles" / "x").symlink_to(demo_bundle)
    compared = run(tmp_path, "eval", against="x", source="", prompts="", steps=2, questions=0, trust_remote_code=False)
    assert compared.state == "done" and compared.runs[0].figures["top1_agreement"] == 1.0
    measured = run(tmp_path, "bench", prompt_tokens=8, new_tokens=4, repeats=1)
    assert measured.state == "done", measured.reason
    assert measured.runs[0].figures["new_tokens"] == 4 and measured.bundle_digest == compared.bundle_digest
