"""The worker as the window drives it: JSON lines in and out of a process of its own."""

from __future__ import annotations

import io
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from workflows.service.worker import Worker, _QueuedRequest
from workflows.wire import events
from workflows.wire.codec import read
from workflows.wire.reports.base import Done
from workflows.wire.reports.graphs import GraphReport
from workflows.wire.requests import REQUESTS, ProbeSource, VerifyBundle

Line = dict[str, Any]
HOT = {"max_new_tokens": 100_000, "temperature": 100.0, "seed": 1}  # an end token is drawn nearly never


class Client:
    """A worker process; `send` gives the id of a request, `until` the lines up to one that fits."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, *(arguments or ("-m", "workflows.service.worker"))]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
        )
        self.lines: queue.Queue[Line | None] = queue.Queue()
        self.errors: list[str] = []
        self.ids = 0
        self.answers: dict[int, type] = {}
        self.threads = [threading.Thread(target=self._read), threading.Thread(target=self._drain)]
        for thread in self.threads:
            thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for text in self.process.stdout:
            self.lines.put(json.loads(text))
        self.lines.put(None)

    def _drain(self) -> None:
        assert self.process.stderr is not None
        self.errors.extend(self.process.stderr)

    def raw(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def send(self, job: str, **fields: Any) -> int:
        self.ids += 1
        self.answers[self.ids] = REQUESTS[job].answer if job in REQUESTS else Done
        self.raw(json.dumps({"id": self.ids, "job": job, **fields}))
        return self.ids

    def until(self, fits: Callable[[Line], bool], timeout: float = 60) -> list[Line]:
        """Every line up to and with the first that fits."""
        found: list[Line] = []
        deadline = time.monotonic() + timeout
        while not found or not fits(found[-1]):
            line = self.lines.get(timeout=max(0.01, deadline - time.monotonic()))
            assert line is not None, "".join(self.errors)
            found.append(line)
        return found

    def last(self, job: int) -> Line:
        """The line that ends a job; it must be one that the window can parse."""
        line = self.until(lambda one: one["job"] == job and one["event"] in ("result", "done", "error", "ready"))[-1]
        events.parse(line, self.answers[job])
        return line

    def ask(self, job: str, **fields: Any) -> Line:
        return self.last(self.send(job, **fields))

    def close(self) -> None:
        if self.process.stdin is not None and not self.process.stdin.closed:
            self.process.stdin.close()
        self.process.wait(20)
        for thread in self.threads:
            thread.join(20)
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()


@pytest.fixture
def fresh() -> Iterator[Client]:
    """A worker of its own."""
    client = Client()
    yield client
    client.close()


@pytest.fixture(scope="module")
def shared() -> Iterator[Client]:
    """A worker for tests that leave it as they found it; any of them may be the first of its process."""
    client = Client()
    client.until(lambda line: line["event"] == "hello")
    yield client
    client.close()


@pytest.fixture(scope="module")
def talker(demo_bundle: Path) -> Iterator[Client]:
    """A worker with the demo open."""
    client = Client()
    ready = client.ask("open", bundle=str(demo_bundle), provider="cpu", cache="window")
    assert ready["event"] == "ready"
    yield client
    client.close()


# -- what is no request ----------------------------------------------------------------------------------------


GARBAGE = ["", "nonsense", "5", "[]", "{}", '{"id":1}', '{"id":1,"job":7}', "[" * 100_000]
GARBAGE += ['{"id":"1","job":"devices"}', '{"id":true,"job":"devices"}', '{"id":1.5,"job":"devices"}']


@pytest.mark.parametrize("text", GARBAGE)
def test_garbage_is_reported_and_survived(shared: Client, text: str) -> None:
    """An error for job 0, and the next request is served."""
    shared.raw(text)
    line = shared.until(lambda one: one["event"] == "error")[-1]
    assert (line["job"], line["kind"]) == (0, "request")
    assert shared.ask("devices")["event"] == "result"


@pytest.mark.parametrize("target", [10**6, -1, 0])
def test_a_cancel_of_nothing_is_ignored(shared: Client, target: int) -> None:
    """No answer, no harm."""
    shared.send("cancel", target=target)
    number = shared.send("devices")
    assert [line["job"] for line in shared.until(lambda one: one["job"] == number)] == [number]


@pytest.mark.parametrize(
    ("job", "fields", "names"),
    [
        ("dance", {}, "No job is called 'dance': there are open, generate, rewind"),
        ("probe", {}, "The job probe lacks its 'source'"),
        ("probe", {"source": 5}, "needs a text as its 'source'"),
        ("recipe", {"source": "demo:qwen3", "options": [1]}, "needs an object as its 'options'"),
        ("cancel", {"target": "x"}, "The job cancel needs a whole number as its 'target'"),
        ("build", {"source": "demo:qwen3"}, "The job build lacks its 'out'"),
        ("inspect", {}, "The job inspect lacks its 'path'"),
        ("verify", {}, "The job verify lacks its 'bundle'"),
        ("open", {}, "The job open lacks its 'bundle'"),
        ("open", {"bundle": "x", "capacity": -1}, "capacity cannot be -1"),
        ("open", {"bundle": "x", "capacity": "many"}, "The job open needs a whole number as its 'capacity'"),
        ("generate", {"prompt": "x"}, "No bundle is open"),
    ],
)
def test_a_wrong_request_is_named(shared: Client, job: str, fields: Line, names: str) -> None:
    """An error of the kind request, that says which field."""
    line = shared.ask(job, **fields)
    assert (line["event"], line["kind"]) == ("error", "request")
    assert names in line["message"]


# -- answers ---------------------------------------------------------------------------------------------------


def test_probe_and_recipe_of_the_demo(fresh: Client) -> None:
    """What the wizard shows, with the checkpoint's own numbers."""
    facts = json.loads((Path(__file__).parents[3] / "resources/demos/qwen3/config.json").read_text())
    found = fresh.ask("probe", source="demo:qwen3")["value"]
    assert (found["kind"], found["family"], found["supported"]) == ("demo", "qwen3", True)
    decoder = found["decoder"]
    assert (decoder["layers"], decoder["vocabulary"]) == (facts["num_hidden_layers"], facts["vocab_size"])
    row = facts["num_key_value_heads"] * facts["head_dim"] * 4
    assert decoder["kv_bytes_per_token"] == 2 * facts["num_hidden_layers"] * row

    planned = fresh.ask("recipe", source="demo:qwen3", options={"graphs": "prefill-decode", "capacity": 128})["value"]
    assert planned["recipe"]["capacity"] == planned["chosen"]["capacity"] == 128
    split = fresh.ask("recipe", source="demo:qwen3", options={"variant": "transformer-only", "capacity": 128})["value"]
    assert [box["name"] for box in split["components"]] == ["embeddings", "prefill", "decode", "head"]
    assert [entry["name"] for entry in split["layouts"] if entry["available"]] == ["gqa"]
    assert split["estimate"]["kv_bytes"] * 2 == planned["estimate"]["kv_bytes"]  # fp16
    assert [component["name"] for component in planned["components"]] == ["prefill", "decode"]
    assert planned["estimate"]["kv_bytes"] == 128 * decoder["kv_bytes_per_token"]
    assert [one["name"] for one in planned["passes"]] == list(planned["chosen"]["passes"])


