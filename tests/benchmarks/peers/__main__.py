"""The one command; see the package's docstring."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.benchmarks import peers
from tests.benchmarks.peers.accuracy import Accuracy
from tests.benchmarks.peers.checkpoint import LAYERS
from tests.benchmarks.peers.environments import PEERS, PeerError
from tests.benchmarks.peers.machine import commit, engine_state, today
from tests.benchmarks.peers.machines import read_result, side_by_side
from tests.benchmarks.peers.models import Models, Source
from tests.benchmarks.peers.processes import UNSEEN
from tests.benchmarks.peers.rounds import Log, turns
from tests.benchmarks.peers.table import Table
from tests.benchmarks.peers.visits import VISITS, Seen, visit
from workflows.processor.cores import processor_name

FP32 = "it runs fp32, and is what the others' accuracy is measured by"
QUANTILE = "which of a run's steps stands for it: 0.5 is the median; 0.1 is for a machine that others use, too"
FEWER = "of the shape: with a few of them 32,000 tokens are read in minutes; models and samples lie apart"
SAME_FILE = "it reads the file that was made for llama.cpp"
MISSING = {"openvino": "its interface gives no logits", "huggingface": FP32}
SOURCES: dict[str, Source] = {"trained": "demo", "shape": "shape"}
IN_ROUNDS = ("build", *VISITS)
VISITED = (*IN_ROUNDS, "questions", *SOURCES)


def parse() -> argparse.Namespace:
    """The command's options."""
    parser = argparse.ArgumentParser(description=peers.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cache = Path(tempfile.gettempdir()) / "joinery-peers"
    parser.add_argument("--work", type=Path, default=cache / "work", help="models and samples; about 12 GB")
    parser.add_argument("--envs", type=Path, default=cache / "envs", help="the engines' environments; about 1 GB")
    parser.add_argument("--out", type=Path, help="where peers.md, .json and .png go (default: the work folder)")
    parser.add_argument("--engines", type=_words(tuple(PEERS)), default=list(PEERS), help=f"of {', '.join(PEERS)}")
    parser.add_argument("--rows", type=_words(VISITED), default=list(VISITED), help=f"of {', '.join(VISITED)}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--questions", type=int, help="of the demo's held-back ones at most (default: all)")
    parser.add_argument("--quick", action="store_true", help="few tokens and questions: to see that all of it runs")
    parser.add_argument("--quantile", type=float, default=0.5, help=QUANTILE)
    parser.add_argument("--set", action="append", default=[], dest="settings", help="a setting of Joinery's recipe")
    parser.add_argument("--layers", type=int, default=LAYERS, help=FEWER)
    parser.add_argument("--beside", type=Path, action="append", default=[], help="a peers.json of another machine")
    return parser.parse_args()


def _words(known: tuple[str, ...]) -> Callable[[str], list[str]]:
    def split(text: str) -> list[str]:
        words = [word.strip() for word in text.split(",")]
        for word in words:
            if word not in known:
                raise argparse.ArgumentTypeError(f"{word!r} is unknown: choose of {', '.join(known)}.")
        return [word for word in known if word in words]

    return split


class Run:
    """A command's run: visits what is asked for, and writes the table after every round."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self._asked = asked
        asked.work /= f"{asked.layers}-layers" if asked.layers != LAYERS else ""
        asked.work.mkdir(parents=True, exist_ok=True)
        self._out = asked.out or asked.work
        self._out.mkdir(parents=True, exist_ok=True)
        self._state = engine_state()
        if asked.settings:
            self._state += "-" + hashlib.sha256(" ".join(sorted(asked.settings)).encode()).hexdigest()[:6]
        self._file = asked.work / f"samples-{self._state}{'-quick' * asked.quick}.json"
        self._log = Log.read(self._file)
        self._models = Models(asked.work, asked.envs, self._state, asked.settings, asked.layers)
        self._failed: set[tuple[str, str]] = set()

    def all(self) -> None:
        """Every visit that is wanted and was not made yet."""
        rounds = 1 if self._asked.quick else self._asked.rounds
        for name in self._asked.rows:
            for _, engine in turns([name], self._asked.engines, rounds if name in IN_ROUNDS else 1, self._done):
                self._take(name, engine)
        self._write()

    def _done(self, name: str, engine: str) -> int:
        """Rounds that were made; as many as anybody can want where an engine failed in this run."""
        return 1 << 30 if (name, engine) in self._failed else self._log.rounds(name, engine)

    def _take(self, name: str, engine: str) -> None:
        print(f"{name:10} {engine}", end=": ", flush=True)
        try:
            seen: Seen | str = self._see(name, engine)
        except PeerError as error:
            seen = str(error)
        self._log = Log.read(self._file)  # another run may have added its samples meanwhile
        if isinstance(seen, str):
            self._failed.add((name, engine))
            self._log.fail(name, engine, seen)
            print(seen, flush=True)
        else:
            self._log.add(name, engine, seen.samples, seen.others)
            if seen.missing:
                self._log.fail(name, engine, seen.missing)
            if seen.versions:
                self._log.versions[engine] = seen.versions
            figures = ", ".join(f"{row} {value:.5g}" for row, value in seen.samples.items())
            print(figures, flush=True)
        self._log.write(self._file)

    def _see(self, name: str, engine: str) -> Seen:
        if name == "build":
            return self._build(engine)
        return self._visit(name, engine) if name in VISITS else self._accuracy(name, engine)

    def _visit(self, name: str, engine: str) -> Seen:
        if engine == "huggingface" and VISITS[name].precision == "int4":
            raise PeerError(FP32)
        log, asked = self._asked.work / f"{engine}.log", self._asked
        return visit(name, engine, self._models, log, asked.quick, asked.quantile)

    def _build(self, engine: str) -> Seen:
        if engine == "huggingface":
            raise PeerError(FP32)
        built = self._models.rebuilt(engine, "shape", "int4")
        disk: dict[str, float] = {"disk": built.bytes}
        if built.cost is None:
            return Seen(disk, UNSEEN, {}, SAME_FILE)
        cost = {"build_wall": built.cost.wall, "build_cpu": built.cost.cpu, "build_peak": built.cost.peak}
        return Seen(disk | cost, built.cost.others, {})

    def _accuracy(self, name: str, engine: str) -> Seen:
        if name != "questions" and engine in MISSING:
            raise PeerError(MISSING[engine])
        positions, questions = (40, 10) if self._asked.quick else (500, self._asked.questions)
        accuracy = Accuracy(self._models, self._asked.work, positions, questions)
        found = accuracy.right(engine) if name == "questions" else accuracy.agreement(engine, SOURCES[name])
        return Seen(found, UNSEEN, {})

    def _write(self) -> None:
        engines = [engine for engine in PEERS if engine in {*self._asked.engines, *self._log.versions}]
        versions = "; ".join(_versions(self._log.versions[e]) for e in engines if e in self._log.versions)
        told = [
            f"{today()}, commit {commit()}, {processor_name()}; two threads",
            f"versions: {versions}",
            f"medians of the rounds, engines in turns, a step the {self._asked.quantile:g} quantile of its run's; in "
            "brackets the figure over Joinery's"
            + ("; settings: " + ", ".join(self._asked.settings) if self._asked.settings else ""),
        ]
        table = Table(self._log, engines, told, machine=processor_name())
        text = table.markdown()
        (self._out / "peers.md").write_text(text, "utf-8")
        (self._out / "peers.json").write_text(table.as_json(), "utf-8")
        _draw(self._log, engines, self._out / "peers.png")
        print(text)
        if self._asked.beside:
            text = side_by_side([json.loads(table.as_json()), *map(read_result, self._asked.beside)])
            (self._out / "machines.md").write_text(text, "utf-8")
            print(text)


def _draw(log: Log, engines: Sequence[str], file: Path) -> None:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from tests.benchmarks.peers.picture import draw  # Qt: for the picture alone

    draw(log, engines, file)


def _versions(packages: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in packages.items())


def main() -> None:
    """Runs what is asked for."""
    Run(parse()).all()


if __name__ == "__main__":
    main()
