"""nginx and HAProxy before two servers, with the configurations of the documentation."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2 as httpx
import openai
import pytest

from tests.workflows.conftest import Built
from tests.workflows.service.http.serving import TOKEN, Server, running
from tests.workflows.service.http.test_openai_client import QUESTION
from tests.workflows.service.http.test_robust import until

pytestmark = pytest.mark.real
PAGE = Path(__file__).parents[4] / "resources/docs/serving.md"
COMMANDS: dict[str, Callable[[Path], list[str]]] = {
    "nginx": lambda file: ["nginx", "-c", str(file), "-p", str(file.parent), "-g", "daemon off; pid nginx.pid;"],
    "HAProxy": lambda file: ["haproxy", "-db", "-f", str(file)],
}


def documented(balancer: str) -> str:
    """The configuration under the balancer's heading."""
    section = PAGE.read_text("utf-8").split(f"\n### {balancer}\n")[1].split("\n#")[0]
    lines = section.split("\n")
    first = next(place for place, line in enumerate(lines) if line.startswith("    "))
    return "\n".join(line[4:] for line in lines[first:]) + "\n"


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def balancing(balancer: str, servers: list[Server], folder: Path) -> Iterator[str]:
    """The address of a balancer with the documented configuration, on free ports."""
    port, file = free_port(), folder / "balancer.conf"
    text = documented(balancer).replace("127.0.0.1:8080", f"127.0.0.1:{port}")
    for place, server in zip(("127.0.0.1:8081", "127.0.0.1:8082"), servers, strict=True):
        assert place in text
        text = text.replace(place, server.url.removeprefix("http://").removesuffix("/v1"))
    file.write_text(text, "utf-8")
    process = subprocess.Popen(COMMANDS[balancer](file), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def answers() -> bool:
        try:
            return httpx.get(f"http://127.0.0.1:{port}/ready", timeout=5).status_code == 200
        except httpx.HTTPError:
            return False

    try:
        assert until(answers), process.poll()
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(20)


def answered(server: Server) -> float:
    """How many chats a server has answered."""
    text = httpx.get(server.url.removesuffix("/v1") + "/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text
    return sum(float(one) for one in re.findall(r'requests_total\{route="/v1/chat/completions".*\} (\S+)', text))


def spread(client: openai.OpenAI) -> float:
    """Seconds from the first piece of a streamed reply to its last."""
    times = list[float]()
    for _ in client.chat.completions.create(
        model="demo", messages=QUESTION, stream=True, max_tokens=400, logit_bias={"2": -100}
    ):
        times.append(time.monotonic())
    assert len(times) > 300
    return times[-1] - times[0]


@pytest.mark.parametrize("balancer", COMMANDS)
def test_a_conversation_stays_with_its_server(built: Built, tmp_path: Path, balancer: str) -> None:
    if shutil.which(COMMANDS[balancer](tmp_path)[0]) is None:
        pytest.skip(f"{balancer} is not installed")
    demo = built("demo:qwen3")
    with ExitStack() as ends:
        servers = [ends.enter_context(running({"demo": demo})) for _ in range(2)]
        url = ends.enter_context(balancing(balancer, servers, tmp_path))

        def client(conversation: str) -> openai.OpenAI:
            headers = {"X-Conversation-Id": conversation}
            return openai.OpenAI(base_url=url, api_key=TOKEN, max_retries=0, timeout=60, default_headers=headers)

        def works(conversation: str) -> bool:
            with client(conversation) as one:
                reply = one.chat.completions.create(model="demo", messages=QUESTION)
            return reply.choices[0].message.content == "8 * 7 = 56"

        used = set[int]()
        for number in range(12):
            before = [answered(one) for one in servers]
            assert all(works(f"conversation {number}") for _ in range(3))
            more = [int(answered(one) - count) for one, count in zip(servers, before, strict=True)]
            assert sorted(more) == [0, 3]
            used.add(more.index(3))
        assert used == {0, 1}
        with client("streamed") as one, servers[0].client as direct:
            assert until(lambda: spread(one) > spread(direct) / 2), "held back until its end"
        servers[0].process.kill()
        assert until(lambda: all(works(f"conversation {number}") for number in range(12)))
