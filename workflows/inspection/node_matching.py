"""Matches the nodes of two graphs.

In this order, each step for the nodes that are not matched yet: (1) the name of the first output and the operator, (2)
the node's name, (3) the scope and a hash of the inputs three nodes deep (operators, attributes, initializers without
their names), (4) that hash alone; then nodes that read the same weights, and neighbours of matched nodes; then (3) and
(4) with the initializers' shapes only, for weights in other files; (5) the order of operators within a scope. A step
that finds several candidates pairs them in order. A name counts only if the scopes do not differ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from difflib import SequenceMatcher
from functools import partial

from workflows.inspection.flat_graph import FlatGraph

HASH_DEPTH = 3
_ALIGN_AT_MOST = 90_000  # pairs of a scope; longer lists are paired operator by operator
Key = Callable[[int], Hashable | None]


def match_nodes(before: FlatGraph, after: FlatGraph) -> dict[int, int]:
    """Maps nodes of `before` to nodes of `after`, each at most once."""
    pairs = _Matching(before, after)
    pairs.by(_by_output)
    pairs.by(_by_name)
    pairs.by(partial(_by_hash, exact=True, scoped=True))
    pairs.by(partial(_by_hash, exact=True, scoped=False))
    pairs.by(_by_weights)
    pairs.spread()
    pairs.by(partial(_by_hash, exact=False, scoped=True))
    pairs.by(partial(_by_hash, exact=False, scoped=False))
    pairs.spread()
    if pairs.left and pairs.right:
        _align(before, after, pairs.left, pairs.right, pairs.matched)
    return pairs.matched


class _Matching:
    """The pairs so far, and the unmatched nodes of both graphs."""

    def __init__(self, before: FlatGraph, after: FlatGraph) -> None:
        self.before, self.after = before, after
        self.matched: dict[int, int] = {}
        self.left, self.right = list(range(len(before.nodes))), list(range(len(after.nodes)))

    def by(self, step: Callable[[FlatGraph], Key]) -> None:
        """Pairs the nodes that have the same key in both graphs."""
        if self.left and self.right:
            _pair(step(self.before), step(self.after), self.left, self.right, self.matched)
            self._count()

    def spread(self) -> None:
        """Pairs the neighbours of matched nodes, at the same slot with the same operator, repeatedly."""
        if not (self.left and self.right and self.matched):
            return
        sides = _neighbours(self.before), _neighbours(self.after)
        free = set(self.left), set(self.right)
        queue = sorted(self.matched.items())
        for one, other in queue:  # grows while it is walked
            ones, others = (
                {key: index for key, index in side[at].items() if index in left}
                for side, at, left in zip(sides, (one, other), free, strict=True)
            )
            for key in ones.keys() & others.keys():
                if ones[key] in free[0] and others[key] in free[1]:
                    self.matched[ones[key]] = others[key]
                    free[0].discard(ones[key])
                    free[1].discard(others[key])
                    queue.append((ones[key], others[key]))
        self._count()

    def _count(self) -> None:
        matched = set(self.matched.values())
        self.left = [index for index in self.left if index not in self.matched]
        self.right = [index for index in self.right if index not in matched]


def _neighbours(view: FlatGraph) -> list[dict[Hashable, int]]:
    """Maps each node's (direction, slot, operator) to the only node there; entries with several nodes are left out."""
    makers = {value: index for index, node in enumerate(view.nodes) for value in node.outputs}
    neighbours: list[dict[Hashable, int]] = [{} for _ in view.nodes]
    several: list[set[Hashable]] = [set() for _ in view.nodes]
    for index, node in enumerate(view.nodes):
        for slot, value in enumerate(node.inputs):
            maker = makers.get(value, -1)
            if maker < 0:
                continue
            neighbours[index]["in", slot, view.nodes[maker].op] = maker
            key: Hashable = ("out", slot, node.op)
            if neighbours[maker].setdefault(key, index) != index:
                several[maker].add(key)
    for known, unclear in zip(neighbours, several, strict=True):
        for ambiguous in unclear:
            del known[ambiguous]
    return neighbours


