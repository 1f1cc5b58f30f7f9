"""Compiles `pipeline.json` against the graphs' signatures: what runs when, and what feeds each input.

    Pipeline + {session: GraphSignature} ──compile_program──▶ Program: source, prefill, decode, final
                  each a ProgramPhase: sessions in order, {(session, input): InputSource}, its columns and logits

    prefill [1, "sequence", 96] ──edge──▶ head [1, "rows", 96]      sequence ≡ rows;  64 ≡ 32 is an AxisConflict

An input without a source, and an edge without a consumer, is an error with its JSON path. Needs no onnxruntime.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from workflows.bundle import Pipeline
from workflows.bundle.outline import EDGES, STAGES, Fault, Outline, Port, SessionTraits, find_faults, modality
from workflows.common.errors import GraphError, printable
from workflows.common.tensor_names import ALIGNMENT, HIDDEN, LOGITS
from workflows.common.tensors import TensorSpec
from workflows.kvcache.cache_inputs import CACHE_INPUTS, IDS, POSITIONS, cache_input_problem, columns_axis
from workflows.kvcache.geometry import MASK, PLAIN_SOURCE_MASK, SOURCE_MASK, has_state
from workflows.runtime.program.adapter_factors import is_factor
from workflows.runtime.program.cache_facts import (
    cache_patterns,
    find_cache_tensors,
    find_carried_tensors,
    merge_cache_facts,
)
from workflows.runtime.program.program import InputSource, Program, ProgramPhase
from workflows.runtime.program.setting_faults import setting_faults
from workflows.runtime.program.signature import (
    GraphSignature,
    TensorSide,
    describe_tensor,
    edge_faults,
    port_name,
    spec_of,
)

STATE = "pipeline.state.kv_cache"
POSITION_IDS = "pipeline.state.position_ids"
_OF_TOKENS = ("prefill", "decode")
_MASKS = (SOURCE_MASK, PLAIN_SOURCE_MASK)
Axis = int | tuple[str, str]  # a size, or (owner, symbol)


def compile_program(
    pipeline: Pipeline, signatures: Mapping[str, GraphSignature], location: str = "The pipeline"
) -> Program:
    """The program of a pipeline with a KV cache.

    signatures: by session. location: the file, for messages. Raises BundleError with the JSON path of the first
    contradiction, and GraphError for a graph whose cache is inconsistent.
    """
    pipeline.check(location)
    signatures = {name: one for name, one in signatures.items() if name != pipeline.pipeline.heads}
    try:
        return _ProgramCompiler(pipeline, signatures).compile()
    except _PipelineError as error:
        raise error.fault.error(location) from None


def complete_pipeline(pipeline: Pipeline, program: Program) -> Pipeline:
    """The pipeline with the facts that its file leaves to the graphs.

    These are the size of the vocabulary and of prompt chunks, and who writes the cache.
    """
    facts, inferred = pipeline.metadata, dict[str, int | str]()
    size = program.decode.logits[1].shape[-1] if program.decode.logits else None
    if facts.vocabulary is None and isinstance(size, int):
        inferred["vocabulary"] = size
    if "chunk" not in facts.model_fields_set and program.prefill.columns is not None:
        inferred["chunk"] = program.prefill.columns
    if "layout" not in facts.model_fields_set:
        inferred["layout"] = {"host": "static"}.get(program.facts.writer, program.facts.writer)
    return pipeline.model_copy(update={"metadata": facts.model_copy(update=inferred)})


class AxisConflict(ValueError):  # noqa: N818 - it describes the axes
    """Two different sizes of one axis; its text names both."""


class AxisSizes:
    """Axes of different sessions that are one size: a symbol is tied to a number, or to a symbol of another session."""

    def __init__(self) -> None:
        self._next: dict[Axis, Axis] = {}

    def tie(self, one: Axis, other: Axis) -> None:
        """Makes the two one size. Raises AxisConflict where both are known and differ."""
        a, b = self._last(one), self._last(other)
        if isinstance(a, int) and isinstance(b, int):
            if a != b:
                raise AxisConflict(f"{a} and {b}")
        elif isinstance(a, int):
            self._next[b] = a
        elif a != b:
            self._next[a] = b

    def size(self, axis: Axis) -> int | None:
        """The fixed size of the axis; None for any size."""
        last = self._last(axis)
        return last if isinstance(last, int) else None

    def _last(self, axis: Axis) -> Axis:
        while axis in self._next:
            axis = self._next[axis]
        return axis


class _PipelineError(Exception):
    """A fault in the pipeline file, with its JSON path."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.fault = Fault(path, message)


