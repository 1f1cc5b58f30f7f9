"""Drafts that branch: what they are made of, and that they change how fast a text comes and never which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.workflows.runtime.test_composites import IDS, STEP, opened
from tests.workflows.runtime.toy_bundles import Toy, V
from workflows.generate.options import GenerateOptions
from workflows.generate.prefill import feed_tokens
from workflows.generate.processors import compile_processors, softmax
from workflows.generate.speculative import (
    ChosenToken,
    Draft,
    DraftModel,
    NGramProposer,
    SpeculativeStrategy,
    make_decoding,
)
from workflows.generate.speculative.draft import EMPTY_DRAFT
from workflows.generate.speculative.draft_length import DraftLengthTuner
from workflows.generate.speculative.draft_tree import TreeShape, grow_tree, merge_paths, paths_of
from workflows.runtime import Machine

DRAWS = 10_000


@pytest.fixture(autouse=True)
def every_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drafts of every length, whatever they cost."""
    random = np.random.default_rng(0)
    monkeypatch.setattr(
        DraftLengthTuner, "length", lambda self, limit: int(random.integers(0, max(min(self._most, limit), 0) + 1))
    )


class Guesser:
    """Drafts random trees, in which what the target says is a path with probability `right`."""

    name = "guesser"

    def __init__(self, tokens: Sequence[int], right: float, seed: int = 0) -> None:
        self._tokens, self._right, self._random = tokens, right, np.random.default_rng(seed)

    def propose(self, ids: Sequence[int], count: int) -> Draft:
        return self.branch(ids, TreeShape(nodes=count, depth=count)).chain()

    def branch(self, ids: Sequence[int], tree: TreeShape) -> Draft:
        said, paths = list(self._tokens[len(ids) : len(ids) + tree.depth]), []
        if self._random.random() < self._right:
            paths.append(said)
        for _ in range(3):
            cut = int(self._random.integers(0, len(said) + 1))
            paths.append([*said[:cut], *self._random.integers(0, V, tree.depth - cut).tolist()])
        self._random.shuffle(paths)
        return merge_paths(paths, tree.nodes)


def texts(
    machine: Machine, prompt: Sequence[int], strategy: SpeculativeStrategy | None, count: int, **options: Any
) -> list[int]:
    """See told."""
    return told(machine, prompt, strategy, count, **options)[0]


def told(
    machine: Machine, prompt: Sequence[int], strategy: SpeculativeStrategy | None, count: int, **options: Any
) -> tuple[list[int], int]:
    """`count` tokens after the prompt, and how many drafted ones were taken.

    After each run the cache holds what comes before the last of them.
    """
    machine.cache.reset()
    steps = make_decoding(machine, lambda logits, ids: logits, GenerateOptions(**options), strategy)
    for one in feed_tokens(machine, prompt):
        logits = one.logits
    ids = [*prompt, steps.first(logits, prompt).token]
    accepted = 0
    while len(ids) < len(prompt) + count:
        found = steps.next(ids, len(prompt) + count - len(ids))
        ids += [chosen.token for chosen in found]
        accepted += sum(chosen.drafted for chosen in found)
        assert machine.cache.length == len(ids) - 1
    return ids[len(prompt) :], accepted


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    Toy().write(tmp_path, ["decoder"])
    with opened(tmp_path, STEP, capacity=96) as one:
        yield one


# -- drafts ------------------------------------------------------------------------------------------------------------


def test_a_draft_is_cut_where_it_does_not_fit() -> None:
    draft = Draft((1, 2, 3, 4, 5), parents=(-1, 0, 0, 1, -1))
    assert (draft.depths, draft.depth, draft.children(-1), draft.children(0)) == ([1, 2, 2, 3, 1], 3, [0, 4], [1, 2])
    assert draft.chain() == Draft((1, 2, 4))
    assert draft.fitted(2, 9) == Draft((1, 2, 3, 5), parents=(-1, 0, 0, -1))
    assert draft.fitted(3, 3) == Draft((1, 2, 3), parents=(-1, 0, 0))
    assert draft.fitted(2, 0) == Draft((1, 2)) and draft.fitted(1, 1) == Draft((1,), parents=(-1,))
    chain = Draft((7, 8))
    assert chain.fitted(1, 0) is chain is chain.chain() and chain.children(0) == [1] and chain.depth == 2
    assert EMPTY_DRAFT.depth == 0 and EMPTY_DRAFT.children(-1) == []


