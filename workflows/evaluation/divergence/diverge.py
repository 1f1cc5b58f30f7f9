"""Finds the node at which two runs diverge, in two passes over their common values, and reports it.

    pass 1   A and B run freely                             ──▶ the error of each value: its growth along the depth
    pass 2   A runs, and each node of B reads A's values     ──▶ the error that each node adds: the cause

A node diverges if both passes find more than rounding; an inherited error does not count. If no node does and the
free runs still differ (a provider that is wrong only on the whole graph, a cache that is read differently), the first
node at which the error jumps is reported. Values are compared in groups to limit memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workflows.common.errors import JoineryError, RequestError, printable
from workflows.evaluation.divergence.feed_plan import FeedPlan, make_feed_plan, prompt_ids, run_plan
from workflows.evaluation.divergence.graph_taps import EXTRACTED_PREFIX, ProducerIndex, extract_nodes
from workflows.evaluation.divergence.matching import ComponentPair, ValuePair, match_components
from workflows.evaluation.divergence.recorded_values import RecordedSubject
from workflows.evaluation.divergence.subject import OpenSubject, Subject, SubjectOptions, Values
from workflows.evaluation.divergence.tolerance import NO_GAP, Gap, largest_gap, tolerance
from workflows.runtime.execution.active_adapter import inactive_note
from workflows.runtime.loading.sessions import ORT_ERRORS, OpenSession
from workflows.wire.events import Event, ProgressEvent
from workflows.wire.reports.divergence import ComparedNode, DivergenceReport

STEPS = 2
GROUP_BYTES = 256 << 20
_UNRELATED, _HEALED, _LEAP = 0.1, 0.01, 8.0
Array = NDArray[np.generic]


def diverge(
    a: SubjectOptions,
    b: SubjectOptions,
    prompt: str | Sequence[int],
    *,
    steps: int = STEPS,
    report: Callable[[Event], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
    budget: int = GROUP_BYTES,
    recorded: Path | None = None,
) -> DivergenceReport:
    """Finds the first node of `b` that diverges from `a`, on a text or ids and then `steps` tokens that `a` generates.

    budget: about how many bytes of values are held at once. recorded: A's values, from another machine, and with them
    the prompt. Raises RequestError and its subclasses if the two cannot be
    compared, PromptError for an invalid prompt, JoineryError if a provider fails, and Cancelled.
    """
    if steps < 0:
        raise RequestError(f"The number of steps cannot be {steps}: give 0 or more.")
    reference = Subject(a) if recorded is None else RecordedSubject(a, recorded)
    subjects = reference, Subject(b)
    opened = subjects[0].open({}), subjects[1].open({})
    if isinstance(reference, RecordedSubject):
        plan = reference.plan
    else:
        plan = make_feed_plan(opened, prompt_ids(reference, prompt), steps)
    parts = match_components(subjects, opened, plan.runs)
    for one in opened:
        one.machine.close()
    rows = DivergenceSearch(subjects, parts, plan, report, cancelled, budget).run()
    nodes = _nodes(rows)
    first = next((node for node in nodes if node.parts), None)
    return DivergenceReport(
        prompt=prompt if isinstance(prompt, str) else "",
        nodes_compared=len(nodes),
        first=first,
        curve=[(node.depth, node.max_abs_diff) for node in nodes],
        nodes=nodes,
        prompt_ids=list(plan.ids),
        token_ids=list(plan.tokens),
        notes=[*_notes(plan, subjects, parts), *_sequence(first)],
    )


def _nodes(rows: Sequence[ComparedValue]) -> list[ComparedNode]:
    """Returns one row for each node of B: that of its output with the largest error."""
    nodes = []
    for depth, (_, group) in enumerate(groupby(rows, key=lambda row: id(row.pair.node)), 1):
        outputs = list(group)
        worst = max(outputs, key=lambda row: (row.diverges, row.own_gap, row.free_gap))
        node, reference = worst.pair.node, worst.pair.reference
        nodes.append(
            ComparedNode(
                component=worst.part.b,
                node=node.name,
                op=node.operator,
                scope=node.scope,
                reference=reference.name if reference else "",
                depth=depth,
                max_abs_diff=_number(max(row.free_gap.difference for row in outputs)),
                reference_max=worst.free_gap.largest,
                own_abs_diff=_number(worst.own_gap.difference),
                tolerance=worst.allowed * worst.own_gap.largest,
                parts=worst.diverges,
            )
        )
    return nodes


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _sequence(first: ComparedNode | None) -> list[str]:
    if first is None or first.own_abs_diff is None or first.own_abs_diff > first.tolerance:
        return []
    return [f"With A's values as inputs, {first.node} is correct: it differs only in the run of the whole graph."]


def _notes(plan: FeedPlan, subjects: tuple[Subject, Subject], parts: Sequence[ComponentPair]) -> list[str]:
    notes = list(dict.fromkeys(note for subject in subjects for note in inactive_note(subject.bundle)))
    if plan.token_by_token:
        notes.append("The two take prompts in different chunks, so both were fed token by token.")
    left = [name for name in dict.fromkeys(subjects[1].components.values()) if name not in {part.b for part in parts}]
    if left:
        notes.append(f"Not compared, because A has no counterpart in these runs: {', '.join(left)}.")
    return notes


@dataclass
class ComparedValue:
    """A pair and its figures. types: of the elements, None before the first run; reads: the values from which B
    computes it.

    allowed: the error that rounding explains, relative to the largest value.
    """

    part: ComponentPair
    pair: ValuePair
    free_gap: Gap = NO_GAP
    own_gap: Gap = NO_GAP
    types: tuple[str, str] | None = None
    comparable: bool = True
    reads: list[str] = field(default_factory=list)
    allowed: float = 0.0
    diverges: bool = False

    def note_free(self, ours: Array, theirs: Array) -> None:
        """Adds the values of a free run of both."""
        self.types = (str(ours.dtype), str(theirs.dtype))
        floating = ours.dtype.kind == theirs.dtype.kind == "f"
        self.comparable = self.comparable and floating and ours.shape == theirs.shape
        if self.comparable:
            self.free_gap = max(self.free_gap, largest_gap(ours, theirs))

    def note_own(self, ours: Array, made: Array) -> None:
        """Adds A's value, and the one that B computes from A's inputs.

        A node by itself may round otherwise than in the whole graph, whose nodes a provider joins: what agrees in the
        free runs does not diverge.
        """
        if made.shape == ours.shape:
            gap = largest_gap(ours, made)
            self.own_gap = max(self.own_gap, gap)
            self.diverges = self.diverges or min(gap.relative, self.free_gap.relative) > self.allowed


@dataclass(frozen=True)
class _ExtractedNodes:
    """The nodes of B for some rows of a part, as a session. given: input → A's value; own: B's inputs."""

    part: ComponentPair
    rows: list[ComparedValue]
    given: Mapping[str, str]
    own: list[str]
    session: OpenSession

    @property
    def needed(self) -> list[str]:
        """The values of A that are inputs or compared."""
        return [*(row.pair.a for row in self.rows), *self.given.values()]

    def judge(self, ours: Values, theirs: Values, withheld: set[str]) -> None:
        """Runs B's nodes on A's values; rows that read `withheld` are not judged."""
        feeds = {name: ours[there] for name, there in self.given.items()} | {name: theirs[name] for name in self.own}
        made = _run(self.session, feeds)
        for row in self.rows:
            if not withheld.intersection(row.reads):
                row.note_own(ours[row.pair.a], made[EXTRACTED_PREFIX + row.pair.b])


class DivergenceSearch:
    """Two subjects, their common values, and the feed plan. `run` returns the rows in the order of the run."""

    def __init__(
        self,
        subjects: tuple[Subject, Subject],
        parts: Sequence[ComponentPair],
        plan: FeedPlan,
        report: Callable[[Event], None],
        cancelled: Callable[[], bool],
        budget: int = GROUP_BYTES,
    ) -> None:
        self._subjects, self._plan, self._budget = subjects, plan, budget
        self._report, self._cancelled = report, cancelled
        self._rows = [ComparedValue(part, pair) for part in parts for pair in part.pairs]
        self._one_provider = subjects[0].runs_on == subjects[1].runs_on
        self._wirings = {part.b: ProducerIndex(subjects[1].graph(part.b)) for part in parts}

    def run(self) -> list[ComparedValue]:
        """Runs both passes. Raises RequestError if nothing can be compared, Cancelled, and as opening and running."""
        self._each_group("running both", 0, self._run_freely)
        self._keep([row for row in self._rows if row.comparable and row.types])
        if not self._rows:
            raise RequestError("A and B have no value in common that could be compared: give bundles of one model.")
        while any(wrong := self._unrelated()):
            self._keep([row for row, one in zip(self._rows, wrong, strict=True) if not one])
        self._each_group("giving B the values of A", 1, self._run_own)
        if not any(row.diverges for row in self._rows):
            mark_jump(self._rows, self._one_provider)
        return self._rows

    def _each_group(self, what: str, half: int, run: Callable[[list[ComparedValue]], None]) -> None:
        total, done = len(self._rows), 0
        for group in self._groups():
            at = half * total + done
            self._report(ProgressEvent(stage="diverge", message=what, done=at, total=2 * total, unit="values"))
            run(group)
            done += len(group)
        at = (half + 1) * total
        self._report(ProgressEvent(stage="diverge", message=what, done=at, total=2 * total, unit="values"))

    def _groups(self) -> Iterator[list[ComparedValue]]:
        """Yields the rows in order, in groups of at most `budget` bytes."""
        group, size = list[ComparedValue](), 0
        for row in self._rows:
            if group and size + row.pair.size > self._budget:
                yield group
                group, size = [], 0
            group.append(row)
            size += row.pair.size
        if group:
            yield group

    def _keep(self, rows: list[ComparedValue]) -> None:
        """Keeps these rows only; the inputs of each must be among them."""
        self._rows = rows
        leaves = self._leaves()
        for row in rows:
            _, row.reads = self._wirings[row.part.b].segment([row.pair.b], leaves[row.part.b])

    def _leaves(self) -> dict[str, dict[str, str]]:
        """Returns B's value → A's value that replaces it, by component of B."""
        leaves = {row.part.b: dict(row.part.leaves) for row in self._rows}
        for row in self._rows:
            leaves[row.part.b][row.pair.b] = row.pair.a
        return leaves

    # -- pass 1 ------------------------------------------------------------------------------------------------

    def _run_freely(self, group: list[ComparedValue]) -> None:
        opened = (
            self._subjects[0].open(_taps((row.part.a, row.pair.a) for row in group)),
            self._subjects[1].open(_taps((row.part.b, row.pair.b) for row in group)),
        )
        for _ in run_plan(opened, self._plan, self._cancelled):
            for row in group:
                ours, theirs = opened[0].seen.get(row.part.a), opened[1].seen.get(row.part.b)
                if ours and theirs:
                    row.note_free(ours[row.pair.a], theirs[row.pair.b])

    def _unrelated(self) -> list[bool]:
        """Whether a pair was matched wrongly: the values differ, and all values computed from them agree."""
        readers: dict[tuple[str, str], list[ComparedValue]] = {}
        for row in self._rows:
            for name in row.reads:
                readers.setdefault((row.part.b, name), []).append(row)

        def wrong(row: ComparedValue) -> bool:
            made, gap = readers.get((row.part.b, row.pair.b), []), row.free_gap.relative
            far = math.isfinite(gap) and gap >= _UNRELATED
            return far and bool(made) and all(one.free_gap.relative <= _HEALED * gap for one in made)

        return [wrong(row) for row in self._rows]

    # -- pass 2 ------------------------------------------------------------------------------------------------

    def _run_own(self, group: list[ComparedValue]) -> None:
        cuts = [self._cut(part, rows) for part, rows in _by_part(group)]
        opened = (
            self._subjects[0].open(_taps((cut.part.a, name) for cut in cuts for name in cut.needed)),
            self._subjects[1].open(_taps((cut.part.b, name) for cut in cuts for name in cut.own)),
        )
        for empty in run_plan(opened, self._plan, self._cancelled):
            for cut in cuts:
                ours, theirs = opened[0].seen.get(cut.part.a), opened[1].seen.get(cut.part.b, {})
                if ours and theirs.keys() >= set(cut.own):
                    withheld = set() if empty else self._pasts(opened[1], cut.part.b) - cut.given.keys()
                    cut.judge(ours, theirs, withheld)

    def _cut(self, part: ComponentPair, rows: list[ComparedValue]) -> _ExtractedNodes:
        leaves = self._leaves()[part.b]
        reads = list(dict.fromkeys(name for row in rows for name in row.reads))
        types = {row.pair.b: row.types[1] for row in self._rows if row.part is part and row.types}
        graph = extract_nodes(self._wirings[part.b], [row.pair.b for row in rows], leaves, types)
        for row in rows:
            assert row.types is not None  # those that were not seen are gone
            row.allowed = tolerance(row.types, row.pair.same_operator, self._one_provider)
        return _ExtractedNodes(
            part,
            rows,
            {name: leaves[name] for name in reads if name in leaves},
            [name for name in reads if name not in leaves],
            self._subjects[1].open_nodes(part.b, graph),
        )

    def _pasts(self, opened: OpenSubject, component: str) -> set[str]:
        """Returns the inputs with the state of earlier tokens, under the graph's own names."""
        subject = self._subjects[1]
        names = subject.bundle.pipeline.metadata.own_names(component)
        sessions = [session for session, first in subject.components.items() if first == component]
        pasts = [past for session in sessions for past, _ in opened.machine.program.memory_names(session)]
        return {names.get(past, past) for past in pasts}


