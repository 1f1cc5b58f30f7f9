"""The time of a token with 128 tokens in the cache, whatever the capacity, and whatever the cache held before: every
layout, interleaved in one process.

    python -m tests.benchmarks.capacity [--rounds 5]

The model has the layer shape of a small Llama (hidden 512, 8 query heads, 2 key-value heads, 4 layers), random.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

from workflows.builder import BuildRequest, build
from workflows.generate import Engine, GenerateOptions, open_engine

CAPACITIES = (256, 2048, 8192)
LAYOUTS = ("static", "gqa", "scatter")
VALID, STEPS = 128, 60
LONG = 4000  # tokens that the cache held before it was reset


def checkpoint(folder: Path) -> Path:
    """A random Llama that can hold the largest capacity."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=1000,
        hidden_size=512,
        intermediate_size=1024,
        num_hidden_layers=4,
        num_attention_heads=8,
        num_key_value_heads=2,
        max_position_embeddings=max(CAPACITIES),
        eos_token_id=None,
        bos_token_id=None,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def token_ms(engine: Engine) -> float:
    """Median milliseconds of a decode step that begins with VALID tokens in the cache."""
    engine.reset()
    prompt = [3 + i % 900 for i in range(VALID)]
    events = engine.generate(prompt, GenerateOptions(max_new_tokens=STEPS))
    return statistics.median(e.latency_ms for e in events if e.event == "token" and e.step > 5)  # type: ignore[attr-defined]


def after_long_ms(engine: Engine) -> float:
    """The same in an engine that has read LONG tokens before."""
    engine.reset()
    for _ in engine.generate([3 + i % 900 for i in range(LONG)], GenerateOptions(max_new_tokens=1)):
        pass
    return token_ms(engine)


def main() -> None:
    """Prints a row a layout: milliseconds a token at each capacity, and the largest over the smallest; then after a
    long text, and that over the time of an engine which never read one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        source, engines = checkpoint(Path(folder) / "checkpoint"), {}
        for layout in LAYOUTS:
            out = Path(folder) / layout
            build(BuildRequest(str(source), out, {"cache": layout, "capacity": max(CAPACITIES)}))
            engines |= {(layout, c): open_engine(out, capacity=c) for c in CAPACITIES}
        times: dict[tuple[str, int], list[float]] = {key: [] for key in engines}
        used = {layout: open_engine(Path(folder) / layout, capacity=max(CAPACITIES)) for layout in LAYOUTS}
        late: dict[str, list[float]] = {layout: [] for layout in LAYOUTS}
        for _ in range(rounds):
            for key, engine in engines.items():
                times[key].append(token_ms(engine))
            for layout, engine in used.items():
                late[layout].append(after_long_ms(engine))
    print("layout   " + "".join(f"{c:>10}" for c in CAPACITIES) + f"   largest/smallest  after {LONG:,}    over fresh")
    for layout in LAYOUTS:
        row = [statistics.median(times[layout, c]) for c in CAPACITIES]
        after = statistics.median(late[layout])
        found = f"{max(row) / min(row):19.2f}{after:13.3f}{after / row[-1]:14.2f}"
        print(f"{layout:9}" + "".join(f"{ms:10.3f}" for ms in row) + found)


if __name__ == "__main__":
    main()
