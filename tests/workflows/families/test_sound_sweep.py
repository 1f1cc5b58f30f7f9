"""The sweep of every architecture that answers a text with recordings, in shards: equal to eager, or refused."""

from __future__ import annotations

import pytest

from tests.sweep.run import run, shard_of
from tests.sweep.sounds import sound_models

SHARDS = 4
MINUTES = 4  # of one shard; what is not begun by then is left to `python -m tests.sweep.sounds`


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("shard", range(1, SHARDS + 1))
def test_no_architecture_is_wrong(shard: int) -> None:
    """Each verdict is `equal`, or `refused` with one sentence."""
    verdicts = run(shard_of(sound_models(), f"{shard}/{SHARDS}"), MINUTES)
    assert verdicts
    assert [one for one in verdicts if one.kind not in ("equal", "refused")] == []
    assert all(one.note.endswith(".") and "\n" not in one.note for one in verdicts if one.kind == "refused")