def mark_jump(rows: Sequence[ComparedValue], one_provider: bool) -> None:
    """Marks the first row whose free error exceeds rounding and is out of proportion to those of its inputs."""
    by_value = {(row.part.b, row.pair.b): row for row in rows}
    for row in rows:
        read = [by_value[row.part.b, name].free_gap.relative for name in row.reads if (row.part.b, name) in by_value]
        assert row.types is not None  # those that were not seen are gone
        if row.free_gap.relative > _LEAP * max([tolerance(row.types, False, one_provider), *read]):
            row.diverges = True
            return


def _taps(values: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Groups (component, value) by component."""
    by_component: dict[str, list[str]] = {}
    for component, value in values:
        by_component.setdefault(component, []).append(value)
    return by_component


def _by_part(rows: list[ComparedValue]) -> list[tuple[ComponentPair, list[ComparedValue]]]:
    grouped = groupby(rows, key=lambda row: id(row.part))
    return [(part_rows[0].part, part_rows) for part_rows in (list(group) for _, group in grouped)]


def _run(opened: OpenSession, feeds: Values) -> Values:
    declared = {one.name: one.numpy_dtype for one in opened.inputs}
    inputs = {name: feeds[name].astype(dtype, copy=False) for name, dtype in declared.items()}
    try:
        results = opened.session.run(None, inputs)
    except ORT_ERRORS as error:
        raise JoineryError(f"B's nodes cannot be run by themselves: {printable(error, 200)}") from error
    return {one.name: result for one, result in zip(opened.outputs, results, strict=True)}
