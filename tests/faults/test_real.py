"""A real build, killed and refused at a few operations of a seed: traced, optimized and quantized for real."""

from __future__ import annotations

import pytest

from tests.faults.cases import tried
from tests.faults.real import REAL
from tests.faults.watch import why_not

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(why_not()), reason=why_not() or "-")]


def test_the_old_bundle_or_the_new_one() -> None:
    """And the next build makes the new one, without a hand."""
    verdicts = list(tried(REAL, 4, 16))
    bad = [str(one) for one in verdicts if not one.whole or one.needs_hand or one.named is False]
    assert not bad, "\n".join(bad)
