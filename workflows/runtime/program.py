"""`pipeline.json` held against the graphs' signatures: what runs when, and who feeds each input. No onnxruntime here.

    Pipeline + {session: Signature} ──compile_program──▶ Program: source, prefill, decode, each a Run
                                          Run: sessions in order, {(session, input): Feed}, its columns and logits

An input is fed by an edge, by the cache (a past tensor), by the cache's table (a driver: ids, positions, masks,
lengths), or given with the source. What nothing feeds, and an edge that feeds nothing, is an error with its JSON path.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from workflows.bundle import Pipeline
from workflows.bundle.flow import EDGES, STAGES, Fault, Port
from workflows.errors import GraphError, printable
from workflows.kvcache import StateTensor, find_state
from workflows.kvcache.drivers import DRIVERS, IDS, columns_axis, unfit_driver
from workflows.kvcache.geometry import NAMINGS, SOURCE_MASK, StateFacts, StatePatterns, patterns_of
from workflows.kvcache.infer import infer_facts
from workflows.runtime.axes import Axes, Axis, Clash
from workflows.runtime.signature import Side, Signature, dotted, edge_faults, spec_of, told
from workflows.tensors import TensorSpec

LOGITS = "logits"
STATE = "pipeline.state.kv_cache"


@dataclass(frozen=True, slots=True)
class Feed:
    """Who feeds an input; of an `edge` also the output that does."""

    kind: Literal["edge", "state", "driver", "given"]
    source: Port | None = None


@dataclass(frozen=True)
class Run:
    """Sessions that run one after the other. columns: how many they are fixed to, None for any. state: who keeps the
    cache. logits: who gives them, and what; both None where the source is read."""

    sessions: tuple[str, ...]
    feeds: Mapping[Port, Feed]
    columns: int | None
    state: str | None = None
    logits: tuple[Port, TensorSpec] | None = None


@dataclass(frozen=True)
class Program:
    """What a pipeline does. state, facts: the cache that its sessions share. drivers: what each step is fed of it."""

    source: Run | None
    prefill: Run
    decode: Run
    state: tuple[StateTensor, ...]
    facts: StateFacts
    drivers: Mapping[str, TensorSpec]

    @cached_property
    def taken(self) -> frozenset[Port]:
        """The outputs that something takes: a session of whatever run, or who asked for logits."""
        sources = {feed.source for run in self.runs.values() for feed in run.feeds.values() if feed.source}
        return frozenset(sources | {run.logits[0] for run in self.runs.values() if run.logits})

    @cached_property
    def runs(self) -> dict[str, Run]:
        """By name."""
        found = {"prefill": self.prefill, "decode": self.decode}
        return found if self.source is None else {"source": self.source, **found}

    @property
    def pad_left(self) -> bool:
        """Whether a run of several columns gives the last one's logits alone, so that padding must come first."""
        return any(
            (run.columns or 1) > 1 and run.logits is not None and run.logits[1].shape[1] == 1
            for run in (self.prefill, self.decode)
        )


def compile_program(
    pipeline: Pipeline, signatures: Mapping[str, Signature], where: str = "The pipeline"
) -> Program:
    """The program of a pipeline with a KV cache.

    signatures: by session. where: the file, for messages. Raises BundleError with the JSON path of the first thing
    that does not fit, and GraphError for a graph whose cache makes no sense.
    """
    pipeline.check(where)
    try:
        return _Compiler(pipeline, signatures).compile()
    except _Misfit as misfit:
        raise misfit.fault.error(where) from None


class _Misfit(Exception):  # noqa: N818 - it never leaves this module
    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.fault = Fault(path, message)


