"""Drafts that branch, so that one run of the model accepts more of their tokens.

    logits after a token ──ranks, or the most probable paths──▶ its children ──expanded by the proposer──▶ …

dynamic  the paths of the highest probability, grown level by level from the best of each (Li et al. 2024, EAGLE-2)
choices  the ranks of each token and its ancestors among their siblings (Cai et al. 2024, 2.1.2)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from workflows.generate.logits import Logits
from workflows.generate.options import GenerateOptions
from workflows.generate.speculative.draft import EMPTY_DRAFT, Draft, Proposer
from workflows.runtime import Machine

WIDTH = 4  # tokens per level that are expanded
CHILDREN = 8  # children of one token, at most


@dataclass(frozen=True)
class TreeShape:
    """How drafts branch: the most tokens, and the depth. choices: see above; empty for dynamic."""

    nodes: int = 16
    depth: int = 8
    choices: tuple[tuple[int, ...], ...] = ()


@runtime_checkable
class TreeProposer(Protocol):
    """A Proposer that can also draft trees."""

    def branch(self, ids: Sequence[int], tree: TreeShape) -> Draft:
        """What may follow `ids`, as a tree of at most `tree.nodes` tokens; or EMPTY_DRAFT."""
        ...


ExpandFunction = Callable[[Sequence[int], Sequence[int], int], Sequence[Logits]]
"""(tokens, parents, n) → the logits [V] after each of the last n of these tokens; empty where the cache is full."""


@dataclass(frozen=True)
class _Node:
    token: int
    parent: int  # its place among the nodes, -1 for the root
    value: float  # the logarithm of its path's probability
    ranks: tuple[int, ...]


def requested_tree(options: GenerateOptions) -> TreeShape | None:
    """The person's tree; None for chains."""
    return TreeShape(options.draft_tree, options.draft_tokens) if options.draft_tree else None


def tree_obstacle(machine: Machine) -> str:
    """Why drafts cannot branch, as a sentence; empty where they can."""
    cache = machine.cache
    if cache.can_branch:
        return ""
    why = "its graphs write it in place" if cache.in_place else "its graphs take no mask of branching tokens"
    return f"Drafts are chains, not trees: this bundle's {cache.layout.name} cache takes one path, because {why}."


def propose_draft(
    proposer: Proposer, tree: TreeShape | None, ids: Sequence[int], count: int, machine: Machine
) -> Draft:
    """A draft of depth `count`, which branches as `tree` says where proposer and machine can."""
    room = machine.tree_room
    if tree is None or not room or not isinstance(proposer, TreeProposer):
        return proposer.propose(ids, count).fitted(count, room)
    shape = replace(tree, nodes=min(tree.nodes, room), depth=min(tree.depth, count))
    return proposer.branch(ids, shape).fitted(shape.depth, room)


def grow_tree(first: Logits, expand: ExpandFunction, tree: TreeShape, width: int = WIDTH) -> Draft:
    """A draft after a token with the logits `first` [V]. width: the most tokens per level that are expanded."""
    nodes: list[_Node] = []
    opened: list[int] = []
    level = [(-1, first)]
    for depth in range(1, tree.depth + 1):
        start = len(nodes)
        nodes += [child for place, scores in level for child in _children(nodes, place, scores, tree)]
        fresh = _expandable(nodes, range(start, len(nodes)), tree, width) if depth < tree.depth else []
        opened += fresh
        at = {place: new for new, place in enumerate(opened)} | {-1: -1}
        tokens, parents = [nodes[i].token for i in opened], [at[nodes[i].parent] for i in opened]
        level = [*zip(fresh, expand(tokens, parents, len(fresh)), strict=False)] if fresh else []
        if not level:
            break
    return _draft(nodes, tree)


def merge_paths(paths: Sequence[Sequence[int]], nodes: int) -> Draft:
    """The tree of several continuations, the likeliest first, cut to `nodes` tokens."""
    tokens, parents, known = list[int](), list[int](), dict[tuple[int, int], int]()
    for path in paths:
        here = -1
        for token in path:
            if (here, token) not in known:
                if len(tokens) == nodes:
                    break
                known[here, token] = len(tokens)
                tokens.append(token)
                parents.append(here)
            here = known[here, token]
    return Draft(tuple(tokens), parents=tuple(parents)) if tokens else EMPTY_DRAFT


def paths_of(tokens: Sequence[int], parents: Sequence[int]) -> list[list[int]]:
    """For each token, the tokens on the path to it, itself included."""
    paths: list[list[int]] = []
    for token, parent in zip(tokens, parents, strict=True):
        paths.append([*(paths[parent] if parent >= 0 else []), token])
    return paths


def _children(nodes: Sequence[_Node], place: int, scores: Logits, tree: TreeShape) -> Iterator[_Node]:
    """The children of the node at `place`, the best first."""
    ranks, value = ((), 0.0) if place < 0 else (nodes[place].ranks, nodes[place].value)
    wanted = sorted(one[-1] for one in tree.choices if one[:-1] == ranks) if tree.choices else range(CHILDREN)
    count = min(max(wanted, default=-1) + 1, len(scores))
    if not count:
        return
    best = np.argpartition(scores, -count)[-count:]
    best = best[np.argsort(-scores[best], kind="stable")]
    largest = float(scores[best[0]])
    total = largest + float(np.log(np.exp(scores - largest).sum(dtype=np.float64)))
    for rank in wanted:
        if rank < count and np.isfinite(scores[best[rank]]):
            token = int(best[rank])
            yield _Node(token, place, value + float(scores[token]) - total, (*ranks, rank))


def _expandable(nodes: Sequence[_Node], level: Sequence[int], tree: TreeShape, width: int) -> list[int]:
    """The nodes of a level whose children can be in the draft."""
    if tree.choices:
        inner = {one[:-1] for one in tree.choices}
        return [place for place in level if nodes[place].ranks in inner][:width]
    best = sorted(range(len(nodes)), key=lambda place: -nodes[place].value)[: tree.nodes]
    found = set(best).intersection(level)  # a child is never likelier than its parent
    return [place for place in best if place in found][:width]


def _draft(nodes: Sequence[_Node], tree: TreeShape) -> Draft:
    order = range(len(nodes)) if tree.choices else sorted(range(len(nodes)), key=lambda place: -nodes[place].value)
    kept = [*order][: tree.nodes]
    at = {place: new for new, place in enumerate(kept)} | {-1: -1}
    if not kept:
        return EMPTY_DRAFT
    return Draft(tuple(nodes[i].token for i in kept), parents=tuple(at[nodes[i].parent] for i in kept))
