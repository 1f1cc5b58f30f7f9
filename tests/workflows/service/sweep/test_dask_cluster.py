"""Steps on a Dask cluster: what needs none at once, the rest slowly, on a loopback cluster that is killed in parts."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from workflows.common.errors import ClusterError
from workflows.process.subprocesses import module_search_path, python_command
from workflows.service.sweep.run import SweepRequest, run_sweep
from workflows.service.sweep.schedule import Lane

pytest.importorskip("distributed")
from workflows.service.sweep.dask_cluster import ClusterWorker, stop_check

ENV = os.environ | {"PYTHONPATH": module_search_path("")}


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


class Cluster:
    """A scheduler and workers, each a process of its own, on loopback."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.folder, self.processes = folder, list[subprocess.Popen[bytes]]()
        self.scheduler = self.start("scheduler")

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        options = ["--host", "127.0.0.1"]
        if command[0] == "scheduler":
            options += ["--port", str(self.port), "--dashboard-address", "127.0.0.1:0"]
        line = [sys.executable, "-P", "-m", "distributed.cli.dask_" + command[0], *command[1:], *options]
        log = (self.folder / f"{command[0]}-{len(self.processes)}.log").open("wb")
        self.processes.append(subprocess.Popen(line, env=ENV, stdout=log, stderr=log, cwd=self.folder))
        log.close()
        return self.processes[-1]

    def worker(self, resources: str = "") -> subprocess.Popen[bytes]:
        own = ["--local-directory", str(self.folder), "--no-dashboard"]
        return self.start(
            "worker", self.address, "--nthreads", "1", *own, *(["--resources", resources] if resources else [])
        )

    def close(self) -> None:
        for one in self.processes:
            children = psutil.Process(one.pid).children(recursive=True) if one.poll() is None else []
            for each in (one, *children):
                with __import__("contextlib").suppress(psutil.Error, ProcessLookupError):
                    each.kill()
            one.wait()


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    (tmp_path / "logs").mkdir()
    made = Cluster(tmp_path / "logs")
    yield made
    made.close()


def plan(folder: Path, recipes: int, tags: str = "") -> SweepRequest:
    text = 'sources = ["demo:qwen3"]\n' + "".join(f'[[recipe]]\nname = "r{n}"\n' for n in range(recipes)) + tags
    (folder / "plan.toml").write_text(text, "utf-8")
    return SweepRequest(folder / "plan.toml", folder / "runs")


def client(folder: Path, address: str) -> subprocess.Popen[bytes]:
    line = [*python_command("tests.fakes.sweep_client"), str(folder / "plan.toml"), str(folder / "runs"), address]
    return subprocess.Popen(line, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def begun(folder: Path) -> list[str]:
    path = folder / "runs" / "begun.txt"
    return path.read_text("utf-8").split() if path.exists() else []


def until(done: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end
        time.sleep(0.02)
