"""What a server withstands: workers that die, clients that leave, requests that are too large, too many or hostile."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2 as httpx
import openai
import psutil
import pytest

from tests.workflows.conftest import Built
from tests.workflows.service.http.serving import TOKEN, Server, running
from workflows.service.http.served_model import ServedModel
from workflows.service.http.served_worker import UnreadError, WorkerJob
from workflows.service.http.settings import ServerSettings
from workflows.wire.events import ChunkEvent, GenerationDone
from workflows.wire.requests import Cancel, Generate

QUESTION: Any = [{"role": "user", "content": "8*7="}]
LONG: dict[str, Any] = {"model": "demo", "messages": QUESTION, "max_tokens": 100_000, "logit_bias": {}}
HEADERS = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def demo(built: Built) -> Path:
    return built("demo:qwen3", cache="window", capacity=256)  # which generates without an end


@pytest.fixture(scope="module")
def server(demo: Path) -> Iterator[Server]:
    with running({"demo": demo}, "--body", "1", "--queue", "3") as one:
        yield one


def endless(demo: Path) -> dict[str, Any]:
    """A chat whose reply does not end: no end token can be drawn."""
    ends = json.loads((demo / "pipeline.json").read_text("utf-8"))["tokens"]["eos"]
    return LONG | {"logit_bias": {str(one): -100 for one in ends}, "stream": True}


def post(server: Server, body: Any, **more: Any) -> httpx.Response:
    return httpx.post(f"{server.url}/chat/completions", json=body, headers=HEADERS, timeout=60, **more)


def until(holds: Callable[[], bool], seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def state(server: Server) -> dict[str, Any]:
    return dict(httpx.get(f"{server.url}/models/demo", headers=HEADERS).json())


def works(server: Server) -> bool:
    with server.client as client:
        reply = client.chat.completions.create(model="demo", messages=QUESTION, max_tokens=20)
        return reply.choices[0].message.content == "8 * 7 = 56"


def test_a_response_that_fails_within_its_stream_says_so(server: Server) -> None:
    """Its worker is killed; the stream ends with the API's event, and the next request works."""
    lasting = {"type": "array", "items": {"type": "integer"}, "minItems": 100_000}  # a reply that does not end before
    form = {"format": {"type": "json_schema", "name": "n", "schema": lasting}}
    asked: Any = {"model": "demo", "input": "8*7=", "text": form, "max_output_tokens": 100_000}
    with server.client as client:
        events = []
        for one in client.responses.create(**asked, stream=True):
            events.append(one)
            if one.type == "response.created":
                for worker in server.workers():
                    worker.kill()
        last = events[-1]
        assert last.type == "response.failed" and last.response.error is not None
        assert "has ended" in last.response.error.message and last.response.status == "failed"
        assert client.responses.create(model="demo", input="8*7=").output_text == "8 * 7 = 56"


def test_a_killed_worker_fails_its_requests_alone(server: Server, demo: Path) -> None:
    assert works(server)
    with server.client as client, ThreadPoolExecutor(1) as pool:
        with pytest.raises(openai.APIError, match="has ended"):
            for place, _ in enumerate(client.chat.completions.create(**endless(demo))):
                if place == 5:
                    waiting = pool.submit(works, server)
                    (worker,) = server.workers()
                    killed = time.monotonic()
                    worker.send_signal(signal.SIGKILL)
        assert time.monotonic() - killed < 5
        assert waiting.result(60)
    assert works(server)


def test_a_client_that_leaves_frees_its_turn(server: Server, demo: Path) -> None:
    for whole in (False, True):
        with httpx.stream(
            "POST", f"{server.url}/chat/completions", json=endless(demo), headers=HEADERS, timeout=60
        ) as answer:
            lines = answer.iter_lines()
            assert next(lines).startswith("data: ")
        assert until(lambda: not state(server)["running"])
        if whole:
            with pytest.raises(httpx.TimeoutException):
                httpx.post(f"{server.url}/chat/completions", json=endless(demo) | {"stream": False}, headers=HEADERS,
                           timeout=1)  # fmt: skip
            assert until(lambda: not state(server)["running"])
        assert works(server)


