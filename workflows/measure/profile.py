"""The time of each node: a few runs in a process of its own, whose sessions record onnxruntime's profile.

    profile_isolated(path) ──starts──▶ a chunk and a step to warm up, then chunks and steps ──▶ onnxruntime's JSON
    JSON ──parse_runs──▶ the calls of each run ──component_profile──▶ a node's calls, total, median, share

Profiling costs some microseconds per node, so that a profile shows where time goes, and bench how much. Names are
onnxruntime's, after its fusions; workflows/inspection/node_profile.py tells which nodes of the graph they are.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from workflows.bundle import read_bundle
from workflows.bundle.session_options import parse_options
from workflows.common.errors import GraphError, JoineryError, RequestError
from workflows.process.subprocesses import exit_with_parent, run_isolated
from workflows.runtime.execution.active_adapter import BASE, check_adapter
from workflows.runtime.execution.example_source import read_example
from workflows.runtime.execution.machine import Machine
from workflows.runtime.loading.machines import make_machine, open_machine
from workflows.runtime.loading.sessions import OpenSession, SessionPlan, open_session
from workflows.runtime.program.pipeline_inference import infer_pipeline
from workflows.runtime.providers import device_named
from workflows.runtime.single_graph import SingleGraph, single_opening
from workflows.wire.codec import PayloadMismatch, dumps, read
from workflows.wire.events import Event, ProgressEvent
from workflows.wire.reports.profile import ComponentProfile, NodeTime, ProfileReport

STEPS, CHUNKS = 8, 3
"""Counted runs: steps by default, and prefill chunks before them, each from an empty cache."""
_SECONDS = 1800.0
_TOKENS = 16  # tokens of a text for a model that reads it once, and of a source
_PREFIX = "profile"  # onnxruntime takes no folder, so the process changes to the folder of the files
_NODE_SUFFIX, _RUN = "_kernel_time", "model_run"
Json = Mapping[str, object]


def profile_isolated(
    path: Path,
    provider: str = "cpu",
    *,
    steps: int = STEPS,
    adapter: str = BASE,
    report: Callable[[Event], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> ProfileReport:
    """Each component's nodes in each phase, without their `own` names. path: a bundle's folder, or an .onnx file.

    Raises RequestError for fewer steps than one and an unknown adapter, DeviceError for a provider that cannot be used,
    JoineryError with the reason where nothing ran or the process ended early, Cancelled on request. Removes its files.
    """
    if steps < 1:
        raise RequestError(f"--steps must be at least 1, and {steps} was given.")
    if adapter:
        present = (read_bundle(path).pipeline.metadata.adapters if path.is_dir() else None) or ()
        check_adapter(adapter, [one.name for one in present])
    device, total = device_named(provider), steps + CHUNKS + 2

    def on_line(line: str) -> None:
        if line.startswith("@"):
            count, _, message = line[1:].partition(" ")
            report(ProgressEvent(stage="profile", message=message, done=int(count), total=total, unit="runs"))

    with tempfile.TemporaryDirectory(prefix="joinery-profile-") as folder:
        arguments = [str(path.absolute()), device.name, str(steps), adapter, folder]
        ended = run_isolated("workflows.measure.profile", arguments, _SECONDS, on_line=on_line, cancelled=cancelled)
    try:
        answer = json.loads(ended.last_line)
        if "error" in answer:
            raise JoineryError(str(answer["error"]))
        return read(ProfileReport, answer)
    except (ValueError, PayloadMismatch, TypeError):
        why = ended.failure or "printed nothing that could be read"
        raise JoineryError(f"The process that measured {path.name} on {device.title} {why}.") from None


# -- in the process of its own ---------------------------------------------------------------------------------


@dataclass
class ProfiledSession:
    """A session that records a profile. runs: (component, phase) of each run; None for a run that does not count."""

    opened: OpenSession
    runs: list[tuple[str, str] | None] = field(default_factory=list)

    def end(self) -> list[ComponentProfile]:
        """Ends profiling; the profile of each component and phase."""
        events = json.loads(Path(self.opened.session.end_profiling()).read_text(encoding="utf-8"))
        runs = parse_runs(events)
        if len(runs) != len(self.runs):
            raise JoineryError(
                f"onnxruntime recorded {len(runs)} runs of {self.opened.name}, and it ran {len(self.runs)} times."
            )
        return [
            component_profile(*what, [run for run, one in zip(runs, self.runs, strict=True) if one == what])
            for what in dict.fromkeys(one for one in self.runs if one is not None)
        ]


def measure(path: Path, provider: str, steps: int, adapter: str = BASE) -> ProfileReport:
    """The report; writes its files to the current folder. Raises what opening a bundle raises."""
    options, device = parse_options({"enable_profiling": _PREFIX}), device_named(provider)
    _say(0, "opening")
    if path.is_dir():
        bundle = read_bundle(path)
        if bundle.pipeline.route == "single":
            components = _of_single(open_session(single_opening(bundle, device, None, options)), steps)
            return ProfileReport(provider, components)
        machine = open_machine(bundle, device, session_options=options)
        machine.adapter.use(adapter)
        return ProfileReport(provider, _of_machine(machine, steps), machine.adapter.active)
    opened = open_session(SessionPlan(path.stem, path, device, settings=options))
    inferred = infer_pipeline({opened.name: opened}, {opened.name: path.name})
    if inferred.pipeline is None or inferred.problems:
        return ProfileReport(provider, _of_single(opened, steps))
    return ProfileReport(provider, _of_machine(make_machine(inferred.pipeline, {opened.name: opened}, device), steps))


def _of_single(opened: OpenSession, steps: int) -> list[ComponentProfile]:
    """The profile of a graph without a cache, on inputs of its declared shapes."""
    profiled, graph = ProfiledSession(opened), SingleGraph(opened)
    inputs = graph.example(_TOKENS)
    for step in range(steps + 1):
        _say(step + 1, f"run {step} of {steps}" if step else "warming up")
        try:
            graph.run(inputs)
        except GraphError:
            raise
        except JoineryError as error:
            shapes = ", ".join(f"{name} {list(array.shape)}" for name, array in inputs.items())
            message = f"{opened.name} does not run on inputs made from its signature ({shapes}): {error}"
            raise GraphError(message) from None
        profiled.runs.append((opened.name, "run") if step else None)
    return profiled.end()


def _of_machine(machine: Machine, steps: int) -> list[ComponentProfile]:
    """The profile of a composite: an uncounted chunk and step, chunks from an empty cache, then steps."""
    profiled: dict[int, ProfiledSession] = {}
    for opened in machine.sessions.values():
        profiled.setdefault(id(opened.session), ProfiledSession(opened))

    def ran(phase: str, counted: bool) -> None:
        for name in machine.program.runs[phase].sessions:
            profiled[id(machine.sessions[name].session)].runs.append((name, phase) if counted else None)

    prompt = [1] * min(machine.chunk, machine.cache.capacity - 1)
    room = machine.cache.capacity - len(prompt)  # a step past the capacity would slide, or be refused
    for turn in range(CHUNKS + 1):
        _say(turn + 1, f"chunk {turn} of {CHUNKS}" if turn else "warming up")
        if machine.has_source:
            machine.encode([1] * _source_tokens(machine))
            ran("source", turn > 0)
        elif machine.program.required_inputs:
            read_example(machine)
            ran("source", turn > 0)
        machine.cache.reset()
        for tokens, phase in machine.chunks(prompt):
            machine.step(tokens, phase)
            ran(phase, turn > 0)
        if not turn:
            machine.step([1])
            ran("decode", False)
    for step in range(min(steps, room)):
        _say(CHUNKS + step + 2, f"step {step + 1} of {steps}")
        machine.step([1])
        ran("decode", True)
    return [part for one in profiled.values() for part in one.end()]


def _source_tokens(machine: Machine) -> int:
    limit = machine.pipeline.metadata.source_limit or _TOKENS
    width = machine.program.source.columns if machine.program.source else None
    return min(width or _TOKENS, limit)


def _say(done: int, what: str) -> None:
    sys.stdout.write(f"@{done} {what}\n")
    sys.stdout.flush()


# -- onnxruntime's events ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NodeCall:
    """A node of one run. began, took: microseconds. own: microseconds without the nodes of its body."""

    name: str
    op: str
    provider: str
    began: int
    took: int
    own: int
    activation_bytes: int


@dataclass(frozen=True)
class TimedRun:
    """One run of a session, with its node calls in order. took: microseconds."""

    took: int
    calls: tuple[NodeCall, ...]


def parse_runs(events: Iterable[Json]) -> list[TimedRun]:
    """The runs in a profile; nodes come before the event of their run."""
    runs: list[TimedRun] = []
    calls: list[NodeCall] = []
    for event in events:
        if event.get("cat") == "Node" and str(event["name"]).endswith(_NODE_SUFFIX):
            calls.append(_call(event))
        elif event.get("name") == _RUN:
            runs.append(TimedRun(_whole(event["dur"]), tuple(_own_times(calls))))
            calls = []
    return runs


def _call(event: Json) -> NodeCall:
    args = event["args"]
    assert isinstance(args, Mapping)  # onnxruntime's format
    took = _whole(event["dur"])
    return NodeCall(
        str(event["name"]).removesuffix(_NODE_SUFFIX),
        str(args["op_name"]),
        str(args["provider"]),
        _whole(event["ts"]),
        took,
        took,
        _whole(args.get("activation_size", 0)) + _whole(args.get("output_size", 0)),
    )


def _whole(value: object) -> int:
    return int(str(value))


def _own_times(calls: Sequence[NodeCall]) -> Iterator[NodeCall]:
    """The calls with their own times: the nodes of a body are listed beside their If, Loop or Scan."""
    inside = [0] * len(calls)
    around: list[int] = []
    for place in sorted(range(len(calls)), key=lambda i: (calls[i].began, -calls[i].took)):
        call = calls[place]
        while around and calls[around[-1]].began + calls[around[-1]].took < call.began + max(call.took, 1):
            around.pop()
        if around and calls[around[-1]].op in ("If", "Loop", "Scan"):
            inside[around[-1]] += call.took
        if call.op in ("If", "Loop", "Scan"):
            around.append(place)
    for call, inner in zip(calls, inside, strict=True):
        yield NodeCall(**{**vars(call), "own": max(call.took - inner, 0)})


def component_profile(name: str, phase: str, runs: Sequence[TimedRun]) -> ComponentProfile:
    """The nodes of these runs, the slowest first; shares add up to 1 unless nothing took time.

    Shares are of calls × median, so that a single disturbed call has no weight.
    """
    calls: dict[tuple[str, str, str], list[NodeCall]] = {}
    for run in runs:
        for call in run.calls:
            calls.setdefault((call.name, call.op, call.provider), []).append(call)
    usual = {key: float(median(call.own for call in one)) for key, one in calls.items()}
    total = sum(usual[key] * len(one) for key, one in calls.items())
    nodes = [_summed(one, usual[key], total) for key, one in calls.items()]
    nodes.sort(key=lambda node: -node.share)
    return ComponentProfile(name, phase, len(runs), float(median(run.took for run in runs)), nodes)


def _summed(calls: Sequence[NodeCall], usual: float, total: float) -> NodeTime:
    first = calls[0]
    return NodeTime(
        name=first.name,
        own="",
        op=first.op,
        provider=first.provider,
        calls=len(calls),
        total_us=sum(call.own for call in calls),
        median_us=usual,
        share=usual * len(calls) / total if total else 0.0,
        activation_bytes=max(call.activation_bytes for call in calls),
    )


def main(arguments: list[str]) -> None:
    """Prints the report, or the error, as the last line."""
    exit_with_parent()
    path, provider, steps, adapter, folder = arguments
    try:
        with chdir(folder):
            answer = dumps(measure(Path(path), provider, int(steps), adapter))
    except JoineryError as error:
        answer = json.dumps({"error": str(error)})
    sys.stdout.write(f"\n{answer}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
