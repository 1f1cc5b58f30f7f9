"""A real ssh and a real sshd on loopback: who is let in, what each fault leaves, and what latency costs.

JOINERY_TEST_KILLS sets how often something is killed (default: 4). Figures are printed: pytest -s.
"""

from __future__ import annotations

import os
import random
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from tests.fakes.relay import Relay
from tests.fakes.sshd import LoopbackServer, free_port, make_key
from workflows.common.errors import DiskFullError, RemoteError
from workflows.process.machines import RemoteMachine, add_machine
from workflows.service.remote.connection import Connection
from workflows.service.remote.copying import Copier
from workflows.service.remote.machine_check import check
from workflows.service.remote.remote_worker import RemoteWorker
from workflows.wire.events import GenerationDone, TokenEvent
from workflows.wire.requests import Generate, ListDevices, Open

pytestmark = pytest.mark.slow
KILLS = int(os.environ.get("JOINERY_TEST_KILLS", "4"))
PROMPT = "Once upon a time"
WITHIN_S = 10.0


def problem(machine: RemoteMachine) -> str:
    with pytest.raises(RemoteError) as caught:
        Connection(machine).close()
    return str(caught.value)


def test_each_refusal_is_one_sentence(
    server: LoopbackServer,
    new_server: Callable[..., LoopbackServer],
    loopback: RemoteMachine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By the words of the real ssh: nobody home, unknown and changed keys, keys of others, no Joinery."""
    assert "no ssh server listens" in problem(RemoteMachine("loop", f"ssh://127.0.0.1:{free_port()}"))
    assert "host name that is not known" in problem(RemoteMachine("loop", "ssh://no-such-host.invalid"))
    assert "has no Joinery at /nowhere" in problem(RemoteMachine("loop", server.address, "/nowhere"))
    known = server.known_hosts.read_text()
    try:
        server.write_known_hosts(None)
        assert "host key that is not known here: run `ssh -p" in problem(loopback)
        make_key(tmp_path / "other")
        server.write_known_hosts(tmp_path / "other.pub")
        assert f"ssh-keygen -R [127.0.0.1]:{server.port}" in problem(loopback)
    finally:
        server.known_hosts.write_text(known)
    monkeypatch.setenv("JOINERY_SSH", server.ssh("stranger"))
    assert "accepts none of your keys: add" in problem(loopback)
    asking = new_server("PasswordAuthentication yes")
    monkeypatch.setenv("JOINERY_SSH", asking.ssh("stranger"))
    assert "would ask for a password, which Joinery never does" in problem(RemoteMachine("loop", asking.address))


def python_there(folder: Path, program: str) -> RemoteMachine:
    """A folder whose Python does something else."""
    path = folder / ".venv" / "bin" / "python"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{program}\n")
    path.chmod(0o755)
    return RemoteMachine("loop", "", str(folder))


def test_another_joinery_there_is_one_sentence(server: LoopbackServer, loopback: RemoteMachine, tmp_path: Path) -> None:
    """None, one that knows no remote machines, another version, and a Python that is too old."""
    agent = "workflows.service.remote.agent"
    start = f"import workflows, runpy; workflows.__version__ = '9.9'; runpy.run_module('{agent}', run_name='__main__')"
    other = f'PYTHONPATH={loopback.joinery} exec {sys.executable} -c "{start}"'
    (tmp_path / "old" / "workflows" / "service").mkdir(parents=True)
    for name in ("workflows", "workflows/service"):
        (tmp_path / "old" / name / "__init__.py").touch()
    plain = f"exec {sys.executable} -S -P -m {agent}"
    old = f"PYTHONPATH={tmp_path}/old {plain}"
    cases = {
        other: "has Joinery 9.9 (wire ",
        old: "an older Joinery, which knows no remote machines",
        plain: "a Python without Joinery",
        "echo 'Unknown option: -P' >&2; exit 2": "a Python that is too old",
    }
    for number, (program, sentence) in enumerate(cases.items()):
        there = python_there(tmp_path / str(number), program)
        assert sentence in problem(RemoteMachine("loop", server.address, there.joinery)), program


def test_a_message_of_the_login_shell_does_no_harm(
    server: LoopbackServer, loopback: RemoteMachine, tmp_path: Path
) -> None:
    program = f'echo "Welcome!"; exec {sys.executable} "$@"'
    there = python_there(tmp_path / "loud", program)
    (tmp_path / "loud" / "workflows").symlink_to(f"{loopback.joinery}/workflows")
    report = check(RemoteMachine("loop", server.address, there.joinery))
    assert report.usable, report.problem


def test_odd_names_are_names_there_and_nothing_else(
    server: LoopbackServer, loopback: RemoteMachine, tmp_path: Path
) -> None:
    """What a shell, ssh or a terminal would read as something else: in Joinery's path there, and in a bundle."""
    checkout = tmp_path / """a 'b" $(touch x) `touch y` ü -z"""
    checkout.symlink_to(loopback.joinery)
    folder = tmp_path / """q 'u"n\ndle ü"""
    folder.mkdir()
    for name in ("a b", "q'u\"o", "new\nline", "-oX", "ü", "$(touch z)", os.fsdecode(b"\xff")):
        (folder / name).write_bytes(os.fsencode(name))
    with Connection(RemoteMachine("loop", server.address, str(checkout))) as connection:
        there = Path(Copier(connection).folder(folder))
        names = {one.name for one in there.iterdir()}
        assert names == {one.name for one in folder.iterdir()}
        assert all((there / name).read_bytes() == os.fsencode(name) for name in names)


def test_a_home_that_cannot_be_written_is_one_sentence(
    new_server: Callable[..., LoopbackServer], loopback: RemoteMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.touch()  # in place of a folder; root may write where nobody else may
    other = new_server(f"SetEnv HOME={home} JOINERY_HOME={home}/joinery")
    monkeypatch.setenv("JOINERY_SSH", other.ssh())
    said = problem(RemoteMachine("loop", other.address, loopback.joinery))
    assert said.startswith(f"loop: The system cannot read or write {home}/joinery/") and said.count(".") <= 2, said


def test_a_machine_that_falls_asleep_is_one_sentence(loopback: RemoteMachine) -> None:
    """Its agent is stopped and answers nothing; after it wakes, nothing is left there."""
    worker = RemoteWorker(loopback, pytest.fail)
    agent = psutil.Process(worker.connection.greeting.pid)
    (child,) = agent.children()
    agent.suspend()
    try:
        with pytest.raises(RemoteError, match=r"^The connection to loop was lost: it gave no sign of life for 8 s\.$"):
            list(worker.events(ListDevices()))
    finally:
        agent.resume()
        worker.close()
    until = time.monotonic() + WITHIN_S
    while agent.is_running() or child.is_running():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_full_disk_is_one_sentence_and_the_copy_goes_on_later(
    server: LoopbackServer, loopback: RemoteMachine, tmp_path: Path
) -> None:
    """On a file system of 4 MiB, where one can be mounted."""
    disk = server.home / "joinery" / "cache" / "remote" / "files"
    disk.mkdir(parents=True, exist_ok=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    folder = tmp_path / "bundle"
    folder.mkdir()
    for name in "abc":
        (folder / name).write_bytes(os.urandom(3 << 19))
    (folder / "big").write_bytes(os.urandom(8 << 20))
    try:
        with Connection(loopback) as connection, pytest.raises(DiskFullError, match=r"loop: The disk of .* is full"):
            Copier(connection).folder(folder)
        assert sum(one.stat().st_size for one in disk.iterdir()) >= 3 << 19
    finally:
        subprocess.run(["umount", disk], check=True)
    with Connection(loopback) as connection:
        copied = Path(Copier(connection).folder(folder))
    assert all((copied / one.name).read_bytes() == one.read_bytes() for one in folder.iterdir())


# -- faults in the middle ------------------------------------------------------------------------------


def processes_of(server: LoopbackServer) -> list[psutil.Process]:
    """What runs on the other machine: everything below its sshd that is Joinery's."""
    found = list[psutil.Process]()
    for one in psutil.process_iter(["environ", "cmdline"]):
        environment = one.info["environ"] or {}
        if environment.get("HOME") == str(server.home) and "workflows" in " ".join(one.info["cmdline"] or ()):
            found.append(one)
    return found


def seconds_until_gone(server: LoopbackServer) -> float:
    began = time.monotonic()
    while processes_of(server):
        assert time.monotonic() - began < WITHIN_S + 2, processes_of(server)
        time.sleep(0.05)
    return time.monotonic() - began


@pytest.fixture
def relay(server: LoopbackServer) -> Iterator[Relay]:
    made = Relay(server.port)
    server.know_port(made.port)
    yield made
    made.close()


def fault(kind: str, client: subprocess.Popen[bytes], relay: Relay, server: LoopbackServer) -> None:
    """Injects one fault while the client works."""
    if kind == "client killed":
        client.kill()
    elif kind == "ssh killed":
        for one in psutil.Process(client.pid).children(recursive=True):
            if one.name() == "ssh":
                one.kill()
    elif kind == "line cut":
        relay.cut()
    elif kind == "line silent":
        relay.freeze()
    elif kind == "client stopped":
        client.send_signal(signal.SIGSTOP)
    elif kind == "worker stopped, client killed":
        for one in processes_of(server):
            if "workflows.process.guard" in one.cmdline():
                one.suspend()
        client.kill()


FAULTS = ("client killed", "ssh killed", "line cut", "line silent", "client stopped", "worker stopped, client killed")


def test_nothing_is_left_there_after_a_fault(
    server: LoopbackServer, loopback: RemoteMachine, demo_split_bundle: Path, tmp_path: Path
) -> None:
    """At a random moment of a copy, of loading and of a generation; and the next command works."""
    chance, table = random.Random(34), list[tuple[str, float]]()
    for number in range(KILLS):
        kind = FAULTS[number % len(FAULTS)]
        with_relay = Relay(server.port)
        server.know_port(with_relay.port)
        add_machine(
            RemoteMachine("relayed", server.address.replace(str(server.port), str(with_relay.port)), loopback.joinery)
        )
        sampled = ("--max-new-tokens", "100000", "--temperature", "100", "--seed", "1")
        command = [sys.executable, "-m", "workflows", "generate", str(demo_split_bundle), "--prompt", PROMPT, *sampled]
        client = subprocess.Popen([*command, "--on", "relayed"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        until = time.monotonic() + 60
        while not processes_of(server) and client.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(chance.uniform(0.0, 4.0))
        fault(kind, client, with_relay, server)
        table.append((kind, seconds_until_gone(server)))
        client.send_signal(signal.SIGCONT)
        _, stderr = client.communicate(timeout=30)
        if kind in ("ssh killed", "line cut", "line silent", "client stopped") and client.returncode:
            *said, last = stderr.splitlines()
            assert last.startswith(b"joinery: ") and all(b"is full" in one for one in said), stderr  # it was done then
        with_relay.close()
    for kind in FAULTS:
        seconds = [one for name, one in table if name == kind]
        if seconds:
            print(f"\n{kind}: {len(seconds)} times, gone after {max(seconds):.1f} s at most", end="")
    assert max(seconds for _, seconds in table) < WITHIN_S
    sessions = server.home / "joinery" / "cache" / "remote" / "sessions"
    with Connection(loopback):
        assert len(list(sessions.iterdir())) == 1  # its own: those of killed ones are removed


# -- latency -------------------------------------------------------------------------------------------


def tokens_of(worker: RemoteWorker, count: int) -> tuple[list[int], list[float], float]:
    """Token ids, seconds between their arrivals, and seconds from the request to the end."""
    began, arrived, ids = time.monotonic(), list[float](), list[int]()
    options: dict[str, object] = {"max_new_tokens": count, "temperature": 100.0, "seed": 1}
    for event in worker.events(Generate(prompt_ids=(5, 6, 7), options=options)):
        if isinstance(event, TokenEvent):
            arrived.append(time.monotonic())
            ids.append(event.id)
        if isinstance(event, GenerationDone):
            assert event.token_ids == ids
    gaps = [later - earlier for earlier, later in pairwise(arrived)]
    return ids, gaps, time.monotonic() - began


def test_latency_does_not_add_up_over_tokens(
    server: LoopbackServer, loopback: RemoteMachine, relay: Relay, demo_split_bundle: Path
) -> None:
    """The same tokens as here; a way of 0, 20 and 100 ms delays the first one, and the rest streams."""
    from workflows.generate import open_engine
    from workflows.generate.options import check_options

    count = 64
    values: dict[str, object] = {"max_new_tokens": count, "temperature": 100.0, "seed": 1}
    engine = open_engine(demo_split_bundle)
    totals = dict[str, float]()
    for _ in range(2):  # the second one is warm
        began = time.monotonic()
        done = [*engine.generate([5, 6, 7], check_options(values), lambda: False)][-1]
        totals["here"] = time.monotonic() - began
    assert isinstance(done, GenerationDone) and len(done.token_ids) > 30
    machine = RemoteMachine("relayed", server.address.replace(str(server.port), str(relay.port)), loopback.joinery)
    worker = RemoteWorker(machine, pytest.fail)
    list(worker.events(Open(str(demo_split_bundle))))
    for delay in (0.0, 0.02, 0.1):
        relay.delay = delay
        runs = [tokens_of(worker, count) for _ in range(3)]
        assert all(ids == done.token_ids for ids, _, _ in runs)
        total = min(total for _, _, total in runs)
        gap = statistics.median(gap for _, gaps, _ in runs for gap in gaps)
        totals[f"{delay * 1000:.0f} ms"] = total
        per_token = (total - totals["here"]) / len(done.token_ids) * 1000
        print(f"\n{delay * 1000:.0f} ms: {total * 1000:.0f} ms for {len(done.token_ids)} tokens", end=", ")
        print(f"median gap {gap * 1000:.2f} ms, {per_token:.2f} ms a token beside here", end="")
        assert total < totals["0 ms"] + 2 * delay + 1.0  # one round trip, not one a token
    worker.close()