class _Compiler:
    def __init__(self, pipeline: Pipeline, signatures: Mapping[str, Signature]) -> None:
        self._pipeline, self._signatures = pipeline, signatures
        self._outline = pipeline.pipeline.outline()
        self._axes = Axes()

    def compile(self) -> Program:
        """See compile_program."""
        for fault in edge_faults(self._outline, self._signatures):
            raise _Misfit(fault.path, fault.message)
        self._states = self._find_states()
        state, self._facts = self._agreed()
        runs = {name: self._run(name, sessions) for name, sessions in self._outline.runs().items() if sessions}
        program = Program(
            runs.get("source"), runs["prefill"], runs["decode"], state, self._facts, self._drivers(runs)
        )
        self._check_chunk(program)
        return program

    # -- the cache ---------------------------------------------------------------------------------------------

    def _find_states(self) -> dict[str, tuple[StateTensor, ...]]:
        """Session → the cache that it keeps, for those that keep one."""
        patterns = _patterns(self._pipeline, self._signatures)
        try:
            found = {name: find_state(one.inputs, one.outputs, patterns) for name, one in self._signatures.items()}
        except GraphError as error:
            raise _Misfit(STATE, str(error).removesuffix(".")) from None
        if not any(found.values()):
            message = f"no session has inputs named like {patterns.past_key % 0}, so there is no cache to share"
            raise _Misfit(f"{STATE}.past_key_pattern", message)
        return {name: state for name, state in found.items() if state}

    def _agreed(self) -> tuple[tuple[StateTensor, ...], StateFacts]:
        found = [facts_of(state, self._signatures[name]) for name, state in self._states.items()]
        state, facts = found[0]
        for other, other_facts in found[1:]:
            agreed = [(t.past, t.shape, t.dtype) for t in other] == [(t.past, t.shape, t.dtype) for t in state]
            if not agreed or other_facts != facts:
                raise _Misfit(STATE, "the sessions disagree on the shape of the cache that they share")
        return state, facts

    # -- one run -----------------------------------------------------------------------------------------------

    def _run(self, name: str, sessions: tuple[str, ...]) -> Run:
        edges = self._outline.live(sessions)
        fed = {target: source for source, target in edges.values()}
        feeds = {
            (session, spec.name): self._feed(name, session, spec, fed)
            for session in sessions
            for spec in self._signatures[session].inputs
        }
        self._tie_columns(name, feeds)
        for i, (source, target) in edges.items():
            self._tie_edge(name, i, source, target)
        columns = self._axes.size(_columns(name))
        if name == "source":
            return Run(sessions, feeds, columns)
        keeper, logits = self._keeper(name, sessions), self._logits(name, sessions)
        self._check_use(name, sessions, logits[0], feeds)
        return Run(sessions, feeds, columns, keeper, logits)

    def _feed(self, run: str, session: str, spec: TensorSpec, fed: Mapping[Port, Port]) -> Feed:
        port = session, spec.name
        keeps = run != "source" and spec.name in {tensor.past for tensor in self._states.get(session, ())}
        if port in fed:
            if keeps:
                raise _Misfit(self._edge_to(port), f"{dotted(port)} is fed by the cache already")
            return Feed("edge", fed[port])
        if keeps:
            return Feed("state")
        kind = self._kind(run, spec.name)
        if kind is None:
            raise _Misfit(self._stage(run, session), self._unfed(run, port))
        if wrong := unfit_driver(spec):
            raise GraphError(f"{session}'s input {printable(spec.name)} is {wrong}: export the graph anew.")
        return Feed(kind)

    def _kind(self, run: str, name: str) -> Literal["driver", "given"] | None:
        """How an input that no edge feeds is fed: by its name."""
        if run == "source":
            return "given" if name in (IDS, SOURCE_MASK) else None
        if name == SOURCE_MASK and self._outline.once:
            return "given"
        return "driver" if name in {*DRIVERS, *(group.mask for group in self._facts.groups)} else None

    def _unfed(self, run: str, port: Port) -> str:
        givers = [dotted(source) for source, target in self._outline.edges if target == port]
        if givers:
            return f"nothing feeds {dotted(port)} there: {givers[0]} would, and does not run beside it"
        if port[1] == SOURCE_MASK:
            return f"nothing feeds {dotted(port)}: name the session that reads the source in state.cross_cache.source"
        return f"nothing feeds {dotted(port)}: name who does in pipeline.dataflow"

    def _keeper(self, run: str, sessions: tuple[str, ...]) -> str:
        keepers = [name for name in sessions if name in self._states]
        if not keepers:
            raise _Misfit(self._stage(run), f"no session of {run} keeps the KV cache")
        if len(keepers) > 1:
            raise _Misfit(self._stage(run, keepers[1]), f"{keepers[0]} writes the KV cache in this run already")
        return keepers[0]

    def _logits(self, run: str, sessions: tuple[str, ...]) -> tuple[Port, TensorSpec]:
        found = [((name, spec.name), spec) for name in sessions for spec in self._signatures[name].outputs]
        found = [(port, spec) for port, spec in found if spec.name == LOGITS]
        if len(found) != 1:
            message = f"{found[0][0][0]} gives {LOGITS} already" if found else f"no session of {run} gives {LOGITS}"
            raise _Misfit(self._stage(run, found[1][0][0] if found else ""), message)
        (port, spec) = found[0]
        if len(spec.shape) != 3 or not spec.is_floating:
            raise GraphError(
                f"{dotted(port)} is {list(spec.shape)} {spec.dtype}, and should be [1, columns, vocabulary] of "
                "floating-point numbers: export the graph anew."
            )
        return port, spec

    def _check_use(self, run: str, sessions: tuple[str, ...], logits: Port, feeds: Mapping[Port, Feed]) -> None:
        """Every session gives something that is taken, and the tokens go in somewhere."""
        taken = {feed.source[0] for feed in feeds.values() if feed.source} | {logits[0], *self._states}
        for name in sessions:
            if name not in taken:
                raise _Misfit(self._stage(run, name), f"nothing takes what {name} gives")
        if not any(feed.kind == "driver" and port[1] == IDS for port, feed in feeds.items()):
            raise _Misfit(self._stage(run), f"no session of {run} takes {IDS}, so no token goes in")

    # -- axes --------------------------------------------------------------------------------------------------

    def _tie_columns(self, run: str, feeds: Mapping[Port, Feed]) -> None:
        """Ids, positions and masks of one run have as many columns; the source's mask as many as the source."""
        for port, feed in feeds.items():
            spec = spec_of(self._signatures, port, "inputs")
            axis = columns_axis(spec)
            if feed.kind not in ("driver", "given") or axis is None or spec.shape[axis] == "?":
                continue
            try:
                self._axes.tie(_columns("source" if port[1] == SOURCE_MASK else run), self._axis(run, port, axis))
            except Clash as clash:
                message = f"{told(port, spec)} does not fit the run's other inputs: its columns would be {clash}"
                raise _Misfit(self._stage(run, port[0]), message) from None

    def _tie_edge(self, run: str, number: int, source: Port, target: Port) -> None:
        given, taken = spec_of(self._signatures, source, "outputs"), spec_of(self._signatures, target, "inputs")
        try:
            for axis, (one, other) in enumerate(zip(given.shape, taken.shape, strict=True)):
                if "?" not in (one, other):  # nothing is known of it
                    self._axes.tie(self._axis(run, source, axis, "outputs"), self._axis(run, target, axis))
        except Clash as clash:
            message = f"{told(source, given)} cannot feed {told(target, taken)}: one axis would be {clash}"
            raise _Misfit(f"{EDGES}[{number}]", message) from None

    def _axis(self, run: str, port: Port, axis: int, side: Side = "inputs") -> Axis:
        """A symbol is a size of its session in one run; in another run it is another, but for what runs once."""
        size = spec_of(self._signatures, port, side).shape[axis]
        where = "source" if port[0] in self._outline.once else run
        return size if isinstance(size, int) else (f"{where}: {port[0]}", size)

    # -- drivers -----------------------------------------------------------------------------------------------

    def _drivers(self, runs: Mapping[str, Run]) -> dict[str, TensorSpec]:
        """What the cache's table is to feed, by name; sessions that take one and the same agree on what it is."""
        found: dict[str, tuple[Port, TensorSpec]] = {}
        for run in runs.values():
            for port in (port for port, feed in run.feeds.items() if feed.kind == "driver"):
                spec = spec_of(self._signatures, port, "inputs")
                other, first = found.setdefault(port[1], (port, spec))
                if len(first.shape) != len(spec.shape) or first.dtype != spec.dtype:
                    message = f"{told(port, spec)} and {told(other, first)} are one input, and must be alike"
                    raise _Misfit(f"pipeline.sessions.{port[0]}", message)
        batch = found[IDS][1].shape[0]
        if isinstance(batch, int) and batch != 1:
            shape = list(found[IDS][1].shape)
            raise GraphError(f"{IDS} is {shape}: batch must be 1, so export the graph anew with that.")
        return {name: spec for name, (_, spec) in found.items()}

    def _check_chunk(self, program: Program) -> None:
        chunk, columns = self._pipeline.chunk, program.prefill.columns
        if columns is not None and program.prefill is not program.decode and chunk > columns:
            asked = self._pipeline.path_of_setting("chunked_prefill")
            raise _Misfit(asked, f"a run takes {chunk} tokens, and the graphs have {columns} columns")

    # -- places ------------------------------------------------------------------------------------------------

    def _stage(self, run: str, session: str = "") -> str:
        """The JSON path of the stage by which `session` is in the run, or of all stages."""
        when = "init" if run != "decode" and session in self._outline.at("init") else "step"
        stages = self._outline.stages
        return f"{STAGES}[{stages.index((session, when))}].run" if session else STAGES

    def _edge_to(self, port: Port) -> str:
        return f"{EDGES}[{[target for _, target in self._outline.edges].index(port)}].to"


