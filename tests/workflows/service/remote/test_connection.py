"""A connection without a network: copies, a command and a worker there, and what it refuses and reports."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
import threading
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from workflows.common.errors import BundleError, Cancelled, DiskFullError, PromptError, RemoteError, RequestError
from workflows.measure.history import RunHistory
from workflows.process.machines import RemoteMachine
from workflows.service.remote import connection as connections
from workflows.service.remote import frames
from workflows.service.remote.connection import ChildListener, Connection
from workflows.service.remote.copying import Copier
from workflows.service.remote.machine_check import check
from workflows.service.remote.remote_worker import RemoteWorker
from workflows.wire.events import Event, GenerationDone, ProgressEvent, ReadyEvent, ResultEvent, TokenEvent
from workflows.wire.reports.divergence import DivergenceReport
from workflows.wire.requests import (
    Build,
    CheckConstraint,
    Diverge,
    DivergenceSide,
    Generate,
    LoadCache,
    Open,
    RecordValues,
    SaveCache,
)
from workflows.wire.version import wire_version

IDS = (5, 6, 7)


class Collected(ChildListener):
    """What a child wrote."""

    def __init__(self) -> None:
        self.out, self.ended = b"", threading.Event()
        self.states: list[tuple[int, bool]] = []
        self.greeted = threading.Event()

    def on_output(self, data: bytes) -> None:
        self.out += data
        if b"hello" in self.out:
            self.greeted.set()

    def on_state(self, memory: int, active: bool) -> None:
        self.states.append((memory, active))

    def on_end(self) -> None:
        self.ended.set()


def folder_of(path: Path, **files: bytes) -> Path:
    path.mkdir()
    for name, data in files.items():
        (path / name).write_bytes(data)
    return path


def store(there: Path) -> Path:
    return there / "joinery" / "cache" / "remote"


def gone(pid: int, seconds: float = 5.0) -> bool:
    until = time.monotonic() + seconds
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def test_copies_by_content_continued_after_a_cancel(machine: RemoteMachine, there: Path, tmp_path: Path) -> None:
    """Only what is missing is sent; what differs from the manifest's digest, or a path there, is refused."""
    big = os.urandom(frames.BLOCK * 3 + 5)
    folder = folder_of(tmp_path / "bundle", weights=big, same=b"x" * 10, twin=b"x" * 10, empty=b"")
    seen: list[Event] = []
    with Connection(machine) as connection:
        copier = Copier(connection, seen.append, lambda: len(seen) > 1)
        with pytest.raises(Cancelled, match="the next one continues it"):
            copier.folder(folder)
        digest = hashlib.sha256(big).hexdigest()
        part = store(there) / "files" / f"{digest}.part"
        assert 0 < part.stat().st_size < len(big)
        rest, copier.cancelled = len(big) - part.stat().st_size, lambda: False
        seen.clear()
        copied = Path(copier.folder(folder))
        last = seen[-1]
        assert isinstance(last, ProgressEvent) and last.done == last.total == rest
        assert {one.name: one.read_bytes() for one in copied.iterdir()} == {
            "weights": big, "same": b"x" * 10, "twin": b"x" * 10, "empty": b"",
        }  # fmt: skip
        seen.clear()
        assert copier.folder(folder) == str(copied) and seen == []
        with pytest.raises(RequestError, match="box: A file's path leads out"):
            connection.request("output_file", name="../../made.txt")
        out = connection.request("output_file", name="made.txt")
        assert Path(out).is_relative_to(store(there) / "sessions")
        Path(out).write_bytes(big)
        connection.fetch(out, tmp_path / "made.txt")
        assert (tmp_path / "made.txt").read_bytes() == big
        with pytest.raises(RequestError, match="box: Only files of this connection"):
            connection.fetch("/etc/hostname", tmp_path / "x")
        with pytest.raises(RequestError, match="starts workflows or"):
            connection.start("this", [], ChildListener())
        for operation in ("reboot", "exit", "output"):
            with pytest.raises(RequestError, match="not known here"):
                connection.request(operation)
    assert copied.is_dir() and not list((store(there) / "sessions").iterdir())


