"""The engine's token step against a bare `run_with_iobinding` of the same graph, interleaved in one process.

python -m tests.benchmarks.token_step BUNDLE [--tokens 300] [--rounds 7]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from workflows.generate import Engine, GenerateOptions, open_engine
from workflows.wire.events import GenerationDone


def engine_step(engine: Engine, prompt: list[int], tokens: int) -> float:
    """Median milliseconds of a whole decode step: plan, run, commit, choose, detokenize, event."""
    engine.reset()
    times = [
        event.latency_ms
        for event in engine.generate(prompt, GenerateOptions(max_new_tokens=tokens))
        if event.event == "token" and event.step > 3  # type: ignore[attr-defined]
    ]
    return statistics.median(times)


def raw_step(engine: Engine, prompt: list[int], tokens: int) -> float:
    """Median milliseconds of the decode graph alone, over the same buffers at the same fill."""
    engine.reset()
    *_, done = engine.generate(prompt, GenerateOptions(max_new_tokens=tokens))
    assert isinstance(done, GenerationDone)
    machine = engine.machine
    bound = machine._binding("decode", 1, [0])
    times = []
    for _ in range(len(done.token_ids)):
        began = time.perf_counter()
        for opened, binding in bound._runs:
            opened.session.run_with_iobinding(binding)
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def main() -> None:
    """Prints both medians, their ratio, and the spread over the rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--tokens", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    engine = open_engine(arguments.bundle)
    engine.bundle.pipeline.tokens.eos.clear()  # a measured run goes on to its last token
    prompt = list(range(3, 19))
    measures: dict[str, Callable[..., float]] = {"raw": raw_step, "engine": engine_step}
    rounds: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(arguments.rounds):
        for name, measure in measures.items():
            rounds[name].append(measure(engine, prompt, arguments.tokens))
    ratios = [e / r for e, r in zip(rounds["engine"], rounds["raw"], strict=True)]
    for name, values in rounds.items():
        print(f"{name:7} median {statistics.median(values):.4f} ms  (min {min(values):.4f}, max {max(values):.4f})")
    print(f"ratio   median {statistics.median(ratios):.2f}  (min {min(ratios):.2f}, max {max(ratios):.2f})")


if __name__ == "__main__":
    main()
