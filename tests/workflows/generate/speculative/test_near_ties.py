"""What is too close to be told apart in a run of several tokens, and what is done about it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.workflows.conftest import Built
from workflows.generate import open_engine
from workflows.generate.options import GenerateOptions
from workflows.generate.prefill import feed_tokens
from workflows.generate.processors import Logits
from workflows.generate.speculative import Draft, SpeculativeStrategy, make_decoding
from workflows.generate.speculative.near_ties import NearTies
from workflows.wire.events import GenerationDone


def scores(*values: float) -> Logits:
    return np.array(values, np.float32)


def test_smooth_differences_show_what_a_tie_is() -> None:
    """Three places that differ by a millionth; one of a grid may differ by nothing, and the next one by much."""
    for integers in (False, True):
        ties = NearTies(integers)
        ties.note(scores(10, 9.8, 3), scores(10, 9.8, 3))
        assert ties.is_near(scores(10, 9.8, 3)) and not ties.is_near(scores(10, 9, 3))
        for _ in range(3):
            ties.note(scores(10, 9.8, 3), scores(10, 9.80001, 3))
        assert ties.is_near(scores(10, 9.8, 3)) is integers


@pytest.mark.parametrize(("precision", "share"), [("fp32", 1e-5), ("int4", 0.05)])
def test_the_precision_of_a_bundle_shows_which(built: Built, sharp_qwen3: Path, precision: str, share: float) -> None:
    with open_engine(built(sharp_qwen3, precision=precision, capacity=96)) as engine:
        ties = NearTies(engine.machine.rounds)
        for _ in range(3):
            ties.note(scores(1, 0), scores(1, 0))
        assert ties.share == share


def test_what_was_fed_together_is_fed_again_at_a_tie(built: Built, sharp_qwen3: Path) -> None:
    """The keys and values of a run of several are not those of single ones: a tie behind it is decided without them."""
    with open_engine(built(sharp_qwen3, capacity=96)) as engine:
        machine, ids = engine.machine, [5, 6, 7]
        fed: list[tuple[int, int]] = []
        step = machine.step

        def watched(tokens, phase="decode", rows=1):  # type: ignore[no-untyped-def]
            fed.append((machine.cache.length, len(tokens)))
            return step(tokens, phase, rows)

        *_, last = feed_tokens(machine, ids)
        plain = [int(np.argmax(last.logits))]
        for _ in range(5):
            plain.append(int(np.argmax(step(plain[-1:])[0])))
        machine.cache.rewind(3)
        machine.step = watched  # type: ignore[method-assign]

        class Right:
            name = "right"

            def propose(self, ids, count):  # type: ignore[no-untyped-def]
                return Draft(tuple(plain[len(ids) - 3 :][:count]))

        steps = make_decoding(machine, lambda logits, ids: logits, GenerateOptions(), SpeculativeStrategy(Right(), 3))
        ids.append(steps.first(last.logits, ids).token)
        steps.pace.length = lambda limit: 2  # type: ignore[attr-defined]
        near = iter([False, False, False, True])
        steps._ties.is_near = lambda scores: next(near)  # type: ignore[attr-defined]
        ids += [one.token for one in steps.next(ids, 9)]
        steps.pace.length = lambda limit: 0  # type: ignore[attr-defined]
        ids += [one.token for one in steps.next(ids, 9)]
        assert ids[3:] == plain[:5]
        assert fed == [(3, 3), (6, 1), (3, 1), (4, 1), (5, 1), (6, 1)]


def test_what_cannot_be_distinguished_drafts_nothing_in_the_next_text(built: Built, sharp_qwen3: Path) -> None:
    """What was learned holds from the next text's first token on, and not from its first tie."""
    with open_engine(built(sharp_qwen3, capacity=96)) as engine:
        prompt, options = [5, 6, 7, 8, 5, 6], GenerateOptions(max_new_tokens=12, ngram=True)
        list(engine.generate(prompt, options))
        (learned,) = engine._statistics.values()
        learned.ties.note(scores(10, 1), scores(9, 1))
        engine.reset()
        *_, done = engine.generate(prompt, options)
        assert isinstance(done, GenerationDone) and done.speculation is not None
        assert done.speculation.drafted == 0