def test_errors_carry_their_kind_and_data(fresh: Client, tmp_path: Path) -> None:
    """A folder that is no checkpoint; one with code, whose files come with their hashes."""
    line = fresh.ask("probe", source=str(tmp_path))
    assert line["kind"] == "checkpoint" and not {"files", "reason"} & line.keys()
    assert fresh.ask("recipe", source="demo:qwen3", options={"capacity": 10**9})["kind"] == "recipe"
    assert fresh.ask("verify", bundle=str(tmp_path))["kind"] == "bundle"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process can give up the network, which a notice says")
def test_a_worker_that_opens_a_bundle_has_no_network(fresh: Client, tmp_path: Path) -> None:
    """A look at a source leaves it; what comes from elsewhere is opened without, and another worker asks the hub."""
    filtered = f"/proc/{fresh.process.pid}/status"
    fresh.ask("recipe", source="demo:qwen3")
    assert "Seccomp:\t0" in Path(filtered).read_text("utf-8")
    fresh.ask("verify", bundle=str(tmp_path))
    assert "Seccomp:\t2" in Path(filtered).read_text("utf-8")
    refused = fresh.ask("probe", source="owner/name")
    assert (refused["kind"], refused["message"]) == (
        "request", "This worker has given up the network: start another one to probe.",
    )  # fmt: skip