def test_what_is_no_bundle_is_refused_here(machine: RemoteMachine, tmp_path: Path, demo_split_bundle: Path) -> None:
    with Connection(machine) as connection:
        copier = Copier(connection)
        with pytest.raises(BundleError, match="There is no bundle folder"):
            copier.folder(tmp_path / "none")
        with pytest.raises(RequestError, match="There is no file"):
            copier.file(tmp_path / "none")
        damaged = tmp_path / "damaged"
        damaged.mkdir()
        manifest = {"version": 1, "files": {"a.onnx": {"bytes": 3, "sha256": "0" * 64}}}
        (damaged / "manifest.json").write_text(json.dumps(manifest))
        with pytest.raises(BundleError, match=r"a\.onnx is missing"):
            copier.folder(damaged)
        (damaged / "a.onnx").write_bytes(b"abc")
        with pytest.raises(BundleError, match=r"a\.onnx is not what the manifest says"):
            copier.folder(damaged)


def test_a_worker_there_gives_the_tokens_of_one_here(
    machine: RemoteMachine, there: Path, tmp_path: Path, demo_split_bundle: Path
) -> None:
    """Paths are those of this machine; runs are kept here with the machine's name; errors keep their class."""
    from workflows.generate import open_engine
    from workflows.generate.options import check_options

    options: dict[str, object] = {"max_new_tokens": 8}
    events = list(open_engine(demo_split_bundle).generate(list(IDS), check_options(options), lambda: False))
    local = events[-1]
    worker = RemoteWorker(machine, pytest.fail)
    try:
        (ready,) = worker.events(Open(str(demo_split_bundle)))
        assert isinstance(ready, ReadyEvent) and Path(ready.bundle) == demo_split_bundle.resolve()
        remote = list(worker.events(Generate(prompt_ids=IDS, options=options)))
        done = remote[-1]
        assert isinstance(done, GenerationDone) and isinstance(local, GenerationDone)
        assert done.token_ids == local.token_ids and done.text == local.text
        ids = [one.id for one in remote if isinstance(one, TokenEvent)]
        assert ids == done.token_ids and len(ids) > 2
        with pytest.raises(PromptError, match="id 9999999 is not in the vocabulary"):
            list(worker.events(Generate(prompt_ids=(9_999_999,), options=options)))
        with pytest.raises(RequestError, match="build runs on this machine alone"):
            list(worker.events(Build("demo:qwen3", "/tmp/x")))
        list(worker.events(SaveCache(str(tmp_path / "cache"))))
        assert (tmp_path / "cache").stat().st_size > 1000
        list(worker.events(LoadCache(str(tmp_path / "cache"))))
        side = DivergenceSide(str(demo_split_bundle))
        comparison = Diverge(side, side, prompt_ids=IDS)
        list(worker.events(RecordValues(comparison, str(tmp_path / "values"))))
        *_, compared = worker.events(replace(comparison, recorded=str(tmp_path / "values")))
        assert isinstance(compared, ResultEvent) and isinstance(compared.value, DivergenceReport)
        assert compared.value.first is None and compared.value.nodes_compared > 50
    finally:
        worker.close()
    (run,) = RunHistory().runs()
    assert run.machine.startswith("box: ") and Path(run.bundle) == demo_split_bundle.resolve()
    assert not (there / "joinery" / "runs.db").exists()


def test_another_version_is_one_sentence(machine: RemoteMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "wire_version", lambda: "00000000")
    with pytest.raises(RemoteError) as caught:
        Connection(machine)
    assert str(caught.value) == (
        f"box has Joinery {connections.__version__} (wire {wire_version()}), and this machine "
        f"{connections.__version__} (wire 00000000): install the same version on both."
    )
    report = check(machine)
    assert not report.usable and report.problem == str(caught.value)


