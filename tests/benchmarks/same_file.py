"""A step and a prompt of a GGUF file in Joinery and in llama.cpp, which reads the same file.

    python -m tests.benchmarks.same_file MODEL.gguf --bundle BUNDLE [--rounds 5] [--tokens 64]

BUNDLE: what `joinery build MODEL.gguf --precision stored` made. Engines take turns, each in a process of its own with
two threads, as in tests.benchmarks.peers; figures are medians of rounds.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections import defaultdict
from pathlib import Path

from tests.benchmarks.peers.environments import PEERS, prepare
from tests.benchmarks.peers.processes import Child
from tests.benchmarks.peers.visits import Session, prompt

PROMPT, ROOM, IDS = 64, 1024, 32_000


def measured(engine: str, folder: Path, envs: Path, tokens: int, log: Path) -> dict[str, float]:
    """Milliseconds of a step and of a prompt of PROMPT tokens."""
    with Child(prepare(engine, envs), PEERS[engine].program, log) as child:
        child.ask(do="open", folder=str(folder), capacity=ROOM)
        session = Session(child, tokens, 0.5)
        _, step = session.run(prompt(PROMPT, IDS))
        first = statistics.median(session.run(prompt(PROMPT, IDS, seed), 2)[0] for seed in (1, 2, 3))
        return {"step": step, "prompt": first}


def main() -> None:
    """Prints the medians and their ratio."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--bundle", type=Path, required=True)
    parser.add_argument("--envs", type=Path, default=Path(tempfile.gettempdir()) / "joinery-peers" / "envs")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=64)
    options = parser.parse_args()
    options.envs.mkdir(parents=True, exist_ok=True)
    found: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "file").mkdir()
        (Path(scratch) / "file" / "m.gguf").symlink_to(options.model.resolve())
        folders = {"joinery": options.bundle, "llama": Path(scratch) / "file"}
        for turn in range(options.rounds):
            for engine in sorted(folders, reverse=bool(turn % 2)):
                one = measured(engine, folders[engine], options.envs, options.tokens, Path(scratch) / "log")
                for what, value in one.items():
                    found[f"{engine} {what}"].append(value)
    for what in ("step", "prompt"):
        ours, theirs = (statistics.median(found[f"{engine} {what}"]) for engine in ("joinery", "llama"))
        print(f"{what}: Joinery {ours:.2f} ms, llama.cpp {theirs:.2f} ms, ratio {ours / theirs:.2f}")


if __name__ == "__main__":
    main()
