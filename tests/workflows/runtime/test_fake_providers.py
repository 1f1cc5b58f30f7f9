"""Providers that lie, crash, hang, fail and give NaN: each is told apart by a sentence of its own, and survived.

A plugin is a package on PYTHONPATH; what goes wrong later is a Provider whose sessions the CPU computes for.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import onnxruntime as ort
import psutil
import pytest
from onnxruntime.capi.onnxruntime_pybind11_state import ModelLoadCanceled

from tests.fakes.providers import NAME, PLUGINS, PROVIDER, TITLE, Fault, Faulty, faulty, in_children, write_plugin
from tests.workflows.runtime.slow_bundle import slow_bundle
from tests.workflows.runtime.toy_bundles import Toy
from tests.workflows.service.test_worker import Client
from workflows import cli
from workflows.bundle import read_bundle
from workflows.common.errors import Cancelled, JoineryError, LogitsError
from workflows.generate import GenerateOptions, open_engine
from workflows.interop.assemble import assemble
from workflows.process.subprocesses import ProcessResult, run_isolated
from workflows.runtime import LoadCancellation, device_named, open_machine
from workflows.runtime.providers import PROVIDERS, devices, registry
from workflows.runtime.providers.preflight import try_out
from workflows.runtime.providers.provider import GraphSource
from workflows.runtime.providers.qnn import QNN
from workflows.service import JobContext, JobRunner
from workflows.wire import requests as ask
from workflows.wire.events import GenerationDone, Phase

PACKAGE = "onnxruntime_qnn"
SOON_S = 3  # what hangs is given up after this
CRASHED = "The process that loaded its library ended (signal SIGABRT)."
if os.name == "nt":
    CRASHED = "The process that loaded its library ended (code 3)."
SAID = {
    "crashes": CRASHED,
    "hangs": f"The process that loaded its library did not answer in {SOON_S} s.",
    "no library": f"The plugin of {QNN.title} cannot be loaded: [ONNXRuntimeError] : 1 : FAIL : Failed to load library",
    "no plugin": f"The plugin of {QNN.title} cannot be loaded: module 'onnxruntime_qnn' has no attribute",
}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small decoder, without a tokenizer."""
    folder = tmp_path_factory.mktemp("toy")
    Toy().write(folder, ["decoder"])
    assemble({"decoder": folder / "decoder.onnx"}, folder / "bundle", None, None)
    return folder / "bundle"


def impatient(module: str, arguments: list[str], seconds: float) -> ProcessResult:
    """run_apart, for what would not answer in any time."""
    return run_isolated(module, arguments, SOON_S)


@pytest.fixture
def children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """None of the processes that a test starts is left, but for a moment."""
    me, before = psutil.Process(), set(psutil.Process().children(recursive=True))
    yield
    _, alive = psutil.wait_procs([one for one in me.children(recursive=True) if one not in before], timeout=10)
    assert not alive


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    """A command's exit code, and the last line on stderr."""
    code = cli.run([str(one) for one in arguments])
    return code, capsys.readouterr().err.strip().splitlines()[-1]


# -- plugins whose library cannot be loaded --------------------------------------------------------------------


@pytest.mark.parametrize("kind", PLUGINS)
def test_a_plugin_that_cannot_be_loaded_is_a_reason(
    kind: str,
    bundle: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    children: None,
) -> None:
    """`devices` says why, `generate` and `preflight` are refused with it, and the CPU is as it was."""
    path = write_plugin(tmp_path / "plugins", PACKAGE, kind)
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.syspath_prepend(path)
    monkeypatch.delitem(sys.modules, PACKAGE, raising=False)
    if kind == "hangs":
        monkeypatch.setattr(registry, "run_isolated", impatient)
    found = {one.name: one for one in devices()}
    assert found["qnn"].reason.startswith(SAID[kind]) and not found["qnn"].usable
    assert found["qnn"].remedy == "Reinstall it: pip install --force-reinstall onnxruntime-qnn."
    monkeypatch.setattr(registry, "_find", lambda provider, _: found[provider.name])  # it was asked once
    ids = ["--prompt-ids", "1,2", "--max-new-tokens", 2]
    for command in (["generate", bundle, *ids], ["preflight", bundle]):
        code, said = told(capsys, *command, "--provider", "qnn")
        assert code == 2 and said.startswith(f"joinery: {QNN.title} cannot be used: {SAID[kind]}")
    assert cli.run(["generate", str(bundle), *map(str, ids)]) == 0


# -- providers whose sessions go wrong -------------------------------------------------------------------------

STEP: dict[Fault, str] = {
    "lies": "Faulty takes no node of decoder, so that all would run on the CPU: build with the target faulty",
    "nan": "The prefill step at position 0 gave logits that are NaN (decoder on faulty), from which no token",
    "fails": "The prefill step failed on faulty: [ONNXRuntimeError] : 11 : EP_FAIL : the device was removed; open",
    "refuses": "onnxruntime cannot open decoder.onnx: [ONNXRuntimeError] : 11 : EP_FAIL : the graph has 3 inputs",
}
CODES: dict[Fault, int] = {"lies": 2, "nan": 1, "fails": 1, "refuses": 2}


