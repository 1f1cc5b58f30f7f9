"""A whole build over another bundle, killed at a few random moments of a seed."""

from __future__ import annotations

import pytest

from tests.faults.moments import at_moments
from tests.faults.watch import KILL, why_not

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(why_not()), reason=why_not() or "-")]


def test_the_old_bundle_or_the_new_one_at_any_moment() -> None:
    """And the next build makes the new one, without a hand, and leaves nothing else."""
    verdicts = list(at_moments(8, 16))
    assert sum(one.fault is KILL for one in verdicts) == 8
    assert not [str(one) for one in verdicts if not one.whole or one.needs_hand or one.named is False]