def test_who_leaves_while_it_opens_does_not_open_it_again(demo: Path) -> None:
    with running({"demo": demo}) as server:
        for number in range(12):
            with suppress(httpx.TimeoutException):
                httpx.post(f"{server.url}/chat/completions", json=LONG, headers=HEADERS, timeout=0.02 * number + 0.02)
        assert works(server) and len(server.workers()) == 1
        metrics = httpx.get(server.url.removesuffix("/v1") + "/metrics", headers=HEADERS).text
        assert 'status="500"' not in metrics
        assert until(lambda: not state(server)["running"])


def test_many_that_leave(server: Server, demo: Path) -> None:
    """Some before their turn, some within it; no file, no task and no turn is lost."""
    process = psutil.Process(server.process.pid)
    assert works(server)
    before = process.num_fds()

    def leave(number: int) -> None:
        try:
            with httpx.stream("POST", f"{server.url}/chat/completions", json=endless(demo), headers=HEADERS,
                              timeout=0.05 * (number % 7) + 0.01) as answer:  # fmt: skip
                next(answer.iter_lines())
        except (httpx.HTTPError, StopIteration):
            pass

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(leave, range(60)))
    assert until(lambda: not state(server)["running"] and state(server)["waiting"] == 0)
    assert works(server) and until(lambda: process.num_fds() <= before + 2)


def test_a_full_queue_says_so(server: Server, demo: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        with httpx.stream(
            "POST", f"{server.url}/chat/completions", json=endless(demo), headers=HEADERS, timeout=60
        ) as answer:
            lines = answer.iter_lines()  # read: a client that reads nothing loses its turn
            assert next(lines)
            waiting = [pool.submit(post, server, LONG | {"max_tokens": 4}) for _ in range(3)]
            assert any(state(server)["waiting"] == 3 for _ in lines)
            refused = post(server, LONG)
            ready = httpx.get(server.url.removesuffix("/v1") + "/ready")
        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "queue_full")
        assert refused.headers["retry-after"] == "1" and ready.status_code == 503
        assert [one.result(60).status_code for one in waiting] == [200] * 3


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"{", 400, "cannot be read as JSON"),
        (b"[1]", 400, "The body is wrong"),
        (b"[" * 200_000, 400, "cannot be read as JSON"),
        (b'{"model": "demo", "messages": "x"}', 400, "messages is wrong"),
        (b"\xff\xfe\x00", 400, "cannot be read as JSON"),
        (b"0" * 1_100_000, 413, "more than 1 MiB"),
    ],
)
def test_wrong_bodies(server: Server, body: bytes, status: int, said: str) -> None:
    headers = HEADERS | {"Content-Type": "application/json"}
    answer = httpx.post(f"{server.url}/chat/completions", content=body, headers=headers)
    assert (answer.status_code, said in answer.json()["error"]["message"]) == (status, True), answer.text

    def pieces() -> Iterator[bytes]:
        yield from (body[at : at + 65_536] for at in range(0, len(body), 65_536))

    answer = httpx.post(f"{server.url}/chat/completions", content=pieces(), headers=headers)  # without its length
    assert answer.status_code == status, answer.text
    assert works(server)


@pytest.mark.parametrize("field", ["temperature", "top_p", "top_k", "min_p", "repetition_penalty", "seed", "n"])
def test_extreme_numbers_are_answered_or_refused(server: Server, field: str) -> None:
    """Of a fuzzer: a penalty whose quotient is infinite, ids and counts beyond every integer's bits."""
    for value in (5e-324, 1e308, 10**30, -(10**30), 2**63):
        answer = post(server, LONG | {"max_tokens": 2, "temperature": 0.5} | {field: value})
        assert answer.status_code in (200, 400), answer.text
    for token in (10**20, 2**32, -(2**63)):
        answer = httpx.post(f"{server.url}/completions", json={"model": "demo", "prompt": [1, token]}, headers=HEADERS)
        assert (answer.status_code, f"{token} is not in the vocabulary" in answer.text) == (400, True), answer.text


