"""Tests a bundle on a provider in a process that may crash: node assignment, a chunk and a step against the CPU.

    try_out(bundle, provider) ──starts──▶ python -m workflows.runtime.providers.preflight ──▶ PreflightReport │ crash

Most generated texts look right with wrong logits, so logits, keys and values are compared, of a chunk and of a token.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workflows.bundle import Bundle, read_bundle
from workflows.bundle.contexts import ContextFolder, read_context
from workflows.bundle.session_options import SessionOptions, parse_options
from workflows.common.errors import JoineryError, printable
from workflows.common.tensors import Array
from workflows.process.subprocesses import exit_with_parent, run_isolated
from workflows.runtime.execution.example_source import example_tokens, read_example
from workflows.runtime.execution.machine import Machine
from workflows.runtime.loading.machines import open_machine
from workflows.runtime.loading.sessions import OpenSession, Placement, open_session
from workflows.runtime.providers import device_named
from workflows.runtime.providers.assignment import Assignment, assignment_of
from workflows.runtime.single_graph import SingleGraph, run_single, single_opening
from workflows.wire.codec import PayloadMismatch, dumps, read
from workflows.wire.reports.devices import Device
from workflows.wire.reports.preflight import ComponentPreflight, OutputDifference, PreflightReport

_SECONDS = 600.0
_TOLERANCE = 0.02  # share of the largest logit: half precision costs 0.003, wrong kernels began at 0.04
_REASON = re.compile(r"Node name: (?P<node>\S+) Node index: \d+\s+REASON : (?P<reason>[^\n]+)")
_TOKENS = 16  # tokens of a text for a model that reads it once


def try_out(
    folder: Path,
    provider: str,
    options: Mapping[str, str] | None = None,
    *,
    contexts: Path | None = None,
    seconds: float = _SECONDS,
    cancelled: Callable[[], bool] = lambda: False,
) -> PreflightReport:
    """The report on the bundle in `folder`; options: of the provider. A driver that crashes or hangs is reported.

    contexts: compiled ones to test in place of the graphs. Raises BundleError for a bundle that cannot be read,
    DeviceError for a provider that cannot be used, Cancelled on request.
    """
    read_bundle(folder)
    device = device_named(provider)
    arguments = [str(folder), device.name, json.dumps(dict(options or {})), str(contexts or "")]
    ended = run_isolated("workflows.runtime.providers.preflight", arguments, seconds, cancelled=cancelled)
    try:
        report = read(PreflightReport, json.loads(ended.last_line))
    except (ValueError, PayloadMismatch):
        why = ended.failure or "printed nothing that could be read"
        return PreflightReport(device.name, [], False, f"The process that tried {device.title} {why}.")
    reasons = {one["node"]: printable(one["reason"].strip(), 200) for one in _REASON.finditer(ended.log)}
    return replace(report, components=[_with_reasons(one, reasons) for one in report.components])


def _with_reasons(component: ComponentPreflight, reasons: Mapping[str, str]) -> ComponentPreflight:
    """The component with the provider's reasons for refusing nodes, by node, as its log gives them."""
    nodes = [replace(one, reason=reasons.get(one.node, one.reason)) for one in component.elsewhere]
    return replace(component, elsewhere=nodes)


# -- in the process of its own ---------------------------------------------------------------------------------


def examine(
    folder: Path, provider: str, options: Mapping[str, str], contexts: Sequence[ContextFolder] = ()
) -> PreflightReport:
    """The report without the reasons, which are in this process's log."""
    bundle = replace(read_bundle(folder), compiled=contexts)
    session_options = parse_options({"log_severity_level": "0"})
    device = device_named(provider)
    try:
        if bundle.pipeline.route == "single":
            return _examine_single(bundle, device, options, session_options)
        machine = open_machine(bundle, Placement(device, {}), device_options=options, session_options=session_options)
    except JoineryError as error:
        return PreflightReport(provider, [], False, str(error))
    counts = {name: _assignment(opened, device) for name, opened in machine.sessions.items()}
    found: dict[tuple[str, str], OutputDifference] = {}
    try:
        found, largest, encoded = _compare(bundle, machine)
        why = encoded or _judge(found, largest)
    except JoineryError as error:
        why = str(error)
    components = [
        ComponentPreflight(
            name, one.nodes, one.assigned, list(one.left), found.get((name, "prefill")), found.get((name, "decode"))
        )
        for name, one in counts.items()
    ]
    return PreflightReport(provider, components, not why, why or _unassigned_note(components))


def _examine_single(
    bundle: Bundle, device: Device, options: Mapping[str, str], session_options: SessionOptions
) -> PreflightReport:
    """The report on a model without a cache, which runs once; its first output takes the place of logits."""
    opened = open_session(single_opening(bundle, device, options, session_options))
    inputs = SingleGraph(opened).example(_TOKENS)
    reference = next(iter(run_single(bundle.folder, inputs).values())).astype(np.float32)
    given = next(iter(SingleGraph(opened).run(inputs).values())).astype(np.float32)
    found = OutputDifference(_largest_difference(given, reference), None)
    why = _judge({(opened.name, "run"): found}, float(np.abs(reference).max(initial=0)))
    count = _assignment(opened, device)
    if not count.assigned:
        why = f"{device.title} takes no node of {opened.name}."
    part = ComponentPreflight(opened.name, count.nodes, count.assigned, list(count.left), None, found)
    return PreflightReport(device.name, [part], not why, why or _unassigned_note([part]))


