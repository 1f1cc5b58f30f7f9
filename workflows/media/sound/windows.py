"""Recordings as the inputs of an encoder that reads windows of one length.

samples ──cut into windows──▶ LogMel.features of each ──▶ [windows,mels,frames] · mask [windows,frames]
        ──padded to whole windows──▶ LogMel.whole_features ──cut──▶ [windows,mels,frames]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workflows.media.sound.log_mel import LogMel
from workflows.media.sound.resampling import Samples


@dataclass(frozen=True)
class SoundWindows:
    """features: of all recordings' windows, one after another. mask: 1 at frames of sound, 0 behind a recording's end.

    frames: those of sound, of each recording.
    """

    features: NDArray[np.float32]  # [windows, mels, frames]
    mask: NDArray[np.int64]  # [windows, frames]
    frames: tuple[int, ...]


def sound_windows(recordings: Sequence[Samples], mel: LogMel, windows: int) -> SoundWindows:
    """The inputs for one or more recordings, of which at most so many windows are read; the rest is cut off."""
    pieces = list[list[Samples]]()
    for samples in recordings:
        starts = range(0, min(len(samples), windows * mel.samples), mel.samples)
        pieces.append([samples[start : start + mel.samples] for start in starts])
    flat = [piece for one in pieces for piece in one]
    counts = np.array([mel.frames_of(piece) for piece in flat])
    return SoundWindows(
        features=np.stack([mel.features(piece) for piece in flat]),
        mask=(np.arange(mel.frames)[None] < counts[:, None]).astype(np.int64),
        frames=tuple(sum(map(mel.frames_of, one)) for one in pieces),
    )


def whole_windows(recordings: Sequence[Samples], mel: LogMel, windows: int) -> SoundWindows:
    """The same where all frames of a window are read: the features are those of a whole recording, then cut.

    A recording without samples has one window of silence.
    """
    pieces = list[NDArray[np.float32]]()
    for samples in recordings:
        count = min(max(1, -(-len(samples) // mel.samples)), windows)
        padded = np.full(count * mel.samples, mel.padding, np.float32)
        padded[: len(samples)] = samples[: len(padded)]
        pieces.append(mel.whole_features(padded).reshape(mel.mels, count, mel.frames).transpose(1, 0, 2))
    features = np.concatenate(pieces)
    frames = tuple(len(one) * mel.frames for one in pieces)
    return SoundWindows(features, np.ones((len(features), mel.frames), np.int64), frames)
