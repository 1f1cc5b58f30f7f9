"""Drafts of extra heads, a session of the same bundle that reads what the target made of its last token.

target ──hidden states a step──▶ Heard ──▶ HeadGraph ──logits──▶ a chain, or a tree of ranks or probable paths
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workflows.bundle.outline import Fault
from workflows.bundle.strategy import TreeSettings as AskedTree
from workflows.common.errors import CapacityError
from workflows.common.tensor_names import HIDDEN
from workflows.generate.auxiliary_model import common_prefix_length
from workflows.generate.logits import Logits
from workflows.generate.speculative.draft import EMPTY_DRAFT, Draft
from workflows.generate.speculative.draft_model import Process
from workflows.generate.speculative.draft_tree import WIDTH, ExpandFunction, TreeShape, grow_tree, paths_of
from workflows.generate.speculative.head_graph import HeadGraph, Rows
from workflows.runtime import Machine
from workflows.runtime.hidden_states import HiddenStates

PATH = "pipeline.strategy.draft.heads"
_CHUNK = 64  # tokens that a run of heads with a cache takes


class HiddenStateBuffer:
    """The hidden states of the tokens from position `first` to `end`, as a machine tells them.

    every: whether all are kept, for heads whose own cache must be told of each; else those of the last step alone.
    """

    def __init__(self, every: bool) -> None:
        self.first = self.end = 0
        self._every, self._rows = every, np.empty((0, 0), np.float32)

    def __call__(self, start: int, rows: HiddenStates) -> None:
        """The cache took tokens from position `start` on; what was told of later ones is forgotten."""
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
        """Those of positions [start, end); None where not all are known."""
        return self._rows[start - self.first : end - self.first] if self.first <= start and end <= self.end else None


class ExtraHeads:
    """Drafts by extra heads; none where the target's hidden states are unknown, as after a saved cache was loaded."""

    name = "extra_heads"
    own = True
    digest = ""

    def __init__(self, graph: HeadGraph, target: Machine) -> None:
        self._graph = graph
        self._heard = HiddenStateBuffer(every=graph.cache is not None)
        self._fed: list[int] = []  # its pairs' tokens, with the first one, which is in no pair
        self._process: Process | None = None
        target.hear = self._heard

    @classmethod
    def of(cls, target: Machine, where: str = "The pipeline") -> ExtraHeads | None:
        """Those that the target's file names; None where it names none. where: that file, for messages.

        Raises BundleError with the JSON path for heads that do not fit the target, and GraphError for no heads.
        """
        flow = target.pipeline.pipeline
        if flow.heads is None:
            return None
        heard = next((edge.target.split(".", 1)[1] for edge in flow.heard), HIDDEN)
        graph = HeadGraph(target.sessions, flow.heads, heard, target.cache.capacity)
        if wrong := _incompatibility(graph, target):
            raise Fault(PATH, wrong).error(where)
        return cls(graph, target)

    def stop(self) -> None:
        """Ends the run that is under way; may be called from any thread."""
        self._graph.stop()

    def close(self) -> None:
        """Its session is the target's to let go of."""
        self._graph.stop()

    def reset(self) -> None:
        """What the target forgets it tells anew."""
        self._fed = []

    def begin(self, process: Process | None) -> None:
        """What the next drafts go through before the best of them are taken."""
        self._process = process
        self._graph.resume()

    def propose(self, ids: Sequence[int], count: int) -> Draft:
        """See Proposer: the best token of each place."""
        return self.branch(ids, TreeShape(count, count, tuple((0,) * depth for depth in range(1, count + 1)))).chain()

    def branch(self, ids: Sequence[int], tree: TreeShape) -> Draft:
        """See Brancher."""
        found = self._after(ids)
        if found is None:
            return EMPTY_DRAFT
        logits, own = found
        first, cache = self._scored(logits[0], ids), self._graph.cache
        if not self._graph.loops or own is None:
            return grow_tree(first, self._ahead(logits, ids), tree, width=tree.nodes)
        if cache is None:
            return grow_tree(first, self._looped(own, ids), tree)
        if not cache.branches or self._graph.columns is not None:
            return grow_tree(first, self._followed(own, ids), tree, width=1)
        depth = min(tree.depth, cache.capacity - cache.length + 1)  # the last level is not fed
        room = cache.takes(cache.length, tree.nodes, None)
        width = min(tree.nodes if tree.choices else WIDTH, room // max(depth - 1, 1))
        return grow_tree(first, self._spread(own, ids), replace(tree, depth=depth), width)

    # -- the token after the last one --------------------------------------------------------------------------

    def _after(self, ids: Sequence[int]) -> tuple[Rows, HiddenStates | None] | None:
        """The logits [heads, V] after the last of `ids` and the hidden state [H] there; None where nothing is known."""
        if self._graph.cache is not None:
            return self._caught_up(ids)
        last = len(ids) - 2  # the token that the target was fed last
        hidden = self._heard.of(last, last + 1) if last >= 0 else None
        return None if hidden is None else self._graph.alone(hidden[0], ids[-1], last)

    def _caught_up(self, ids: Sequence[int]) -> tuple[Rows, HiddenStates | None] | None:
        """Feeds the pairs that its cache has not got: the hidden state at each position and the token behind it."""
        cache = self._graph.cache
        assert cache is not None
        known = min(max(common_prefix_length(self._fed, ids[:-1]) - 1, 0), cache.length)
        hidden = self._heard.of(known, len(ids) - 1)
        if hidden is None or not len(hidden):
            return None
        cache.rewind(known)
        self._fed = list(ids[: known + 1])
        try:
            while len(self._fed) < len(ids):
                at = cache.length - known
                wanted = min(self._graph.columns or _CHUNK, len(hidden) - at)
                count = cache.takes(cache.length, wanted, self._graph.columns) or 1
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
        """Heads that each draft one place: what follows is the next head's, whatever comes before."""

        def expand(tokens: Sequence[int], parents: Sequence[int], count: int) -> list[Logits]:
            paths = paths_of(tokens, parents)[-count:]
            depth = len(paths[0])
            return [self._scored(logits[depth], [*ids, *path]) for path in paths] if depth < len(logits) else []

        return expand

    def _looped(self, own: HiddenStates, ids: Sequence[int]) -> ExpandFunction:
        """A graph that keeps nothing: a run a token, on the hidden state before it."""
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
        """A cache that takes chains alone: each token is committed, and taken back with the next draft."""
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
        """A run a level, of all tokens so far as a tree, of which nothing is kept."""
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


def tree_from_settings(asked: AskedTree | None, depth: int) -> TreeShape | None:
    """What a pipeline file asks for; depth: where it says none."""
    if asked is None:
        return None
    plain = TreeShape(depth=asked.max_depth or depth, choices=asked.medusa_choices)
    return replace(plain, nodes=asked.max_nodes or max(len(plain.choices), plain.nodes))


def _incompatibility(graph: HeadGraph, target: Machine) -> str:
    """Why heads cannot draft for a target; empty where they can."""
    given = target.program.decode.hidden
    if given is None:
        return f"heads draft from hidden states, and the step gives no {HIDDEN}: build with expose=hidden_states"
    size = given[1].shape[-1]
    if isinstance(size, int) and isinstance(graph.hidden, int) and size != graph.hidden:
        return f"the heads take hidden states of {graph.hidden:,} numbers and the model's have {size:,}"
    if graph.vocabulary != target.vocabulary and isinstance(graph.vocabulary, int):
        return f"the heads know {graph.vocabulary:,} tokens and the model {target.vocabulary:,}"
    return ""