def test_several_places_are_one_trie() -> None:
    assert merge_paths([[1, 2, 3], [1, 2, 4], [5]], 9) == Draft((1, 2, 3, 4, 5), parents=(-1, 0, 1, 1, -1))
    assert merge_paths([[1, 2, 3], [1, 2, 4], [5]], 4) == Draft((1, 2, 3, 4), parents=(-1, 0, 1, 1))
    assert merge_paths([], 4) is EMPTY_DRAFT
    found = NGramProposer(min_match=1).branch([1, 2, 9, 1, 3, 9, 1], TreeShape(nodes=6, depth=2))
    assert paths_of(found.tokens, found.parents or ()) == [[3], [3, 9], [2], [2, 9]]  # the later place goes before
    assert NGramProposer().branch([1, 2, 3], TreeShape()) is EMPTY_DRAFT


def table(rows: dict[int, dict[int, float]]) -> Any:
    """The scores after a token, from probabilities; and who expands by them."""

    def scores(token: int) -> NDArray[np.float32]:
        row = np.zeros(8, np.float32)
        for other, share in rows.get(token, {token: 1.0}).items():
            row[other] = share
        with np.errstate(divide="ignore"):
            return np.log(row)

    return scores, lambda tokens, parents, count: [scores(token) for token in tokens[len(tokens) - count :]]


def test_a_dynamic_tree_has_the_most_probable_paths() -> None:
    """0.6·0.5, 0.3·0.9 … by hand: a child of the second may be likelier than one of the first."""
    scores, expand = table({0: {1: 0.6, 2: 0.31, 3: 0.09}, 1: {4: 0.5, 5: 0.3, 6: 0.2}, 2: {7: 0.9, 1: 0.1}})
    draft = grow_tree(scores(0), expand, TreeShape(nodes=6, depth=2))
    assert paths_of(draft.tokens, draft.parents or ()) == [[1], [2], [1, 4], [2, 7], [1, 5], [1, 6]]
    assert draft.chain().tokens == (1, 4)
    narrow = grow_tree(scores(0), expand, TreeShape(nodes=6, depth=2), width=1)
    assert (narrow.tokens, narrow.parents) == ((1, 2, 4, 5, 6, 3), (-1, -1, 0, 0, 0, -1))
    assert grow_tree(scores(0), expand, TreeShape(nodes=2, depth=1)).tokens == (1, 2)
    assert grow_tree(scores(0), lambda *_: [], TreeShape(nodes=9, depth=3)).tokens == (
        1,
        2,
        3,
    )  # no room to look further


def test_choices_are_ranks_along_the_path() -> None:
    scores, expand = table({0: {1: 0.6, 2: 0.31, 3: 0.09}, 1: {4: 0.5, 5: 0.3, 6: 0.2}, 2: {7: 0.9, 1: 0.1}})
    choices = ((0,), (1,), (0, 1), (1, 0), (0, 1, 0))
    draft = grow_tree(scores(0), expand, TreeShape(nodes=9, depth=3, choices=choices))
    assert paths_of(draft.tokens, draft.parents or ()) == [[1], [2], [1, 5], [2, 7], [1, 5, 5]]
    assert grow_tree(scores(0), expand, TreeShape(nodes=3, depth=3, choices=choices)).tokens == (1, 2, 5)


# -- the model's own tokens --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("right", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("kind", ["plain", "window", "fixed"])
def test_greedy_tokens_are_those_of_the_model_alone(kind: str, right: float, tmp_path: Path) -> None:
    toy = Toy()
    toy.write(tmp_path, ["decoder"])
    more: dict[str, Any] = {"capacity": 96}
    flow: list[dict[str, Any]] = [*STEP]
    if kind == "window":
        more["metadata"] = {"layout": "window"}
    if kind == "fixed":
        toy.write(tmp_path, ["decoder"], 8, "8")
        toy.write(tmp_path, ["decoder"], 1, "1")
        flow = [{"run": "prefill", "when": "init"}, {"run": "decoder"}]
        more["files"] = {"prefill": "decoder8.onnx", "decoder": "decoder1.onnx"}
    machine = opened(tmp_path, flow, **more)
    for seed, prompt in enumerate((IDS[:1], IDS[:9], IDS[9:31])):
        alone = texts(machine, prompt, None, 40)
        guesser = Guesser([*prompt, *alone], right, seed)
        found, accepted = told(machine, prompt, SpeculativeStrategy(guesser, tree=TreeShape(nodes=7, depth=5)), 40)
        assert found == alone and (accepted > 0 or right == 0)


