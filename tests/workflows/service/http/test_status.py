"""What a server says of its requests: to /status with the token, and as lines to the program that started it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from openai import BadRequestError, OpenAI

from tests.workflows.conftest import Built
from tests.workflows.service.http.serving import TOKEN
from workflows.wire.codec import read
from workflows.wire.reports.server import ServedRequest, ServerStatus

SECRET = "8*7= the word that nobody may see: xylophone"


class FollowedServer:
    """`joinery serve --json --stop-at-eof`; reads its lines in a thread."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "workflows", "serve", *arguments, "--port", "0", "--json", "--stop-at-eof"],
            env=os.environ | {"JOINERY_SERVE_TOKEN": TOKEN}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.lines, self._news = list[dict[str, Any]](), threading.Condition()
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._news:
                self.lines.append(json.loads(line))
                self._news.notify()

    def wait_for(self, holds: Callable[[], bool]) -> None:
        """Until a line makes it true."""
        with self._news:
            assert self._news.wait_for(holds, 60), self.lines[-1:]

    @property
    def statuses(self) -> list[ServerStatus]:
        return [read(ServerStatus, rest) for rest in map(_without_event, self.lines) if "uptime_s" in rest]

    def stop(self) -> int:
        """Closes its input; the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        code = self.process.wait(60)
        self.reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


def _without_event(line: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in line.items() if key != "event"}


def status_with_tokens(address: str) -> httpx.Response:
    """/status once a reply has more than a token."""
    end = time.monotonic() + 60
    while True:
        shown = httpx.get(f"{address}/status", headers={"Authorization": f"Bearer {TOKEN}"})
        if shown.json()["tokens"] > 1 or time.monotonic() > end:
            return shown
        time.sleep(0.02)


def request(status: ServerStatus, number: int = 1) -> ServedRequest:
    return next(one for one in status.requests if one.number == number)


@pytest.fixture(scope="module")
def demo(built: Built) -> Path:
    return built("demo:qwen3")


def test_requests_are_counted_and_never_quoted(demo: Path) -> None:
    """A reply that runs is seen as it runs; the end of standard input lets it finish, and the server with it."""
    ends = json.loads((demo / "pipeline.json").read_text("utf-8"))["tokens"]["eos"]
    endless = {str(one): -100 for one in ends}
    server = FollowedServer(f"demo={demo}")
    try:
        server.wait_for(lambda: bool(server.lines))
        address = server.lines[0]["address"]
        assert server.lines[0] == {"event": "serving", "address": address, "bundles": ["demo"]}
        assert httpx.get(f"{address}/status").status_code == 401
        with OpenAI(base_url=f"{address}/v1", api_key=TOKEN, max_retries=0) as client:
            question: Any = [{"role": "user", "content": SECRET}]
            stream = client.chat.completions.create(
                model="demo", messages=question, stream=True, max_tokens=1000, logit_bias=endless
            )
            shown = status_with_tokens(address)
            now = read(ServerStatus, shown.json())
            (bundle,) = now.bundles
            assert (bundle.name, bundle.gives, bundle.open, bundle.running) == ("demo", "tokens", True, 1)
            assert 0 < bundle.cache_used < bundle.cache_slots
            one = request(now)
            assert (one.kind, one.state, one.cached_tokens) == ("chat", "running", 0) and one.tokens > 1
            assert one.prompt_tokens > 10 and one.tokens_per_s > 0 and one.seconds > 0
            assert server.process.stdin is not None
            server.process.stdin.close()
            assert sum(len(chunk.choices[0].delta.content or "") for chunk in stream if chunk.choices) > 250
    finally:
        code = server.stop()
    last = request(server.statuses[-1])
    assert code == 0 and (last.state, last.tokens) == ("done", 1000)
    assert server.statuses[-1].done == 1 and server.statuses[-1].tokens == 1000
    assert "xylophone" not in json.dumps(server.lines) + shown.text


def test_each_end_has_its_state(demo: Path) -> None:
    """A reply, one that its client left, and one that the model refuses."""
    server = FollowedServer(f"demo={demo}")
    try:
        server.wait_for(lambda: bool(server.lines))
        with OpenAI(base_url=server.lines[0]["address"] + "/v1", api_key=TOKEN, max_retries=0) as client:
            assert client.completions.create(model="demo", prompt="8*7=", max_tokens=3).usage
            with client.completions.create(model="demo", prompt="8*7=", max_tokens=9000, stream=True) as stream:
                next(iter(stream))
            with pytest.raises(BadRequestError):
                client.completions.create(model="demo", prompt="8*7=", extra_body={"adapter": "none"})
            server.wait_for(lambda: server.statuses[-1].failed == 1)
    finally:
        assert server.stop() == 0
    ends = [(one.kind, one.state, one.reason) for one in server.statuses[-1].requests]
    assert ends[0] == ("completion", "done", "") and ends[2] == ("completion", "failed", "400")
    assert ends[1][1] in ("cancelled", "done")  # a short reply may be whole before its client leaves
