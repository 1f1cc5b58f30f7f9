"""Selects the rows of logits that a run computes, in graphs with the inputs of the pass `logits_rows`.

rows, real columns ──inputs──▶ [logits_start, logits_end) ──▶ Slice before the head ──▶ logits [1, rows, V]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from workflows.bundle.outline import Port
from workflows.common.tensor_names import LOGITS_END, LOGITS_ROWS, LOGITS_START
from workflows.common.tensors import Array
from workflows.kvcache import Step
from workflows.runtime.loading.sessions import OpenSession
from workflows.runtime.program.program import InputSource, Program, ProgramPhase

ROW_INPUT_SHAPES = dict.fromkeys((LOGITS_START, LOGITS_END), (1,))  # their shapes


class LogitsRowSelector:
    """The phases of a program that can select rows; none where `every` row is needed, as observers do.

    Providers other than the CPU's may treat an input with a default as a constant, so their graphs compute every row.
    """

    def __init__(self, program: Program, sessions: Mapping[str, OpenSession], every: bool) -> None:
        runs = {} if every else program.runs
        self._phases = {name for name, run in runs.items() if _selects_rows(program, run, sessions)}

    def inputs(self, phase: str, step: Step, rows: int) -> dict[str, NDArray[np.int64]]:
        """The inputs that select the logits of the last `rows` tokens; empty where the run gives every row."""
        if phase not in self._phases or rows >= step.width or rows > step.tokens:
            return {}
        end = step.real.stop
        return {LOGITS_START: np.array([end - rows]), LOGITS_END: np.array([end])}


def with_row_inputs(
    run: ProgramPhase, sessions: Mapping[str, OpenSession]
) -> tuple[ProgramPhase, dict[str, OpenSession]]:
    """The run and its sessions with the row-selecting inputs, which are optional, among those that are fed."""
    giver, opened = run.giver, sessions[run.giver]
    wanted = tuple(spec for spec in opened.optional if spec.name in ROW_INPUT_SHAPES)
    feeds = {**run.feeds, **{(giver, name): InputSource("driver", name=name) for name in ROW_INPUT_SHAPES}}
    return replace(run, feeds=feeds), {**sessions, giver: replace(opened, inputs=(*opened.inputs, *wanted))}


def logits_memory(run: ProgramPhase, rows: int, texts: int = 1) -> dict[Port, Array]:
    """Memory for `rows` rows of logits of each of `texts`, where the graph's signature leaves the rows' number open."""
    assert run.logits is not None  # runs of tokens give logits
    port, spec = run.logits
    if LOGITS_ROWS not in spec.shape:
        return {}
    sizes = {LOGITS_ROWS: rows, **({spec.shape[0]: texts} if isinstance(spec.shape[0], str) else {})}
    return {port: np.empty(spec.resolve(sizes), spec.numpy_dtype)}


def _selects_rows(program: Program, run: ProgramPhase, sessions: Mapping[str, OpenSession]) -> bool:
    """Whether the graph has the inputs, runs on the CPU provider, and nothing else reads the logits."""
    if run.logits is None or LOGITS_ROWS not in run.logits[1].shape:
        return False
    opened = sessions[run.giver]
    read = any(feed.source == run.logits[0] for one in program.runs.values() for feed in one.feeds.values())
    return not read and opened.provider.name == "cpu" and {*ROW_INPUT_SHAPES} <= {spec.name for spec in opened.optional}
