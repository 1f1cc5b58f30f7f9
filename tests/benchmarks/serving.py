"""What several clients of `joinery serve` get: tokens a second in all, the first token, and the pauses between tokens.

    python -m tests.benchmarks.serving BUNDLE [--clients 1 4 16] [--prompt 64] [--tokens 128] [--rounds 2]

Each client asks once a round, all at once, with a prompt of its own. `while reading`: one client's pauses while
a prompt of LONG tokens arrives, as the 99th percentile over the median.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from openai import OpenAI

LONG = 4_000


@dataclass(frozen=True)
class Seen:
    """Seconds from the request to each piece of text."""

    times: tuple[float, ...]

    @property
    def pauses(self) -> list[float]:
        """Seconds between two pieces."""
        return [float(one) for one in np.diff(self.times)]


def ask(client: OpenAI, prompt: int, tokens: int, seed: int) -> Seen:
    """One streamed completion of random tokens, which no end token ends."""
    ids = np.random.default_rng(seed).integers(1000, 20_000, prompt).tolist()
    began, times = time.perf_counter(), list[float]()
    stream = client.completions.create(
        model="b", prompt=ids, max_tokens=tokens, stream=True, logit_bias={"2": -100, "0": -100, "1": -100}
    )
    for chunk in stream:
        if chunk.choices and chunk.choices[0].text:
            times.append(time.perf_counter() - began)
    return Seen(tuple(times))


def measured(client: OpenAI, clients: int, options: argparse.Namespace) -> tuple[float, list[Seen]]:
    """Tokens a second of all clients together, and what each saw."""
    found = []
    for number in range(options.rounds):
        with ThreadPoolExecutor(clients) as pool:
            began = time.perf_counter()
            seeds = [1000 * number + place for place in range(clients)]
            seen = list(pool.map(lambda seed: ask(client, options.prompt, options.tokens, seed), seeds))
            found.append((clients * options.tokens / (time.perf_counter() - began), seen))
    return max(found, key=lambda one: one[0])


def main() -> None:
    """Prints a table in Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("bundle")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--prompt", type=int, default=64)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    command = [sys.executable, "-m", "workflows", "serve", f"b={options.bundle}", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"})
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split(" at ")[1].strip()
        client = OpenAI(base_url=url, api_key="none", max_retries=0, timeout=600)
        ask(client, 8, 4, 0)
        print("| clients | tokens a second | of one | first token, s: first, last | p99 of pauses ÷ median |")
        print("|---:|---:|---:|---:|---:|")
        alone = 0.0
        for clients in options.clients:
            speed, seen = measured(client, clients, options)
            alone = alone or speed
            first = sorted(one.times[0] for one in seen)
            pauses = [pause for one in seen for pause in one.pauses]
            spread = float(np.quantile(pauses, 0.99)) / statistics.median(pauses)
            print(f"| {clients} | {speed:.1f} | {speed / alone:.2f} | {first[0]:.2f}, {first[-1]:.2f} | {spread:.1f} |")
        with ThreadPoolExecutor(2) as pool:
            going = pool.submit(ask, client, 64, 256, 1)
            time.sleep(0.5)
            pool.submit(ask, client, LONG, 4, 2).result()
            pauses = going.result().pauses
        print(f"while reading {LONG:,} tokens: p99 {np.quantile(pauses, 0.99) / statistics.median(pauses):.1f}")
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
