"""The outline of a flow (stages, edges, sessions by name) and its faults; no graph is read.

    sessions, stages, edges ──find_faults──▶ Fault (JSON path, sentence), of which the first is reported

A session runs at `init`, at `step`, or at both, once each; at `final` once after the last token. At `init` it runs

    once on the inputs        sources of cross-attention (cross_cache.source, cross_attention_from), sessions that read
                              images or sound, and what feeds these; their outputs are kept for the whole generation
    for each run of tokens    sessions that convert tokens for a session without a token input
    for each chunk of prompt  all others: a prefill, and what runs beside it
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from workflows.bundle.strict_model import StrictModel
from workflows.common.errors import BundleError, printable

Port = tuple[str, str]  # session, tensor
Modality = Literal["image", "audio", "video"]
STAGES = "pipeline.flow"
EDGES = "pipeline.dataflow"
SOURCE = "pipeline.state.cross_cache.source"
_WORDS: dict[Modality, tuple[str, ...]] = {
    "audio": ("audio", "speech"), "video": ("video",), "image": ("image", "vision", "pixel"),
}  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """What is wrong, and the JSON path of it."""

    path: str
    message: str

    def error(self, location: str) -> BundleError:
        """The fault as an error of one sentence; location: the file's name."""
        fault = f"at {printable(self.path)}: {printable(self.message, 400)}"
        return BundleError(f"{location} is not a pipeline that Joinery can run: {fault}.")


class FlowStage(StrictModel):
    """When a session runs: `init` over the prompt, `step` for each token, `final` once after the last.

    loop: `batched` for one run over all inputs (images …), `per_image` for a run of each. cross_attention_from: the
    session whose outputs, computed once on the source, this session attends to.
    """

    run: str
    when: Literal["init", "step", "final"] = "step"
    loop: Literal["batched", "per_image"] = "batched"
    cross_attention_from: str | None = None


@dataclass(frozen=True)
class SessionTraits:
    """Inputs of a session's graph. ids: token ids that no edge feeds. cache: past keys and values."""

    ids: bool
    cache: bool


@dataclass(frozen=True)
class Outline:
    """A flow without its files. edges: (from, to). source: the source of the cross cache.

    traits: session → its graph's traits; empty where no graph was read, and then only the sessions that the file names
    as sources are known to run once.
    """

    sessions: tuple[str, ...]
    stages: tuple[FlowStage, ...]
    edges: tuple[tuple[Port, Port], ...]
    source: str | None = None
    cached: bool = True
    traits: Mapping[str, SessionTraits] = field(default_factory=dict)

    def sessions_at(self, when: str) -> tuple[str, ...]:
        """The sessions that run at `when`, in order."""
        return tuple(stage.run for stage in self.stages if stage.when == when)

    def runs_per_input(self, session: str) -> bool:
        """Whether a session runs once for each input."""
        return any(stage.run == session and stage.loop == "per_image" for stage in self.stages)

    @cached_property
    def sources(self) -> frozenset[str]:
        """The sessions whose outputs others attend to."""
        named = (self.source, *(stage.cross_attention_from for stage in self.stages))
        return frozenset(name for name in named if name is not None)

    @cached_property
    def init_only(self) -> tuple[str, ...]:
        """The sessions that run at init only."""
        later = {stage.run for stage in self.stages if stage.when != "init"}
        return tuple(name for name in self.sessions_at("init") if name not in later)

    @cached_property
    def run_once(self) -> tuple[str, ...]:
        """The sessions that run once, on the inputs."""
        sessions = {name for name in self.init_only if name in self.sources}
        for name in self.init_only:  # a feeding session precedes the one it feeds
            traits = self.traits.get(name)
            if traits is None or traits.cache or any(t == name and s not in sessions for s, t in self._pairs):
                continue
            if not traits.ids or self._reaches_decoder(name):
                sessions.add(name)
        for name in reversed(self.init_only):
            if not self._has_cache(name) and self._targets_of(name) & sessions:
                sessions.add(name)
        return tuple(name for name in self.init_only if name in sessions)

    def _reaches_decoder(self, name: str) -> bool:
        """Whether the session's outputs reach a decoder, that is, a session with its own token input and a cache."""
        reached = [self.traits[one] for one in self._all_targets_of(name) if one in self.traits]
        return any(one.ids and one.cache for one in reached)

    @cached_property
    def run_per_token(self) -> tuple[str, ...]:
        """The sessions of init that run with every token: they feed steps without a token input."""
        steps = self.sessions_at("step")
        return tuple(
            name
            for name in self.init_only
            if name in self.traits and name not in self.run_once and not self._has_cache(name)
            if any(target in steps for target in self._all_targets_of(name))
        )

    def runs(self) -> dict[str, tuple[str, ...]]:
        """source, prefill, decode and final with their sessions; a prompt uses the steps where init has no prefill."""
        once, beside = self.run_once, self.run_per_token
        init = tuple(name for name in self.sessions_at("init") if name not in once)
        decode = (*beside, *self.sessions_at("step"))
        own = any(name not in beside for name in init if name in self.init_only) or not self.sessions_at("step")
        prefill = init if own else decode
        return {"source": once, "prefill": prefill, "decode": decode, "final": self.sessions_at("final")}

    def edges_of(self, run: str) -> dict[int, tuple[Port, Port]]:
        """The edges that feed a session of a run, by number: from the same run, kept outputs, or the last step."""
        runs = self.runs()
        givers = {*runs[run], *runs["source"], *(runs["decode"] if run == "final" else ())}
        return {i: edge for i, edge in enumerate(self.edges) if edge[1][0] in runs[run] and edge[0][0] in givers}

    @cached_property
    def _pairs(self) -> list[tuple[str, str]]:
        return [(source, target) for (source, _), (target, _) in self.edges]

    def _has_cache(self, name: str) -> bool:
        return name in self.traits and self.traits[name].cache

    def _targets_of(self, name: str) -> set[str]:
        return {target for source, target in self._pairs if source == name}

    def _all_targets_of(self, name: str) -> set[str]:
        """The sessions that a session feeds, directly or indirectly."""
        return _reachable(name, self._pairs) - {name}


