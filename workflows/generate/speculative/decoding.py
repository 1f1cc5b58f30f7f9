"""How a generation gets its next tokens: one per run, or several by verifying drafted ones in one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from workflows.common.errors import DraftError
from workflows.generate.logits import Logits, greedy_step, last_logits, logits_per_token, tree_logits
from workflows.generate.options import GenerateOptions
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
from workflows.wire.generation_options import Acceptance

ScoreFunction = Callable[[Logits, Sequence[int]], Logits]
"""(logits [V], the ids before them) → the processed logits [V]."""

RUNS_DIFFER = (
    "Drafts are off: this bundle's graphs compute several tokens in one run too differently from one at a time."
)


@dataclass(frozen=True)
class ChosenToken:
    """A token, the processed logits [V] it was chosen from (None after a beam search), and whether it was drafted.

    last: whether the controller ended the text with it.
    """

    token: int
    scores: Logits | None
    drafted: bool = False
    last: bool = False


@dataclass(frozen=True)
class DraftStatistics:
    """What earlier generations with one proposer measured: run times and acceptance, and rounding differences."""

    pace: DraftLengthTuner
    ties: NearTies


@dataclass(frozen=True)
class SpeculativeStrategy:
    """The proposer, the most tokens of a draft, and the acceptance rule.

    acceptance: None for a rule that keeps the distribution: rejection sampling for sampled drafts, else the exact
    match. threshold: ε of typical acceptance (Cai et al.). tree: how drafts branch, where proposer and cache can; None
    for chains. learned: the statistics of earlier generations; None before the first.
    """

    proposer: Proposer
    most: int = 8
    acceptance: Acceptance | None = None
    threshold: float = 0.09
    tree: TreeShape | None = None
    learned: DraftStatistics | None = None

    def begun(self, learned: DraftStatistics) -> SpeculativeStrategy:
        """The strategy for another text, with the statistics of earlier ones."""
        learned.pace.begin(anew=isinstance(self.proposer, NGramProposer))  # n-grams are those of this text alone
        return replace(self, learned=learned)


class Decoding(Protocol):
    """How a generation gets its tokens."""

    @property
    def use(self) -> SpeculativeStep | None:
        """The last run's drafted tokens; None without drafts."""
        ...

    @property
    def lost(self) -> str:
        """Why drafting stopped, as a sentence; empty while it goes on, and without drafts."""
        ...

    def first(self, logits: Logits, ids: Sequence[int]) -> ChosenToken:
        """The token after the prompt `ids`, chosen from `logits` [V]."""
        ...

    def next(self, ids: Sequence[int], left: int) -> Sequence[ChosenToken]:
        """Feeds the last of `ids`, the others being in the cache, and returns the next tokens, 1 to `left` of them.

        The cache then holds everything before the last of these. Raises what Machine.step and last_logits raise.
        """
        ...


class PlainDecoding:
    """One token per run. plainly: take the largest raw logit, where there are no processors."""

    lost = ""

    def __init__(
        self, machine: Machine, score: ScoreFunction, choose: Callable[[Logits], int], plainly: bool = False
    ) -> None:
        self._machine, self._score, self._choose, self._plainly = machine, score, choose, plainly

    @property
    def use(self) -> None:
        """See Decoding."""

    def first(self, logits: Logits, ids: Sequence[int]) -> ChosenToken:
        """See Decoding."""
        scores = self._score(logits, ids)
        return ChosenToken(self._choose(scores), scores)

    def next(self, ids: Sequence[int], left: int) -> Sequence[ChosenToken]:
        """See Decoding."""
        if self._plainly:
            return [ChosenToken(*greedy_step(self._machine, ids[-1]))]
        return [self.first(last_logits(self._machine, ids[-1:], "decode"), ids)]