def test_a_network_that_could_not_be_given_up_is_a_notice(capsys: pytest.CaptureFixture[str]) -> None:
    """Once, with the first job that opens something."""
    worker = Worker(io.StringIO(), sys.stdout, confine=lambda _: "It could connect.")
    for number, asked in enumerate((ProbeSource("x"), VerifyBundle("x"), VerifyBundle("y"))):
        worker._prepare(_QueuedRequest(number, asked))
    [line] = capsys.readouterr().out.splitlines()
    assert json.loads(line) == {"job": 1, "event": "notice", "code": "open", "message": "It could connect."}


def test_bench(shared: Client, demo_bundle: Path) -> None:
    """Rows as a result, progress on the way; a wrong option, and a cancel before it begins."""
    options = {"providers": ["cpu", "dml"], "prompt_tokens": 4, "new_tokens": 2, "repeats": 1}
    rows = shared.ask("bench", bundle=str(demo_bundle), **options)["value"]["rows"]
    assert [(row["provider"], row["usable"]) for row in rows] == [("cpu", True), ("dml", False)]
    wrongs: list[dict[str, Any]] = [{"beams": 4}, {"repeats": "5"}, {"providers": "cpu"}, {"repeats": 0}]
    for wrong in wrongs:
        assert shared.ask("bench", bundle=str(demo_bundle), **wrong)["kind"] == "request"
    job = shared.send("bench", bundle=str(demo_bundle), repeats=100_000)
    shared.send("cancel", target=job)
    ended = shared.until(lambda line: line["job"] == job and line["event"] in ("error", "result"))[-1]
    assert ended["kind"] == "cancelled"


def test_inspect_verify_and_devices(shared: Client, demo_bundle: Path) -> None:
    """The contract's names, and values of the demo."""
    report = shared.ask("inspect", path=str(demo_bundle))["value"]
    assert (report["route"], report["capacity"], report["chunk"]) == ("decoder", 4096, 64)
    assert [component["name"] for component in report["components"]] == ["decoder"]
    checked = shared.ask("verify", bundle=str(demo_bundle))["value"]
    assert (checked["ok"], checked["problems"]) == (True, [])
    assert checked["bytes"] == report["bytes"]
    named = {device["name"]: device for device in shared.ask("devices")["value"]["devices"]}
    assert list(named) == ["cpu", "dml", "qnn", "webgpu", "openvino", "cuda"]
    assert named["cpu"]["usable"] and not named["dml"]["usable"]
    assert named["dml"]["reason"] and named["dml"]["remedy"]


