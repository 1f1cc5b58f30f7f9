"""What a token takes beside onnxruntime's own run of the same graph: the engine's part, and sampling's.

python -m tests.benchmarks.token_step [BUNDLE …] [--tokens 300] [--rounds 7]

    us a token    a decode step as the engine times it, less what run_with_iobinding took of that very step
    ratio         the whole step beside a bare run over the same buffers, round by round in one process
    sampling      milliseconds from 151,936 logits to a token, by setting and by how flat the logits are
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnxruntime as ort

from workflows.generate import Engine, GenerateOptions, open_engine
from workflows.generate.processors import compile_choice, compile_processors
from workflows.wire.events import GenerationDone, TokenEvent

VOCABULARY, TIMES = 151_936, 21
ALL = {"temperature": 0.8, "top_k": 40, "top_p": 0.9, "min_p": 0.05, "repetition_penalty": 1.1}
SETTINGS: dict[str, tuple[str, ...]] = {
    "greedy": (),
    "temperature": ("temperature",),
    "temperature, top-k": ("temperature", "top_k"),
    "temperature, top-p": ("temperature", "top_p"),
    "temperature, min-p": ("temperature", "min_p"),
    "all but top-k": tuple(name for name in ALL if name != "top_k"),
    "all": tuple(ALL),
}
SPREADS = (1.0, 2.5, 5.0)  # standard deviations of normal logits: from one that knows nothing to a trained model


@contextmanager
def timed_runs(seconds: list[float]) -> Iterator[None]:
    """Within it, what each run of a session takes is put into `seconds`."""
    plain = ort.InferenceSession.run_with_iobinding

    def run(self: ort.InferenceSession, *arguments: object) -> None:
        began = time.perf_counter()
        plain(self, *arguments)
        seconds.append(time.perf_counter() - began)

    ort.InferenceSession.run_with_iobinding = run
    try:
        yield
    finally:
        ort.InferenceSession.run_with_iobinding = plain


def engine_step(engine: Engine, prompt: list[int], options: GenerateOptions) -> tuple[float, float]:
    """Median milliseconds of a decode step of one session, and microseconds of it outside of onnxruntime."""
    engine.reset()
    seconds, steps, before = list[float](), list[tuple[float, float]](), 0
    with timed_runs(seconds):
        for event in engine.generate(prompt, options):
            if isinstance(event, TokenEvent):
                own = event.latency_ms - sum(seconds[before:]) * 1000
                before = len(seconds)
                steps.append((event.latency_ms, own * 1000))
    return statistics.median(ms for ms, _ in steps[4:]), statistics.median(us for _, us in steps[4:])


def raw_step(engine: Engine, prompt: list[int], options: GenerateOptions) -> float:
    """Median milliseconds of the decode graph alone, over the same buffers at the same fill."""
    engine.reset()
    *_, done = engine.generate(prompt, options)
    assert isinstance(done, GenerationDone)
    machine = engine.machine
    bound = machine.bindings.get(
        "decode", [0], machine._prompt, width=1, rows=1, chunk=machine.chunk, selects_rows=False
    )
    times = []
    for _ in range(len(done.token_ids)):
        began = time.perf_counter()
        for opened, binding in bound._runs:
            opened.session.run_with_iobinding(binding)
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def tell_steps(bundle: Path, tokens: int, rounds: int) -> None:
    """Prints the medians over the rounds, and their spread."""
    engine = open_engine(bundle)
    engine.bundle.pipeline.tokens.eos.clear()  # a measured run goes on to its last token
    prompt, options = list(range(3, 19)), GenerateOptions(max_new_tokens=tokens)
    found: dict[str, list[float]] = {"raw ms": [], "engine ms": [], "ratio": [], "us a token": []}
    for _ in range(rounds):
        raw, (whole, own) = raw_step(engine, prompt, options), engine_step(engine, prompt, options)
        for name, value in zip(found, (raw, whole, whole / raw, own), strict=True):
            found[name].append(value)
    print(f"{bundle.name}, {engine.machine.cache.layout.name}")
    for name, values in found.items():
        print(f"  {name:12} median {statistics.median(values):8.3f}  (min {min(values):.3f}, max {max(values):.3f})")
    engine.close()


def sampling_ms(names: tuple[str, ...], spread: float) -> float:
    """Median milliseconds from logits [V] to a token, after a text of 1,000 tokens."""
    generator = np.random.default_rng(0)
    logits = generator.normal(0, spread, VOCABULARY).astype(np.float32)
    ids = generator.integers(0, VOCABULARY, 1000).tolist()
    options = GenerateOptions(seed=0, **{name: ALL[name] for name in names})
    process, choose, times = compile_processors(options), compile_choice(options), []
    for _ in range(TIMES):
        began = time.perf_counter()
        choose(logits if process is None else process(ids, np.array(logits)))
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def main() -> None:
    """Prints a block a bundle, and the table of sampling."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundles", type=Path, nargs="*", metavar="BUNDLE")
    parser.add_argument("--tokens", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    for bundle in arguments.bundles:
        tell_steps(bundle, arguments.tokens, arguments.rounds)
    print(f"sampling, ms at {VOCABULARY:,}; logits of a standard deviation of", *SPREADS)
    for name, settings in SETTINGS.items():
        print(f"  {name:20}", *(f"{sampling_ms(settings, spread):8.3f}" for spread in SPREADS))


if __name__ == "__main__":
    main()
