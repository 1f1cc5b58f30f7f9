"""The loudest sample of each column, wherever it is in it."""

from __future__ import annotations

import numpy as np

from workflows.media.sound.envelope import sound_envelope


def test_each_column_has_its_loudest_sample() -> None:
    samples = np.array([0, 0.25, -0.5, 0, 0, 0, 0.125, 3.0, 0, 0], np.float32)
    assert sound_envelope(samples, 5) == [0.25, 0.5, 0.0, 1.0, 0.0]
    assert sound_envelope(samples, 3) == [0.5, 0.0, 1.0]  # 3, 3 and 4 samples
    assert sound_envelope(samples[:2], 5) == [0.0, 0.25] and sound_envelope(samples[:0], 5) == []