def test_what_is_no_request_for_it(server: Server) -> None:
    root = server.url.removesuffix("/v1")
    rebound = httpx.get(f"{server.url}/models", headers=HEADERS | {"Host": "evil.example"})
    assert (rebound.status_code, rebound.json()["error"]["code"]) == (421, "wrong_host")
    form = httpx.post(f"{server.url}/chat/completions", data={"model": "demo"}, headers=HEADERS)
    assert form.status_code == 415
    assert httpx.get(f"{root}/etc/passwd", headers=HEADERS).status_code == 404
    assert httpx.get(f"{server.url}/chat/completions", headers=HEADERS).status_code == 405
    for path, status in (("/health", 200), ("/ready", 200), ("/metrics", 401), ("/v1/models", 401)):
        assert httpx.get(root + path).status_code == status
    flood = {f"X-{i}": "y" * 1000 for i in range(200)}
    with suppress(httpx.ReadError, httpx.RemoteProtocolError):  # it hangs up on who goes on sending
        assert httpx.get(f"{server.url}/models", headers=HEADERS | flood).status_code == 400
    assert "joinery_requests_total" in httpx.get(f"{root}/metrics", headers=HEADERS).text


def nested(depth: int) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "null"}
    for _ in range(depth):
        made = {"type": "array", "items": made}
    return made


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "pattern": "(a|aa|aaa|b*c*){0,90000}(x{0,5000}y){0,5000}"},
        nested(150),
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        {"anyOf": [{"type": "object", "properties": {f"p{i}": {"enum": list(range(200))}}} for i in range(300)]},
        {"type": "string", "pattern": "(" * 5000},
        {"$ref": "http://127.0.0.1:1/schema.json"},
        {"$ref": "file:///etc/passwd"},
    ],
    ids=["pattern", "nested", "cycle", "many", "brackets", "url", "file"],
)
def test_hostile_schemas_are_answered_or_refused(server: Server, schema: dict[str, Any]) -> None:
    form = {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}
    answer = post(server, LONG | {"max_tokens": 4, "response_format": form})
    assert answer.status_code in (200, 400), answer.text
    assert "a fault of Joinery" not in answer.text and "This is a fault" not in answer.text
    assert works(server)


