"""Which values of A and B ought to be the same: what matched nodes of two components give, in B's order.

components of one run ──same_values──▶ Pair (a's value, b's value, b's node) and what else B may be given of A's
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
    """A value of both. node: B's that makes it; reference: A's, None where something of another kind makes it there.

    alike: whether both nodes are the same operator on inputs that are the same. size: of both arrays, bytes, as far as
    the graphs tell.
    """

    a: str
    b: str
    node: GraphNode
    reference: GraphNode | None
    alike: bool
    size: int


@dataclass(frozen=True)
class ComponentPair:
    """A component of each. pairs: in the order in which B computes. leaves: B's inputs → A's, where A's may be fed."""

    a: str
    b: str
    pairs: tuple[ValuePair, ...]
    leaves: dict[str, str]


def match_components(
    subjects: tuple[Subject, Subject], opened: tuple[OpenSubject, OpenSubject], runs: Sequence[str]
) -> list[ComponentPair]:
    """The components of `runs` that are the same, and what is the same in them, in the order of the runs."""
    return [_part(subjects, opened, *names) for names in _components(subjects, opened, runs)]


def _components(
    subjects: tuple[Subject, Subject], opened: tuple[OpenSubject, OpenSubject], runs: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """By name; what is left over of a run in its order, or, where A has one graph for it, that with each of B's."""
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
    makers, real = _producers(before), _computed(after)
    also = _computed(before)
    found: list[ValuePair] = []
    for node in after.nodes:
        for index in _outputs(node):
            old = same.get(index, -1)
            if old not in also or index not in real or not _floats(before.values[old], after.values[index]):
                continue
            reference = makers.get(old)
            alike = reference is not None and _same_computation(reference, node, same)
            size = _size(before.values[old]) + _size(after.values[index])
            found.append(ValuePair(before.values[old].name, after.values[index].name, node, reference, alike, size))
    kinds = {"edge", "state", "carried"} if _same_cache(opened) else {"edge"}
    fed = _inputs_fed_by(subjects[1], opened[1], b, kinds)
    ends = ((index, same[index]) for index in after.inputs if index in same and after.values[index].name in fed)
    values = ((after.values[new], before.values[old]) for new, old in ends)
    return ComponentPair(a, b, tuple(found), {new.name: old.name for new, old in values if _floats(old, new)})


def _outputs(node: GraphNode) -> list[int]:
    """What is compared of a node: not what is inside a body, and no cache that is written in place."""
    if node.parent >= 0:
        return []
    return node.outputs[:1] if node.op == _IN_PLACE else node.outputs


def _producers(view: FlatGraph) -> dict[int, GraphNode]:
    return {value: node for node in view.nodes if node.parent < 0 for value in node.outputs}


def _computed(view: FlatGraph) -> set[int]:
    """The values that depend on an input; the others are weights in another form."""
    found = set(view.inputs)
    for node in view.nodes:
        if node.parent >= 0 or any(value in found for value in node.inputs) or node.op in ("If", "Loop", "Scan"):
            found.update(node.outputs)
    return found


def _same_computation(one: GraphNode, other: GraphNode, same: dict[int, int]) -> bool:
    """Whether both are the same operator on the same inputs, whatever its attributes and weights hold."""
    if (one.op, one.domain, len(one.inputs)) != (other.op, other.domain, len(other.inputs)):
        return False
    return all(new < 0 or same.get(new) == old for old, new in zip(one.inputs, other.inputs, strict=True))


def _floats(*values: GraphValue) -> bool:
    """numpy has no bfloat16, and whole numbers are computed anew on each side."""
    return all(value.dtype in _FLOATS and value.kind != "initializer" for value in values)


def _size(value: GraphValue) -> int:
    if value.shape is None:
        return _UNKNOWN_SHAPE
    return 4 * prod(axis if isinstance(axis, int) else _UNKNOWN_AXIS for axis in value.shape)


def _same_cache(opened: tuple[OpenSubject, OpenSubject]) -> bool:
    """Whether a slot of one cache is the same slot of the other."""
    caches = [one.machine.cache for one in opened]
    kept = [(cache.layout, cache.capacity, one.machine.program.facts.writer)
            for cache, one in zip(caches, opened, strict=True)]  # fmt: skip
    return kept[0] == kept[1]


def _inputs_fed_by(subject: Subject, opened: OpenSubject, component: str, kinds: set[str]) -> set[str]:
    """A component's inputs that are fed so, under the graph's own names."""
    feeds = [
        (session, name, feed.kind)
        for run in opened.machine.program.runs.values()
        for (session, name), feed in run.feeds.items()
    ]
    own = subject.bundle.pipeline.metadata.own_names(component)
    return {own.get(name, name) for session, name, kind in feeds
            if subject.components[session] == component and kind in kinds}  # fmt: skip
