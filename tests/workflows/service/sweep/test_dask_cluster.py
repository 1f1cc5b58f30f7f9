"""Steps on a Dask cluster: what needs none at once, the rest slowly, on a loopback cluster that is killed in parts."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import psutil
import pytest

from tests.fakes.sweep_client import end_elsewhere, run_fake_on_worker
from workflows.common.errors import Cancelled, ClusterError, RequestError
from workflows.measure.sweep_folder import SweepReader
from workflows.process.subprocesses import module_search_path, python_command
from workflows.service.sweep import dask_cluster
from workflows.service.sweep.dask_cluster import ClusterWorker, run_on_worker, stop_check
from workflows.service.sweep.plan import read_plan
from workflows.service.sweep.run import SweepRequest, run_sweep
from workflows.service.sweep.schedule import Lane
from workflows.service.sweep.steps import plan_steps
from workflows.wire.codec import dumps


def test_places_of_a_lane() -> None:
    worker = ClusterWorker("tcp://a:1", "a", 4, {"npu": 1.0, "big": 3.0})
    assert worker.places(Lane("build")) == 4
    assert worker.places(Lane("build", (("big", 1.0),))) == 3
    assert worker.places(Lane("bench", (("big", 1.0), ("npu", 1.0)))) == 1
    assert worker.places(Lane("bench", (("gpu", 1.0),))) == worker.places(Lane("bench", (("npu", 2.0),))) == 0


def test_a_step_is_asked_to_stop_by_a_file(tmp_path: Path) -> None:
    cancelled = stop_check(tmp_path, "a1")
    (tmp_path / ".stop-b2").touch()
    assert not cancelled()
    (tmp_path / ".stop-a1").touch()
    assert stop_check(tmp_path, "a1")()


def test_no_scheduler_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text('sources = ["demo:qwen3"]', "utf-8")
    request = SweepRequest(tmp_path / "plan.toml", tmp_path / "runs", scheduler="nonsense://here")
    with pytest.raises(ClusterError, match="No Dask scheduler answers at nonsense://here: "):
        run_sweep(request)


def test_a_worker_that_does_not_see_the_folder_runs_nothing(tmp_path: Path) -> None:
    """It came after the sweep had begun, so that nobody has asked it before."""
    plan(tmp_path, 1)
    step = plan_steps(read_plan(tmp_path / "plan.toml"), tmp_path)[0]
    with pytest.raises(
        ClusterError, match=rf"^The worker on \S+ does not see {tmp_path}: all machines need the folder"
    ):
        run_on_worker(str(tmp_path), dumps(step), "a1")
    assert [*tmp_path.iterdir()] == [tmp_path / "plan.toml"]


class Cluster:
    """A scheduler and workers, each a process of its own, on loopback; FAKE_STEP_S is how long a step takes."""

    def __init__(self, folder: Path, step_s: float) -> None:
        self.folder, self.processes = folder, list[subprocess.Popen[bytes]]()
        self.env = os.environ | {"PYTHONPATH": module_search_path(""), "FAKE_STEP_S": str(step_s)}
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"

    def scheduler(self) -> subprocess.Popen[bytes]:
        return self.start("scheduler", "--port", str(self.port), "--dashboard-address", "127.0.0.1:0")

    def worker(self, tag: str) -> subprocess.Popen[bytes]:
        own = ("--nthreads", "1", "--no-dashboard", "--local-directory", str(self.folder), "--death-timeout", "20")
        return self.start("worker", self.address, *own, "--resources", f"{tag}=1")

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        line = [sys.executable, "-P", "-m", "dask", *command, "--host", "127.0.0.1"]
        with (self.folder / f"{len(self.processes)}-{command[0]}.log").open("wb") as log:
            self.processes.append(subprocess.Popen(line, env=self.env, stdout=log, stderr=log, cwd=self.folder))
        return self.processes[-1]

    def kill_children(self, process: subprocess.Popen[bytes]) -> None:
        """Kills the worker below a nanny, and what it runs."""
        for one in psutil.Process(process.pid).children(recursive=True):
            with suppress(psutil.Error):
                one.kill()

    def close(self) -> None:
        for one in self.processes:
            if one.poll() is None:
                self.kill_children(one)
                one.kill()
            one.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    (tmp_path / "logs").mkdir()
    made = Cluster(tmp_path / "logs", 0.3)
    made.scheduler()
    yield made
    made.close()


def plan(folder: Path, recipes: int, more: str = "") -> None:
    text = 'sources = ["demo:qwen3"]\n' + "".join(f'[[recipe]]\nname = "r{n}"\n' for n in range(recipes)) + more
    (folder / "plan.toml").write_text(text, "utf-8")


def client(folder: Path, cluster: Cluster) -> subprocess.Popen[str]:
    own = [str(folder / "plan.toml"), str(folder / "runs"), cluster.address]
    command = [*python_command("tests.fakes.sweep_client"), *own]
    return subprocess.Popen(command, env=cluster.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")


def lines(folder: Path, name: str) -> list[str]:
    path = folder / "runs" / f"{name}.txt"
    return path.read_text("utf-8").splitlines() if path.exists() else []


def until(done: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.skipif("os.name == 'nt'")
def test_whatever_is_killed_each_step_ends_once(tmp_path: Path, cluster: Cluster) -> None:
    """A worker, the client, the scheduler: in turns, while 9 steps run; benchmarks where npu is."""
    plan(tmp_path, 3, "[bench]\ntags = { npu = 1 }\n")
    workers = [cluster.worker("cpu"), cluster.worker("npu")]
    running = client(tmp_path, cluster)
    until(lambda: len(lines(tmp_path, "ended")) >= 1)
    cluster.kill_children(workers[1])
    until(lambda: len(lines(tmp_path, "ended")) >= 3)
    running.kill()
    running.communicate()
    running = client(tmp_path, cluster)
    until(lambda: len(lines(tmp_path, "ended")) >= 5)
    for one in cluster.processes:
        cluster.kill_children(one)
        one.kill()
        one.wait()
    out, log = running.communicate(timeout=90)
    assert running.returncode == 1 and log.splitlines()[-1].startswith("ClusterError: The scheduler at tcp://"), log
    assert SweepReader(tmp_path / "runs").read().ended == "stopped by an error"
    cluster.scheduler()
    cluster.worker("npu")
    out, log = client(tmp_path, cluster).communicate(timeout=90)
    assert "done=9, failed=0" in out, log
    ended = lines(tmp_path, "ended")
    assert len(ended) == len({*ended}) == 9, "no finished step ran again"
    assert len(lines(tmp_path, "started")) <= 9 + 3 * 2


@pytest.mark.slow
@pytest.mark.skipif("os.name == 'nt'")
def test_cancelling_ends_the_running_step_and_tags_are_checked_before(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.env["FAKE_STEP_S"] = "60"
    cluster.worker("cpu")
    monkeypatch.setattr(dask_cluster, "DaskCluster", partial(dask_cluster.DaskCluster, run=run_fake_on_worker))
    request = SweepRequest(tmp_path / "plan.toml", tmp_path / "runs", scheduler=cluster.address)
    plan(tmp_path, 1, "[bench]\ntags = { npu = 1 }\n")
    refusal = "No worker has npu=1, which qwen3.r0.auto.bench-cpu needs: the workers offer cpu=1; start one"
    with pytest.raises(RequestError, match=refusal):
        run_sweep(request)
    assert lines(tmp_path, "started") == []
    plan(tmp_path, 3)
    with pytest.raises(Cancelled, match="stopped after 0 of 9 steps"):
        run_sweep(request, cancelled=lambda: len(lines(tmp_path, "started")) > 0)
    pid = int(lines(tmp_path, "started")[0].split()[1])
    until(lambda: not psutil.pid_exists(pid), 5.0)
    assert len(lines(tmp_path, "started")) == 1, "what waited has not begun"
    assert list((tmp_path / "runs").glob(".stop-*")) == []


@pytest.mark.slow
@pytest.mark.skipif("os.name == 'nt'")
def test_a_result_that_does_not_appear_is_a_failure_and_not_tried_for_ever(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.worker("cpu")
    monkeypatch.setattr(dask_cluster, "DaskCluster", partial(dask_cluster.DaskCluster, run=end_elsewhere))
    monkeypatch.setattr(dask_cluster, "RESULT_S", 0.5)
    plan(tmp_path, 2)
    report = run_sweep(SweepRequest(tmp_path / "plan.toml", tmp_path / "runs", scheduler=cluster.address))
    assert (report.counts.failed, report.counts.blocked, len(lines(tmp_path, "started"))) == (2, 4, 2)
    runs = tmp_path / "runs"
    sentence = f"A worker ended this step, and its result did not appear within 0.5 s: all machines need {runs}."
    assert {*report.failures.values()} == {sentence}
    assert list(runs.glob(".session-*")) == []