def test_slow_readers_hold_nobody(server: Server) -> None:
    """A client that reads nothing has its turn until its reply ends, and the next one's comes then."""
    body = json.dumps(LONG | {"max_tokens": 400, "stream": True}).encode()
    host, port = server.url.removeprefix("http://").removesuffix("/v1").split(":")
    with socket.create_connection((host, int(port))) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {TOKEN}\r\n"
        slow.sendall(f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        assert works(server)


def given_job(is_awaited: bool = False) -> tuple[WorkerJob, list[Cancel]]:
    """A job, and what it asks its worker. is_awaited: whether others wait."""
    sent = list[Cancel]()
    client: Any = SimpleNamespace(send=lambda _ident, request: sent.append(request))
    return WorkerJob(client, 7, GenerationDone, lambda: is_awaited), sent


CHUNK = {"job": 7, "event": "chunk", "start": 0, "tokens": 1, "total": 1, "latency_ms": 1.0, "cache_used": 1,
         "cache_capacity": 2}  # fmt: skip
ENDED = {"job": 7, "event": "error", "kind": "cancelled", "message": "x"}


def test_a_turn_ends_with_its_job_also_where_nobody_reads(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def read() -> None:
        model, (job, sent) = ServedModel("demo", demo, ServerSettings(bundles={"demo": demo})), given_job()
        worker = SimpleNamespace(submit=lambda _request, _is_awaited: job)
        monkeypatch.setattr(model, "_open", lambda: asyncio.sleep(0, worker))
        job.receive(CHUNK)
        events = model.events(Generate(prompt="x"))
        assert isinstance(await anext(events), ChunkEvent) and model.running == 1
        job.receive(CHUNK)
        job.receive(ENDED)
        await asyncio.sleep(0.01)
        assert model.running == 0
        await events.aclose()
        await asyncio.sleep(0.01)
        assert model.running == 0 and not sent

    asyncio.run(read())


@pytest.mark.parametrize(
    ("is_awaited", "reads", "cancelled"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_a_reader_that_stalls_loses_its_turn_where_others_wait(
    is_awaited: bool, reads: bool, cancelled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is slow and reads keeps it; a long prompt, of which nothing can be read, is no stall."""
    now = [0.0]
    monkeypatch.setattr("workflows.service.http.served_worker.time", SimpleNamespace(monotonic=lambda: now[0]))

    async def read() -> None:
        job, sent = given_job(is_awaited)
        events = job.events()
        for gap in (30.0, 0.0, 0.6, 0.6):
            now[0] += gap
            job.receive(CHUNK)
            if reads:
                await anext(events)
        assert bool(sent) == cancelled
        if cancelled:
            job.receive(ENDED)
            with pytest.raises(UnreadError, match="Nothing was read for 1 s while others wait: the reply was canc"):
                async for event in events:
                    assert isinstance(event, ChunkEvent)

    asyncio.run(read())


def test_too_much_unread_is_cancelled() -> None:
    async def read() -> None:
        job, sent = given_job()
        for _ in range(1024):
            job.receive(CHUNK)
        assert not sent
        job.receive(CHUNK)
        assert sent == [Cancel(target=7)] and not job.ended.is_set()
        job.receive(ENDED)
        assert job.ended.is_set()
        with pytest.raises(UnreadError, match="1,024 tokens were not read"):
            async for event in job.events():
                assert isinstance(event, ChunkEvent)

    asyncio.run(read())


def works_in_time(server: Server) -> bool:
    """Whether it answers within its limit; a slow machine takes longer to open the bundle, and is asked again."""
    try:
        return works(server)
    except openai.InternalServerError:
        return False


def test_time_is_limited_and_unused_bundles_are_closed(demo: Path) -> None:
    with running({"demo": demo}, "--seconds", "2", "--idle", "1") as server:
        assert until(lambda: works_in_time(server))
        late = post(server, endless(demo) | {"stream": False})
        assert (late.status_code, late.json()["error"]["code"]) == (503, "timeout")
        shown = httpx.get(server.url.removesuffix("/v1") + "/status", headers=HEADERS).json()
        assert [shown["requests"][-1][name] for name in ("state", "reason")] == ["failed", "timeout"]
        with server.client as client, pytest.raises(openai.APIError, match="took longer"):
            list(client.chat.completions.create(**endless(demo)))
        assert until(lambda: not server.workers()) and not state(server)["open"]
        assert until(lambda: works_in_time(server))
        host, port = server.url.removeprefix("http://").removesuffix("/v1").split(":")
        with socket.create_connection((host, int(port)), timeout=20) as trickling:
            head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {TOKEN}\r\n"
            trickling.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 90\r\n\r\n{{".encode())
            assert b" 408 " in trickling.recv(4096).partition(b"\r\n")[0]


def test_no_prompt_is_logged_or_kept(demo: Path) -> None:
    """Of a request that is answered, of one that is refused, and of one that fails, nothing stays."""
    secret: Any = [{"role": "user", "content": "a secret 8*7="}]
    with running({"demo": demo}) as server:
        assert post(server, LONG | {"messages": secret, "max_tokens": 4}).status_code == 200
        assert post(server, LONG | {"messages": secret, "max_tokens": "a secret"}).status_code == 400
        assert post(server, LONG | {"messages": [*secret, {"role": "tool"}], "stop": ["x"] * 99}).status_code == 400
        assert "secret" not in httpx.get(server.url.removesuffix("/v1") + "/metrics", headers=HEADERS).text
        server.process.terminate()
        written = "".join(server.process.communicate(timeout=30))
    assert "secret" not in written
    kept = [path for path in Path(os.environ["JOINERY_HOME"]).rglob("*") if path.is_file()]
    assert [path for path in kept if b"a secret 8*7" in path.read_bytes()] == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda one: one.name)
def test_a_stop_finishes_what_runs(demo: Path, number: signal.Signals) -> None:
    """For longer than other commands take to end after Ctrl+C."""
    with running({"demo": demo}) as server, server.client as client:
        got, has_begun = list[str](), threading.Event()
        body = LONG | {"max_tokens": 350, "stream": True, "logit_bias": {"2": -100}}

        def read() -> None:
            for one in client.chat.completions.create(**body):
                has_begun.set()
                got.extend(choice.finish_reason for choice in one.choices if choice.finish_reason)

        thread = threading.Thread(target=read)
        thread.start()
        assert has_begun.wait(60)
        workers = server.workers()
        server.process.send_signal(number)
        thread.join(60)
        assert got == ["length"] and server.process.wait(30) in (0, -signal.SIGTERM, 130)
        assert not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in workers)