class _RunAxes:
    """The axes of all runs' tensors: columns of one run are equal, and so are the axes on both ends of an edge."""

    def __init__(self, outline: Outline, signatures: Mapping[str, GraphSignature]) -> None:
        self._outline, self._signatures, self._axes = outline, signatures, AxisSizes()

    def columns(self, run: str) -> int | None:
        """The fixed number of columns of a run; None for any."""
        return self._axes.size(_columns(run))

    def tie_columns(self, run: str, feeds: Mapping[Port, InputSource]) -> None:
        """Makes the columns of one run's ids, positions and masks equal, and the source mask's those of the source."""
        for port, feed in feeds.items():
            spec = spec_of(self._signatures, port, "inputs")
            source = feed.kind == "given" and feed.name in (IDS, SOURCE_MASK)
            if feed.kind != "driver" and not source:
                continue
            axis = len(spec.shape) - 1 if source else columns_axis(replace(spec, name=feed.name))
            if axis is None or not 0 <= axis < len(spec.shape) or spec.shape[axis] == "?":
                continue
            try:
                self._axes.tie(_columns("source" if source else run), self._axis(run, port, axis))
            except AxisConflict as sizes:
                tensor = describe_tensor(port, spec)
                message = f"{tensor} does not fit the run's other inputs: its columns would be {sizes}"
                raise _PipelineError(_stage_path(self._outline, run, port[0]), message) from None

    def tie_edge(self, run: str, number: int, source: Port, target: Port) -> None:
        output, into = spec_of(self._signatures, source, "outputs"), spec_of(self._signatures, target, "inputs")
        try:
            for axis, (one, other) in enumerate(zip(output.shape, into.shape, strict=True)):
                if "?" not in (one, other):  # an axis without a name
                    self._axes.tie(self._axis(run, source, axis, "outputs"), self._axis(run, target, axis))
        except AxisConflict as sizes:
            ends = f"{describe_tensor(source, output)} cannot feed {describe_tensor(target, into)}"
            raise _PipelineError(f"{EDGES}[{number}]", f"{ends}: one axis would be {sizes}") from None

    def _axis(self, run: str, port: Port, axis: int, side: TensorSide = "inputs") -> Axis:
        """A symbol belongs to its session in one run; sessions that run once have one size in all runs."""
        size = spec_of(self._signatures, port, side).shape[axis]
        where = "source" if port[0] in self._outline.run_once else run
        if run == "final" and port[0] not in self._outline.sessions_at("final"):
            where = "decode"
        return size if isinstance(size, int) else (f"{where}: {port[0]}", size)