class SpeculativeDecoding:
    """The accepted tokens of a draft and one more per run. rule: which drafted tokens are accepted.

    greedy: whether the largest logit is always taken, so that tokens must equal those of single runs. ends: end tokens,
    after which verification stops.

    Runs of several tokens round differently from single runs, and so do the keys and values that they leave. At a near
    tie, the tokens fed together since the last one are fed again one by one: each token is fed at most twice, and the
    tie is decided as by the model alone.
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
        self.lost = "" if self._ties.comparable else RUNS_DIFFER
        self._use = SpeculativeStep(strategy.proposer.name)
        self._single = 0  # the cache's length before the first token fed together with others
        self._again_s = 0.0

    @property
    def use(self) -> SpeculativeStep:
        """See Decoding."""
        return self._use

    def first(self, logits: Logits, ids: Sequence[int]) -> ChosenToken:
        """See Decoding."""
        self._single = self._machine.cache.length
        scores = self._score(logits, ids)
        return ChosenToken(self._rule(EMPTY_DRAFT, 0, scores), scores)

    def next(self, ids: Sequence[int], left: int) -> Sequence[ChosenToken]:
        """See Decoding."""
        began, self._again_s = self.pace.clock(), 0.0
        draft = self._drafted(ids, left)
        tokens = self._verify(draft, list(ids)) if draft else [self._alone(ids)]
        accepted = sum(chosen.drafted for chosen in tokens)
        self._use.drafted = len(draft)
        seconds = self.pace.clock() - began - self._again_s
        self.pace.note(draft.depth, accepted, seconds, judged=len(tokens), again=self._again_s)
        return tokens

    def _drafted(self, ids: Sequence[int], left: int) -> Draft:
        count = 0 if self.lost else self.pace.length(min(left - 1, self._machine.draft_room))
        try:
            return propose_draft(self._proposer, self._tree, ids, count, self._machine) if count > 0 else EMPTY_DRAFT
        except DraftError as error:  # tokens are the model's own with and without drafts
            self.lost = str(error)
            return EMPTY_DRAFT

    @property
    def _mixed(self) -> bool:
        """Whether the cache holds tokens that were fed together, which must not decide a near tie."""
        return self._greedy and self._single < self._machine.cache.length

    def _alone(self, ids: Sequence[int]) -> ChosenToken:
        mixed = self._mixed
        logits = last_logits(self._machine, ids[-1:], "decode")
        if not mixed:
            return self.first(logits, ids)
        scores = self._score(logits, ids)
        # where nothing more can be drafted a window begins to slide, after which a rewind is impossible
        if self._ties.is_near(scores) or self._machine.draft_room < 1:
            scores = self._again(scores, ids)
        return ChosenToken(self._rule(EMPTY_DRAFT, 0, scores), scores)

    def _verify(self, draft: Draft, ids: list[int]) -> list[ChosenToken]:
        if draft.parents is not None:
            return self._verify_tree(draft, ids)
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

    def _verify_tree(self, draft: Draft, ids: list[int]) -> list[ChosenToken]:
        """The same for a draft that branches: from child to child while the next token is one."""
        if not self._mixed:
            self._single = self._machine.cache.length
        parents = [-1, *(parent + 1 for parent in draft.parents or ())]  # the last id is the root
        after = tree_logits(self._machine, [ids[-1], *draft.tokens], parents)
        path, found = [0], list[ChosenToken]()
        while True:
            scores = self._score(after(path[-1]), ids)
            children = {draft.tokens[place]: place + 1 for place in draft.children(path[-1] - 1)}
            if self._greedy and self._ties.is_near(scores):
                self._machine.commit_path(path[:-1])
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
        self._machine.commit_path(path)
        return found

    def _again(self, scores: Logits, ids: Sequence[int]) -> Logits:
        """The processed logits [V] after `ids` by single runs, as far as the cache can be rewound."""
        began, cache = self.pace.clock(), self._machine.cache
        start = self._single if any(self._single in lengths for lengths in cache.rewindable()) else len(ids) - 1
        cache.rewind(start)
        for token in ids[start:]:
            logits = last_logits(self._machine, [token], "decode")
        again = self._score(logits, ids)
        self._ties.note(scores, again)
        self.lost = self.lost or ("" if self._ties.comparable else RUNS_DIFFER)
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
    """The decoding of a generation. process: the processors behind `score`, for drafts. ends: the end tokens."""
    choose, greedy = compile_choice(options), options.temperature == 0
    if strategy is None:
        return PlainDecoding(machine, score, choose, plainly=greedy and process is None)
    proposer, rule = strategy.proposer, exact_match(choose)
    draws = isinstance(proposer, DraftModel) and not greedy and strategy.acceptance in (None, "rejection_sampling")
    if isinstance(proposer, DraftModel):
        seed = None if options.seed is None else options.seed + 1  # independent of the acceptance rule's draws
        proposer.begin(process, np.random.default_rng(seed) if draws else None)
    if isinstance(proposer, ExtraHeads):
        proposer.begin(process)
    if strategy.acceptance == "typical" and not greedy:
        rule = typical_acceptance(strategy.threshold, choose)
    elif draws or (strategy.acceptance == "rejection_sampling" and not greedy):
        rule = rejection_sampling(np.random.default_rng(options.seed))
    return SpeculativeDecoding(machine, score, strategy, rule, greedy, ends)