@pytest.mark.parametrize("fault", STEP)
def test_generate_shows_what_is_wrong(
    fault: Fault, bundle: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(PROVIDERS, NAME, faulty(fault))
    code, said = told(capsys, "generate", bundle, "--prompt-ids", "1,2,3", "--provider", NAME)
    assert code == CODES[fault] and said.startswith(f"joinery: {STEP[fault]}")


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("none", ""),
        ("lies", STEP["lies"]),
        ("refuses", STEP["refuses"]),
        ("nan", "The prefill of decoder gives logits that are NaN or infinite."),
        ("fails", STEP["fails"]),
    ],
)
def test_preflight_shows_what_is_wrong(
    fault: Fault, reason: str, bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, children: None
) -> None:
    monkeypatch.setenv("PYTHONPATH", in_children(tmp_path / "site", fault))
    monkeypatch.setitem(PROVIDERS, NAME, faulty(fault))
    report = try_out(bundle, NAME)
    assert report.usable == (fault == "none") and report.reason.startswith(reason)
    assert bool(report.reason) == bool(reason)


@pytest.mark.parametrize("fault", ["hangs", "hangs in load"])
def test_preflight_gives_up(
    fault: Fault, bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, children: None
) -> None:
    monkeypatch.setenv("PYTHONPATH", in_children(tmp_path / "site", fault))
    monkeypatch.setitem(PROVIDERS, NAME, faulty(fault))
    report = try_out(bundle, NAME, seconds=SOON_S)
    assert (report.usable, report.reason) == (False, f"The process that tried {TITLE} did not answer in {SOON_S} s.")