@pytest.mark.parametrize("choices", [(), ((0,), (1,), (0, 0), (0, 1), (1, 0), (0, 0, 0))])
def test_a_draft_model_branches(machine: Machine, choices: Any, tmp_path: Path) -> None:
    """Itself, and another: tokens as without; its own tree takes the right path where a chain of it would not."""
    other = Toy()
    random = np.random.default_rng(4)
    other.weights = {name: one + random.normal(0, 0.1, one.shape) for name, one in other.weights.items()}
    other.write(tmp_path, ["decoder"], tag="-other")
    draft = opened(tmp_path, STEP, capacity=96, files={"decoder": "decoder-other.onnx"})
    same = opened(tmp_path, STEP, capacity=96)
    prompt, accepted = IDS[:11], {}
    alone = texts(machine, prompt, None, 60)
    for name, one in (("other", draft), ("same", same)):
        for tree in (None, TreeShape(nodes=7, depth=4, choices=choices)):
            found, accepted[name, tree is None] = told(
                machine, prompt, SpeculativeStrategy(DraftModel(one), 4, tree=tree), 60
            )
            assert found == alone
    assert accepted["same", False] > 0 and accepted["other", False] > 0


def test_a_draft_without_a_place_for_trees_drafts_the_ranks_beside_its_chain(tmp_path: Path) -> None:
    """Nothing but the chain is fed, and a full cache ends it."""
    Toy().write(tmp_path, ["decoder"])
    plain, chained = (opened(tmp_path, STEP, capacity=13) for _ in range(2))
    chained.cache.can_branch = False
    wide, narrow = (DraftModel(one).branch(IDS[:11], TreeShape(nodes=7, depth=4)) for one in (plain, chained))
    assert (chained.cache.length, plain.cache.length) == (13, 11)
    assert (narrow.depth, wide.depth, len(wide)) == (3, 3, 7)
    assert narrow.chain().tokens == DraftModel(plain).propose(IDS[:11], 3).tokens[: narrow.chain().depth]


def test_where_no_tree_can_be_looked_at_its_best_path_is(machine: Machine) -> None:
    machine.cache.can_branch = False
    alone = texts(machine, IDS[:5], None, 30)
    assert texts(machine, IDS[:5], SpeculativeStrategy(Guesser([*IDS[:5], *alone], 1.0), tree=TreeShape()), 30) == alone

    class Stubborn(Guesser):
        def propose(self, ids: Sequence[int], count: int) -> Draft:
            return self.branch(ids, TreeShape(nodes=9, depth=count))

    assert texts(machine, IDS[:5], SpeculativeStrategy(Stubborn([*IDS[:5], *alone], 1.0)), 30) == alone


def test_the_cache_fills_to_its_end_and_no_further(tmp_path: Path) -> None:
    Toy().write(tmp_path, ["decoder"])
    machine = opened(tmp_path, STEP, capacity=24)
    prompt = IDS[:9]
    alone = texts(machine, prompt, None, 16)
    for seed in range(6):
        guesser = Guesser([*prompt, *alone, 1, 2, 3, 4, 5], 1.0, seed)
        assert texts(machine, prompt, SpeculativeStrategy(guesser, tree=TreeShape(nodes=7, depth=7)), 16) == alone
        assert machine.cache.length == 24


def test_nothing_is_looked_at_behind_an_end_token(machine: Machine) -> None:
    prompt = IDS[:9]
    alone = texts(machine, prompt, None, 12)
    end = next(token for i, token in enumerate(alone) if i > 2 and token not in alone[:i])
    machine.cache.reset()
    steps = make_decoding(machine, lambda logits, ids: logits, GenerateOptions(),
                          SpeculativeStrategy(Guesser([*prompt, *alone], 1.0), 7, tree=TreeShape()),
                          ends=frozenset([end]))  # fmt: skip
    logits = [one.logits for one in feed_tokens(machine, prompt)][-1]
    ids = [*prompt, steps.first(logits, prompt).token]
    while end not in ids[len(prompt) :]:
        ids += [one.token for one in steps.next(ids, 20)]
    assert ids[-1] == end and ids[len(prompt) :] == alone[: alone.index(end) + 1]
    assert machine.cache.length == len(ids) - 1


