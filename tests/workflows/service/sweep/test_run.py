"""A whole sweep of fake steps: results, events, failures, resuming after kills, and its cost per step."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.sweep_step import run_fake_step
from workflows.bundle.manifest import MANIFEST
from workflows.common.errors import Cancelled, RequestError
from workflows.common.locks import Lock
from workflows.measure import sweep_folder
from workflows.measure.sweep_folder import SweepFolder, SweepReader
from workflows.process.subprocesses import python_command
from workflows.service.sweep import run
from workflows.service.sweep.executors import LocalPool, StepOutcome
from workflows.service.sweep.run import SweepRequest, SweepRun, ended_steps, run_sweep
from workflows.service.sweep.schedule import Lane
from workflows.wire.events import Event, ProgressEvent, SweepStepEvent
from workflows.wire.reports.sweep import StepResult, SweepCounts, SweepStep

KILLS = 4
PLAN = 'sources = ["demo:qwen3"]\n[[recipe]]\nname = "a"\n[[recipe]]\nname = "b"\n'


@pytest.fixture(autouse=True)
def _fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "LocalPool", partial(LocalPool, run=run_fake_step))


def request(folder: Path, text: str = PLAN, **options: Any) -> SweepRequest:
    plan = folder / "plan.toml"
    plan.write_text(text, "utf-8")
    return SweepRequest(plan, folder / "runs", **{"workers": 2, **options})


def started(folder: Path) -> Counter[str]:
    path = folder / "runs" / "started.txt"
    return Counter(line.split()[0] for line in path.read_text("utf-8").splitlines()) if path.exists() else Counter()


def test_a_sweep_from_the_plan_to_the_report(tmp_path: Path) -> None:
    events: list[Event] = []
    report = run_sweep(request(tmp_path), events.append)
    assert (report.counts, report.failures) == (SweepCounts(6, 0, 0, 0, 0), {})
    assert set(started(tmp_path).values()) == {1}
    ends = [event for event in events if isinstance(event, SweepStepEvent) and event.state == "done"]
    assert [event.counts.done for event in ends] == [1, 2, 3, 4, 5, 6]
    progress = [event for event in events if isinstance(event, ProgressEvent)]
    assert (progress[0].message, progress[-1].done, progress[-1].total) == ("0 done · 0 failed · 6 waiting", 6, 6)
    html = Path(report.report).read_text("utf-8")
    assert "top-1 against decode" in html and 'http-equiv="refresh"' not in html
    seen = SweepReader(tmp_path / "runs").read()
    assert (seen.counts, seen.alive, seen.ended, len(seen.runs)) == (report.counts, False, "finished", 6)


def test_what_has_a_result_does_not_run_again(tmp_path: Path) -> None:
    run_sweep(request(tmp_path))
    assert run_sweep(request(tmp_path)).counts.done == 6 and set(started(tmp_path).values()) == {1}
    more = run_sweep(request(tmp_path, PLAN + '[[recipe]]\nname = "c"\n'))
    assert more.counts.done == 9 and set(started(tmp_path).values()) == {1}
    changed = run_sweep(request(tmp_path, PLAN + "[bench]\nrepeats = 1\n"))
    assert changed.counts.done == 6
    assert {ident for ident, count in started(tmp_path).items() if count == 2} == {
        "qwen3.a.auto.bench-cpu", "qwen3.b.auto.bench-cpu",
    }  # fmt: skip


def test_a_bundle_that_is_gone_is_built_again_where_a_step_needs_it(tmp_path: Path) -> None:
    run_sweep(request(tmp_path))
    manifest = tmp_path / "runs" / "bundles" / "qwen3.a.auto" / MANIFEST
    manifest.unlink()
    run_sweep(request(tmp_path))
    assert set(started(tmp_path).values()) == {1}, "nothing needs it"
    (tmp_path / "runs" / "steps" / "qwen3.a.auto.eval" / "result.json").write_text("{", "utf-8")
    run_sweep(request(tmp_path))
    assert manifest.is_file()
    assert {ident for ident, count in started(tmp_path).items() if count == 2} == {
        "qwen3.a.auto.build", "qwen3.a.auto.eval",
    }  # fmt: skip


def failing(runs: Path, step: SweepStep, cancelled: object) -> StepResult:
    """A step that fails where it is the build of recipe a."""
    options = {"fail": "No such precision."} if step.id == "qwen3.a.auto.build" else {}
    return run_fake_step(runs, replace(step, arguments={"options": options}))


def test_a_failed_step_stops_what_needs_it_alone_until_it_is_retried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[Event] = []
    with monkeypatch.context() as patch:
        patch.setattr(run, "LocalPool", partial(LocalPool, run=failing))
        report = run_sweep(request(tmp_path), events.append)
    assert report.counts == SweepCounts(3, 1, 2, 0, 0)
    assert report.failures == {"qwen3.a.auto.build": "No such precision."}
    blocked = [event for event in events if isinstance(event, SweepStepEvent) and event.state == "blocked"]
    assert [(one.step, one.reason) for one in blocked] == [
        ("qwen3.a.auto.eval", "It needs qwen3.a.auto.build, which failed."),
        ("qwen3.a.auto.bench-cpu", "It needs qwen3.a.auto.build, which failed."),
    ]
    assert "No such precision." in Path(report.report).read_text("utf-8")
    assert run_sweep(request(tmp_path)).counts == report.counts and started(tmp_path)["qwen3.a.auto.build"] == 1
    assert run_sweep(request(tmp_path, retry_failed=True)).counts == SweepCounts(6, 0, 0, 0, 0)


def test_stopped_it_says_how_far_it_is_and_goes_on_later(tmp_path: Path) -> None:
    with pytest.raises(Cancelled, match=r"stopped after [12] of 6 steps: the same command goes on"):
        run_sweep(request(tmp_path, workers=1), cancelled=lambda: len(started(tmp_path)) >= 2)
    assert SweepReader(tmp_path / "runs").read().ended == "stopped"
    assert run_sweep(request(tmp_path)).counts.done == 6


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "thesis.txt").write_text("", "utf-8")
    with pytest.raises(RequestError, match="has other files in it and no sweep: give a new folder"):
        run_sweep(request(tmp_path))
    with pytest.raises(RequestError, match="is a file"):
        run_sweep(SweepRequest(request(tmp_path).plan, tmp_path / "plan.toml"))


def client(folder: Path) -> subprocess.Popen[bytes]:
    command = [*python_command("tests.fakes.sweep_client"), str(folder / "plan.toml"), str(folder / "runs")]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_two_sweeps_in_one_folder_are_refused(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "runs" / ".lock")
    lock.acquire()
    with lock.held(), pytest.raises(RequestError, match=r"Another sweep runs in .* \(process \d+"):
        run_sweep(request(tmp_path))


@pytest.mark.slow
@pytest.mark.skipif("os.name == 'nt'")
def test_killed_again_and_again_it_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    """Only the two steps that were running at a kill begin again."""
    recipes = "".join(f'[[recipe]]\nname = "r{n}"\n' for n in range(8))
    request(tmp_path, f'sources = ["demo:qwen3"]\n{recipes}')
    begun = tmp_path / "runs" / "begun.txt"
    for number in range(KILLS):
        running = client(tmp_path)
        while not begun.exists() or begun.read_text("utf-8").count("\n") < 4 * (number + 1):
            time.sleep(0.01)
        running.kill()
        running.communicate()
        assert running.returncode == -9, "it was not at its end yet"
    out, log = client(tmp_path).communicate(timeout=120)
    assert b"done=24, failed=0" in out, log
    assert set(started(tmp_path).values()) == {1}, "none ran to its end twice"
    assert begun.read_text("utf-8").count("\n") <= 24 + 2 * KILLS
    steps = SweepFolder(tmp_path / "runs").plan().steps
    assert len(ended_steps(SweepFolder(tmp_path / "runs"), steps)) == 24


class AtOnce:
    """An executor whose steps cost nothing; counts its calls."""

    def __init__(self, runs: Path) -> None:
        self.runs, self.ended, self.calls, self.most = runs, list[StepOutcome](), Counter[str](), 0

    def has_room(self, lane: Lane, running: Mapping[Lane, int]) -> bool:
        self.calls["has_room"] += 1
        return sum(running.values()) < 4

    def submit(self, step: SweepStep) -> None:
        self.calls["submit"] += 1
        self.ended.append(StepOutcome(step.id, run_fake_step(self.runs, step, log=False)))
        self.most = max(self.most, len(self.ended))

    def wait(self, seconds: float) -> list[StepOutcome]:
        self.calls["wait"] += 1
        ended, self.ended = self.ended, []
        return ended

    def close(self) -> None:
        pass


def costs(folder: Path, bundles: int, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Calls and writings of a sweep with three steps per bundle; its clock stands still."""
    calls = Counter[str]()
    before = sweep_folder.write_atomically

    def write(path: Path, data: bytes) -> None:
        calls[path.name] += 1
        before(path, data)

    steps = [
        SweepStep(
            f"{n}.{kind}", kind, f"{n}", "0f", "s", "r", "", "cpu", "local", {}, [f"{n}.build"] * (kind != "build")
        )
        for n in range(bundles)
        for kind in ("build", "eval", "bench")
    ]
    executor = AtOnce(folder)
    with monkeypatch.context() as patch:
        patch.setattr(sweep_folder, "write_atomically", write)
        report = SweepRun(SweepFolder(folder), "plan.toml", steps, {}, clock=lambda: 0.0).run(executor)
    assert report.counts.done == len(steps) and executor.most <= 4
    return calls + executor.calls


def test_the_cost_of_a_step_does_not_grow_with_their_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file a step; whatever is written besides is due by the clock, which stands still here."""
    few, many = costs(tmp_path / "few", 4, monkeypatch), costs(tmp_path / "many", 80, monkeypatch)
    assert (few["result.json"], many["result.json"]) == (12, 240)
    assert few["status.json"] == many["status.json"] == 2
    for name in ("submit", "has_room", "wait"):
        assert few[name] <= 6 * 12 and many[name] <= 6 * 240, name


def test_the_process_of_the_sweep_needs_no_dask() -> None:
    code = "import sys, workflows.service.sweep.run; sys.exit('distributed' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