def modality(edge: tuple[Port, Port]) -> Modality | None:
    """The modality of an edge whose tensors are named after it: `image_features`, `audio_features` …"""
    names = (edge[1][1], edge[0][1])
    kinds = (
        kind
        for name in names
        if "features" in name
        for kind, terms in _WORDS.items()
        if any(one in name for one in terms)
    )
    return next(kinds, None)


def sessions_around(name: str | None, edges: Sequence[tuple[Port, Port]]) -> tuple[str, ...]:
    """The sessions that feed `name` or are fed by it, and itself, in dataflow order."""
    if name is None:
        return ()
    pairs = {(source, target) for (source, _), (target, _) in edges}
    sessions = _reachable(name, pairs) | _reachable(name, {(target, source) for source, target in pairs})
    return tuple(sorted(sessions, key=lambda one: (len(_reachable(one, {(b, a) for a, b in pairs}) & sessions), one)))


def _reachable(name: str, pairs: Collection[tuple[str, str]]) -> set[str]:
    """The sessions reachable from `name` along the pairs, itself included."""
    reached, ahead = set[str](), {name}
    while ahead:
        reached |= ahead
        ahead = {target for source, target in pairs if source in ahead} - reached
    return reached


def find_unknown_sessions(outline: Outline) -> Iterator[Fault]:
    """Yields names of sessions that do not exist."""
    for i, stage in enumerate(outline.stages):
        for key, name in (("run", stage.run), ("cross_attention_from", stage.cross_attention_from)):
            if name is not None and name not in outline.sessions:
                yield Fault(f"{STAGES}[{i}].{key}", f"flow runs {name!r}, which is not a session")
    for i, edge in enumerate(outline.edges):
        for end, (session, tensor) in zip(("from", "to"), edge, strict=True):
            if session not in outline.sessions:
                name = f"{session}.{tensor}"
                yield Fault(f"{EDGES}[{i}].{end}", f"dataflow names {name!r}, whose session does not exist")
    if outline.source is not None and outline.source not in outline.sessions:
        yield Fault(SOURCE, f"cross_cache has the source {outline.source!r}, which is not a session")


def find_faults(outline: Outline) -> Iterator[Fault]:
    """Yields every fault; each check assumes that the checks before it passed.

    Edges are checked by run where the outline knows the graphs' traits.
    """
    for check in (find_unknown_sessions, _repeated_stages, _unused_sessions, _source_faults, _loop_faults, _cycles):
        yield from check(outline)
    for check in (_misplaced_edges, _duplicate_edges) if outline.traits else ():
        yield from check(outline)


