"""The features are those of transformers' numpy path, and settings that would change them are not passed over."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from workflows.common.errors import MediaError
from workflows.media import LogMel, sound_features

RATE = 16000
RANDOM = np.random.default_rng(5)
SOUNDS: dict[str, NDArray[np.float32]] = {
    "silence": np.zeros(RATE, np.float32),
    "nothing": np.zeros(0, np.float32),
    "a sample": np.ones(1, np.float32),
    "noise, shorter": (RANDOM.standard_normal(7 * RATE + 13) * 0.1).astype(np.float32),
    "chirp, exact": np.sin(np.cumsum(np.linspace(0.001, np.pi, 30 * RATE))).astype(np.float32),
    "noise, longer": RANDOM.standard_normal(35 * RATE).astype(np.float32),
}


@cache
def reference(mels: int, **more: Any) -> Any:
    from transformers import WhisperFeatureExtractor

    return WhisperFeatureExtractor(feature_size=mels, **more)


def padded(samples: NDArray[np.float32], length: int) -> NDArray[np.float32]:
    """As WhisperFeatureExtractor pads and cuts."""
    return np.pad(samples[:length], (0, max(0, length - len(samples))))


@pytest.mark.parametrize("mels", [80, 128])
@pytest.mark.parametrize("name", SOUNDS)
def test_features_are_those_of_transformers(mels: int, name: str) -> None:
    expected = reference(mels)._np_extract_fbank_features(padded(SOUNDS[name], 480_000)[None], "cpu")[0]
    result = sound_features({"feature_size": mels}).features(SOUNDS[name])
    assert result.dtype == np.float32 and result.shape == (mels, 3000)
    np.testing.assert_allclose(result, expected, atol=1e-5)


def test_a_recording_that_is_longer_than_a_chunk() -> None:
    """All of its frames, measured by its loudest moment; in parts, which no frame shows."""
    samples = RANDOM.standard_normal(75 * RATE + 33).astype(np.float32) * np.linspace(0.001, 1, 75 * RATE + 33)
    samples = samples.astype(np.float32)
    expected = reference(80)._np_extract_fbank_features(samples[None], "cpu")[0]
    result = sound_features({}).whole_features(samples)
    assert result.shape == expected.shape == (80, 7500)
    np.testing.assert_allclose(result, expected, atol=1e-5)
    assert sound_features({}).whole_features(samples[:100]).shape == (80, 3000)


def test_other_settings() -> None:
    """Another rate, FFT, hop, chunk and padding value; the chunk is no multiple of the hop."""
    settings = {"n_fft": 512, "hop_length": 150, "chunk_length": 4, "sampling_rate": 22050, "padding_value": 0.25}
    samples = RANDOM.standard_normal(30_000).astype(np.float32)
    mel = sound_features({"feature_size": 40} | settings)
    whole = np.full(4 * 22050, 0.25, np.float32)
    whole[: len(samples)] = samples
    expected = reference(40, **settings)._np_extract_fbank_features(whole[None], "cpu")[0]
    assert (mel.rate, mel.samples, mel.frames) == (22050, 88_200, 588)
    np.testing.assert_allclose(mel.features(samples), expected, atol=1e-5)


def test_the_file_of_a_checkpoint_is_read() -> None:
    """As transformers writes it; and what a bundle keeps of it makes the same features."""
    mel = sound_features(json.loads(reference(128).to_json_string()))
    kept = json.loads(json.dumps(mel.settings))
    again = LogMel.from_settings(kept)
    assert again.settings == kept and kept["feature_size"] == 128
    assert (again.features(SOUNDS["noise, shorter"]) == mel.features(SOUNDS["noise, shorter"])).all()
    nested = {"feature_extractor": kept, "processor_class": "WhisperProcessor"}
    assert sound_features(nested).settings == kept


def test_the_file_of_an_older_checkpoint_is_read() -> None:
    """Its filters are not used by transformers either, which computes them."""
    derived = {"mel_filters": [[0.0]], "n_samples": 480_000, "nb_max_frames": 3000, "return_attention_mask": False}
    assert sound_features({"feature_extractor_type": "WhisperFeatureExtractor"} | derived).frames == 3000


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"feature_extractor_type": "SeamlessM4TFeatureExtractor"}, "SeamlessM4TFeatureExtractor cannot be computed"),
        ({"dither": 0.1}, "dither = 0.1, and noise is not added"),
        ({"padding_side": "left"}, "padding_side = left"),
        ({"nb_max_frames": 1500}, "nb_max_frames = 1500, and it follows from chunk_length"),
        ({"preemphasis": 0.97}, "the setting preemphasis = 0.97, which is not known"),
        ({"feature_size": "80"}, "feature_size = 80 and needs a whole number from 1 to 1,024"),
        ({"hop_length": 0}, "hop_length = 0"),
        ({"padding_value": float("nan")}, "padding_value = nan and needs a finite number"),
        ({"chunk_length": 1, "sampling_rate": 1000, "n_fft": 2000}, "needs a chunk that is longer than half an FFT"),
    ],
)
def test_what_is_not_done_is_refused(settings: dict[str, object], words: str) -> None:
    with pytest.raises(MediaError, match=words):
        sound_features(settings)