def test_a_full_disk_there_is_named(machine: RemoteMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit on the size of files stands for it; what fits stays."""
    script = Path(os.environ["JOINERY_SSH"])
    script.write_text(script.read_text().replace("exec env", "ulimit -f 1024; exec env"))
    folder = folder_of(tmp_path / "bundle", weights=os.urandom(2 << 20))
    with Connection(machine) as connection, pytest.raises((RemoteError, DiskFullError)) as caught:
        Copier(connection).folder(folder)
    assert str(caught.value).startswith("box: A file is larger than the system lets this user write")


@pytest.mark.skipif(sys.platform != "linux", reason="the system kills a process with its parent on Linux alone")
def test_a_killed_agent_takes_its_child_along(machine: RemoteMachine) -> None:
    """Though the child hangs."""
    connection, listener = Connection(machine), Collected()
    connection.start("workflows.service.worker", [], listener)
    agent = psutil.Process(connection.greeting.pid)
    (worker,) = agent.children()
    assert listener.greeted.wait(20)
    worker.send_signal(signal.SIGSTOP)
    agent.kill()
    assert gone(worker.pid)
    connection.close()


@pytest.mark.skipif(sys.platform == "win32", reason="nothing stops a process there")
def test_a_cancelled_job_ends_though_its_worker_hangs(machine: RemoteMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workflows.service.remote.remote_worker.GRACE_S", 0.3)
    worker = RemoteWorker(machine, pytest.fail)
    (there,) = psutil.Process(worker.connection.greeting.pid).children()
    there.suspend()
    with pytest.raises(Cancelled):
        list(worker.events(CheckConstraint("json", ""), lambda: True))
    worker.close()
    assert gone(there.pid)


@pytest.mark.parametrize("end", ["close", "kill"])
def test_nothing_outlives_the_connection(machine: RemoteMachine, end: str) -> None:
    """Neither the agent nor what it started, also when ssh is killed."""
    connection = Connection(machine)
    listener = Collected()
    connection.start("workflows.service.worker", [], listener)
    agent = psutil.Process(connection.greeting.pid)
    (worker,) = agent.children()
    if end == "close":
        connection.close()
    else:
        connection._ssh.kill()
        assert listener.ended.wait(5)
        with pytest.raises(RemoteError, match="The connection to box was lost"):
            connection.request("arrived", files={}, temporary=False)
        connection.close()
    assert gone(agent.pid) and gone(worker.pid)


@pytest.mark.slow
def test_a_silent_client_ends_the_worker(machine: RemoteMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client's process stands still, as on a broken line: nothing is closed, no sign of life comes."""
    monkeypatch.setattr(Connection, "_keep_alive", lambda self: None)
    connection = Connection(machine)
    connection.start("workflows.service.worker", [], Collected())
    agent = psutil.Process(connection.greeting.pid)
    (worker,) = agent.children()
    worker.send_signal(signal.SIGSTOP)  # it hangs, and reads no end of its stdin
    began = time.monotonic()
    assert gone(worker.pid, 10.0) and gone(agent.pid)
    assert 5 < time.monotonic() - began < 10
    connection.close()


@pytest.mark.slow
def test_memory_and_life_are_reported(machine: RemoteMachine) -> None:
    listener = Collected()
    with Connection(machine) as connection:
        connection.start("workflows.service.worker", [], listener)
        until = time.monotonic() + 15
        while not any(not active for _, active in listener.states) and time.monotonic() < until:
            time.sleep(0.05)
    assert all(memory > 10 << 20 for memory, _ in listener.states)
    assert listener.states[-1][1] is False  # it waits for a request


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_worker_that_crashes_there_is_no_lost_connection(machine: RemoteMachine) -> None:
    worker = RemoteWorker(machine, pytest.fail)
    try:
        assert list(worker.events(CheckConstraint("regex", "[0-9]")))
        (there,) = psutil.Process(worker.connection.greeting.pid).children()
        there.send_signal(signal.SIGABRT)
        with pytest.raises(RemoteError) as caught:
            list(worker.events(CheckConstraint("regex", "[0-9]")))
        assert str(caught.value) == "The process on box ended (signal SIGABRT): start it again."
    finally:
        worker.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_here_is_named(machine: RemoteMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection is not taken for lost."""
    monkeypatch.setattr(connections, "atomic_target", lambda target: nullcontext(Path("/dev/full")))
    with Connection(machine) as connection:
        there = connection.request("output_file", name="made")
        Path(there).write_bytes(bytes(frames.BLOCK * 2))
        with pytest.raises(OSError, match="No space left"):
            connection.fetch(there, Path("made"))
        assert connection.request("arrived", files={}, temporary=False) == {}


def test_what_a_listener_raises_ends_the_wait(machine: RemoteMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[object]()
    monkeypatch.setattr(threading, "excepthook", lambda what: seen.append(what.exc_value))
    monkeypatch.setattr(connections._FetchedFile, "write", lambda self, content: {}["none"])
    with Connection(machine) as connection:
        there = connection.request("output_file", name="made")
        Path(there).write_bytes(b"x")
        with pytest.raises(RemoteError, match="The connection to box was lost"):
            connection.fetch(there, Path(there).with_name("here"))
    assert [type(one) for one in seen] == [KeyError]