@pytest.mark.parametrize("fault", ["nan", "fails"])
def test_a_step_that_failed_leaves_no_trace(fault: Fault, bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the device is well again the same prompt gives the CPU's tokens: no key of a bad run is reused."""
    options, tokens = GenerateOptions(max_new_tokens=4), []
    monkeypatch.setitem(PROVIDERS, NAME, faulty("none"))
    with open_engine(bundle, provider="cpu") as reference, open_engine(bundle, provider=NAME) as engine:
        list(engine.generate([1, 2, 3], options))
        session = engine.machine.sessions["decoder"].session
        monkeypatch.setattr(session, "_provider", faulty(fault))
        with pytest.raises(LogitsError if fault == "nan" else JoineryError):
            list(engine.generate([1, 2, 3, 4, 5, 6], options))
        monkeypatch.setattr(session, "_provider", faulty("none"))
        for one in (reference, engine):
            *_, done = one.generate([1, 2, 3, 4, 5, 6, 7], options)
            assert isinstance(done, GenerationDone)
            tokens.append(done.token_ids)
    assert tokens[0] == tokens[1] and len(tokens[0]) == 4


# -- the worker ------------------------------------------------------------------------------------------------


@pytest.fixture
def worker(bundle: Path) -> Iterator[list[Client]]:
    """Workers that a test starts."""
    found: list[Client] = []
    yield found
    for client in found:
        client.close()


@pytest.mark.parametrize("fault", STEP)
def test_the_worker_says_it_and_serves_the_next_request(
    fault: Fault, bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worker: list[Client]
) -> None:
    """In the process that the provider went wrong in."""
    monkeypatch.setenv("PYTHONPATH", in_children(tmp_path / "site", fault))
    worker.append(client := Client())
    ready = client.ask("open", bundle=str(bundle), provider=NAME)
    said = ready if fault in ("lies", "refuses") else client.ask("generate", prompt_ids=[1, 2, 3])
    assert said["event"] == "error" and said["message"].startswith(STEP[fault])
    assert said["kind"] == {"lies": "device", "refuses": "graph", "nan": "logits", "fails": "joinery"}[fault]
    assert client.ask("open", bundle=str(bundle), provider="cpu")["event"] == "ready"
    assert client.ask("generate", prompt_ids=[1, 2, 3], options={"max_new_tokens": 2})["event"] == "done"


@pytest.mark.parametrize("fault", ["hangs", "hangs in load"])
def test_a_worker_that_hangs_is_killed_and_the_next_one_works(
    fault: Fault, bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, children: None, worker: list[Client]
) -> None:
    """Nothing can stop it but its end, which the end of its stdin is, too."""
    monkeypatch.setenv("PYTHONPATH", in_children(tmp_path / "site", fault))
    worker.append(client := Client())
    number = client.send("open", bundle=str(bundle), provider=NAME)
    if fault == "hangs":
        assert client.last(number)["event"] == "ready"
        number = client.send("generate", prompt_ids=[1, 2, 3])
    client.send("cancel", target=number)
    began = time.monotonic()
    client.close()  # the window's way out, before it kills
    assert time.monotonic() - began < 60 and client.process.returncode == 0
    worker.append(second := Client())
    assert second.ask("open", bundle=str(bundle), provider="cpu")["event"] == "ready"


def test_an_isolated_process_ends_well() -> None:
    """It answers, and the thread that waits for its parent's end does not disturb its own."""
    ended = run_isolated("workflows.runtime.providers.find_device", ["cpu"], 60)
    assert ended.failure == "" and '"name":"cpu"' in ended.last_line


def _finds(process: psutil.Process) -> bool:
    """Whether it looks for a device; one may have ended meanwhile."""
    try:
        return "workflows.runtime.providers.find_device" in process.cmdline()
    except psutil.Error:
        return False


def test_what_a_killed_process_had_started_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plugin that hangs in a process of its own would hang there for ever."""
    monkeypatch.setenv("PYTHONPATH", write_plugin(tmp_path / "plugins", PACKAGE, "hangs"))
    client = Client()
    client.send("devices")
    me, found = psutil.Process(client.process.pid), list[psutil.Process]()
    deadline = time.monotonic() + 60
    while not any(map(_finds, found)) and time.monotonic() < deadline:
        found = me.children(recursive=True)
    assert found
    client.process.kill()
    _, alive = psutil.wait_procs(found, timeout=10)
    client.close()
    assert not alive


# -- stopping --------------------------------------------------------------------------------------------------


def test_a_run_that_would_take_for_ever_is_stopped(tmp_path: Path) -> None:
    """Between two nodes of a chunk, and of a step; the machine is whole afterwards."""
    with open_machine(read_bundle(slow_bundle(tmp_path, rounds=10**12)), device_named("cpu")) as machine:
        runs: list[tuple[list[int], Phase]] = [([1, 2, 3], "prefill"), ([1], "decode")]
        for tokens, phase in runs:
            machine.resume()
            stop = threading.Timer(0.2, machine.stop)
            stop.start()
            with pytest.raises(Cancelled):
                machine.step(tokens, phase)
            stop.join()
            assert machine.cache.length == 0


def test_a_generation_is_stopped_in_the_worker(tmp_path: Path, worker: list[Client]) -> None:
    """Whatever it is doing: a done that says cancelled, and the next request is served."""
    worker.append(client := Client())
    folder = slow_bundle(tmp_path, rounds=10**12)
    assert client.ask("open", bundle=str(folder), provider="cpu")["event"] == "ready"
    number = client.send("generate", prompt_ids=[1, 2, 3])
    client.send("cancel", target=number)
    assert client.last(number)["finish_reason"] == "cancelled"
    assert client.ask("close")["event"] == "result"


@pytest.mark.skipif(os.name == "nt", reason="SIGINT cannot be sent to one process on Windows")
@pytest.mark.parametrize("fault", ["hangs", "hangs in load"])
def test_ctrl_c_ends_what_nothing_can_stop(fault: Fault, bundle: Path, tmp_path: Path) -> None:
    """The main thread never comes back from the driver; the exit code is that of a cancelled generation."""
    mark = tmp_path / "began"
    environment = os.environ | {"PYTHONPATH": in_children(tmp_path / "site", fault), "FAULTY_MARK": str(mark)}
    command = [sys.executable, "-m", "workflows", "generate", str(bundle), "--prompt-ids", "1,2", "--provider", NAME]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    while not mark.exists():
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err.splitlines()[-1]) == (130, b"joinery: Cancelled.")


def test_an_open_that_is_cancelled_opens_nothing(bundle: Path) -> None:
    jobs = JobRunner()
    asked = ask.Open(bundle=str(bundle), provider="cpu")
    with pytest.raises(Cancelled):
        list(jobs.run(asked, JobContext(lambda event: None, lambda: True)))
    with pytest.raises(JoineryError, match="No bundle is open"):
        list(jobs.run(ask.Rewind(length=0), JobContext(lambda event: None, lambda: False)))
    assert [event.event for event in jobs.run(asked, JobContext(lambda event: None, lambda: False))] == ["ready"]


def test_loading_is_stopped_between_two_sessions_and_within_one(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider that is opening looks at the flag of its options; one that does not is not asked again."""
    loading = LoadCancellation()

    class Slow(Faulty):
        def open(
            self, graph: GraphSource, told: ort.SessionOptions, options: Mapping[str, str]
        ) -> ort.InferenceSession:
            loading.stop()
            return ort.InferenceSession(graph, told, providers=["CPUExecutionProvider"])

    monkeypatch.setitem(PROVIDERS, NAME, Slow(NAME, TITLE, PROVIDER, "NPU"))
    with pytest.raises(ModelLoadCanceled):
        options = ort.SessionOptions()
        options.set_load_cancellation_flag(True)
        ort.InferenceSession(bundle / "decoder.onnx", options, providers=["CPUExecutionProvider"])
    with pytest.raises(Cancelled, match="loading was cancelled"), loading:
        open_machine(read_bundle(bundle), device_named(NAME))
    with pytest.raises(Cancelled), LoadCancellation(lambda: True):
        open_machine(read_bundle(bundle), device_named("cpu"))
    open_machine(read_bundle(bundle), device_named("cpu")).close()
