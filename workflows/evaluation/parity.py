"""Whether a step of the build changed what the model computes: the same tokens through the graphs before and after.

files ──sessions──▶ Machine ──prompt, then the first run's greedy tokens──▶ logits of each step ──▶ Parity
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workflows.bundle.schema import Pipeline
from workflows.common.errors import CheckpointError, JoineryError, printable
from workflows.common.tensor_names import DEFAULT_CAPACITY
from workflows.common.tensors import Array, TensorSpec
from workflows.export.reference import STEPS as REFERENCE_STEPS
from workflows.export.reference import ReferenceLogits
from workflows.generate.prefill import start_prompt
from workflows.graph.weights import WEIGHTS
from workflows.recipe.schema import DEFAULT_CHUNK, comparison_chunk
from workflows.runtime.loading.emulation import is_emulated
from workflows.runtime.loading.machines import make_machine
from workflows.runtime.loading.session_plan import SessionPlan
from workflows.runtime.loading.sessions import ORT_ERRORS, OpenSession, open_session
from workflows.runtime.machine import Machine
from workflows.runtime.providers import device_named

PROMPT, STEPS = 20, 32  # tokens
EACH_PASS_MAX_BYTES = 64 << 20  # bytes of weights; above it a run for every pass would take longer than the build
STEPS_ABOVE = 12  # tokens above it, where each reads all of the weights
# What rounding explains, as a share of the largest value: sums in another order, a fused kernel's own exp or erf.
TOLERANCE = 1e-3
_SAID = float(np.finfo(np.float32).eps)  # what logits differ by at least: below it a softmax knows no token
_ROUTED = 0.75  # share of rows that must agree where experts are chosen
_OWN_SIZES = {"sequence": 8, "source": 8, "height": 96, "width": 128}
Outputs = list[NDArray[np.float32]]


@dataclass(frozen=True)
class Parity:
    """The largest difference, and how many of the greedy tokens came out the same before the first other one."""

    max_abs_diff: float
    greedy_equal: int
    greedy_tokens: int
    largest: float
    note: str = ""

    def holds(self) -> bool:
        """Whether rounding explains the difference."""
        return self.max_abs_diff <= TOLERANCE * max(1.0, self.largest)  # and not where it is NaN

    def to_dict(self) -> dict[str, Any]:
        """As the evidence has it; a difference that is no number is written as null."""
        difference = self.max_abs_diff if math.isfinite(self.max_abs_diff) else None
        return {
            "max_abs_diff": difference,
            "greedy_equal": self.greedy_equal,
            "greedy_tokens": self.greedy_tokens,
            "note": self.note,
        }


@dataclass(frozen=True)
class ReferenceParity:
    """The graphs against the model's own eager logits: the difference at each row that was compared, of `tokens`.

    routed: the model chooses experts, so that rounding may tip a near tie at single rows.
    """

    differences: tuple[float, ...]
    tokens: int
    largest: float
    routed: bool

    @property
    def difference(self) -> float:
        """The largest one that counts."""
        rows = np.array(self.differences)
        return float(np.quantile(rows, _ROUTED) if self.routed else rows.max())

    def holds(self, tolerance: float) -> bool:
        """Whether rounding explains it; not where it is NaN."""
        return self.difference <= tolerance * max(1.0, self.largest)

    def to_dict(self) -> dict[str, Any]:
        """As the evidence has it."""
        return {"tokens": self.tokens, "rows": len(self.differences), "max_abs_diff": self.difference}


class ParityRunner:
    """Runs one composite over other and other graphs, always on the same inputs."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._tokens: list[int] | None = None

    def run(self, files: Mapping[str, Path], mapped: bool = True) -> Outputs:
        """The logits after the prompt and after each token; of a graph without a cache, its outputs.

        files: component → its graph. mapped: see open_session; kernels of few bits compute otherwise then. The first
        run decides the tokens, greedily. Raises GraphError and JoineryError where onnxruntime cannot open or run a
        graph.
        """
        sessions = self._open(files, mapped)
        if self._pipeline.pipeline.state.kv_cache is None:
            return _run_single(next(iter(sessions.values())))
        return self._generate(self._machine(sessions, PROMPT + STEPS), _steps(files))

    def against(self, reference: ReferenceLogits, files: Mapping[str, Path]) -> ReferenceParity:
        """How far the graphs are from the model itself: a prompt in chunks, then single tokens.

        Raises GraphError and JoineryError where onnxruntime cannot open or run a graph, and CheckpointError for a model
        that says nothing.
        """
        if (spread := float(np.ptp(reference.logits, axis=-1).max(initial=0))) < _SAID:
            raise CheckpointError(
                f"The model says the same of every token (its logits differ by {spread:.1g}, which no float can tell): "
                "a number of config.json, or the weights, are not what they were; get the checkpoint again."
            )
        ids, wanted = reference.ids.tolist(), dict(zip(reference.rows.tolist(), reference.logits, strict=True))
        machine = self._machine(self._open(files), len(ids))
        prompt, off = max(1, len(ids) - REFERENCE_STEPS), list[float]()
        runs = [*machine.chunks(ids[:prompt]), *(([token], "decode") for token in ids[prompt:])]
        reached = -1
        for fed, phase in runs:
            reached += len(fed)
            logits = machine.step(fed, phase)[-1]
            if reached in wanted:
                off.append(_difference(wanted[reached], logits))
        return ReferenceParity(tuple(off), len(ids), float(np.abs(reference.logits).max(initial=0)), reference.routed)

    def _open(self, files: Mapping[str, Path], mapped: bool = True) -> dict[str, OpenSession]:
        device = device_named("cpu")
        files = {name: files[name] for name in self._pipeline.pipeline.outline().sessions}
        by_file = {
            path: open_session(
                SessionPlan(name, path, device),
                mapped=mapped,
                emulated=is_emulated(self._pipeline, name, device.name),
            )
            for name, path in files.items()
        }
        return {name: replace(by_file[path], name=name) for name, path in files.items()}

    def _machine(self, sessions: Mapping[str, OpenSession], tokens: int) -> Machine:
        machine = make_machine(self._pipeline, sessions, device_named("cpu"), capacity=self._slots(sessions, tokens))
        machine.chunk = comparison_chunk(machine.chunk, any_width=machine.program.prefill.columns is None)
        return machine

    def compare(self, before: Outputs, after: Outputs, note: str = "") -> Parity:
        """What differs between two runs."""
        pairs = list(zip(before, after, strict=True))
        off = np.array([_difference(one, other) for one, other in pairs])
        difference, largest = float(off.max(initial=0)), max(map(_largest, before), default=0.0)
        if self._tokens is None:
            return Parity(difference, 0, 0, largest, note or "one run: no tokens are generated")
        told = np.isfinite(off).tolist()
        same = [ok and one.argmax() == other.argmax() for ok, (one, other) in zip(told, pairs, strict=True)]
        equal = same.index(False) if False in same else len(same)
        return Parity(difference, equal, len(same), largest, note)

    def _slots(self, sessions: Mapping[str, OpenSession], tokens: int) -> int | None:
        """Few, where the graphs leave it open: memory for all that the bundle can hold may not be there twice."""
        assert self._pipeline.pipeline.state.kv_cache is not None
        past = self._pipeline.pipeline.state.kv_cache.past_key_pattern % 0
        specs = [spec for opened in sessions.values() for spec in opened.inputs if spec.name == past]
        if any(isinstance(spec.shape[-2], int) for spec in specs):
            return None
        needed = max(DEFAULT_CHUNK, self._pipeline.metadata.chunk) + tokens
        return min(self._capacity, needed)

    @property
    def _capacity(self) -> int:
        return self._pipeline.capacity or DEFAULT_CAPACITY

    def _generate(self, machine: Machine, steps: int) -> Outputs:
        limit = min(self._capacity // 3, getattr(self._pipeline.metadata, "source_limit", None) or PROMPT)
        prompt = np.random.default_rng(0).integers(0, machine.vocabulary, max(1, min(PROMPT, limit))).tolist()
        prompt = start_prompt(machine, self._pipeline, prompt)
        found = [np.array(machine.step(fed, phase)[-1], np.float32) for fed, phase in machine.chunks(prompt)][-1:]
        wanted = min(steps, self._capacity - len(prompt)) if self._tokens is None else len(self._tokens)
        for step in range(wanted - 1):
            token = int(found[-1].argmax()) if self._tokens is None else self._tokens[step]
            found.append(np.array(machine.step([token], "decode")[-1], np.float32))
        self._tokens = self._tokens or [int(logits.argmax()) for logits in found]
        return found


def _steps(files: Mapping[str, Path]) -> int:
    """Tokens to generate with graphs over weights of that size."""
    weights = {path.with_name(WEIGHTS) for path in files.values()}
    size = sum(file.stat().st_size for file in weights if file.exists())
    return STEPS if size <= EACH_PASS_MAX_BYTES else STEPS_ABOVE


def _difference(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """The largest difference; NaN where the shapes differ, or what one of them says cannot be compared.

    A logit of −∞ forbids its token, and may stand in both; NaN and +∞ say nothing, though both have them.
    """
    if one.shape != other.shape or not (is_usable(one) and is_usable(other)):
        return math.nan
    differing = one != other
    return float(np.abs(one[differing] - other[differing]).max(initial=0))


def is_usable(values: NDArray[np.float32]) -> bool:
    """Whether every value is a number below +∞."""
    return not bool((np.isnan(values) | np.isposinf(values)).any())


def _largest(values: NDArray[np.float32]) -> float:
    """Of the finite ones."""
    return float(np.abs(values[np.isfinite(values)]).max(initial=0))


def _run_single(opened: OpenSession) -> Outputs:
    chances = np.random.default_rng(0)
    inputs = {spec.name: _example(spec, chances) for spec in opened.inputs}
    try:
        results = opened.session.run(None, inputs)
    except ORT_ERRORS as error:
        raise JoineryError(f"onnxruntime failed in the step: {printable(error, 200)}") from error
    return [np.array(result, np.float32) for result in results]


def _example(spec: TensorSpec, chances: np.random.Generator) -> Array:
    shape = [_OWN_SIZES.get(axis, 4) if isinstance(axis, str) else axis for axis in spec.shape]
    if np.issubdtype(spec.numpy_dtype, np.floating):
        return chances.normal(size=shape).astype(spec.numpy_dtype)
    if spec.name.endswith("mask"):
        return np.ones(shape, spec.numpy_dtype)
    return chances.integers(0, 2 if "type" in spec.name else 16, shape).astype(spec.numpy_dtype)
