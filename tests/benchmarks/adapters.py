"""What adapters beside the weights cost: the time of a switch, and of a step with one beside a bundle without any.

python -m tests.benchmarks.adapters [SHAPE] [--work FOLDER] [--layers N] [--tokens 32] [--rounds 5]

    switch ms     ActiveAdapter.use of an adapter that was read before, and with reading its file
    first ms      the first step after a switch, which binds the sessions anew, less a usual step
    ratio         a step's median beside the plain bundle's, in turns in one process
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from tests.benchmarks.sizes.checkpoints import SHAPES, Shape, shape_of, write_checkpoint
from workflows.builder import BuildRequest, build
from workflows.bundle import read_bundle
from workflows.runtime import Machine, device_named, open_machine

ADAPTERS = {"attention-8": (8, ("q_proj", "v_proj")), "all-16": (16, (
    "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj",
))}  # fmt: skip
PROMPT = list(range(3, 67))


def write_adapter(shape: Shape, folder: Path, rank: int, targets: tuple[str, ...]) -> None:
    """A random adapter as peft writes it."""
    folder.mkdir(exist_ok=True)
    rng, factors = np.random.default_rng(rank), {}
    for name, size in shape.tensors():
        path = name.removesuffix(".weight")
        if path.rpartition(".")[2] in targets:
            for part, form in (("A", (rank, size[1])), ("B", (size[0], rank))):
                factors[f"base_model.model.{path}.lora_{part}.weight"] = rng.normal(0, 0.01, form).astype(np.float32)
    save_file(factors, folder / "adapter_model.safetensors")
    settings = {"peft_type": "LORA", "r": rank, "lora_alpha": rank, "target_modules": list(targets)}
    (folder / "adapter_config.json").write_text(json.dumps(settings))


def steps(machine: Machine, tokens: int) -> Iterator[float]:
    """Milliseconds of each of so many steps after a prompt."""
    machine.cache.reset()
    for chunk, phase in machine.chunks(PROMPT):
        machine.step(chunk, phase)
    for token in range(tokens):
        began = time.perf_counter()
        machine.step([token + 3])
        yield (time.perf_counter() - began) * 1000


def switch(machine: Machine, name: str) -> float:
    """Milliseconds of a switch."""
    began = time.perf_counter()
    machine.adapter.use(name)
    machine.cache.reset()
    return (time.perf_counter() - began) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shape", nargs="?", default="0.6B", choices=[*SHAPES])
    parser.add_argument("--layers", type=int)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "joinery-adapters")
    words = parser.parse_args()
    shape = shape_of(words.shape, words.layers)
    words.work.mkdir(parents=True, exist_ok=True)
    base = write_checkpoint(words.work / shape.name, shape)
    for name, (rank, targets) in ADAPTERS.items():
        write_adapter(shape, words.work / name, rank, targets)
    common = {
        "preset": "compact",
        "quantize": {"rounding": "nearest"},
        "cache": "gqa",
        "capacity": 512,
        "check": "quick",
    }
    wanted = {"plain": {}, **{name: {"adapter": [{"folder": str(words.work / name)}]} for name in ADAPTERS}}
    machines: dict[str, Machine] = {}
    for name, own in wanted.items():
        out = words.work / f"bundle-{name}"
        if not out.exists():
            options = common | own | ({"adapters": "runtime"} if own else {})
            build(BuildRequest(str(base), out, options, measures=False))
        machines[name] = open_machine(read_bundle(out), device_named("cpu"))
    times: dict[str, list[float]] = {}
    switches: dict[str, list[float]] = {}
    for _ in range(words.rounds):
        times.setdefault("plain", []).extend(steps(machines["plain"], words.tokens))
        for name in ADAPTERS:
            machine = machines[name]
            for title, adapter in ((f"{name}: base", ""), (f"{name}: adapter", name)):
                switches.setdefault(title, []).append(switch(machine, adapter))
                first, *rest = steps(machine, words.tokens)
                times.setdefault(title, []).extend(rest)
                times.setdefault(f"{title}, first", []).append(first)
    plain = statistics.median(times["plain"])
    print(f"plain: {plain:.2f} ms a step (least {min(times['plain']):.2f})")
    for title, own_times in times.items():
        if title in switches:
            middle, least = statistics.median(own_times), min(own_times)
            first = statistics.median(times[f"{title}, first"]) - middle
            read, *later = switches[title]
            fastest = least / min(times["plain"])
            print(
                f"{title}: {middle:.2f} ms a step, ratio {middle / plain:.3f} (of the least {fastest:.3f}), "
                f"switch {statistics.median(later):.2f} ms, the first {read:.2f} ms, first step {first:+.2f} ms"
            )


if __name__ == "__main__":
    main()