def test_open_generate_close(fresh: Client, demo_bundle: Path) -> None:
    """A conversation of two turns: the second reuses the cache; after closing nothing can be generated."""
    ready = fresh.ask("open", bundle=str(demo_bundle), provider="cpu", cache=None, capacity=None)
    assert (ready["event"], ready["layout"], ready["capacity"]) == ("ready", "static", 4096)
    turns = [{"role": "user", "content": "What is 8*7?"}]
    number = fresh.send("generate", messages=turns, options={"max_new_tokens": 40, "alternatives": 3})
    lines = fresh.until(lambda one: one["event"] == "done")
    tokens = [line for line in lines if line["event"] == "token"]
    done = lines[-1]
    assert {line["job"] for line in lines} == {number}
    assert [type(events.parse(line, events.GenerationDone)) for line in lines][-1] is events.GenerationDone
    assert "56" in done["text"] and done["finish_reason"] == "eos"
    assert [token["id"] for token in tokens] == done["token_ids"]
    assert [token["step"] for token in tokens] == list(range(len(tokens)))
    assert {token["phase"] for token in tokens[1:]} == {"decode"} and tokens[0]["phase"] == "prefill"
    for token in tokens:
        best = token["alternatives"][0]
        assert best[0] == token["id"] and best[2] == pytest.approx(token["probability"])
    fed = [line for line in lines if line["event"] == "chunk"]
    assert [(one["start"], one["tokens"]) for one in fed] == [(0, len(done["prompt_ids"]))]
    assert [line["event"] for line in lines].count("cache") >= 1

    turns += [{"role": "assistant", "content": done["text"]}, {"role": "user", "content": "And 9+6?"}]
    fresh.send("generate", messages=turns, options={"max_new_tokens": 40})
    lines = fresh.until(lambda one: one["event"] == "done")
    chunk = next(line for line in lines if line["event"] == "chunk")
    assert chunk["start"] >= len(done["prompt_ids"])  # what was there was not computed again
    assert "15" in lines[-1]["text"]

    assert fresh.ask("close")["value"] == {}
    assert "No bundle is open" in fresh.ask("generate", prompt="x")["message"]


@pytest.mark.parametrize(
    ("fields", "kind", "names"),
    [
        ({}, "request", "lacks its 'messages', 'prompt', 'prompt_ids' or 'sound'"),
        ({"prompt": 5}, "request", "needs a text as its 'prompt'"),
        ({"prompt": ""}, "prompt", "is empty"),
        ({"prompt": "a\ud800"}, "prompt", "not valid Unicode"),
        ({"prompt_ids": [1, 99_999]}, "prompt", "prompt id 99999"),
        ({"prompt_ids": ["1"]}, "request", "list of whole numbers"),
        ({"prompt_ids": [True]}, "request", "list of whole numbers"),
        ({"messages": "hello"}, "request", "list of objects"),
        ({"messages": [{"role": "user"}]}, "request", "The job generate lacks its 'messages[0].content'"),
        ({"messages": [], "tools": "{}"}, "request", "The list of tools must be a JSON list"),
        ({"messages": [], "tools": []}, "request", "needs a text as its 'tools'"),
        ({"messages": [], "prefill": 5}, "request", "needs a text as its 'prefill'"),
        ({"prompt": "x", "options": {"temperature": -1}}, "request", "temperature cannot be -1"),
        ({"prompt": "x", "options": {"warmth": 1}}, "request", "warmth"),
        ({"prompt": "x", "warmth": 1}, "request", "The job generate takes no 'warmth'"),
    ],
)
def test_a_wrong_prompt_is_named_and_the_next_is_served(talker: Client, fields: Line, kind: str, names: str) -> None:
    """No error is a fault of Joinery."""
    line = talker.ask("generate", **fields)
    assert (line["event"], line["kind"]) == ("error", kind)
    assert names in line["message"]
    assert talker.ask("generate", prompt="8*7=", options={"max_new_tokens": 3})["event"] == "done"


# -- graphs ----------------------------------------------------------------------------------------------------