def facts_of(
    state: tuple[StateTensor, ...], graph: Signature
) -> tuple[tuple[StateTensor, ...], StateFacts]:
    """The graph's own word on its cache, or what its inputs tell; and the state with the writer that follows."""
    said = StateFacts.of_metadata(graph.metadata)
    facts = said or infer_facts(state, graph.inputs)
    if facts.writer != "host":
        return tuple(replace(tensor, writer="graph") for tensor in state), facts
    state = tuple(replace(tensor, writer="host") for tensor in state)
    return tuple(replace(tensor, gives="rows") for tensor in state) if said else state, facts


def _patterns(pipeline: Pipeline, signatures: Mapping[str, Signature]) -> StatePatterns:
    """The names of the cache that the file says, or, where its format is auto, those that the graphs have."""
    kv = pipeline.pipeline.state.kv_cache
    assert kv is not None  # others keep no cache
    said = StatePatterns(kv.past_key_pattern, kv.past_value_pattern, kv.present_key_pattern, kv.present_value_pattern)
    if kv.format == "separate":
        return said
    inputs = [spec for one in signatures.values() for spec in one.inputs]
    return patterns_of(inputs, (said, *NAMINGS))


def _columns(run: str) -> Axis:
    """The columns of a run, which are those of its ids."""
    return run, "columns"
