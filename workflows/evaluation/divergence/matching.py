"""Pairs the values of A and B that should be equal: the outputs of matched nodes of two components, in B's order.

components of one run ──same_values──▶ ValuePair (values of A and B, node of B), inputs of B that take values of A
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from workflows.evaluation.divergence.subject import OpenSubject, Subject
from workflows.inspection.flat_graph import FlatGraph
from workflows.inspection.graph_diff import same_values
from workflows.wire.reports.graphs import GraphNode, GraphValue

_FLOATS = ("float32", "float16", "float64", "")
_UNKNOWN_AXIS = 64  # elements
_IN_PLACE = "GroupQueryAttention"  # whose rows behind the last token are whatever was in memory
_UNKNOWN_SHAPE = 1 << 20


@dataclass(frozen=True)
class ValuePair:
    """A value in both. node: B's producer; reference: A's, None if the producers differ in kind. same_operator: whether
    operator and inputs are the same. size: of both arrays in bytes, as far as the graphs declare it."""

    a: str
    b: str
    node: GraphNode
    reference: GraphNode | None
    same_operator: bool
    size: int


@dataclass(frozen=True)
class ComponentPair:
    """A component of each. pairs: in B's order. leaves: B's inputs → A's values that may replace them."""

    a: str
    b: str
    pairs: tuple[ValuePair, ...]
    leaves: dict[str, str]


def match_components(
    subjects: tuple[Subject, Subject], opened: tuple[OpenSubject, OpenSubject], runs: Sequence[str]
) -> list[ComponentPair]:
    """Returns the matching components of `runs` with their matching values, in the order of the runs."""
    return [_part(subjects, opened, *names) for names in _components(subjects, opened, runs)]


def _components(
    subjects: tuple[Subject, Subject], opened: tuple[OpenSubject, OpenSubject], runs: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Matches components by name, the others by their order in a run; a single component of A matches each of B's."""
    done: tuple[set[str], set[str]] = (set(), set())
    for run in runs:
        left = []
        for subject, one, before in zip(subjects, opened, done, strict=True):
            sessions = one.machine.program.runs[run].sessions
            names = dict.fromkeys(subject.components[session] for session in sessions)
            left.append([name for name in names if name not in before])
            before.update(names)
        named = [name for name in left[0] if name in left[1]]
        ours, theirs = ([name for name in side if name not in named] for side in left)
        rest = [(ours[0], name) for name in theirs] if len(ours) == 1 else zip(ours, theirs, strict=False)
        pairs = [*((name, name) for name in named), *rest]
        yield from sorted(pairs, key=lambda pair: left[1].index(pair[1]))


def _part(subjects: tuple[Subject, Subject], opened: tuple[OpenSubject, OpenSubject], a: str, b: str) -> ComponentPair:
    before, after = subjects[0].views[a], subjects[1].views[b]
    same = {new: old for old, new in same_values(before, after).items()}
    producers = {value: node for node in before.nodes if node.parent < 0 for value in node.outputs}
    computed = _computed(before), _computed(after)
    pairs: list[ValuePair] = []
    for node in after.nodes:
        for index in _outputs(node):
            old = same.get(index, -1)
            if (
                old not in computed[0]
                or index not in computed[1]
                or not _floats(before.values[old], after.values[index])
            ):
                continue
            reference = producers.get(old)
            alike = reference is not None and _same_computation(reference, node, same)
            size = _size(before.values[old]) + _size(after.values[index])
            pairs.append(ValuePair(before.values[old].name, after.values[index].name, node, reference, alike, size))
    kinds = {"edge", "state", "carried"} if _same_cache(opened) else {"edge"}
    fed = _inputs_fed_by(subjects[1], opened[1], b, kinds)
    ends = ((index, same[index]) for index in after.inputs if index in same and after.values[index].name in fed)
    values = ((after.values[new], before.values[old]) for new, old in ends)
    return ComponentPair(a, b, tuple(pairs), {new.name: old.name for new, old in values if _floats(old, new)})


def _outputs(node: GraphNode) -> list[int]:
    """Returns the outputs to compare: not those inside subgraphs, and no cache that is updated in place."""
    if node.parent >= 0:
        return []
    return node.outputs[:1] if node.op == _IN_PLACE else node.outputs


def _computed(view: FlatGraph) -> set[int]:
    """Returns the values that depend on an input; the others are transformed weights."""
    computed = set(view.inputs)
    for node in view.nodes:
        if node.parent >= 0 or any(value in computed for value in node.inputs) or node.op in ("If", "Loop", "Scan"):
            computed.update(node.outputs)
    return computed


def _same_computation(one: GraphNode, other: GraphNode, same: dict[int, int]) -> bool:
    """Whether both are the same operator on the same inputs; attributes and weights do not count."""
    if (one.op, one.domain, len(one.inputs)) != (other.op, other.domain, len(other.inputs)):
        return False
    return all(new < 0 or same.get(new) == old for old, new in zip(one.inputs, other.inputs, strict=True))


def _floats(*values: GraphValue) -> bool:
    """Whether all values can be compared: numpy has no bfloat16, and integers are computed by each side itself."""
    return all(value.dtype in _FLOATS and value.kind != "initializer" for value in values)


def _size(value: GraphValue) -> int:
    if value.shape is None:
        return _UNKNOWN_SHAPE
    return 4 * prod(axis if isinstance(axis, int) else _UNKNOWN_AXIS for axis in value.shape)


def _same_cache(opened: tuple[OpenSubject, OpenSubject]) -> bool:
    """Whether both caches assign slots equally."""
    machines = [one.machine for one in opened]
    first, second = ((one.cache.layout, one.cache.capacity, one.program.facts.writer) for one in machines)
    return first == second


def _inputs_fed_by(subject: Subject, opened: OpenSubject, component: str, kinds: set[str]) -> set[str]:
    """Returns a component's inputs with these kinds of feeds, under the graph's own names."""
    own = subject.bundle.pipeline.metadata.own_names(component)
    return {
        own.get(name, name)
        for run in opened.machine.program.runs.values()
        for (session, name), feed in run.feeds.items()
        if subject.components[session] == component and feed.kind in kinds
    }
