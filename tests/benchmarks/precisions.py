"""What each precision loses of trained models and what it takes: the table of resources/docs/quantization.md.

    python -m tests.benchmarks.precisions CHECKPOINT --folder FOLDER [--rows balanced compact …] [--paragraphs 40]
    python -m tests.benchmarks.precisions CHECKPOINT --folder FOLDER --bundle genai=BUNDLE

A row is a build of the checkpoint (ROWS) or a bundle that exists. A decoder reads the texts of the half "measure", on
which nothing was tuned, in runs of 32 tokens, so that what it reads was in its cache: the mean KL divergence from its
own fp32 build, the share of equal most probable tokens, and the perplexity. An embedder makes vectors of the same
paragraphs: the mean and the lowest cosine. Times are medians of single tokens after 64, the rows in turns.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workflows.bundle import Bundle, read_bundle
from workflows.generate.sample_texts import paragraphs
from workflows.generate.tokenizer import BundleTokenizer
from workflows.predict.embedder import open_embedder
from workflows.runtime import device_named, open_machine
from workflows.runtime.execution.machine import Machine

ROWS: dict[str, list[str]] = {
    "fp32": ["--precision", "fp32"],
    "compact": ["--preset", "compact"],
    "balanced": ["--preset", "balanced"],
    "accurate": ["--preset", "accurate"],
    "balanced, by search": ["--preset", "balanced", "--set", "quantize.rounding=search"],
    "compact, by search": ["--preset", "compact", "--set", "quantize.rounding=search"],
    "balanced, kv_dtype=int8": ["--preset", "balanced", "--set", "kv_dtype=int8"],
    "balanced, fast_prefill": ["--preset", "balanced", "--set", "fast_prefill=true"],
    "w8a16": ["--precision", "w8a16"],
    "int8-dynamic": ["--precision", "int8-dynamic"],
}
RUN, LONGEST, SHORTEST = 32, 256, 48  # tokens of a run, and of a paragraph
STEPS, BEFORE, ROUNDS = 24, 64, 3
Logits = NDArray[np.float32]


@dataclass
class Losses:
    """Sums over positions, or the cosine of each vector."""

    kl: list[NDArray[np.float64]] = field(default_factory=list)
    equal: list[NDArray[np.bool_]] = field(default_factory=list)
    surprise: list[NDArray[np.float32]] = field(default_factory=list)

    def add(self, reference: Logits, candidate: Logits, following: NDArray[np.int64]) -> None:
        """Adds the log-probabilities [T,V] of one text, and the tokens that follow [T-1]."""
        self.kl.append((np.exp(reference) * (reference - candidate)).sum(-1, dtype=np.float64))
        self.equal.append(reference.argmax(-1) == candidate.argmax(-1))
        self.surprise.append(-candidate[np.arange(len(following)), following])

    def cells(self) -> list[str]:
        """KL, top-1 and perplexity."""
        kl, equal = np.concatenate(self.kl).mean(), np.concatenate(self.equal).mean()
        return [f"{kl:.4f}", f"{equal:.3f}", f"{np.exp(np.concatenate(self.surprise).mean()):.2f}"]


def log_probabilities(machine: Machine, ids: Sequence[int]) -> Logits:
    """[T,V] of a text that is read in runs."""
    machine.cache.reset()
    rows = [machine.step(fed, phase, rows=len(fed)).copy() for fed, phase in machine.chunks(ids)]
    logits = np.concatenate(rows)
    logits -= logits.max(-1, keepdims=True)
    logits -= np.log(np.exp(logits).sum(-1, keepdims=True))
    return logits


def texts_of(bundle: Bundle, count: int) -> list[list[int]]:
    """The ids of the first paragraphs that are long enough."""
    tokenizer = BundleTokenizer.of_bundle(bundle)
    ids = (tokenizer.encode(one.text, special=True)[:LONGEST] for one in paragraphs("measure")[:count])
    return [one for one in ids if len(one) > SHORTEST]


def decoder_cells(bundles: dict[str, Path], count: int) -> Iterator[tuple[str, list[str]]]:
    """Row → KL, top-1, perplexity and milliseconds a token, against the first bundle; all rows read a text in turns."""
    texts = texts_of(read_bundle(next(iter(bundles.values()))), count)
    losses = {name: Losses() for name in bundles}
    with ExitStack() as stack:
        machines = {name: stack.enter_context(opened(folder)) for name, folder in bundles.items()}
        for ids in texts:
            whole: Logits | None = None
            for name, machine in machines.items():
                read = log_probabilities(machine, ids)
                whole = read if whole is None else whole
                losses[name].add(whole, read, np.array(ids[1:]))
        seconds = step_seconds(machines, texts[0])
    for name, one in losses.items():
        yield name, [*one.cells(), f"{1000 * seconds[name]:.1f}"]


def opened(bundle: Path) -> Machine:
    """A machine that reads short runs."""
    machine = open_machine(read_bundle(bundle), device_named("cpu"), capacity=512)
    machine.chunk = min(machine.chunk, RUN)
    return machine


def step_seconds(machines: Mapping[str, Machine], ids: Sequence[int]) -> dict[str, float]:
    """The median of single tokens, in ROUNDS turns of all machines."""
    seconds: dict[str, list[float]] = {name: [] for name in machines}
    for _ in range(ROUNDS):
        for name, machine in machines.items():
            machine.cache.reset()
            for fed, phase in machine.chunks(ids[:BEFORE]):
                machine.step(fed, phase)
            for token in ids[:STEPS]:
                began = time.perf_counter()
                machine.step([token], "decode")
                seconds[name].append(time.perf_counter() - began)
    return {name: statistics.median(every) for name, every in seconds.items()}


def embedder_cells(bundles: dict[str, Path], count: int) -> Iterator[tuple[str, list[str]]]:
    """Row → the mean and the lowest cosine with the first bundle's vectors."""
    texts = [one.text for one in paragraphs("measure")[:count]]
    vectors: list[NDArray[np.float32]] = []
    for name, folder in bundles.items():
        vectors.append(np.array([one.vector for one in open_embedder(folder).embed(texts)], np.float32))
        unit = [rows / np.linalg.norm(rows, axis=-1, keepdims=True) for rows in (vectors[0], vectors[-1])]
        cosines = (unit[0] * unit[1]).sum(-1)
        yield name, [f"{cosines.mean():.5f}", f"{cosines.min():.5f}"]


