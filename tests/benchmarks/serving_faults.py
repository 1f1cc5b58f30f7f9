"""What `joinery serve` does under clients and requests that it should not have: a table in Markdown.

    python -m tests.benchmarks.serving_faults BUNDLE [--leave 1000]

BUNDLE generates text, and a chat with it ends. Memory is resident: of the server and of its workers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import psutil

_MIB = 1 << 20
QUESTION = [{"role": "user", "content": "8*7="}]
CHAT: dict[str, Any] = {"model": "b", "messages": QUESTION, "max_tokens": 16}
_CHAT_LINE = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


class Target:
    """A running server."""

    def __init__(self, url: str, process: psutil.Process, ends: list[int]) -> None:
        self.url, self.process = url, process
        self.host, port = url.removeprefix("http://").removesuffix("/v1").split(":")
        self.port = int(port)
        self.endless = CHAT | {"max_tokens": 100_000, "stream": True, "logit_bias": {str(end): -100 for end in ends}}

    def chat(self, **more: Any) -> httpx.Response:
        """A chat."""
        return httpx.post(f"{self.url}/chat/completions", json=CHAT | more, timeout=120)

    def chat_seconds(self) -> float:
        """Of a chat, which must work."""
        began = time.perf_counter()
        answer = self.chat()
        assert answer.status_code == 200, answer.text
        return time.perf_counter() - began

    def state(self) -> dict[str, Any]:
        """How many wait and run."""
        return dict(httpx.get(f"{self.url}/models/b", timeout=60).json())

    def memory(self) -> tuple[float, float]:
        """MiB of the server, and of its workers."""
        workers = sum(one.memory_info().rss for one in self.process.children(recursive=True))
        return self.process.memory_info().rss / _MIB, workers / _MIB

    async def begin(self, body: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Sends a chat, and reads nothing."""
        reader, writer = await asyncio.open_connection(self.host, self.port, limit=1 << 16)
        writer.write(f"{_CHAT_LINE}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
        return reader, writer


def settled(target: Target, seconds: float = 60) -> float:
    """Seconds until nothing runs and nothing waits."""
    began = time.perf_counter()
    while (state := target.state())["running"] or state["waiting"]:
        assert time.perf_counter() - began < seconds, state
        time.sleep(0.05)
    return time.perf_counter() - began


def shown(memory: tuple[float, float]) -> str:
    """MiB of the server and of the workers."""
    return f"{memory[0]:.0f} + {memory[1]:.0f} MiB"


async def kill_worker(target: Target) -> str:
    """All that run or wait when the worker dies."""
    body = json.dumps(target.endless).encode()
    opened = [await target.begin(body) for _ in range(8)]
    await asyncio.sleep(2)
    (worker,) = target.process.children()
    worker.send_signal(signal.SIGKILL)
    began = time.perf_counter()

    async def end(reader: asyncio.StreamReader) -> tuple[float, str]:
        """When those that ran have their error; those that waited run on with the next worker."""
        content = b""
        while chunk := await reader.read(1 << 16):
            content = content[-500:] + chunk
            if b"has ended" in content:
                return time.perf_counter() - began, "error"
            if time.perf_counter() - began > 5:
                return 5.0, "runs"
        return time.perf_counter() - began, "closed"

    ends = await asyncio.gather(*(end(reader) for reader, _ in opened))
    for _, writer in opened:
        writer.close()
    failed = [seconds for seconds, kind in ends if kind == "error"]
    kinds = Counter(kind for _, kind in ends)
    settled(target)
    after = target.chat_seconds()
    return (
        f"{kinds['error']} that ran: 503 after {max(failed):.2f} s; {kinds['runs']} that waited ran; next {after:.2f} s"
    )


async def slow_readers(target: Target) -> str:
    """Clients that read nothing of replies of several MB."""
    body = json.dumps(target.endless | {"logprobs": True, "top_logprobs": 20, "max_tokens": 4000}).encode()
    before = target.memory()
    opened = [await target.begin(body) for _ in range(8)]
    await asyncio.sleep(1)
    seconds = await asyncio.to_thread(target.chat_seconds)
    memory = target.memory()
    for _, writer in opened:
        writer.close()
    return f"another's chat took {seconds:.1f} s; {shown(before)}, then {shown(memory)}"


async def leave(target: Target, count: int) -> str:
    """Clients that leave, before their turn or within it."""
    target.chat_seconds()
    before, files = target.memory(), target.process.num_fds()
    body = json.dumps(target.endless).encode()

    async def one(number: int) -> None:
        reader, writer = await target.begin(body)
        try:
            async with asyncio.timeout(0.05 + 0.01 * (number % 40)):
                await reader.read(1 << 12)
        except TimeoutError:
            pass
        writer.transport.abort()

    for first in range(0, count, 50):
        await asyncio.gather(*(one(number) for number in range(first, min(first + 50, count))))
    seconds = settled(target)
    target.chat_seconds()
    after = target.memory()
    return (f"turns free after {seconds:.1f} s; files {files} → {target.process.num_fds()}; "
            f"{shown(before)} → {shown(after)}")  # fmt: skip


async def bodies(target: Target) -> str:
    """64 MB, with and without its length."""
    content = b'{"messages": "' + b"x" * (64 * _MIB) + b'"}'
    before, found = target.memory(), list[str]()
    for headers in (f"Content-Length: {len(content)}", "Transfer-Encoding: chunked"):
        reader, writer = await asyncio.open_connection(target.host, target.port)
        writer.write(f"{_CHAT_LINE}{headers}\r\n\r\n".encode())
        try:
            for at in range(0, len(content), 1 << 16):
                piece = content[at : at + (1 << 16)]
                writer.write(piece if "Length" in headers else f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                await writer.drain()
        except OSError:
            pass
        try:
            async with asyncio.timeout(20):
                found.append((await reader.readline()).decode().split(" ")[1])
        except (OSError, IndexError, TimeoutError):
            found.append("closed")
        writer.close()
    return f"{', '.join(found)}; {shown(before)} → {shown(target.memory())}"


async def large_chats(target: Target) -> str:
    """Bodies within the limit whose prompts are far beyond the capacity, from eight clients at once."""
    before = target.memory()

    def one() -> tuple[int, str, float]:
        began = time.perf_counter()
        answer = target.chat(messages=[{"role": "user", "content": "8*7= " * (1 << 20)}])
        return answer.status_code, str(answer.json()["error"]["code"]), time.perf_counter() - began

    ends = await asyncio.gather(*(asyncio.to_thread(one) for _ in range(8)))
    kinds = Counter(end[:2] for end in ends)
    told = ", ".join(f"{count} × {status} {code}" for (status, code), count in kinds.items())
    return f"{told} within {max(end[2] for end in ends):.1f} s; {shown(before)} → {shown(target.memory())}"


def wrong_bodies() -> Iterator[bytes]:
    """No JSON, no object, and objects of wrong fields."""
    yield from (
        b"",
        b"{",
        b"[1]",
        b"null",
        b"\xff\xfe",
        b"[" * 200_000,
        b'{"a":' * 100_000,
        b"1" * 100_000,
        b'{"messages": 1}',
    )
    yield from (
        json.dumps(CHAT | {name: value}).encode() for name in CHAT for value in (None, -1, 1e400, [], {}, "\ud800")
    )


async def wrong(target: Target) -> str:
    """The statuses of wrong bodies."""
    headers = {"Content-Type": "application/json"}
    seen = Counter[int]()
    for body in wrong_bodies():
        seen[httpx.post(f"{target.url}/chat/completions", content=body, headers=headers, timeout=60).status_code] += 1
    return ", ".join(f"{count} × {status}" for status, count in sorted(seen.items()))


async def headers(target: Target) -> str:
    """A flood of headers, and clients that never end theirs."""
    _, writer = await asyncio.open_connection(target.host, target.port)
    writer.write(b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n")
    sent = 0
    try:
        while sent < 64 * _MIB:
            writer.write(f"X-{sent}: {'y' * 1000}\r\n".encode())
            sent += 1000
            await writer.drain()
    except OSError:
        pass
    writer.close()
    idle = [await asyncio.open_connection(target.host, target.port) for _ in range(500)]
    for _, one in idle:
        one.write(b"GET /v1/models HTTP/1.1\r\nX: ")
    seconds = target.chat_seconds()
    for _, one in idle:
        one.close()
    return f"cut off after {sent / _MIB:.1f} MiB; a chat beside 500 clients that never end theirs took {seconds:.2f} s"


def schemas() -> Iterator[tuple[str, dict[str, Any]]]:
    """Schemas that cost much or have no end."""
    deep: dict[str, Any] = {"type": "null"}
    for _ in range(400):
        deep = {"type": "array", "items": deep}
    tree = {"$ref": "#/$defs/t", "$defs": {"t": {"type": "object", "properties": {
        "a": {"$ref": "#/$defs/t"}, "b": {"$ref": "#/$defs/t"}}, "required": ["a", "b"]}}}  # fmt: skip
    wide = {"anyOf": [{"type": "object", "properties": {f"p{i}": {"enum": list(range(1000))}}} for i in range(1000)]}
    for name, pattern in (
        ("counted", "(a|aa|aaa|b*c*){0,90000}(x{0,5000}y){0,5000}"), ("nested stars", "((((a*)*)*)*)*$"),
        ("intersections", "(.*a){200}"), ("a class", "[\\u0000-\\uffff]{1,100000}"), ("brackets", "(" * 50_000),
    ):  # fmt: skip
        yield name, {"type": "string", "pattern": pattern}
    yield "an endless tree", tree
    yield "a deep one", deep
    yield "a wide one", wide
    yield "a circle", {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}
    yield "8 MB of names", {"enum": [f"{i:06}" for i in range(1_000_000)]}
    yield "a file", {"$ref": "file:///etc/passwd"}
    yield "a URL", {"$ref": "http://127.0.0.1:1/a.json"}
    yield "a huge count", {"type": "string", "minLength": 10**9, "maxLength": 10**9}


async def schema_bombs(target: Target) -> str:
    """The longest, and what another client waits beside it."""
    before, slowest, longest, seen = target.memory(), ("", 0.0), 0.0, Counter[int]()
    for name, schema in schemas():
        form = {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}
        began = time.perf_counter()
        bomb = asyncio.create_task(asyncio.to_thread(target.chat, response_format=form, max_tokens=8))
        await asyncio.sleep(0.05)
        longest = max(longest, await asyncio.to_thread(target.chat_seconds))
        seen[(await bomb).status_code] += 1
        print(f"    {name}: {(await bomb).status_code}, {time.perf_counter() - began:.1f} s", file=sys.stderr)
        slowest = max(slowest, (name, time.perf_counter() - began), key=lambda one: one[1])
    told = ", ".join(f"{count} × {status}" for status, count in sorted(seen.items()))
    return (f"{told}; the slowest ({slowest[0]}) took {slowest[1]:.1f} s, a chat beside one {longest:.1f} s at most; "
            f"{shown(before)} → {shown(target.memory())}")  # fmt: skip


@contextmanager
def running(bundle: str) -> Iterator[Target]:
    """`joinery serve` of the bundle as `b`."""
    command = [sys.executable, "-m", "workflows", "serve", f"b={bundle}", "--port", "0", "--queue", "2000"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"})
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split(" at ")[1].strip()
        ends = json.loads((Path(bundle) / "pipeline.json").read_text("utf-8"))["tokens"]["eos"]
        yield Target(url, psutil.Process(server.pid), ends)
    finally:
        server.terminate()
        server.wait()


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("bundle")
    parser.add_argument("--leave", type=int, default=1000)
    parser.add_argument("--only", nargs="*", help="names of cases")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    cases: dict[str, Callable[[Target], Awaitable[str]]] = {
        "kill -9 of the worker, 8 clients": kill_worker,
        "8 clients that read nothing": slow_readers,
        f"{options.leave:,} clients that leave": lambda target: leave(target, options.leave),
        "64 MB bodies, with and without length": bodies,
        "8 prompts of 5 MB": large_chats,
        "wrong JSON": wrong,
        "headers": headers,
        "schema bombs": schema_bombs,
    }
    print("| tried | seen |\n|---|---|")
    with running(options.bundle) as target:
        for name, case in cases.items():
            if options.only and not any(part in name for part in options.only):
                continue
            target.chat_seconds()
            print(f"| {name} | {asyncio.run(case(target))} |", flush=True)
            settled(target)
            target.chat_seconds()


if __name__ == "__main__":
    main()
