"""Runs a divergence search and writes its report."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import groupby

from workflows.common.errors import RequestError
from workflows.evaluation.divergence.feed_plan import FeedPlan, make_feed_plan
from workflows.evaluation.divergence.matching import ComponentPair, match_components
from workflows.evaluation.divergence.search import GROUP_BYTES, ComparedValue, DivergenceSearch
from workflows.evaluation.divergence.subject import Subject, SubjectOptions
from workflows.generate.tokenizer import BundleTokenizer
from workflows.wire.events import Event
from workflows.wire.reports.divergence import ComparedNode, DivergenceReport

STEPS = 2


def diverge(
    a: SubjectOptions,
    b: SubjectOptions,
    prompt: str | Sequence[int],
    *,
    steps: int = STEPS,
    report: Callable[[Event], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
    budget: int = GROUP_BYTES,
) -> DivergenceReport:
    """Finds the first node of `b` that diverges from `a`, on a text or ids and then `steps` tokens that `a` generates.

    budget: about how many bytes of values are held at once. Raises RequestError and its subclasses if the two cannot be
    compared, PromptError for an invalid prompt, JoineryError if a provider fails, and Cancelled.
    """
    if steps < 0:
        raise RequestError(f"The number of steps cannot be {steps}: give 0 or more.")
    subjects = Subject(a), Subject(b)
    opened = subjects[0].open({}), subjects[1].open({})
    ids = (
        BundleTokenizer.of_bundle(subjects[0].bundle).encode(prompt, special=True)
        if isinstance(prompt, str)
        else list(prompt)
    )
    plan = make_feed_plan(opened, ids, steps)
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
    found = []
    for depth, (_, group) in enumerate(groupby(rows, key=lambda row: id(row.pair.node)), 1):
        outputs = list(group)
        worst = max(outputs, key=lambda row: (row.parts, row.own, row.free))
        node, reference = worst.pair.node, worst.pair.reference
        found.append(
            ComparedNode(
                component=worst.part.b,
                node=node.name,
                op=node.operator,
                scope=node.scope,
                reference=reference.name if reference else "",
                depth=depth,
                max_abs_diff=_number(max(row.free.difference for row in outputs)),
                reference_max=worst.free.largest,
                own_abs_diff=_number(worst.own.difference),
                tolerance=worst.allowed * worst.own.largest,
                parts=worst.parts,
            )
        )
    return found


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _sequence(first: ComparedNode | None) -> list[str]:
    if first is None or first.own_abs_diff is None or first.own_abs_diff > first.tolerance:
        return []
    return [f"With A's values as inputs, {first.node} is correct: it differs only in the run of the whole graph."]


def _notes(plan: FeedPlan, subjects: tuple[Subject, Subject], parts: Sequence[ComponentPair]) -> list[str]:
    notes = []
    if plan.alone:
        notes.append("The two take prompts in different chunks, so both were fed token by token.")
    left = [name for name in dict.fromkeys(subjects[1].components.values()) if name not in {part.b for part in parts}]
    if left:
        notes.append(f"Not compared, because A has no counterpart in these runs: {', '.join(left)}.")
    return notes
