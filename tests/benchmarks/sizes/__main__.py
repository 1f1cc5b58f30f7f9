"""The command; see the package's docstring."""

from __future__ import annotations

import argparse
import hashlib
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.benchmarks import sizes
from tests.benchmarks.peers.environments import PeerError, prepare
from tests.benchmarks.peers.machine import engine_state
from tests.benchmarks.peers.models import genai_command
from tests.benchmarks.sizes.checkpoints import SHAPES, Shape, shape_of, write_checkpoint
from tests.benchmarks.sizes.kills import Kills, kill_again
from tests.benchmarks.sizes.limits import Limited, limited, parse_bytes
from tests.benchmarks.sizes.runs import Result, run
from tests.benchmarks.sizes.samples import Sample, Samples, figures_of, markdown, write_section

Measure = Callable[[], tuple[Result, int]]  # and the bytes of what it made
DEFAULT = ("--precision", "int4")
WEIGHTS = "weights.data"


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The command's options; `build` has what follows `--`."""
    own, build = (list(words[: words.index("--")]), words[words.index("--") + 1 :]) if "--" in words else (words, ())
    parser = argparse.ArgumentParser(description=sizes.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cache = Path(tempfile.gettempdir())
    parser.add_argument("shapes", nargs="*", choices=[*SHAPES], metavar="SHAPE", help=", ".join(SHAPES))
    parser.add_argument("--layers", type=int, help="so many in place of the shape's")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--genai", action="store_true", help="its builder too, in turns")
    parser.add_argument("--limit", type=parse_bytes, help="of memory, hard: 8GB")
    parser.add_argument("--kill", type=int, default=0, metavar="N", help="kill a build so often")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", action="store_true", help="leave the checkpoint for the next run")
    parser.add_argument("--work", type=Path, default=cache / "joinery-sizes", help="checkpoints, builds and samples")
    parser.add_argument("--envs", type=Path, default=cache / "joinery-peers" / "envs", help="genai's environment")
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the table into this document")
    asked = parser.parse_args(own)
    asked.build = list(build) or list(DEFAULT)
    return asked


class Joinery:
    """Builds of one checkpoint in a folder of their own; an Attempt of kills."""

    def __init__(self, checkpoint: Path, folder: Path, options: Sequence[str], limit: Limited) -> None:
        self._checkpoint, self._folder, self._options, self._limit = checkpoint, folder, options, limit
        self._out = folder / "bundle"

    def start(self, kill_after: float | None = None) -> Result:
        """One build; it finds what an earlier one left. Raises PeerError."""
        environment = prepare("joinery", self._folder)
        words = [
            "-m",
            "workflows",
            "build",
            str(self._checkpoint),
            "--out",
            str(self._out),
            "--force",
            *self._options,
            "--json",
        ]
        variables = environment.variables_of_child | {"JOINERY_HOME": str(self._folder / "home")}
        self._folder.mkdir(parents=True, exist_ok=True)
        command = self._limit.command([environment.python, *words])
        return run(command, variables, self._folder / "log", self._out.with_name(".bundle.build"), kill_after)

    def digest(self) -> str:
        """The SHA-256 of the bundle's weights."""
        with (self._out / WEIGHTS).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def parts(self) -> int:
        """The single tensors that lie in the work folder."""
        return len([*self._folder.glob(".bundle.build/**/part-*.data")])

    def bytes(self) -> int:
        """Of the bundle's files."""
        return _bytes(self._out)

    def remove(self) -> None:
        """Removes all but the log."""
        for entry in (self._out, self._out.with_name(".bundle.build"), self._folder / "home"):
            shutil.rmtree(entry, ignore_errors=True)


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


class Command:
    """One call: measures what is asked for, and prints the table after every run."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self._asked, self._state = asked, engine_state()
        self._work: Path = asked.work.resolve()
        self._work.mkdir(parents=True, exist_ok=True)
        self._samples = Samples(self._work / "samples.jsonl")

    def all(self) -> None:
        """Each shape; then the table."""
        for name in self._asked.shapes:
            self._shape(shape_of(name, self._asked.layers))
        self._show()

    def _show(self) -> None:
        text = markdown(self._samples.of(self._state))
        print(text, flush=True)
        if self._asked.write:
            write_section(self._asked.write, text)

    def _shape(self, shape: Shape) -> None:
        folder = self._work / "checkpoints" / f"{shape.name}-{self._asked.seed}"
        for other in [*folder.parent.glob("*")] if folder.parent.exists() else []:
            if other != folder:
                shutil.rmtree(other)
        print(f"writing {folder}: {shape.parameters / 1e9:.2f} billion numbers", flush=True)
        write_checkpoint(folder, shape, self._asked.seed)
        try:
            with limited(self._asked.limit) as limit:
                for _ in range(self._asked.rounds):
                    self._round(shape, folder, limit)
                if self._asked.kill:
                    self._kill(shape, folder, limit)
        finally:
            if not self._asked.keep:
                shutil.rmtree(folder)

    def _row(self, shape: Shape, limit: Limited) -> str:
        words = " ".join(word for word in self._asked.build).replace("--precision ", "")
        under = f", within {self._asked.limit / 1e9:g} GB ({limit.name})" if limit.name else ""
        return f"{shape.name}, {words}{under}"

    def _round(self, shape: Shape, checkpoint: Path, limit: Limited) -> None:
        build = Joinery(checkpoint, self._work / "joinery", self._asked.build, limit)
        build.remove()
        self._take(shape, limit, "joinery", lambda: (build.start(), build.bytes()))
        build.remove()
        if self._asked.genai:
            self._take(shape, limit, "genai", lambda: self._genai(checkpoint, limit))

    def _genai(self, checkpoint: Path, limit: Limited) -> tuple[Result, int]:
        environment, folder = prepare("genai", self._asked.envs), self._work / "genai"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        out = folder / "model"
        precision = "fp32" if "fp32" in self._asked.build else "int4"
        command = genai_command(environment, str(checkpoint), precision, out, folder / "hub")
        try:
            result = run(limit.command(command), environment.variables_of_child, self._work / "genai.log", folder)
            return result, _bytes(out)
        finally:
            shutil.rmtree(folder)

    def _take(self, shape: Shape, limit: Limited, engine: str, measure: Measure) -> None:
        sample = Sample(self._row(shape, limit), engine, self._state)
        try:
            result, size = measure()
            sample.figures = figures_of(result, size)
            sample.stages, sample.peaks = result.stages, result.peak.stages
        except PeerError as error:
            sample.failed = str(error)
        self._samples.add(sample)
        print(engine, sample.failed or sample.figures, sample.stages, sample.peaks, flush=True)

    def _kill(self, shape: Shape, checkpoint: Path, limit: Limited) -> None:
        build = Joinery(checkpoint, self._work / "joinery", self._asked.build, limit)
        build.remove()
        whole = build.start()
        wanted = build.digest()
        build.remove()
        seen = kill_again(build, self._asked.kill, whole.seconds, self._asked.seed)
        note = told_kills(seen, wanted)
        self._samples.add(Sample(self._row(shape, limit), "kill", self._state, note=note))
        print(note, flush=True)


def told_kills(seen: Kills, wanted: str) -> str:
    """The sentence of a kill loop. wanted: the digest of an undisturbed build."""
    same = sum(digest == wanted for digest in seen.digests)
    killed = ", ".join(f"{count} in {stage}" for stage, count in seen.killed.most_common())
    reused = ", ".join(f"{stage} {count} times" for stage, count in seen.reused.most_common()) or "no stage"
    tensors = max(seen.tensors, default=0)
    return (
        f"killed {seen.killed.total()} times ({killed}), reused {reused}, at most {tensors} single tensors at a "
        f"restart; weights.data of {same} of {len(seen.digests)} whole builds are those of an undisturbed one; "
        f"{seen.seconds:.0f} s in all"
    )


def main() -> None:
    """Runs what is asked for; a build ends with this process where that is interrupted or ended."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    Command(parse(sys.argv[1:])).all()


if __name__ == "__main__":
    main()