def built(checkpoint: str, folder: Path, rows: Sequence[str]) -> tuple[dict[str, Path], dict[str, float]]:
    """Row → its bundle, and the seconds of its build; one that exists is not built again."""
    bundles, seconds = dict[str, Path](), dict[str, float]()
    for name in dict.fromkeys(["fp32", *rows]):
        bundles[name] = folder / name.replace(" ", "-").replace(",", "").replace("=", "-")
        if not bundles[name].exists():
            began = time.monotonic()
            command = [sys.executable, "-m", "workflows", "build", checkpoint, "--out", str(bundles[name]), *ROWS[name]]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"| {name} | {done.stderr.strip().splitlines()[-1]} |", flush=True)
                del bundles[name]
                continue
            seconds[name] = time.monotonic() - began
    return bundles, seconds


def main() -> None:
    """Prints a table in Markdown, a row as it is measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkpoint")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--rows", nargs="*", choices=[*ROWS], default=["compact", "balanced", "accurate"])
    parser.add_argument("--bundle", action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--paragraphs", type=int, default=40)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    bundles, seconds = built(options.checkpoint, options.folder, options.rows)
    bundles |= {name: Path(folder) for name, _, folder in (one.partition("=") for one in options.bundle)}
    single = read_bundle(bundles["fp32"]).pipeline.route == "single"
    heads = ["cosine", "lowest"] if single else ["KL", "top-1", "perplexity", "ms a token"]
    print(f"| | MB | {' | '.join(heads)} | build, s |\n|---|{'---:|' * (len(heads) + 2)}", flush=True)
    for name, cells in (embedder_cells if single else decoder_cells)(bundles, options.paragraphs):
        size = sum(file.stat().st_size for file in bundles[name].glob("*.data")) / 1e6
        took = f"{seconds[name]:.0f}" if name in seconds else ""
        print(f"| {name} | {size:.1f} | {' | '.join(cells)} | {took} |", flush=True)


if __name__ == "__main__":
    main()