def _assignment(opened: OpenSession, device: Device) -> Assignment:
    found = assignment_of(opened.session, device.provider)
    if opened.provider.name == device.name:
        return found
    why = f"{opened.name} is placed on the {opened.provider.name} provider."
    return replace(found, left=tuple(replace(one, reason=why) for one in found.left))


def _compare(bundle: Bundle, machine: Machine) -> tuple[dict[tuple[str, str], OutputDifference], float, str]:
    """(session, phase) → the difference from the CPU provider, on seeded tokens; the CPU's largest logit; and why the
    features of an encoder are wrong, empty where they are right.
    """
    with open_machine(bundle, device_named("cpu")) as reference:
        prompt = example_tokens(machine, max(1, min(machine.chunk, machine.cache.capacity - 1)))  # and a step's token
        source = example_tokens(machine, 8)
        found: dict[tuple[str, str], OutputDifference] = {}
        largest = 0.0
        for one in (machine, reference):
            if one.has_source:
                one.encode(source)
            read_example(one)
        for tokens, phase in [*machine.chunks(prompt), ([prompt[0]], "decode")]:
            rows = len(tokens)
            logits = [one.step(tokens, phase, min(rows, _rows(one, phase))) for one in (machine, reference)]
            largest = max(largest, float(np.abs(logits[1]).max()))
            kept = [_newest_rows(one, rows) for one in (machine, reference)]
            for name in machine.program.runs[phase].sessions:
                found[name, phase] = _difference(machine, name, phase, logits, kept)
        return found, largest, _judge_features(machine, reference)


def _judge_features(machine: Machine, reference: Machine) -> str:
    """Why an encoder gives wrong features of noise; empty where all are right, and for inputs of no fixed shape."""
    source = machine.program.source
    for name in [] if source is None or machine.has_source else source.sessions:
        opened = machine.sessions[name]
        shapes = {spec: [axis for axis in spec.shape if isinstance(axis, int)] for spec in opened.inputs}
        if any(len(shape) < len(spec.shape) for spec, shape in shapes.items()):
            continue
        chances = np.random.default_rng(0)
        noise = {spec.name: chances.normal(size=shape).astype(spec.numpy_dtype) for spec, shape in shapes.items()}
        sessions = [one.sessions[name].session for one in (machine, reference)]
        here, there = (session.run(None, noise)[0].astype(np.float32) for session in sessions)
        gap, largest = _largest_difference(here, there), float(np.abs(there).max(initial=0))
        if not gap <= _TOLERANCE * largest:
            return f"{name} gives features that are off by {gap:.3g} of the CPU provider's {largest:.3g}."
    return ""


def _rows(machine: Machine, phase: str) -> int:
    """The rows of logits that a run gives."""
    run = machine.program.runs[phase]
    assert run.logits is not None
    size = run.logits[1].shape[1]
    return size if isinstance(size, int) else machine.chunk


def _newest_rows(machine: Machine, count: int) -> dict[str, NDArray[np.float32]]:
    """Past input → the newest `count` rows of the cache."""
    cache, length = machine.cache, machine.cache.length
    return {
        tensor.past: cache.past(tensor.past)[..., length - count : length, :].astype(np.float32)
        for tensor in machine.program.state
    }


def _difference(
    machine: Machine, name: str, phase: str, logits: list[Array], kept: list[dict[str, NDArray[np.float32]]]
) -> OutputDifference:
    run = machine.program.runs[phase]
    gives = run.logits is not None and run.logits[0][0] == name
    pasts = [tensor.past for tensor in machine.program.cache_tensors.get(name, ())]
    return OutputDifference(
        _largest_difference(logits[0], logits[1]) if gives else None,
        max((_largest_difference(kept[0][past], kept[1][past]) for past in pasts), default=None),
    )


def _largest_difference(one: Array, other: Array) -> float:
    """The largest absolute difference of two arrays that have elements; infinite where it is NaN."""
    assert one.size and one.shape == other.shape, "nothing would be compared"
    gap = np.abs(one - other).max(initial=0)
    return float(gap) if np.isfinite(gap) else math.inf


def _judge(found: Mapping[tuple[str, str], OutputDifference], largest: float) -> str:
    """Why the results are wrong; empty where they are right."""
    for (name, run), difference in found.items():
        gap = difference.logits_max_abs_diff
        if gap == math.inf:
            return f"The {run} of {name} gives logits that are NaN or infinite."
        if gap is not None and not gap <= _TOLERANCE * largest:
            return f"The {run} of {name} gives logits that are off by {gap:.3g} of the CPU provider's {largest:.3g}."
    return ""


def _unassigned_note(components: list[ComponentPreflight]) -> str:
    left = sum(len(one.elsewhere) for one in components)
    return f"{left} nodes run on the CPU provider." if left else ""


def main(arguments: list[str]) -> None:
    """Prints the report as the last line."""
    exit_with_parent()
    folder, provider, options, compiled = arguments
    contexts = [read_context(Path(compiled))] if compiled else []
    sys.stdout.write(f"\n{dumps(examine(Path(folder), provider, json.loads(options), contexts))}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