class _ProgramCompiler:
    """Compiles one pipeline. signatures: by session."""

    def __init__(self, pipeline: Pipeline, signatures: Mapping[str, GraphSignature]) -> None:
        outline = pipeline.pipeline.outline()
        signatures = {name: signatures[name] for name in outline.sessions}
        self._pipeline, self._signatures = pipeline, signatures
        self._positions = pipeline.positions.input_name
        patterns = cache_patterns(pipeline, signatures)
        fed = {target for _, target in outline.edges}
        traits = {
            name: SessionTraits(
                any(spec.name == IDS and (name, IDS) not in fed for spec in one.inputs), has_state(one.inputs, patterns)
            )
            for name, one in signatures.items()
        }
        self._patterns, self._outline = patterns, replace(outline, traits=traits)
        self._axes = _RunAxes(self._outline, signatures)

    def compile(self) -> Program:
        """See compile_program."""
        for fault in (*edge_faults(self._outline, self._signatures), *find_faults(self._outline)):
            raise _PipelineError(fault.path, fault.message)
        named = {spec.name for one in self._signatures.values() for spec in one.inputs}
        if self._positions not in named and "input_name" in self._pipeline.positions.model_fields_set:
            raise _PipelineError(f"{POSITION_IDS}.input_name", f"no session has an input {self._positions}")
        self._find_states()
        sessions = self._outline.runs()
        runs = {name: self._run(name, names) for name, names in sessions.items() if names}
        if sessions["prefill"] == sessions["decode"]:
            runs["prefill"] = runs["decode"]
        self._check_caches(runs)
        program = Program(
            source=runs.get("source"),
            prefill=runs["prefill"],
            decode=runs["decode"],
            final=runs.get("final"),
            cache_tensors=self._cache_tensors,
            carried_tensors=self._carried_tensors,
            facts=self._facts,
            drivers=self._drivers(runs),
            loops=frozenset(name for name in sessions["source"] if self._outline.runs_per_input(name)),
            places=self._pipeline.feature_tokens,
            grid=self._grid(runs),
        )
        for fault in setting_faults(self._pipeline, program):
            raise _PipelineError(fault.path, fault.message)
        return program

    # -- the cache ---------------------------------------------------------------------------------------------

    def _find_states(self) -> None:
        """Finds the cache tensors and carried tensors of each session, and the cache's facts."""
        try:
            kept = find_cache_tensors(self._pipeline, self._outline, self._signatures, self._patterns)
            self._carried_tensors = find_carried_tensors(self._pipeline, self._outline, self._signatures, kept)
        except GraphError as error:
            raise _PipelineError(STATE, str(error).removesuffix(".")) from None
        if not kept and not self._carried_tensors:
            message = f"no session has inputs named like {self._patterns.past_key % 0}, so there is no cache to share"
            raise _PipelineError(f"{STATE}.past_key_pattern", message)
        self._cache_tensors, facts = merge_cache_facts(self._pipeline, kept, self._outline, self._signatures)
        if facts is None:
            raise _PipelineError(STATE, "the sessions disagree on the shape of the cache that they share")
        self._facts = facts

    def _check_caches(self, runs: Mapping[str, ProgramPhase]) -> None:
        """Raises unless prefill and decode keep the same cache and carried tensors."""
        prefill, decode = ({name for one in runs[run].sessions for name in self._pasts(one)} for run in _OF_TOKENS)
        if odd := sorted(prefill ^ decode):
            raise _PipelineError(STATE, f"prefill and decode share one cache, and only one of them keeps {odd[0]}")

    def _pasts(self, session: str) -> list[str]:
        """The inputs of a session that read the cache's memory."""
        kept, carried = self._cache_tensors.get(session, ()), self._carried_tensors.get(session, ())
        return [*(tensor.past for tensor in kept), *(tensor.past for tensor in carried)]

    def _keepers(self, run: str, sessions: tuple[str, ...]) -> tuple[str, ...]:
        keepers = tuple(name for name in sessions if self._pasts(name))
        if not keepers:
            raise _PipelineError(_stage_path(self._outline, run), f"no session of {run} keeps the KV cache")
        owners: dict[str, str] = {}
        for name in sessions:
            for past in self._pasts(name):
                if owners.setdefault(past, name) != name:
                    message = f"{owners[past]} writes the KV cache {past} in this run already"
                    raise _PipelineError(_stage_path(self._outline, run, name), message)
        return keepers

    # -- one run -----------------------------------------------------------------------------------------------

    def _run(self, name: str, sessions: tuple[str, ...]) -> ProgramPhase:
        edges = self._outline.edges_of(name)
        fed = {target: source for source, target in edges.values()}
        feeds = {
            (session, spec.name): self._feed(name, session, spec, fed)
            for session in sessions
            for spec in self._signatures[session].inputs
        }
        self._axes.tie_columns(name, feeds)
        for i, (source, target) in edges.items():
            if feeds[target].kind == "edge":
                self._axes.tie_edge(name, i, source, target)
        columns = self._axes.columns(name)
        if name not in _OF_TOKENS:
            return ProgramPhase(sessions, feeds, columns)
        keepers, logits = self._keepers(name, sessions), self._logits(name, sessions)
        self._check_use(name, sessions, logits[0], feeds)
        return ProgramPhase(sessions, feeds, columns, keepers, logits, self._hidden(sessions))

    def _feed(self, run: str, session: str, spec: TensorSpec, fed: Mapping[Port, Port]) -> InputSource:
        port = session, spec.name
        own = self._own(run, session, spec.name)
        if port in fed:
            if own:
                edge = [target for _, target in self._outline.edges].index(port)
                raise _PipelineError(f"{EDGES}[{edge}].to", f"{port_name(port)} is fed by the cache already")
            return self._edge(run, fed[port], port)
        feed = own or self._by_name(run, session, spec)
        if feed is None:
            raise _PipelineError(_stage_path(self._outline, run, session), self._unfed(run, port))
        known = replace(spec, name=feed.name) if feed.kind == "driver" else spec
        if feed.kind != "given" or feed.name == SOURCE_MASK:
            wrong = "" if feed.kind in ("state", "carried", "adapter") else cache_input_problem(known)
            if wrong:
                raise GraphError(f"{session}'s input {printable(spec.name)} is {wrong}: export the graph again.")
        return feed

    def _own(self, run: str, session: str, name: str) -> InputSource | None:
        """The source of an input that reads the cache's memory; None for others."""
        if run in _OF_TOKENS and name in {tensor.past for tensor in self._cache_tensors.get(session, ())}:
            return InputSource("state")
        if run in _OF_TOKENS and name in {tensor.past for tensor in self._carried_tensors.get(session, ())}:
            return InputSource("carried")
        return None

    def _edge(self, run: str, source: Port, target: Port) -> InputSource:
        """A plain edge, or features whose rows go to the runs that have their placeholders."""
        placed = run in _OF_TOKENS and source[0] in self._outline.run_once and source[0] not in self._outline.sources
        traits = self._outline.traits[target[0]]
        if not placed or not traits.ids:
            return InputSource("edge", source)
        places = self._pipeline.feature_tokens
        kind = modality((source, target)) or (next(iter(places)) if len(places) == 1 else None)
        if kind in places:
            return InputSource("features", source, str(kind))
        if traits.cache and not places:
            return InputSource("edge", source)  # a decoder that attends to it as a whole
        message = f"{port_name(target)} takes features, and the file does not name their placeholder token"
        raise _PipelineError(f"tokens.{kind or 'image'}_token", message)

    def _by_name(self, run: str, session: str, spec: TensorSpec) -> InputSource | None:
        """The source of an input without an edge, by its name; None for an unknown name."""
        name = spec.name
        if self._pipeline.metadata.adapters is not None and is_factor(spec) and run in _OF_TOKENS:
            return InputSource("adapter", name=name)
        reads = self._outline.traits[session].ids
        if run == "source":
            if name == IDS:
                return InputSource("given", name=IDS)
            if name in _MASKS or (name == MASK and reads):
                return InputSource("given", name=SOURCE_MASK)
            return None if reads else InputSource("given", name=name)
        if run == "final":
            return None
        if name in _MASKS and self._outline.run_once:
            return InputSource("given", name=SOURCE_MASK)
        if name == self._positions:
            return InputSource("driver", name=POSITIONS)
        known = {*CACHE_INPUTS, *(group.mask for group in self._facts.groups)} - {POSITIONS}
        return InputSource("driver", name=name) if name in known else None

    def _unfed(self, run: str, port: Port) -> str:
        givers = [port_name(source) for source, target in self._outline.edges if target == port]
        if givers:
            return f"nothing feeds {port_name(port)} there: {givers[0]} would, and does not run beside it"
        remedy = "name who does in pipeline.dataflow"
        if port[1] in _MASKS:
            remedy = "name the session that reads the source in state.cross_cache.source"
        return f"nothing feeds {port_name(port)}: {remedy}"

    def _logits(self, run: str, sessions: tuple[str, ...]) -> tuple[Port, TensorSpec]:
        found = [((name, spec.name), spec) for name in sessions for spec in self._signatures[name].outputs]
        found = [(port, spec) for port, spec in found if spec.name == LOGITS]
        if len(found) != 1:
            message = f"{found[0][0][0]} gives {LOGITS} already" if found else f"no session of {run} gives {LOGITS}"
            raise _PipelineError(_stage_path(self._outline, run, found[1][0][0] if found else ""), message)
        (port, spec) = found[0]
        if len(spec.shape) != 3 or not spec.is_floating:
            raise GraphError(
                f"{port_name(port)} is {list(spec.shape)} {spec.dtype}, and should be [1, columns, vocabulary] of "
                "floating-point numbers: export the graph again."
            )
        return port, spec

    def _hidden(self, sessions: tuple[str, ...]) -> tuple[Port, TensorSpec] | None:
        """What a listener receives of each token: hidden states or alignment, as the file says, else by their names."""
        said = {edge.source for edge in self._pipeline.pipeline.head_edges}
        found = [((name, spec.name), spec) for name in sessions for spec in self._signatures[name].outputs
                 if (port_name((name, spec.name)) in said if said else spec.name in (HIDDEN, ALIGNMENT))]  # fmt: skip
        return next((one for one in reversed(found) if len(one[1].shape) == 3 and one[1].is_floating), None)

    def _check_use(self, run: str, sessions: tuple[str, ...], logits: Port, feeds: Mapping[Port, InputSource]) -> None:
        """Raises unless something uses each session's outputs, and a session takes the ids."""
        later = {source[0] for source, target in self._outline.edges if target[0] in self._outline.sessions_at("final")}
        taken = {feed.source[0] for feed in feeds.values() if feed.source} | {logits[0], *self._cache_tensors, *later}
        for name in sessions:
            if name not in taken:
                raise _PipelineError(_stage_path(self._outline, run, name), f"nothing uses the outputs of {name}")
        if not any(feed.kind == "driver" and feed.name == IDS for feed in feeds.values()):
            raise _PipelineError(_stage_path(self._outline, run), f"no session of {run} takes {IDS}")

    # -- drivers -----------------------------------------------------------------------------------------------

    def _drivers(self, runs: Mapping[str, ProgramPhase]) -> dict[str, TensorSpec]:
        """The inputs that the cache computes, by name. Raises where sessions disagree on one."""
        found: dict[str, tuple[Port, TensorSpec]] = {}
        for run in runs.values():
            for port, feed in run.fed_by("driver").items():
                spec = replace(spec_of(self._signatures, port, "inputs"), name=feed.name)
                other, first = found.setdefault(feed.name, (port, spec))
                if len(first.shape) != len(spec.shape) or first.dtype != spec.dtype:
                    both = f"{describe_tensor(port, spec)} and {describe_tensor(other, first)}"
                    message = f"{both} are one input, and must have the same type and rank"
                    raise _PipelineError(f"pipeline.sessions.{port[0]}", message)
        batch = found[IDS][1].shape[0]
        if isinstance(batch, int) and batch != 1:
            shape = list(found[IDS][1].shape)
            raise GraphError(f"{IDS} is {shape}: batch must be 1, so export the graph again with that.")
        return {name: spec for name, (_, spec) in found.items()}

    def _grid(self, runs: Mapping[str, ProgramPhase]) -> str | None:
        """The given input with the pictures' grids; None where each position is one number."""
        stated = self._pipeline.positions
        specs = [spec_of(self._signatures, port, "inputs") for port, feed in runs["decode"].fed_by("driver").items()
                 if feed.name == POSITIONS]  # fmt: skip
        three = any(len(spec.shape) == 3 for spec in specs)
        if stated.strategy != "auto" and three != (stated.strategy == "mrope_3d"):
            shape = "[3, 1, columns]" if three else "[1, columns]"
            raise _PipelineError(
                f"{POSITION_IDS}.strategy", f"{stated.input_name} is {shape}, which {stated.strategy} does not give"
            )
        if not three or stated.grid_source is None:
            return None
        given = runs["source"].fed_by("given") if "source" in runs else {}
        names = {port_name(port): feed.name for port, feed in given.items()}
        name = names.get(stated.grid_source, stated.grid_source)
        if name not in names.values():
            known = ", ".join(names) or "none"
            raise _PipelineError(
                f"{POSITION_IDS}.grid_source", f"no {stated.grid_source} is given with a prompt: there are {known}"
            )
        return name


def _stage_path(outline: Outline, run: str, session: str = "") -> str:
    """The JSON path of the stage by which `session` is in the run, or of all stages."""
    order = {"final": ("final",), "decode": ("step", "init")}.get(run, ("init", "step"))
    stages: list[tuple[str, str]] = [(stage.run, stage.when) for stage in outline.stages]
    matches = [stages.index((session, when)) for when in order if (session, when) in stages]
    return f"{STAGES}[{matches[0]}].run" if matches else STAGES


def _columns(run: str) -> Axis:
    """The columns of a run's ids."""
    return run, "columns"