def _pair(of_left: Key, of_right: Key, left: Sequence[int], right: Sequence[int], matched: dict[int, int]) -> None:
    """Pairs the k-th node of a key with the k-th node of the same key."""
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for index in right:
        key = of_right(index)
        if key is not None:
            waiting[key].append(index)
    for candidates in waiting.values():
        candidates.reverse()
    for index in left:
        key = of_left(index)
        if key is not None and waiting.get(key):
            matched[index] = waiting[key].pop()


def _by_output(view: FlatGraph) -> Key:
    """(1) The scope is part of the key, because two exports reuse generated names like val_12."""
    keys = [(view.values[node.outputs[0]].name, node.op, node.scope) if node.outputs else None for node in view.nodes]
    return keys.__getitem__


def _by_name(view: FlatGraph) -> Key:
    """(2)"""
    keys = [(node.name, node.op, node.scope) if node.name else None for node in view.nodes]
    return keys.__getitem__


def _by_hash(view: FlatGraph, exact: bool, scoped: bool) -> Key:
    """(3) with the scope, (4) without."""
    hashes = structural_hashes(view, exact)
    return lambda index: (view.nodes[index].scope if scoped else "", hashes[index])


def _by_weights(view: FlatGraph) -> Key:
    """Keys a node by the weights that it reads and its neighbours' operators."""
    hashes = structural_hashes(view, exact=True, hops=1)
    anchored = {index for index, node in enumerate(view.nodes) if any(value in view.digests for value in node.inputs)}
    return lambda index: hashes[index] if index in anchored else None


def structural_hashes(view: FlatGraph, exact: bool = True, hops: int = HASH_DEPTH) -> list[int]:
    """Hashes each node with its inputs, `hops` nodes deep; names are not part of the hash.

    exact: include the initializers' contents, not only their shapes.
    """
    makers = {value: (index, slot) for index, node in enumerate(view.nodes) for slot, value in enumerate(node.outputs)}
    places = {value: place for place, value in enumerate(view.inputs)}
    leaves = {
        index: hash(("leaf", digest and digest[: 3 if exact else 2], places.get(index), value.dtype))
        for index, value in enumerate(view.values)
        if index not in makers
        for digest in [view.digests.get(index)]
    }
    own = [hash((node.op, node.domain, *sorted(node.attrs.items()))) for node in view.nodes]
    hashes = own
    for _ in range(hops):
        hashes = [
            hash((own[index], *(_read(value, makers, hashes, leaves) for value in node.inputs)))
            for index, node in enumerate(view.nodes)
        ]
    return hashes


def _read(
    value: int, makers: dict[int, tuple[int, int]], hashes: Sequence[int], leaves: dict[int, int]
) -> tuple[int, int]:
    if value in makers:
        maker, slot = makers[value]
        return hashes[maker], slot
    return leaves.get(value, 0), -1


def _align(
    before: FlatGraph, after: FlatGraph, left: Sequence[int], right: Sequence[int], matched: dict[int, int]
) -> None:
    """(5) Matches nodes by their order within a scope."""
    lefts, rights = _scopes(before, left), _scopes(after, right)
    for scope in lefts.keys() & rights.keys():
        for one, other in _aligned_pairs(before, after, lefts[scope], rights[scope]):
            matched[one] = other


def _scopes(view: FlatGraph, indices: Sequence[int]) -> dict[str, list[int]]:
    by_scope: dict[str, list[int]] = defaultdict(list)
    for index in indices:
        by_scope[view.nodes[index].scope].append(index)
    return by_scope


def _aligned_pairs(before: FlatGraph, after: FlatGraph, left: list[int], right: list[int]) -> list[tuple[int, int]]:
    """Pairs the nodes of one scope, symmetrically in `before` and `after`."""
    ones = [before.nodes[index].op for index in left]
    others = [after.nodes[index].op for index in right]
    if len(left) * len(right) > _ALIGN_AT_MOST:
        pairs: dict[int, int] = {}
        _pair(lambda i: before.nodes[i].op, lambda i: after.nodes[i].op, left, right, pairs)
        return list(pairs.items())
    if (len(others), others) < (len(ones), ones):
        return [(one, other) for other, one in _aligned_pairs(after, before, right, left)]
    blocks = SequenceMatcher(None, ones, others, autojunk=False).get_matching_blocks()
    return [(left[block.a + i], right[block.b + i]) for block in blocks for i in range(block.size)]
