"""Drafts of another, smaller model that speaks the same tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from workflows.bundle import Bundle, read_bundle
from workflows.errors import CapacityError, RequestError
from workflows.generate.feed import feed
from workflows.generate.logits import Logits, run_checked, run_tree
from workflows.generate.processors import softmax
from workflows.generate.strategy.base import NOTHING, Draft
from workflows.generate.strategy.tree import WIDTH, Tree, grow, paths_of
from workflows.generate.text import Text
from workflows.runtime import Machine, open_machine
from workflows.runtime.openings import Placement

Process = Callable[[Sequence[int], Logits], Logits]


class DraftModel:
    """A model that is open beside the target, with a cache of its own that follows what the target takes.

    Draws each token from its own logits after the generation's chain (`begin` tells it), the largest where the
    generation is greedy. Its cache keeps what two texts have in common.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._fed: list[int] = []
        self.begin(None, None)

    @classmethod
    def open(cls, folder: str | Path, where: Placement, target: Machine, bundle: Bundle) -> DraftModel:
        """Opens the bundle in `folder` as the draft of `target`, which is open from `bundle`.

        Raises RequestError where the two don't speak the same tokens or the draft cannot go back, and what
        open_machine raises.
        """
        own = read_bundle(folder)
        machine = open_machine(own, where)
        _check(target, machine, Text.of_bundle(bundle), Text.of_bundle(own))
        return cls(machine)

    def stop(self) -> None:
        """Ends the run that is under way; may be called from any thread."""
        self._machine.stop()

    def close(self) -> None:
        """Lets go of the sessions and their memory."""
        self._machine.close()

    def begin(self, process: Process | None, generator: np.random.Generator | None) -> None:
        """What the next drafts are drawn with. generator: None takes the largest logit."""
        self._process, self._generator = process, generator
        self._machine.resume()

    def propose(self, ids: Sequence[int], count: int) -> Draft:
        """See Proposer. Raises what Machine.step raises, but for a full cache, which drafts nothing."""
        tokens: list[int] = []
        drawn: list[Logits] = []
        try:
            logits = self._caught_up(ids)
            while len(tokens) < count:
                token, probabilities = self._drawn(logits, [*ids, *tokens])
                tokens.append(token)
                drawn.append(probabilities)
                if len(tokens) < count:
                    logits = run_checked(self._machine, [token], "decode")
                    self._fed.append(token)
        except CapacityError:
            if not tokens:
                return NOTHING
        return Draft(tuple(tokens), None if self._generator is None else np.stack(drawn))

    def branch(self, ids: Sequence[int], tree: Tree) -> Draft:
        """See Brancher: its own runs are trees, too, or a chain where its cache takes no other; nothing is drawn."""
        try:
            logits = self._caught_up(ids)
        except CapacityError:
            return NOTHING
        room = self._machine.branches + 1
        if room == 1:
            return grow(self._scored(logits, ids), lambda *asked: self._followed(ids, *asked), tree, width=1)
        depth = min(tree.depth, self._machine.drafts + 2)  # the last level is not fed
        width = min(room if tree.choices else WIDTH, room // max(depth - 1, 1))
        return grow(
            self._scored(logits, ids), lambda *asked: self._spread(ids, *asked), replace(tree, depth=depth), width
        )

    def _spread(self, ids: Sequence[int], tokens: Sequence[int], parents: Sequence[int], count: int) -> list[Logits]:
        """See Expand: one run of all of them, of which nothing is kept."""
        after, paths = run_tree(self._machine, tokens, parents), paths_of(tokens, parents)
        return [self._scored(after(place), [*ids, *paths[place]]) for place in range(len(tokens) - count, len(tokens))]

    def _followed(self, ids: Sequence[int], tokens: Sequence[int], parents: Sequence[int], count: int) -> list[Logits]:
        """See Expand: a run of the last of them, which follows the one before."""
        try:
            logits = run_checked(self._machine, tokens[-1:], "decode")
        except CapacityError:
            return []
        self._fed.append(tokens[-1])
        return [self._scored(logits, [*ids, *tokens])]

    def _scored(self, logits: Logits, ids: Sequence[int]) -> Logits:
        scores = np.array(logits, np.float32)  # the next run writes where they are
        return scores if self._process is None else self._process(ids, scores)

    def _caught_up(self, ids: Sequence[int]) -> Logits:
        """The logits after the last of `ids`, of which the cache keeps the tokens that it has."""
        shared = shared_start(self._fed, ids[:-1])
        cache = self._machine.cache
        if not any(shared in lengths for lengths in cache.rewindable()):
            shared = 0
        cache.rewind(shared)
        if len(ids) > cache.capacity and not cache.layout.evicts:
            raise CapacityError("The draft's cache is full.")
        self._fed = list(ids[:shared])
        for fed in feed(self._machine, ids[shared:]):
            self._fed.extend(fed.tokens)
        return fed.logits

    def _drawn(self, logits: Logits, ids: Sequence[int]) -> tuple[int, Logits]:
        scores = logits if self._process is None else self._process(ids, np.array(logits, np.float32))
        if self._generator is None:
            return int(np.argmax(scores)), scores
        probabilities = softmax(scores)
        return draw(probabilities, self._generator), probabilities


def draw(probabilities: Logits, generator: np.random.Generator) -> int:
    """A token with its probability."""
    cumulative = np.cumsum(probabilities, dtype=np.float64)
    return int(np.searchsorted(cumulative, generator.random() * cumulative[-1], side="right"))


def _check(target: Machine, draft: Machine, words: Text, drafted: Text) -> None:
    """Raises RequestError where what the draft says is not what the target understands, or either cannot go back."""
    if target.has_source or draft.has_source:
        raise RequestError("A draft model cannot be used with a model that has an encoder: leave --draft out.")
    if draft.cache.carried:
        raise RequestError("The draft carries a state on that knows no way back: choose a draft with a KV cache.")
    if target.vocabulary != draft.vocabulary:
        raise RequestError(
            f"The draft knows {draft.vocabulary:,} tokens and the model {target.vocabulary:,}: choose a draft of the "
            "same family, which speaks the same tokens."
        )
    if words.tokenizer and drafted.tokenizer and words.tokenizer.get_vocab() != drafted.tokenizer.get_vocab():
        raise RequestError(
            "The draft's tokenizer has other tokens than the model's: choose a draft of the same family."
        )


def shared_start(old: Sequence[int], new: Sequence[int]) -> int:
    """How many first tokens are the same."""
    count = min(len(old), len(new))
    differs = np.flatnonzero(np.asarray(old[:count]) != np.asarray(new[:count]))
    return int(differs[0]) if len(differs) else count