def path_of(path: Sequence[str | int]) -> str:
    """`("pipeline", "flow", 1, "when")` → `pipeline.flow[1].when`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def _repeated_stages(outline: Outline) -> Iterator[Fault]:
    places = [(stage.run, stage.when) for stage in outline.stages]
    for i, (run, when) in enumerate(places):
        if (run, when) in places[:i]:
            yield Fault(f"{STAGES}[{i}].run", f"{run} runs at {when} already, and a session runs there once")


def _unused_sessions(outline: Outline) -> Iterator[Fault]:
    for i, stage in enumerate(outline.stages):
        if stage.when == "final" and not outline.cached:
            yield Fault(
                f"{STAGES}[{i}].when",
                (f"{stage.run} runs at final, after the last token, and this pipeline generates no tokens"),
            )
    for name in outline.sessions:
        if name not in {stage.run for stage in outline.stages}:
            yield Fault(f"pipeline.sessions.{name}", "no stage of the flow runs it")
    if outline.cached and not outline.sessions_at("step"):
        yield Fault(STAGES, "no stage runs at step, so no token can follow the first")


def _source_faults(outline: Outline) -> Iterator[Fault]:
    paths = {
        stage.cross_attention_from: f"{STAGES}[{i}].cross_attention_from" for i, stage in enumerate(outline.stages)
    }
    for name in sorted(outline.sources):
        path = SOURCE if name == outline.source else paths[name]
        if name not in outline.init_only:
            yield Fault(path, f"{name} must run at init only, so that its outputs are computed once and kept")
        elif not outline._targets_of(name):
            yield Fault(path, f"no edge of the dataflow takes an output of {name}")


def _loop_faults(outline: Outline) -> Iterator[Fault]:
    for i, stage in enumerate(outline.stages):
        if stage.loop == "per_image" and stage.run not in outline.init_only:
            yield Fault(f"{STAGES}[{i}].loop", f"{stage.run} can run for each picture at init only")


def _cycles(outline: Outline) -> Iterator[Fault]:
    pairs = outline._pairs
    for i, (source, target) in enumerate(pairs):
        way = _path_between(pairs, target, source)
        if way and source == target:
            yield Fault(f"{EDGES}[{i}]", f"{source} feeds itself")
        elif way:
            yield Fault(f"{EDGES}[{i}]", f"{' → '.join([source, *way])} is a cycle")


def _path_between(pairs: Sequence[tuple[str, str]], start: str, end: str) -> list[str]:
    """The sessions from `start` to `end` along the edges; empty where there is no path."""
    ways, seen = [[start]], {start}
    for way in ways:
        if way[-1] == end:
            return way
        reached = {target for source, target in pairs if source == way[-1]} - seen
        seen |= reached
        ways += [[*way, name] for name in sorted(reached)]
    return []


def _misplaced_edges(outline: Outline) -> Iterator[Fault]:
    """Yields edges between sessions that never run together, or in the wrong order."""
    runs = outline.runs()
    used = {i for run in runs for i in outline.edges_of(run)}
    for i, ((source, _), (target, _)) in enumerate(outline.edges):
        if i not in used:
            yield Fault(f"{EDGES}[{i}].from", _dead_edge_reason(outline, source, target))
        for run in runs.values():
            if source in run and target in run and run.index(source) > run.index(target):
                yield Fault(f"{EDGES}[{i}].from", f"{source} runs after {target}, which it feeds")


def _dead_edge_reason(outline: Outline, source: str, target: str) -> str:
    if source not in outline.sessions_at("init"):
        when = "final" if source in outline.sessions_at("final") else "step"
        return f"{source} runs at {when} and {target} before it"
    return (
        f"{source} runs for each chunk of the prompt, and {target} never in the same run; only outputs of "
        "cross_cache.source are kept for the steps"
    )


def _duplicate_edges(outline: Outline) -> Iterator[Fault]:
    for run in outline.runs():
        feeders: dict[Port, Port] = {}
        for i, (source, target) in outline.edges_of(run).items():
            if target in feeders:
                yield Fault(f"{EDGES}[{i}].to", f"{'.'.join(target)} is fed by {'.'.join(feeders[target])} already")
            feeders[target] = source