def test_a_graph_is_shown_compared_and_cut(shared: Client, demo_bundle: Path) -> None:
    """The four jobs on the demo's decoder, and the errors that a window can meet."""
    where = {"path": str(demo_bundle), "component": "decoder", "stage": ""}
    graph = read(GraphReport, shared.ask("graph", where=where)["value"])
    assert (graph.component, graph.stage, graph.stages[-1].kind) == ("decoder", "final", "final")
    weights = {value.name: value for value in graph.values if value.kind == "initializer"}
    norm = "model.model.layers.1.input_layernorm.weight"
    tensor = shared.ask("tensor", where=where, name=norm)["value"]
    assert (tensor["shape"], tensor["count"]) == (weights[norm].shape, sum(tensor["histogram"]["counts"]))

    found = shared.ask("diff", before=where, after={"path": str(demo_bundle / "decoder.onnx")})["value"]
    assert found["counts"] == {"same": len(graph.nodes), "removed": 0, "added": 0, "changed": 0}
    excerpt = shared.ask("netron", where=where, scope="model/model/layers/1")["value"]
    assert 0 < excerpt["nodes"] < len(graph.nodes) and Path(excerpt["file"]).is_file()

    for job, fields, kind, names in [
        ("graph", {"where": {"path": "/nowhere.onnx"}}, "request", "neither a bundle folder nor an .onnx file"),
        ("graph", {"where": {**where, "component": "head"}}, "request", "no component 'head': it has decoder"),
        ("graph", {"where": {**where, "stage": "magic"}}, "request", "no stage 'magic'"),
        ("diff", {"before": where}, "request", "The job diff lacks its 'after'"),
        ("tensor", {"where": where, "name": "none"}, "request", "has no initializer none"),
        ("netron", {"where": where, "scope": "none"}, "request", "has no scope 'none'"),
    ]:
        line = shared.ask(job, **fields)
        assert (line["event"], line["kind"]) == ("error", kind), line
        assert names in line["message"]


# -- cancel ----------------------------------------------------------------------------------------------------


def start(client: Client, **fields: Any) -> int:
    """A generation that would go on for long, once its first tokens are there."""
    number = client.send("generate", prompt="8*7=", options=HOT, **fields)
    client.until(lambda one: one["job"] == number and one["event"] == "token" and one["step"] == 5)
    return number


def test_cancel_ends_a_generation_and_the_next_one_works(talker: Client) -> None:
    """As a done whose reason is cancelled; the tokens so far are in it."""
    number = start(talker)
    began = time.monotonic()
    talker.send("cancel", target=number)
    done = talker.last(number)
    assert (done["event"], done["finish_reason"]) == ("done", "cancelled")
    assert time.monotonic() - began < 60
    assert len(done["token_ids"]) >= 6
    again = talker.ask("generate", prompt="8*7=", options={"max_new_tokens": 8})
    assert again["finish_reason"] in ("eos", "length") and "56" in again["text"]


def test_cancel_in_the_middle_of_a_long_prompt(talker: Client) -> None:
    """Between two chunks or inside one, as chance has it ten times; nothing was generated."""
    for _ in range(10):
        number = talker.send("generate", prompt_ids=[5] * 4_000, options={"max_new_tokens": 4})
        talker.until(lambda one: one["event"] == "chunk")
        talker.send("cancel", target=number)
        done = talker.last(number)
        assert (done["event"], done["finish_reason"], done["token_ids"]) == ("done", "cancelled", [])
        assert "56" in talker.ask("generate", prompt="8*7=", options={"max_new_tokens": 8})["text"]


def test_cancel_of_another_job_leaves_the_running_one(talker: Client) -> None:
    """A queued job is cancelled and never runs; the generation before it goes on, and the one after it runs."""
    running = start(talker)
    queued = talker.send("devices")
    waiting = talker.send("generate", prompt="8*7=", options={"max_new_tokens": 8})
    after = talker.send("generate", prompt="8*7=", options={"max_new_tokens": 8})
    talker.send("cancel", target=queued)
    talker.send("cancel", target=waiting)
    more = talker.until(lambda one: one["event"] == "token" and one["step"] >= 200)
    assert {line["job"] for line in more} == {running}
    talker.send("cancel", target=running)
    assert talker.last(running)["finish_reason"] == "cancelled"
    line = talker.last(queued)
    assert (line["event"], line["kind"]) == ("error", "cancelled")
    done = talker.last(waiting)
    assert (done["finish_reason"], done["token_ids"]) == ("cancelled", [])
    assert "56" in talker.last(after)["text"]


def test_a_cancel_that_comes_too_late_does_not_poison_the_next(talker: Client) -> None:
    """Twenty times: a job, its end, the cancel, and at once the next one."""
    for _ in range(20):
        number = talker.send("generate", prompt="8*7=", options={"max_new_tokens": 2})
        talker.last(number)
        talker.send("cancel", target=number)
        done = talker.ask("generate", prompt="8*7=", options={"max_new_tokens": 2})
        assert (done["finish_reason"], len(done["token_ids"])) == ("length", 2)


