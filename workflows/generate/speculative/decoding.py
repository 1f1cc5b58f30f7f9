"""The next tokens of a generation: several where drafted ones stood, all of them looked at in one run of the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from workflows.common.errors import DraftError
from workflows.generate.logits import Logits, greedy_step, last_logits, logits_per_token, tree_logits
from workflows.generate.options import Acceptance, GenerateOptions
from workflows.generate.processors import Processor, compile_choice
from workflows.generate.speculative.acceptance import (
    AcceptanceRule,
    exact_match,
    rejection_sampling,
    typical_acceptance,
)
from workflows.generate.speculative.draft import EMPTY_DRAFT, Draft, Proposer, SpeculativeStep
from workflows.generate.speculative.draft_length import DraftLengthTuner
from workflows.generate.speculative.draft_model import DraftModel
from workflows.generate.speculative.draft_tree import TreeShape, propose_draft
from workflows.generate.speculative.extra_heads import ExtraHeads
from workflows.generate.speculative.near_ties import NearTies
from workflows.generate.speculative.ngram import NGramProposer
from workflows.runtime import Machine

ScoreFunction = Callable[[Logits, Sequence[int]], Logits]
"""The processed logits [V] of a place: what the graphs gave, and the ids before it."""

RUNS_DIFFER = (
    "Drafts are off: this bundle's graphs compute several tokens in one run too differently from one at a time."
)


@dataclass(frozen=True)
class ChosenToken:
    """A token, the scores [V] that it was chosen from (None of a search), and whether it was drafted.

    last: whether who chose it wants no further one.
    """

    token: int
    scores: Logits | None
    drafted: bool = False
    last: bool = False


@dataclass(frozen=True)
class DraftStatistics:
    """What generations with one who drafts have shown, for those after them: what runs cost, and what a tie is."""

    pace: DraftLengthTuner
    ties: NearTies


@dataclass(frozen=True)
class SpeculativeStrategy:
    """Who drafts, how long drafts are at most, and which drafted tokens are taken.

    acceptance: None is the way that changes nothing: what a draft was drawn from tells which of its tokens are taken
    where tokens are sampled, and the token that is chosen without a draft else. threshold: of `typical`, Cai et al.'s.
    tree: how drafts branch where the proposer and the model's cache know how to; None is chains. learned: None where
    nothing is known yet.
    """

    proposer: Proposer
    most: int = 8
    acceptance: Acceptance | None = None
    threshold: float = 0.09
    tree: TreeShape | None = None
    learned: DraftStatistics | None = None

    def begun(self, learned: DraftStatistics) -> SpeculativeStrategy:
        """The same for another text, with what was learned by the texts before it."""
        learned.pace.begin(anew=isinstance(self.proposer, NGramProposer))  # what is looked up is this text's alone
        return replace(self, learned=learned)


class Decoding(Protocol):
    """The way in which a generation gets its tokens."""

    @property
    def use(self) -> SpeculativeStep | None:
        """What the last run looked at; None of a way without drafts."""
        ...

    @property
    def lost(self) -> str:
        """Why there are no drafts any more, as a sentence; empty while there are, and of a way without any."""
        ...

    def first(self, logits: Logits, ids: Sequence[int]) -> ChosenToken:
        """The token after the prompt, whose last logits [V] are given."""
        ...

    def next(self, ids: Sequence[int], left: int) -> Sequence[ChosenToken]:
        """Feeds the last of `ids`, whose others the cache holds; gives the tokens after it, one to `left` of them.

        The cache then holds what comes before the last of these. Raises what Machine.step and last_logits raise.
        """
        ...


class PlainDecoding:
    """One token a run. plainly: the largest of the logits as they come, which nothing stands behind."""

    lost = ""

    def __init__(
        self, machine: Machine, score: ScoreFunction, choose: Callable[[Logits], int], plainly: bool = False
    ) -> None:
        self._machine, self._score, self._choose, self._plainly = machine, score, choose, plainly

    @property
    def use(self) -> None:
        """See Steps."""

    def first(self, logits: Logits, ids: Sequence[int]) -> ChosenToken:
        """See Steps."""
        scores = self._score(logits, ids)
        return ChosenToken(self._choose(scores), scores)

    def next(self, ids: Sequence[int], left: int) -> Sequence[ChosenToken]:
        """See Steps."""
        if self._plainly:
            return [ChosenToken(*greedy_step(self._machine, ids[-1]))]
        return [self.first(last_logits(self._machine, ids[-1:], "decode"), ids)]


class SpeculativeDecoding:
    """As many tokens a run as were drafted rightly, and one. rule: which drafted ones are taken.

    greedy: whether the largest score is always taken, so that the tokens must be those of single runs. ends: the tokens
    behind which nothing is looked at.

    Runs of several tokens round otherwise than single ones, and so do the keys and values that they leave. Where two
    scores are then too close to be told apart, what was fed together since the last such place is fed again, token by
    token: each token is fed twice at most, and the tie is decided by what the model alone would have seen.
    """

    def __init__(
        self,
        machine: Machine,
        score: ScoreFunction,
        strategy: SpeculativeStrategy,
        rule: AcceptanceRule,
        greedy: bool,
        ends: frozenset[int],
    ) -> None:
        self._machine, self._score, self._proposer, self._rule = machine, score, strategy.proposer, rule
        self._greedy, self._ends, self._tree = greedy, ends, strategy.tree
        learned = strategy.learned or DraftStatistics(DraftLengthTuner(strategy.most), NearTies(machine.rounds))
        self.pace, self._ties = learned.pace, learned.ties
        self.lost = "" if self._ties.told_apart else RUNS_DIFFER
        self._use = SpeculativeStep(strategy.proposer.name)
        self._single = 0  # the cache's length before the first token that was fed with others
        self._again_s = 0.0

    @property
    def use(self) -> SpeculativeStep:
        """See Steps."""
        return self._use

    def first(self, logits: Logits, ids: Sequence[int]) -> ChosenToken:
        """See Steps."""
        self._single = self._machine.cache.length
        scores = self._score(logits, ids)
        return ChosenToken(self._rule(EMPTY_DRAFT, 0, scores), scores)

    def next(self, ids: Sequence[int], left: int) -> Sequence[ChosenToken]:
        """See Steps."""
        began, self._again_s = self.pace.clock(), 0.0
        draft = self._drafted(ids, left)
        found = self._looked_at(draft, list(ids)) if draft else [self._alone(ids)]
        accepted = sum(chosen.drafted for chosen in found)
        self._use.drafted = len(draft)
        seconds = self.pace.clock() - began - self._again_s
        self.pace.note(draft.depth, accepted, seconds, judged=len(found), again=self._again_s)
        return found

    def _drafted(self, ids: Sequence[int], left: int) -> Draft:
        count = 0 if self.lost else self.pace.length(min(left - 1, self._machine.drafts))
        try:
            return propose_draft(self._proposer, self._tree, ids, count, self._machine) if count > 0 else EMPTY_DRAFT
        except DraftError as error:  # the tokens are the model's own, with drafts and without
            self.lost = str(error)
            return EMPTY_DRAFT

    @property
    def _mixed(self) -> bool:
        """Whether the cache holds tokens that were fed together, and a tie must be decided without them."""
        return self._greedy and self._single < self._machine.cache.length

    def _alone(self, ids: Sequence[int]) -> ChosenToken:
        mixed = self._mixed
        logits = last_logits(self._machine, ids[-1:], "decode")
        if not mixed:
            return self.first(logits, ids)
        scores = self._score(logits, ids)
        # no way back is left soon where nothing more can be drafted: a window begins to slide
        if self._ties.is_near(scores) or self._machine.drafts < 1:
            scores = self._again(scores, ids)
        return ChosenToken(self._rule(EMPTY_DRAFT, 0, scores), scores)

    def _looked_at(self, draft: Draft, ids: list[int]) -> list[ChosenToken]:
        if draft.parents is not None:
            return self._walked(draft, ids)
        cache, found = self._machine.cache, list[ChosenToken]()
        before = cache.length
        if not self._mixed:
            self._single = before
        for place, row in enumerate(logits_per_token(self._machine, [ids[-1], *draft.tokens])):
            scores = self._score(row, ids)
            if self._greedy and self._ties.is_near(scores):
                again = self._again(scores, ids)
                token = self._rule(EMPTY_DRAFT, 0, again)
                return [*found, ChosenToken(token, again, drafted=token in draft.tokens[place : place + 1])]
            token = self._rule(draft, place, scores)
            agreed = place < len(draft) and token == draft.tokens[place]
            found.append(ChosenToken(token, scores, agreed))
            ids.append(token)
            if not agreed or token in self._ends:
                break
        cache.rewind(before + len(found))
        return found

    def _walked(self, draft: Draft, ids: list[int]) -> list[ChosenToken]:
        """The same of a draft that branches: from child to child, for as long as one is the token that comes."""
        if not self._mixed:
            self._single = self._machine.cache.length
        parents = [-1, *(parent + 1 for parent in draft.parents or ())]  # the last of `ids` is the root
        after = tree_logits(self._machine, [ids[-1], *draft.tokens], parents)
        path, found = [0], list[ChosenToken]()
        while True:
            scores = self._score(after(path[-1]), ids)
            children = {draft.tokens[place]: place + 1 for place in draft.children(path[-1] - 1)}
            if self._greedy and self._ties.is_near(scores):
                self._machine.keep(path[:-1])
                again = self._again(scores, ids)
                token = self._rule(EMPTY_DRAFT, 0, again)
                return [*found, ChosenToken(token, again, token in children)]
            likeliest = sorted(children, key=lambda token: -scores[token])[:1]
            token = self._rule(Draft(tuple(likeliest)), 0, scores)
            found.append(ChosenToken(token, scores, token in children))
            ids.append(token)
            if token not in children or token in self._ends:
                break
            path.append(children[token])
        self._machine.keep(path)
        return found

    def _again(self, scores: Logits, ids: Sequence[int]) -> Logits:
        """The scores [V] after `ids` as single runs give them, where the cache can go back as far."""
        began, cache = self.pace.clock(), self._machine.cache
        start = self._single if any(self._single in lengths for lengths in cache.rewindable()) else len(ids) - 1
        cache.rewind(start)
        for token in ids[start:]:
            logits = last_logits(self._machine, [token], "decode")
        again = self._score(logits, ids)
        self._ties.note(scores, again)
        self.lost = self.lost or ("" if self._ties.told_apart else RUNS_DIFFER)
        self._single = cache.length
        self._again_s += self.pace.clock() - began
        return again


def make_decoding(
    machine: Machine,
    score: ScoreFunction,
    options: GenerateOptions,
    strategy: SpeculativeStrategy | None = None,
    process: Processor | None = None,
    ends: frozenset[int] = frozenset(),
) -> Decoding:
    """The way that a generation asks for.

    process: what stands behind `score`, for who drafts by it. ends: the tokens that end a generation.
    """
    choose, greedy = compile_choice(options), options.temperature == 0
    if strategy is None:
        return PlainDecoding(machine, score, choose, plainly=greedy and process is None)
    proposer, rule = strategy.proposer, exact_match(choose)
    draws = isinstance(proposer, DraftModel) and not greedy and strategy.acceptance in (None, "rejection_sampling")
    if isinstance(proposer, DraftModel):
        seed = None if options.seed is None else options.seed + 1  # draws of its own, not the acceptance's again
        proposer.begin(process, np.random.default_rng(seed) if draws else None)
    if isinstance(proposer, ExtraHeads):
        proposer.begin(process)
    if strategy.acceptance == "typical" and not greedy:
        rule = typical_acceptance(strategy.threshold, choose)
    elif draws or (strategy.acceptance == "rejection_sampling" and not greedy):
        rule = rejection_sampling(np.random.default_rng(options.seed))
    return SpeculativeDecoding(machine, score, strategy, rule, greedy, ends)
