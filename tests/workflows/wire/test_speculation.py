"""What came of drafts: rates, and that several generations add up to those of all their runs."""

from __future__ import annotations

import json

from workflows.wire.codec import dumps
from workflows.wire.events import SpeculationEvent, SpeculationUse


def run(drafted: int, accepted: int, kept: int) -> SpeculationEvent:
    return SpeculationEvent(step=1, by="ngram", drafted=drafted, accepted=accepted, kept=kept, latency_ms=2.0)


def test_rates_are_of_all_runs_together() -> None:
    """Not the mean of each run's rate, which would count a draft of one token as much as one of eight."""
    one = sum([run(8, 8, 9), run(1, 0, 1)], SpeculationUse())
    assert (one.accept_rate, one.tokens_per_step) == (8 / 9, 5.0)
    both = one + SpeculationUse(drafted=11, accepted=2, steps=3, kept=5)
    assert (both.accept_rate, both.tokens_per_step) == (0.5, 3.0)
    assert json.loads(dumps(both)) == {"drafted": 20, "accepted": 10, "steps": 5, "kept": 15}


def test_nothing_has_no_rate() -> None:
    assert SpeculationUse().accept_rate is None and SpeculationUse().tokens_per_step is None
    plain = SpeculationUse() + run(0, 0, 1)
    assert plain.accept_rate is None and plain.tokens_per_step == 1.0
