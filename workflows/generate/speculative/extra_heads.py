"""Drafts of extra heads: a session of the same bundle that reads the target's hidden states.

target ──hidden states──▶ HiddenStateBuffer ──▶ HeadGraph ──logits──▶ a chain, or a tree of ranks or probable paths
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workflows.bundle.outline import Fault
from workflows.bundle.strategy import TreeSettings as FileTree
from workflows.common.errors import CapacityError
from workflows.common.tensor_names import HIDDEN
from workflows.generate.cached_prompt import common_prefix_length
from workflows.generate.logits import Logits
from workflows.generate.speculative.draft import EMPTY_DRAFT, Draft
from workflows.generate.speculative.draft_model import Process
from workflows.generate.speculative.draft_tree import WIDTH, ExpandFunction, TreeShape, grow_tree, paths_of
from workflows.generate.speculative.head_graph import HeadGraph, Rows
from workflows.runtime import Machine
from workflows.runtime.execution.machine import HiddenStates

PATH = "pipeline.strategy.draft.heads"
_CHUNK = 64  # tokens per run of heads with a cache


class HiddenStateBuffer:
    """A HiddenStateListener that keeps the hidden states of positions [first, end).

    every: whether all are kept, for heads with a cache of their own; else only those of the last step.
    """

    def __init__(self, every: bool) -> None:
        self.first = self.end = 0
        self._every, self._rows = every, np.empty((0, 0), np.float32)

    def on_hidden_states(self, start: int, rows: HiddenStates) -> None:
        """Stores the rows [n, H] of the tokens from position `start` on, and drops those of later positions."""
        if not (self._every and self.first <= start <= self.end):
            self.first = start
        self.end = start + len(rows)
        count = self.end - self.first
        if count > len(self._rows):
            larger = np.empty((2 * count, rows.shape[1]), np.float32)
            larger[: len(self._rows)] = self._rows if len(self._rows) else 0
            self._rows = larger
        self._rows[start - self.first : count] = rows

    def of(self, start: int, end: int) -> HiddenStates | None:
        """The rows of positions [start, end); None where some are missing."""
        return self._rows[start - self.first : end - self.first] if self.first <= start and end <= self.end else None


class ExtraHeads:
    """Drafts by extra heads; empty where the target's hidden states are unknown, as after loading a saved cache."""

    name = "extra_heads"
    own = True
    digest = ""

    def __init__(self, graph: HeadGraph, target: Machine) -> None:
        self._graph = graph
        self._states = HiddenStateBuffer(every=graph.cache is not None)
        self._fed: list[int] = []  # the text's first token, and the tokens of the pairs that its cache holds
        self._process: Process | None = None
        target.listen(self._states)

    @classmethod
    def of(cls, target: Machine, folder: str = "The pipeline") -> ExtraHeads | None:
        """The heads that the target's file names; None where it names none. folder: that file, for messages.

        Raises BundleError with the JSON path for heads that do not fit the target, and GraphError for other graphs.
        """
        flow = target.pipeline.pipeline
        if flow.heads is None:
            return None
        hidden_input = next((edge.target.split(".", 1)[1] for edge in flow.head_edges), HIDDEN)
        graph = HeadGraph(target.sessions, flow.heads, hidden_input, target.cache.capacity)
        if wrong := _incompatibility(graph, target):
            raise Fault(PATH, wrong).error(folder)
        return cls(graph, target)

    def stop(self) -> None:
        """Ends the current run; may be called from any thread."""
        self._graph.stop()

    def close(self) -> None:
        """Ends the current run; the target releases the session."""
        self._graph.stop()

    def reset(self) -> None:
        """Forgets the fed tokens; the target sends their hidden states again."""
        self._fed = []

    def begin(self, process: Process | None) -> None:
        """Sets the processors that the next drafts' logits go through."""
        self._process = process
        self._graph.resume()

    def propose(self, ids: Sequence[int], count: int) -> Draft:
        """See Proposer: the best token of each place."""
        return self.branch(ids, TreeShape(count, count, tuple((0,) * depth for depth in range(1, count + 1)))).chain()

    def branch(self, ids: Sequence[int], tree: TreeShape) -> Draft:
        """See TreeProposer."""
        found = self._after(ids)
        if found is None:
            return EMPTY_DRAFT
        logits, own = found
        first, cache = self._scored(logits[0], ids), self._graph.cache
        if not self._graph.loops or own is None:
            return grow_tree(first, self._ahead(logits, ids), tree, width=tree.nodes)
        if cache is None:
            return grow_tree(first, self._looped(own, ids), tree)
        if not cache.can_branch or self._graph.columns is not None:
            return grow_tree(first, self._followed(own, ids), tree, width=1)
        depth = min(tree.depth, cache.capacity - cache.length + 1)  # the last level is not fed
        room = cache.fitting_tokens(cache.length, tree.nodes, None)
        width = min(tree.nodes if tree.choices else WIDTH, room // max(depth - 1, 1))
        return grow_tree(first, self._spread(own, ids), replace(tree, depth=depth), width)

    # -- the token after the last one --------------------------------------------------------------------------

    def _after(self, ids: Sequence[int]) -> tuple[Rows, HiddenStates | None] | None:
        """The logits [heads, V] after the last of `ids`, and its hidden state [H]; None where that is unknown."""
        if self._graph.cache is not None:
            return self._caught_up(ids)
        last = len(ids) - 2  # the token that the target was fed last
        hidden = self._states.of(last, last + 1) if last >= 0 else None
        return None if hidden is None else self._graph.alone(hidden[0], ids[-1], last)

    def _caught_up(self, ids: Sequence[int]) -> tuple[Rows, HiddenStates | None] | None:
        """Feeds the pairs that its cache lacks: each position's hidden state with the token after it."""
        cache = self._graph.cache
        assert cache is not None
        known = min(max(common_prefix_length(self._fed, ids[:-1]) - 1, 0), cache.length)
        hidden = self._states.of(known, len(ids) - 1)
        if hidden is None or not len(hidden):
            return None
        cache.rewind(known)
        self._fed = list(ids[: known + 1])
        try:
            while len(self._fed) < len(ids):
                at = cache.length - known
                wanted = min(self._graph.columns or _CHUNK, len(hidden) - at)
                count = cache.fitting_tokens(cache.length, wanted, self._graph.columns) or 1
                tokens = ids[len(self._fed) : len(self._fed) + count]
                step = cache.plan(tokens, self._graph.columns)
                logits, own = self._graph.step(step, hidden[at : at + count])
                cache.commit(step)
                self._fed.extend(tokens)
        except CapacityError:
            return None
        return logits[-1], None if own is None else own[-1]

    # -- the tokens behind it ----------------------------------------------------------------------------------

    def _ahead(self, logits: Rows, ids: Sequence[int]) -> ExpandFunction:
        """Heads that each draft one place, whatever tokens come before."""

        def expand(tokens: Sequence[int], parents: Sequence[int], count: int) -> list[Logits]:
            paths = paths_of(tokens, parents)[-count:]
            depth = len(paths[0])
            return [self._scored(logits[depth], [*ids, *path]) for path in paths] if depth < len(logits) else []

        return expand

    def _looped(self, own: HiddenStates, ids: Sequence[int]) -> ExpandFunction:
        """A graph without a cache: one run per token, on the hidden state of its parent."""
        states = [own]

        def expand(tokens: Sequence[int], parents: Sequence[int], count: int) -> list[Logits]:
            found, paths = [], paths_of(tokens, parents)
            for place in range(len(tokens) - count, len(tokens)):
                position = len(ids) - 2 + len(paths[place])
                logits, state = self._graph.alone(states[parents[place] + 1], tokens[place], position)
                assert state is not None
                states.append(state)
                found.append(self._scored(logits[0], [*ids, *paths[place]]))
            return found

        return expand

    def _followed(self, own: HiddenStates, ids: Sequence[int]) -> ExpandFunction:
        """A cache that takes only chains: each token is committed, and rewound with the next draft."""
        states = [own]

        def expand(tokens: Sequence[int], parents: Sequence[int], count: int) -> list[Logits]:
            cache = self._graph.cache
            assert cache is not None
            try:
                step = cache.plan(tokens[-1:], self._graph.columns)
            except CapacityError:
                return []
            logits, state = self._graph.step(step, states[-1][None])
            cache.commit(step)
            assert state is not None
            states.append(state[0])
            return [self._scored(logits[0, 0], [*ids, *tokens])]

        return expand

    def _spread(self, own: HiddenStates, ids: Sequence[int]) -> ExpandFunction:
        """One run per level, of all tokens so far as a tree, without a commit."""
        states = [own]

        def expand(tokens: Sequence[int], parents: Sequence[int], count: int) -> list[Logits]:
            cache = self._graph.cache
            assert cache is not None
            hidden = np.stack([states[parent + 1] for parent in parents])
            logits, own = self._graph.step(cache.plan(tokens, None, parents), hidden)
            assert own is not None
            states.extend(own[-count:])
            paths = paths_of(tokens, parents)
            return [self._scored(logits[i, 0], [*ids, *paths[i]]) for i in range(len(tokens) - count, len(tokens))]

        return expand

    def _scored(self, logits: Logits, ids: Sequence[int]) -> Logits:
        return logits if self._process is None else self._process(ids, np.array(logits, np.float32))


def tree_from_settings(settings: FileTree | None, depth: int) -> TreeShape | None:
    """The tree in a pipeline file; depth: where the file gives none."""
    if settings is None:
        return None
    plain = TreeShape(depth=settings.max_depth or depth, choices=settings.medusa_choices)
    return replace(plain, nodes=settings.max_nodes or max(len(plain.choices), plain.nodes))


def _incompatibility(graph: HeadGraph, target: Machine) -> str:
    """Why the heads cannot draft for the target; empty where they can."""
    hidden = target.program.decode.hidden
    if hidden is None:
        return f"heads draft from hidden states, and the step gives no {HIDDEN}: build with expose=hidden_states"
    size = hidden[1].shape[-1]
    if isinstance(size, int) and isinstance(graph.hidden, int) and size != graph.hidden:
        return f"the heads take hidden states of {graph.hidden:,} numbers and the model's have {size:,}"
    if graph.vocabulary != target.vocabulary and isinstance(graph.vocabulary, int):
        return f"the heads know {graph.vocabulary:,} tokens and the model {target.vocabulary:,}"
    return ""
