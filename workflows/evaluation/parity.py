"""Compares the graphs before and after a build step: the same tokens must give the same logits.

files ──sessions──▶ Machine ──prompt, then the first run's greedy tokens──▶ logits of each step ──▶ Parity
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workflows.bundle.schema import Pipeline
from workflows.common.errors import CheckpointError, JoineryError, printable
from workflows.common.files import link_or_copy
from workflows.common.tensor_names import DEFAULT_CAPACITY
from workflows.common.tensors import Array, TensorSpec
from workflows.export.reference import STEPS as REFERENCE_STEPS
from workflows.export.reference import ReferenceLogits
from workflows.generate.prefill import start_prompt
from workflows.graph.described_weights import is_described
from workflows.graph.weights import WEIGHTS, write_described
from workflows.recipe.schema import DEFAULT_CHUNK, comparison_chunk
from workflows.runtime.execution.machine import Machine
from workflows.runtime.execution.row_batch import RowBatch
from workflows.runtime.loading.machines import make_machine
from workflows.runtime.loading.sessions import ORT_ERRORS, OpenSession, SessionPlan, is_emulated, open_session
from workflows.runtime.providers import device_named

PROMPT, STEPS = 20, 32  # tokens
EACH_PASS_MAX_BYTES = 64 << 20  # bytes of weights; above it, a run after every pass would take longer than the build
STEPS_ABOVE = 12  # tokens above that size, where each token reads all weights
# Relative to the largest value: rounding by another summation order, or a fused kernel's own exp or erf.
TOLERANCE = 1e-3
ROW_LENGTHS, ROW_STEPS = (7, 1, PROMPT), 4  # of texts that are continued together: their prompts, and steps
_SAID = float(np.finfo(np.float32).eps)  # the least spread of useful logits: below it a softmax is uniform
_ROUTED = 0.75  # share of rows that must agree in a model with experts
_OWN_SIZES = {"sequence": 8, "source": 8, "height": 96, "width": 128}
Outputs = list[NDArray[np.float32]]


@dataclass(frozen=True)
class Parity:
    """The largest difference, and the number of greedy tokens that are equal up to the first difference."""

    max_abs_diff: float
    greedy_equal: int
    greedy_tokens: int
    largest: float
    note: str = ""

    def holds(self) -> bool:
        """Whether rounding explains the difference."""
        return self.max_abs_diff <= TOLERANCE * max(1.0, self.largest)  # False for NaN

    def to_dict(self) -> dict[str, Any]:
        """The entry of the evidence; a non-finite difference becomes null."""
        difference = self.max_abs_diff if math.isfinite(self.max_abs_diff) else None
        return {
            "max_abs_diff": difference,
            "greedy_equal": self.greedy_equal,
            "greedy_tokens": self.greedy_tokens,
            "note": self.note,
        }


@dataclass(frozen=True)
class ReferenceParity:
    """The graphs compared with the model's own eager logits: the difference of each compared row, of `tokens`.

    routed: the model selects experts, so rounding may tip a near tie at single rows.
    """

    differences: tuple[float, ...]
    tokens: int
    largest: float
    routed: bool

    @property
    def difference(self) -> float:
        """The largest difference that counts: a quantile in routed models."""
        rows = np.array(self.differences)
        return float(np.quantile(rows, _ROUTED) if self.routed else rows.max())

    def holds(self, tolerance: float) -> bool:
        """Whether rounding explains the difference; False for NaN."""
        return self.difference <= tolerance * max(1.0, self.largest)

    def to_dict(self) -> dict[str, Any]:
        """The entry of the evidence."""
        return {"tokens": self.tokens, "rows": len(self.differences), "max_abs_diff": self.difference}


class ParityRunner:
    """Runs one composite with different graphs, always on the same inputs."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._tokens: list[int] | None = None

    def run(self, files: Mapping[str, Path], mapped: bool = True) -> Outputs:
        """The logits after the prompt and after each token; without a cache, the graph's outputs.

        files: component → its graph. mapped: see open_session; kernels for low-bit weights compute differently with it.
        The first run determines the tokens, greedily. Raises GraphError and JoineryError where onnxruntime cannot open
        or run a graph.
        """
        if self._pipeline.pipeline.state.kv_cache is None:
            with _written_weights(files) as files:
                return _run_single(next(iter(self._open(files, mapped).values())))
        sessions = self._open(files, mapped)
        return self._generate(comparison_machine(self._pipeline, sessions, PROMPT + STEPS), _steps(files))

    def compare_with_reference(self, reference: ReferenceLogits, files: Mapping[str, Path]) -> ReferenceParity:
        """Compares the graphs with the model's own logits: a prompt in chunks, then single tokens.

        Raises GraphError and JoineryError where onnxruntime cannot open or run a graph, and CheckpointError for a model
        whose logits are constant.
        """
        check_spread(reference)
        ids, wanted = reference.ids.tolist(), dict(zip(reference.rows.tolist(), reference.logits, strict=True))
        machine = comparison_machine(self._pipeline, self._open(files), len(ids))
        if reference.given:
            machine.start(reference.given, ids[: len(ids) - reference.steps])
        steps = reference_steps(machine, ids, reference.steps)
        off = [logits_difference(wanted[row], logits) for row, logits in steps if row in wanted]
        return ReferenceParity(tuple(off), len(ids), float(np.abs(reference.logits).max(initial=0)), reference.routed)

    def compare_rows(self, files: Mapping[str, Path]) -> Parity:
        """Compares texts of several lengths that steps continue together with each of them alone.

        Raises as `run`, and RequestError for graphs whose steps take one text.
        """
        machine = comparison_machine(self._pipeline, self._open(files), PROMPT + ROW_STEPS)
        drawn = np.random.default_rng(1).integers(0, machine.vocabulary, (len(ROW_LENGTHS), PROMPT + ROW_STEPS))
        texts = [row[: length + ROW_STEPS].tolist() for row, length in zip(drawn, ROW_LENGTHS, strict=True)]
        alone: Outputs = []
        for text in texts:
            machine.cache.reset()
            alone += [np.array(logits) for _, logits in reference_steps(machine, text, ROW_STEPS)][-ROW_STEPS:]
        with RowBatch(machine, len(texts)) as batch:
            for text in texts:
                row = batch.rows[batch.join() or 0]
                for fed, phase in row.chunks(text[:-ROW_STEPS]):
                    row.step(fed, phase)
            steps = []
            for at in range(-ROW_STEPS, 0):
                given = batch.step({row: text[at] for row, text in enumerate(texts)})
                steps.append([np.array(given[row]) for row in range(len(texts))])
        together = [step[row] for row in range(len(texts)) for step in steps]
        return self.compare(alone, together)

    def _open(self, files: Mapping[str, Path], mapped: bool = True) -> dict[str, OpenSession]:
        device = device_named("cpu")
        files = {name: files[name] for name in self._pipeline.pipeline.outline().sessions}
        by_file = {
            path: open_session(
                SessionPlan(name, path, device), mapped=mapped, emulated=is_emulated(self._pipeline, name, device.name)
            )
            for name, path in files.items()
        }
        return {name: replace(by_file[path], name=name) for name, path in files.items()}

    def compare(self, before: Outputs, after: Outputs, note: str = "") -> Parity:
        """Compares the outputs of two runs."""
        pairs = list(zip(before, after, strict=True))
        off = np.array([logits_difference(one, other) for one, other in pairs])
        difference = float(off.max(initial=0))
        largest = max((float(np.abs(one[np.isfinite(one)]).max(initial=0)) for one in before), default=0.0)
        if self._tokens is None:
            return Parity(difference, 0, 0, largest, note or "one run: no tokens are generated")
        comparable = np.isfinite(off).tolist()
        same = [ok and one.argmax() == other.argmax() for ok, (one, other) in zip(comparable, pairs, strict=True)]
        equal = same.index(False) if False in same else len(same)
        return Parity(difference, equal, len(same), largest, note)

    @property
    def _capacity(self) -> int:
        return self._pipeline.capacity or DEFAULT_CAPACITY

    def _generate(self, machine: Machine, steps: int) -> Outputs:
        limit = min(self._capacity // 3, getattr(self._pipeline.metadata, "source_limit", None) or PROMPT)
        drawn = np.random.default_rng(0).integers(0, machine.vocabulary, max(1, min(PROMPT, limit))).tolist()
        places = [*self._pipeline.feature_tokens.values()]
        prompt = start_prompt(machine, self._pipeline, [0 if token in places else token for token in drawn])
        outputs = [np.array(machine.step(fed, phase)[-1], np.float32) for fed, phase in machine.chunks(prompt)][-1:]
        wanted = min(steps, self._capacity - len(prompt)) if self._tokens is None else len(self._tokens)
        for step in range(wanted - 1):
            token = _greedy(outputs[-1], places) if self._tokens is None else self._tokens[step]
            outputs.append(np.array(machine.step([token], "decode")[-1], np.float32))
        self._tokens = self._tokens or [_greedy(logits, places) for logits in outputs]
        return outputs


def _greedy(logits: NDArray[np.float32], places: Sequence[int]) -> int:
    """The likeliest token [V] that is no placeholder, for which there would be no features."""
    if int(logits.argmax()) in places:
        logits = logits.copy()
        logits[places] = -np.inf
    return int(logits.argmax())


def check_spread(reference: ReferenceLogits) -> None:
    """Raises CheckpointError for a model whose logits are constant."""
    if (spread := float(np.ptp(reference.logits, axis=-1).max(initial=0))) < _SAID:
        raise CheckpointError(
            f"The model's logits are equal for every token (they differ by {spread:.1g}): a number in "
            "config.json, or the weights, are damaged; get the checkpoint again."
        )


def comparison_machine(pipeline: Pipeline, sessions: Mapping[str, OpenSession], tokens: int) -> Machine:
    """A machine for a comparison of `tokens` tokens: with few cache slots and small chunks, where the graphs allow."""
    machine = make_machine(pipeline, sessions, device_named("cpu"), capacity=_slots(pipeline, sessions, tokens))
    machine.chunk = comparison_chunk(machine.chunk, any_width=machine.program.prefill.columns is None)
    return machine


def reference_steps(
    machine: Machine, ids: Sequence[int], singles: int = REFERENCE_STEPS
) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """Feeds `ids`: a prompt in chunks, then `singles` single tokens; yields each step's last token's number and logits
    [V]."""
    prompt, reached = max(1, len(ids) - singles), -1
    for fed, phase in [*machine.chunks(ids[:prompt]), *(([token], "decode") for token in ids[prompt:])]:
        reached += len(fed)
        yield reached, machine.step(fed, phase)[-1]


def _slots(pipeline: Pipeline, sessions: Mapping[str, OpenSession], tokens: int) -> int | None:
    """The number of cache slots: small where the graphs leave it open, to save memory."""
    assert pipeline.pipeline.state.kv_cache is not None
    head, _, tail = pipeline.pipeline.state.kv_cache.past_key_pattern.partition("%d")
    inputs = [spec for opened in sessions.values() for spec in opened.inputs]
    specs = [spec for spec in inputs if spec.name.startswith(head) and spec.name.endswith(tail)]
    if any(isinstance(spec.shape[-2], int) for spec in specs):
        return None
    needed = max(DEFAULT_CHUNK, pipeline.metadata.chunk) + tokens
    return min(pipeline.capacity or DEFAULT_CAPACITY, needed)


def _steps(files: Mapping[str, Path]) -> int:
    """The number of tokens to generate, by the size of the weights."""
    weights = {path.with_name(WEIGHTS) for path in files.values()}
    size = sum(file.stat().st_size for file in weights if file.exists())
    return STEPS if size <= EACH_PASS_MAX_BYTES else STEPS_ABOVE


def logits_difference(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """The largest difference; NaN where the shapes differ, or either has NaN or +∞.

    A logit of −∞ excludes its token, and may be in both.
    """
    if one.shape != other.shape or not (is_usable(one) and is_usable(other)):
        return math.nan
    differing = one != other
    return float(np.abs(one[differing] - other[differing]).max(initial=0))


def is_usable(values: NDArray[np.float32]) -> bool:
    """Whether every value is a number below +∞."""
    return not bool((np.isnan(values) | np.isposinf(values)).any())


@contextmanager
def _written_weights(files: Mapping[str, Path]) -> Iterator[Mapping[str, Path]]:
    """The graph over a written weight file: of one whose weights are described a copy, while it lasts."""
    (name, path), *others = files.items()
    if others or not is_described(path.parent):
        yield files
        return
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        copy = Path(folder) / path.name
        link_or_copy(path, copy)
        write_described(path.parent, copy.with_name(WEIGHTS))
        yield {name: copy}


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
