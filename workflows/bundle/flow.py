"""What is wrong with a flow by its names alone: stages, edges, and the sessions that they join; no graph is read.

    sessions, stages, edges ──find_faults──▶ Fault (JSON path, sentence), the first of which is told

A session runs at `init`, at `step`, or at both, once each. What `cross_cache.source` names, and what feeds it, runs
once on the source, and is kept for the steps; everything else at `init` runs for each chunk of the prompt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workflows.errors import BundleError, printable

Port = tuple[str, str]  # session, tensor
STAGES = "pipeline.flow"
EDGES = "pipeline.dataflow"
SOURCE = "pipeline.state.cross_cache.source"


@dataclass(frozen=True)
class Fault:
    """What is wrong, and the JSON path of where it is."""

    path: str
    message: str

    def error(self, where: str) -> BundleError:
        """As the one sentence that a person reads; where: the file."""
        told = f"at {printable(self.path)}: {printable(self.message, 400)}"
        return BundleError(f"{where} is not a pipeline that Joinery can run: {told}.")


@dataclass(frozen=True)
class Outline:
    """A flow without its files. stages: (session, when). edges: (from, to). source: of the cross cache."""

    sessions: tuple[str, ...]
    stages: tuple[tuple[str, str], ...]
    edges: tuple[tuple[Port, Port], ...]
    source: str | None = None
    cached: bool = True

    def at(self, when: str) -> tuple[str, ...]:
        """The sessions that run at `when`, in their order."""
        return tuple(run for run, at in self.stages if at == when)

    @property
    def once(self) -> tuple[str, ...]:
        """The sessions that run once, on the source: the cross cache's, and what feeds it at init alone."""
        found = {self.source}
        stepping = self.at("step")
        alone = [name for name in self.at("init") if name not in stepping]
        for name in reversed(alone):  # who feeds stands before who is fed
            if any(source == name and target in found for (source, _), (target, _) in self.edges):
                found.add(name)
        return tuple(name for name in alone if name in found)

    def runs(self) -> dict[str, tuple[str, ...]]:
        """source, prefill and decode, each with its sessions; a prompt takes the steps where init has none for it."""
        init = tuple(name for name in self.at("init") if name not in self.once)
        step = self.at("step")
        return {"source": self.once, "prefill": init or step, "decode": step}

    def live(self, run: Sequence[str]) -> dict[int, tuple[Port, Port]]:
        """The edges that feed a session of `run`, by their number: from another of it, or from what is kept."""
        return {
            i: (source, target)
            for i, (source, target) in enumerate(self.edges)
            if target[0] in run and (source[0] in run or source[0] in self.once)
        }


def find_unknown(outline: Outline) -> Iterator[Fault]:
    """Names of sessions that there are not."""
    for i, (run, _) in enumerate(outline.stages):
        if run not in outline.sessions:
            yield Fault(f"{STAGES}[{i}].run", f"flow runs {run!r}, which is no session")
    for i, edge in enumerate(outline.edges):
        for end, (session, tensor) in zip(("from", "to"), edge, strict=True):
            if session not in outline.sessions:
                name = f"{session}.{tensor}"
                yield Fault(f"{EDGES}[{i}].{end}", f"dataflow names {name!r}, whose session does not exist")
    if outline.source is not None and outline.source not in outline.sessions:
        yield Fault(SOURCE, f"cross_cache has the source {outline.source!r}, which is no session")


def find_faults(outline: Outline) -> Iterator[Fault]:
    """Everything that is wrong; what comes later in the order takes for granted that nothing before it is."""
    for check in (find_unknown, _repeated, _never, _source, _circles, _misplaced, _twice):
        yield from check(outline)


def path_of(path: Sequence[str | int]) -> str:
    """`("pipeline", "flow", 1, "when")` → `pipeline.flow[1].when`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def _repeated(outline: Outline) -> Iterator[Fault]:
    for i, stage in enumerate(outline.stages):
        if stage in outline.stages[:i]:
            yield Fault(f"{STAGES}[{i}].run", f"{stage[0]} runs at {stage[1]} already, and a session runs there once")


def _never(outline: Outline) -> Iterator[Fault]:
    for i, (run, when) in enumerate(outline.stages):
        if when == "final":
            yield Fault(f"{STAGES}[{i}].when", f"{run} is to run at final, which Joinery does not do yet")
    for name in outline.sessions:
        if name not in {run for run, _ in outline.stages}:
            yield Fault(f"pipeline.sessions.{name}", "no stage of the flow runs it")
    if outline.cached and not outline.at("step"):
        yield Fault(STAGES, "no stage runs at step, so no token can follow the first")


def _source(outline: Outline) -> Iterator[Fault]:
    if outline.source is None:
        return
    if outline.source not in outline.at("init") or outline.source in outline.at("step"):
        yield Fault(SOURCE, f"{outline.source} must run at init, and there alone, to be read once and kept")
    elif not any(source == outline.source for (source, _), _ in outline.edges):
        yield Fault(SOURCE, f"no edge of the dataflow takes what {outline.source} gives")


def _circles(outline: Outline) -> Iterator[Fault]:
    pairs = [(source, target) for (source, _), (target, _) in outline.edges]
    for i, (source, target) in enumerate(pairs):
        way = _way(pairs, target, source)
        if way and source == target:
            yield Fault(f"{EDGES}[{i}]", f"{source} feeds itself")
        elif way:
            yield Fault(f"{EDGES}[{i}]", f"{' → '.join([source, *way])} is a cycle")


def _way(pairs: Sequence[tuple[str, str]], start: str, end: str) -> list[str]:
    """The sessions from `start` to `end` along the edges; empty where there is no way."""
    ways, seen = [[start]], {start}
    for way in ways:
        if way[-1] == end:
            return way
        reached = {target for source, target in pairs if source == way[-1]} - seen
        seen |= reached
        ways += [[*way, name] for name in sorted(reached)]
    return []


def _misplaced(outline: Outline) -> Iterator[Fault]:
    """Edges between sessions that never run together, or in the wrong order."""
    runs = outline.runs().values()
    used = {i for run in runs for i in outline.live(run)}
    for i, ((source, _), (target, _)) in enumerate(outline.edges):
        if i not in used:
            yield Fault(f"{EDGES}[{i}].from", _why_dead(outline, source, target))
        for run in runs:
            if source in run and target in run and run.index(source) > run.index(target):
                yield Fault(f"{EDGES}[{i}].from", f"{source} runs after {target}, which it is to feed")


def _why_dead(outline: Outline, source: str, target: str) -> str:
    if source not in outline.at("init"):
        return f"{source} runs at step and {target} at init, before it"
    return (
        f"{source} runs for each chunk of the prompt, and {target} never beside it; for the steps is kept what "
        "cross_cache.source gives alone"
    )


def _twice(outline: Outline) -> Iterator[Fault]:
    for run in outline.runs().values():
        feeders: dict[Port, Port] = {}
        for i, (source, target) in outline.live(run).items():
            if target in feeders:
                yield Fault(f"{EDGES}[{i}].to", f"{'.'.join(target)} is fed by {'.'.join(feeders[target])} already")
            feeders[target] = source
