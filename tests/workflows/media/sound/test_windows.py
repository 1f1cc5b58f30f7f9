"""Recordings are cut into windows, and the frames behind a recording's end are masked."""

from __future__ import annotations

import numpy as np

from workflows.media.sound import LogMel, sound_windows, whole_windows


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


def test_whole_windows_are_cut_out_of_the_features_of_a_recording() -> None:
    """The loudest moment of all of it is the measure of each window, and none ends between two of them."""
    mel = LogMel(8, 1000, 200, 100, 2)
    samples = np.random.default_rng(2).normal(size=4501).astype(np.float32) * np.linspace(0.001, 1, 4501, dtype="f4")
    made = whole_windows([samples, samples[:2000], samples[:0]], mel, windows=3)
    assert made.features.shape == (5, 8, 20) and made.frames == (60, 20, 20) and made.mask.all()
    whole = mel.whole_features(np.pad(samples, (0, 1499)))
    assert (made.features[:3] == np.stack(np.split(whole, 3, axis=1))).all()
    assert (made.features[3] == mel.features(samples[:2000])).all() and not (made.features[0] == made.features[3]).all()
    assert whole_windows([samples], mel, windows=2).frames == (40,)