def test_a_tie_is_looked_at_alone(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every place is one: the tokens are of runs of one token each, and the cache is what they would leave."""
    from workflows.generate.speculative.near_ties import NearTies

    alone = texts(machine, IDS[:5], None, 20)
    monkeypatch.setattr(NearTies, "is_near", lambda self, scores: True)
    assert texts(machine, IDS[:5], SpeculativeStrategy(Guesser([*IDS[:5], *alone], 1.0), tree=TreeShape()), 20) == alone


# -- sampling ----------------------------------------------------------------------------------------------------------


class Markov:
    """A machine whose logits are those of the last token alone; what it was fed is its cache."""

    verify_phase, draft_room, tree_room, rounds = "decode", 8, 8, False

    def __init__(self, rows: NDArray[np.float32]) -> None:
        self.cache, self._rows, self.length = self, rows, 0

    def step(
        self, tokens: Sequence[int], phase: str, rows: int = 1, parents: Sequence[int] | None = None
    ) -> NDArray[np.float32]:
        self.length += len(tokens) if parents is None else 0
        return self._rows[list(tokens[len(tokens) - rows :])]

    def commit_path(self, path: Sequence[int]) -> None:
        self.length += len(path)

    def rewind(self, length: int) -> None:
        self.length = length


class Fixed:
    """The same tree over six tokens, always."""

    name = "fixed"

    def propose(self, ids: Sequence[int], count: int) -> Draft:
        return Draft((2, 4, 0, 1, 5, 3), parents=(-1, -1, 0, 0, 1, 2))


@pytest.mark.parametrize("acceptance", [None, "rejection_sampling"])
def test_acceptance_over_siblings_leaves_the_distribution_as_it_is(acceptance: Any) -> None:
    """Pairs of tokens after a chain with temperature, top-k and top-p: Pearson's test, 99.9 %."""
    random = np.random.default_rng(7)
    rows = random.normal(0, 1.5, (6, 6)).astype(np.float32)
    asked = {"temperature": 0.8, "top_k": 5, "top_p": 0.97, "seed": 3}
    chain = compile_processors(GenerateOptions(**asked))
    assert chain is not None
    shares = np.array([softmax(chain([], row.copy())) for row in rows])
    wanted = shares[1][:, None] * shares
    machine: Any = Markov(rows)
    steps = make_decoding(machine, lambda logits, ids: chain(ids, logits.copy()), GenerateOptions(**asked),
                     SpeculativeStrategy(Fixed(), acceptance=acceptance))  # fmt: skip
    counts, accepted = np.zeros((6, 6), np.int64), 0
    for _ in range(DRAWS):
        ids, machine.length = [0, 1], 1
        while len(ids) < 4:
            found: Sequence[ChosenToken] = steps.next(ids, 4)
            ids += [one.token for one in found]
            accepted += sum(one.drafted for one in found)
            assert machine.length == len(ids) - 1
        counts[ids[2], ids[3]] += 1
    possible = wanted > 0
    expected = wanted[possible] * DRAWS
    statistic = float((((counts[possible] - expected) ** 2) / expected).sum())
    assert not counts[~possible].any()
    assert possible.sum() == 18 and statistic < 40.8  # 17 degrees of freedom
    assert accepted > DRAWS / 5


def test_typical_takes_the_likeliest_sibling() -> None:
    rows = np.log(np.array([[0.05, 0.05, 0.4, 0.05, 0.4, 0.05]] * 6, np.float32))
    rows[:, 4] += 0.1
    machine: Any = Markov(rows)
    steps = make_decoding(machine, lambda logits, ids: logits, GenerateOptions(temperature=1.0, seed=1),
                     SpeculativeStrategy(Fixed(), most=1, acceptance="typical"))  # fmt: skip
    taken = [one.token for _ in range(50) for one in steps.next([0, 1], 9)[:1] if one.drafted]
    assert taken and taken.count(4) > taken.count(2)


def test_trees_are_cut_to_what_the_machine_takes() -> None:
    from workflows.generate.speculative.draft_tree import propose_draft

    machine: Any = Markov(np.zeros((6, 6), np.float32))
    machine.tree_room = 3
    assert propose_draft(Fixed(), None, [0], 2, machine) == Draft((2, 4, 0), parents=(-1, -1, 0))
    guesser = Guesser(range(40), 1.0)
    found = propose_draft(guesser, replace(TreeShape(), depth=2), [0], 5, machine)
    assert found.depth <= 2 and len(found) <= 3
