"""Recordings are cut into windows, and the frames behind a recording's end are masked."""

from __future__ import annotations

import numpy as np

from workflows.media.sound import LogMel, sound_windows


def test_windows_of_several_recordings_stand_one_after_another() -> None:
    """A second has ten frames of 100 samples; a window, two seconds."""
    mel = LogMel(8, 1000, 200, 100, 2)
    chances = np.random.default_rng(0)
    first, second = (chances.normal(size=count).astype(np.float32) for count in (4501, 2000))
    made = sound_windows([first, second], mel, windows=3)
    assert made.features.shape == (4, 8, 20) and made.frames == (46, 20)
    assert made.mask.sum(axis=1).tolist() == [20, 20, 6, 20] and made.mask[2].tolist() == [1] * 6 + [0] * 14
    assert (made.features[2] == mel.features(first[4000:])).all() and (made.features[3] == mel.features(second)).all()


def test_what_is_longer_than_the_windows_is_cut_off() -> None:
    mel = LogMel(8, 1000, 200, 100, 2)
    samples = np.random.default_rng(1).normal(size=4501).astype(np.float32)
    made = sound_windows([samples], mel, windows=2)
    assert made.features.shape == (2, 8, 20) and made.frames == (40,) and made.mask.all()
