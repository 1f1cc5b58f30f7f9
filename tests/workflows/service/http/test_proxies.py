"""nginx and HAProxy before two servers, as serving.md configures them: conversations stay, streams flow, one may go."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from openai import OpenAI

from tests.workflows.conftest import Built
from tests.workflows.service.http.serving import TOKEN, Server, running

PAGE = Path(__file__).parents[4] / "resources" / "docs" / "serving.md"
COMMANDS = {"nginx": ["nginx", "-p", "{folder}", "-g", "daemon off;", "-c"], "haproxy": ["haproxy", "-db", "-f"]}
pytestmark = pytest.mark.slow


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def written(kind: str) -> str:
    """The configuration on the page."""
    found = re.search(rf"```{kind}\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


@contextmanager
def proxy(kind: str, servers: list[Server], folder: Path) -> Iterator[str]:
    """The proxy of the page before these servers; its address with /v1."""
    port = free_port()
    ports = [httpx.URL(one.url).port for one in servers]
    text = written(kind)
    for old, new in zip(("8080", "8081", "8082"), (port, *ports), strict=True):
        text = text.replace(f"127.0.0.1:{old}", f"127.0.0.1:{new}")
    file = folder / f"{kind}.conf"
    file.write_text(text, "utf-8")
    command = [part.format(folder=folder) for part in COMMANDS[kind]]
    process = subprocess.Popen([*command, str(file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 30
        while time.monotonic() < end:
            with suppress(httpx.TransportError):
                if httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200:
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(30)


def answered(server: Server) -> int:
    """How many requests a server has answered."""
    address = server.url.removesuffix("/v1")
    status = httpx.get(f"{address}/status", headers={"Authorization": f"Bearer {TOKEN}"})
    return int(status.json()["done"])


def ask(client: OpenAI, conversation: str) -> str:
    """A streamed reply."""
    question: Any = [{"role": "user", "content": "8*7="}]
    stream = client.chat.completions.create(
        model="demo", messages=question, stream=True, extra_headers={"X-Conversation-Id": conversation}
    )
    return "".join(choice.delta.content or "" for chunk in stream for choice in chunk.choices)


@pytest.mark.parametrize("kind", ["nginx", "haproxy"])
def test_conversations_stay_with_their_server(kind: str, built: Built, tmp_path: Path) -> None:
    if shutil.which(kind) is None:
        pytest.skip(f"{kind} is not on this machine")
    demo = built("demo:qwen3")
    with (
        running({"demo": demo}) as one,
        running({"demo": demo}) as two,
        proxy(kind, [one, two], tmp_path) as address,
        OpenAI(base_url=address, api_key=TOKEN, max_retries=2, timeout=60) as client,
    ):
        places = list[int]()
        for conversation in range(8):
            before = answered(one), answered(two)
            assert {ask(client, f"conversation-{conversation}") for _ in range(3)} == {"8 * 7 = 56"}
            gained = answered(one) - before[0], answered(two) - before[1]
            assert sorted(gained) == [0, 3], gained  # all three went to one of both
            places.append(gained.index(3))
        assert set(places) == {0, 1}
        two.process.kill()
        assert ask(client, f"conversation-{places.index(1)}") == "8 * 7 = 56"  # the other server takes it
        assert ask(client, f"conversation-{places.index(0)}") == "8 * 7 = 56"
