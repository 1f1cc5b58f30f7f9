"""A step in a process of its own: its result is a file, a crash is tried again, cancelling ends it, none runs twice."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import psutil
import pytest

from tests.fakes.sweep_step import result_of
from workflows.common.errors import Cancelled
from workflows.measure.sweep_folder import SweepFolder
from workflows.service.sweep import step_runner
from workflows.service.sweep.step_runner import is_locked, machine_share, run_step
from workflows.wire.reports.sweep import StepResult, SweepStep


def step(ident: str = "a.build", seconds: float = 60.0, **options: object) -> SweepStep:
    arguments: dict[str, object] = {"options": options}
    return SweepStep(ident, "build", "a", "ab12", "s", "r", "", "cpu", "local", arguments, seconds=seconds)


@pytest.fixture(autouse=True)
def _fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_runner, "MODULE", "tests.fakes.sweep_step")


def run(runs: Path, wanted: SweepStep) -> StepResult:
    return run_step(runs, wanted, lambda: False)


def starts(runs: Path) -> int:
    path = runs / "started.txt"
    return len(path.read_text("utf-8").splitlines()) if path.exists() else 0


def test_the_result_is_in_its_file_and_not_made_again(tmp_path: Path) -> None:
    result = run(tmp_path, step())
    assert result.state == "done" and SweepFolder(tmp_path).result(step()) == result
    assert run(tmp_path, step()) == result and starts(tmp_path) == 1


def test_a_crash_is_tried_again_once(tmp_path: Path) -> None:
    assert run(tmp_path, step(crash=1)).state == "done" and starts(tmp_path) == 2


@pytest.mark.skipif("os.name == 'nt'")
def test_a_step_that_crashes_twice_fails_with_its_last_line(tmp_path: Path) -> None:
    result = run(tmp_path, step(crash=2))
    assert (result.state, starts(tmp_path)) == ("failed", 2)
    assert result.reason == (
        "The process of this step ended (signal SIGKILL, with which the system ends what takes too much memory): "
        "out of luck."
    )
    assert (tmp_path / "steps" / "a.build" / "log.txt").read_text("utf-8") == "out of luck\n"


def test_a_failure_is_a_result_that_only_another_call_tries_again(tmp_path: Path) -> None:
    result = run(tmp_path, step(fail="No such layout."))
    assert (result.state, result.reason, starts(tmp_path)) == ("failed", "No such layout.", 1)
    assert run(tmp_path, step(fail="No such layout.")).state == "failed" and starts(tmp_path) == 2
    log = tmp_path / "steps" / "a.build" / "log.txt"
    assert log.exists() and run(tmp_path, step()).state == "done" and not log.exists(), "the log is of the failure"


def test_a_step_has_its_time(tmp_path: Path) -> None:
    result = run(tmp_path, step(seconds=1.0, sleep=60))
    assert result.state == "failed" and "did not answer in 1 s" in result.reason and starts(tmp_path) <= 1


def test_cancelling_ends_the_process_and_leaves_no_result(tmp_path: Path) -> None:
    seen = list[bool]()

    def cancelled() -> bool:
        if starts(tmp_path) == 1:
            seen.append(is_locked(tmp_path / "steps" / "a.build"))
        return bool(seen)

    with pytest.raises(Cancelled):
        run_step(tmp_path, step(sleep=60), cancelled)
    assert seen[0] and not is_locked(tmp_path / "steps" / "a.build")
    pid = int((tmp_path / "started.txt").read_text("utf-8").split()[-1])
    assert not psutil.pid_exists(pid) and SweepFolder(tmp_path).result(step()) is None


def test_two_that_run_the_same_step_run_it_once(tmp_path: Path) -> None:
    results: list[StepResult] = []
    both = [threading.Thread(target=lambda: results.append(run(tmp_path, step(sleep=0.5)))) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert results[0] == results[1] and starts(tmp_path) == 1


def test_a_step_of_other_inputs_is_another_one(tmp_path: Path) -> None:
    folder = SweepFolder(tmp_path)
    folder.write_result(result_of(step()))
    other = SweepStep("a.build", "build", "a", "ffff", "s", "r", "", "cpu", "local", {"options": {}}, seconds=60.0)
    assert folder.result(other) is None and run(tmp_path, other).digest == "ffff"


def test_a_measurement_has_the_machine_alone(tmp_path: Path) -> None:
    inside, most = 0, 0

    def share(alone: bool) -> None:
        nonlocal inside, most
        with machine_share(alone, lambda: False, tmp_path):
            inside += 1
            most = max(most, inside if alone else 0)
            time.sleep(0.1)
            most = max(most, inside if alone else 0)
            inside -= 1

    threads = [threading.Thread(target=share, args=(n % 2 == 0,)) for n in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert most == 1
    with (
        machine_share(False, lambda: False, tmp_path),
        pytest.raises(Cancelled),
        machine_share(True, lambda: True, tmp_path),
    ):
        pass