@pytest.fixture
def another() -> Iterator[Client]:
    """A second one: no process builds twice."""
    client = Client()
    yield client
    client.close()


@pytest.mark.slow
def test_cancel_of_a_build_and_resume(fresh: Client, another: Client, tmp_path: Path) -> None:
    """An error of the kind cancelled; nothing at the target; asked again, the build ends with a bundle."""
    out = tmp_path / "out"
    number = fresh.send("build", source="demo:qwen3", out=str(out), options={"capacity": 64})
    fresh.until(lambda one: one["event"] == "stage" and one["stage"] == "export")
    fresh.send("cancel", target=number)  # before the export's first step, for torch is being imported
    line = fresh.last(number)
    assert (line["event"], line["kind"]) == ("error", "cancelled")
    assert not out.exists()

    refused = fresh.ask("build", source="demo:qwen3", out=str(out), options={"capacity": 64})
    assert refused["message"] == "This worker has given up the network: start another one to build."
    another.send("build", source="demo:qwen3", out=str(out), options={"capacity": 64})
    lines = another.until(lambda one: one["event"] in ("done", "error"))
    assert isinstance(events.parse(lines[-1], events.BuildDone), events.BuildDone)
    assert lines[-1]["components"] == ["decoder"]
    assert another.ask("verify", bundle=str(out))["value"]["ok"]


# -- the process -----------------------------------------------------------------------------------------------


def test_the_end_of_stdin_ends_the_process_at_once_even_in_a_build(fresh: Client, tmp_path: Path) -> None:
    """The window died; nobody waits for the bundle."""
    fresh.send("build", source="demo:qwen3", out=str(tmp_path / "out"))
    fresh.until(lambda one: one["event"] == "progress" and one["stage"] == "export")
    assert fresh.process.stdin is not None
    began = time.monotonic()
    fresh.process.stdin.close()
    assert fresh.process.wait(60) == 0
    assert time.monotonic() - began < 60
    assert not (tmp_path / "out").exists()


NOISY = """
import os, sys
from workflows.service import JobRunner
from workflows.wire.events import ResultEvent
from workflows.wire.reports.graphs import ExcerptReport
from workflows.wire.requests import VerifyBundle
def noisy(self, request, told):
    print("a stray print")
    os.write(1, b"native code writes to descriptor 1\\n")
    os.system("echo a child writes to stdout")
    sys.stdout.write("half a line")
    yield ResultEvent(value=ExcerptReport("\\ud800", 0))
JobRunner.run.register(VerifyBundle)(noisy)
from workflows.service.worker import main
main()
"""


def test_stray_prints_do_not_reach_stdout(tmp_path: Path) -> None:
    """print, native writes and children all go to stderr; half a character is no broken line."""
    client = Client("-c", NOISY)
    try:
        for _ in range(3):
            number = client.send("verify", bundle="x")
            line = client.until(lambda one: one["event"] == "result")[-1]
            assert line["job"] == number
            assert line["value"] == {"file": "\ud800", "nodes": 0}
        assert client.ask("devices")["event"] == "result"
    finally:
        client.close()
    noise = "".join(client.errors)
    for stray in ("a stray print", "native code writes", "a child writes", "half a line"):
        assert noise.count(stray) == 3


def test_a_worker_is_up_quickly_and_imports_nothing_heavy() -> None:
    """What the process has loaded before its first job."""
    code = "import sys, workflows.service.worker; print(sorted({name.partition('.')[0] for name in sys.modules}))"
    command = [sys.executable, "-c", code]
    loaded = subprocess.run(command, capture_output=True, text=True, env=os.environ, timeout=60, check=True).stdout
    for heavy in ("torch", "transformers", "onnx", "onnxruntime", "numpy", "pydantic"):
        assert f"'{heavy}'" not in loaded
