"""The memory of `joinery serve` over time, under requests of every kind.

    python -m tests.benchmarks.soak BUNDLE [VECTORS] [--minutes 120] [--clients 4] [--pause 0.05] [--every 60]

Clients ask at random, by a seed: whole and streamed chats, constrained ones, texts, vectors, wrong bodies, and streams
that they leave. Every line: minutes, requests, unexpected answers, MiB of the server and of its workers (resident),
open files of the server. The last line says what the memory gained from the first quarter's mean to the last one's.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx2 as httpx
import psutil

_MIB = 1 << 20
_SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}


@dataclass(frozen=True)
class Sample:
    """One look at the server. memory: resident MiB of the server, and of its workers together."""

    minutes: float
    memory: tuple[float, float]
    files: int


class SoakClient(threading.Thread):
    """Asks until `ends`. answers: by kind of request and status."""

    def __init__(self, url: str, seed: int, pause: float, vectors: bool) -> None:
        super().__init__(daemon=True)
        self.answers, self.ends = Counter[tuple[str, int]](), threading.Event()
        self._chances, self._pause = random.Random(seed), pause
        self._client = httpx.Client(base_url=url, timeout=120)
        self._kinds: list[Callable[[], int]] = [
            self.chat, self.chat, self.stream, self.stream, self.leave, self.fit, self.complete, self.wrong, self.look,
        ]  # fmt: skip
        self._kinds += [self.embed] if vectors else []

    def run(self) -> None:
        """Asks and counts."""
        while not self.ends.is_set():
            kind = self._chances.choice(self._kinds)
            try:
                status = kind()
            except httpx.HTTPError:
                status = 0
            self.answers[kind.__name__, status] += 1
            time.sleep(self._chances.random() * 2 * self._pause)

    def _messages(self) -> list[dict[str, str]]:
        one, other = self._chances.randrange(2, 100), self._chances.randrange(2, 100)
        return [{"role": "user", "content": f"{one}*{other}=" * self._chances.choice((1, 1, 4, 20))}]

    def _chat(self, **more: Any) -> dict[str, Any]:
        sampling = self._chances.choice(({}, {"temperature": 0.9, "seed": self._chances.randrange(99)}))
        return {"model": "b", "messages": self._messages(), "max_tokens": 48} | sampling | more

    def chat(self) -> int:
        """A whole chat."""
        return self._client.post("/chat/completions", json=self._chat()).status_code

    def stream(self) -> int:
        """A streamed chat, read to its end."""
        with self._client.stream("POST", "/chat/completions", json=self._chat(stream=True)) as answer:
            ended = [line for line in answer.iter_lines() if line == "data: [DONE]"]
        return answer.status_code if ended else 0

    def leave(self) -> int:
        """A streamed chat, left after some lines."""
        with self._client.stream("POST", "/chat/completions", json=self._chat(stream=True)) as answer:
            lines = answer.iter_lines()
            for _ in range(self._chances.randrange(1, 6)):
                next(lines, None)
        return answer.status_code

    def fit(self) -> int:
        """A reply that fits a schema."""
        form = {"type": "json_schema", "json_schema": {"name": "n", "schema": _SCHEMA}}
        return self._client.post("/chat/completions", json=self._chat(response_format=form)).status_code

    def complete(self) -> int:
        """Texts that are continued."""
        body = {"model": "b", "prompt": ["8*7=", "The cat"], "max_tokens": 16, "logprobs": 2}
        return self._client.post("/completions", json=body).status_code

    def embed(self) -> int:
        """Vectors."""
        return self._client.post("/embeddings", json={"model": "v", "input": ["a cat", "a dog"]}).status_code

    def wrong(self) -> int:
        """A body that is refused."""
        body = self._chances.choice((b"{", b"[1]", b'{"messages": 1}', b'{"model": "x", "messages": []}'))
        return self._client.post(
            "/chat/completions", content=body, headers={"Content-Type": "application/json"}
        ).status_code

    def look(self) -> int:
        """The list of models, and the metrics."""
        self._client.get(str(self._client.base_url).rstrip("/").removesuffix("/v1") + "/metrics")
        return self._client.get("/models").status_code


def looked_at(server: psutil.Process, began: float) -> Sample:
    """The server as it is now."""
    workers = sum(one.memory_info().rss for one in server.children(recursive=True))
    memory = (server.memory_info().rss / _MIB, workers / _MIB)
    return Sample((time.monotonic() - began) / 60, memory, server.num_fds())


def watch(server: psutil.Process, clients: list[SoakClient], minutes: float, every: float) -> list[Sample]:
    """The samples; prints each."""
    began, samples = time.monotonic(), list[Sample]()
    while (time.monotonic() - began) / 60 < minutes:
        time.sleep(every)
        one = looked_at(server, began)
        samples.append(one)
        asked, odd = sum(sum(client.answers.values()) for client in clients), sum(unexpected(clients).values())
        memory = " ".join(f"{part:7.1f}" for part in one.memory)
        print(
            f"{one.minutes:6.1f} min {asked:8,} requests {odd:4} unexpected {memory} MiB {one.files:4} files",
            flush=True,
        )
    return samples


def unexpected(clients: list[SoakClient]) -> Counter[tuple[str, int]]:
    """The answers that no request should have had."""
    every: Counter[tuple[str, int]] = sum((client.answers for client in clients), Counter())
    return Counter({(kind, status): count for (kind, status), count in every.items() if status not in _EXPECTED[kind]})


_EXPECTED: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("chat", "stream", "leave", "fit", "complete", "embed", "look"), (200,)),
    "wrong": (400, 404),
}


def main() -> None:
    """Prints the samples."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("bundle")
    parser.add_argument("vectors", nargs="?")
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--pause", type=float, default=0.05, help="seconds between a client's requests")
    parser.add_argument("--every", type=float, default=60, help="seconds between two samples")
    options = parser.parse_args()
    bundles = [f"b={options.bundle}"] + ([f"v={options.vectors}"] if options.vectors else [])
    command = [sys.executable, "-m", "workflows", "serve", *bundles, "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"})
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split(" at ")[1].strip()
        clients = [SoakClient(url, seed, options.pause, bool(options.vectors)) for seed in range(options.clients)]
        for client in clients:
            client.start()
        samples = watch(psutil.Process(server.pid), clients, options.minutes, options.every)
        for client in clients:
            client.ends.set()
        print(json.dumps({f"{kind} {status}": count for (kind, status), count in unexpected(clients).items()}))
        quarter = max(len(samples) // 4, 1)
        for place, name in enumerate(("server", "workers")):
            first, last = (
                statistics.mean(one.memory[place] for one in part) for part in (samples[:quarter], samples[-quarter:])
            )
            print(f"{name}: {first:.1f} → {last:.1f} MiB")
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
