"""Log-mel features as WhisperFeatureExtractor computes them.

samples ──cut or pad to the chunk──▶ frames ──Hann window, FFT──▶ power ──mel filters──▶ log10, limited to 80 dB

Radford et al., Robust Speech Recognition via Large-Scale Weak Supervision (2022), 2.2; the mel scale is that of
Slaney, Auditory Toolbox (1998): linear up to 1,000 Hz, logarithmic above.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray

from workflows.common.errors import MediaError, printable
from workflows.media.options import Options
from workflows.media.sound.resampling import Samples

KIND = "WhisperFeatureExtractor"
HIGHEST_HZ = 8000.0  # of the filters, whatever the sampling rate
_PART = 3000  # frames at a time
_CORNER_HZ, _HZ_PER_MEL = 1000.0, 200 / 3
_CORNER_MEL, _LOG_STEP = _CORNER_HZ / _HZ_PER_MEL, np.log(6.4) / 27


class LogMel:
    """The features of one chunk of sound.

    rate: Hz. samples: length of the chunk. frames: length of the features. padding: a sample behind a recording's end.
    settings: what `from_settings` reads again.
    """

    def __init__(self, mels: int, rate: int, fft: int, hop: int, seconds: int, padding: float = 0.0) -> None:
        self.mels, self.rate, self.samples = mels, rate, seconds * rate
        self._fft, self._hop, self._seconds, self.padding = fft, hop, seconds, padding
        self.frames = self.samples // hop
        self._window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(fft) / fft)
        self._filters = mel_filters(fft // 2 + 1, mels, rate)

    @classmethod
    def from_settings(cls, settings: Mapping[str, object]) -> LogMel:
        """Reads a preprocessor_config.json. Raises MediaError for another kind of features or an unknown setting."""
        kind = settings.get("feature_extractor_type", KIND)
        if kind != KIND:
            raise MediaError(f"Features of the kind {printable(kind, 60)} cannot be computed: only {KIND} can.")
        options = Options(settings, KIND)
        options.ignore("feature_extractor_type", "return_attention_mask", "do_normalize", "mel_filters")
        options.only("dither", 0.0, "noise is not added to sound")
        options.only("padding_side", "right", "sound is padded at its end")
        made = cls(
            options.integer("feature_size", 80, highest=1024),
            options.integer("sampling_rate", 16000, lowest=1000, highest=384_000),
            options.integer("n_fft", 400, lowest=2, highest=65_536),
            options.integer("hop_length", 160),
            options.integer("chunk_length", 30, highest=3600),
            options.number("padding_value", 0.0),
        )
        if made.samples <= made._fft // 2 or not made.frames:
            raise options.fault("chunk_length", "a chunk that is longer than half an FFT and than a hop")
        options.only("n_samples", made.samples, "it follows from chunk_length and sampling_rate")
        options.only("nb_max_frames", made.frames, "it follows from chunk_length, sampling_rate and hop_length")
        options.finish()
        return made

    @property
    def hop_seconds(self) -> float:
        """The time from one frame to the next."""
        return self._hop / self.rate

    def frames_of(self, samples: Samples) -> int:
        """The frames of a chunk in which there is sound: those that begin before its end."""
        return min(-(-len(samples) // self._hop), self.frames)

    @property
    def settings(self) -> dict[str, object]:
        """The settings that change values, by the names of preprocessor_config.json."""
        return {
            "feature_extractor_type": KIND,
            "feature_size": self.mels,
            "sampling_rate": self.rate,
            "n_fft": self._fft,
            "hop_length": self._hop,
            "chunk_length": self._seconds,
            "padding_value": self.padding,
        }

    def features(self, samples: Samples) -> NDArray[np.float32]:
        """[n] mono samples at `rate` → [mels, frames]; what is beyond the chunk's length is cut off."""
        chunk = np.full(self.samples, self.padding, np.float32)
        count = min(len(samples), self.samples)
        chunk[:count] = samples[:count]
        return self._spectrogram(chunk)

    def whole_features(self, samples: Samples) -> NDArray[np.float32]:
        """[n] mono samples of a recording of any length → [mels, frames]; at least those of one chunk.

        The loudest moment of all of it is the measure of the rest, as where transformers does not truncate.
        """
        return self.features(samples) if len(samples) <= self.samples else self._spectrogram(samples)

    def _spectrogram(self, samples: Samples) -> NDArray[np.float32]:
        """A part at a time: the powers of an hour would take a gigabyte."""
        around = np.pad(np.asarray(samples, np.float32), self._fft // 2, mode="reflect")
        frames = sliding_window_view(around, self._fft)[:: self._hop][: len(samples) // self._hop]  # [frames, fft]
        logs = np.empty((self.mels, len(frames)))
        for start in range(0, len(frames), _PART):
            power = np.abs(np.fft.rfft(frames[start : start + _PART] * self._window)) ** 2  # [frames, bins]
            logs[:, start : start + _PART] = np.log10(np.maximum(self._filters.T @ power.T, 1e-10))
        result: NDArray[np.float32] = ((np.maximum(logs, logs.max() - 8) + 4) / 4).astype(np.float32)
        return result


def mel_filters(bins: int, mels: int, rate: int) -> NDArray[np.float64]:
    """[bins, mels]: triangles at equal distances on the mel scale, each of the area of one bin's width in Hz."""
    edges = _to_hz(np.linspace(0, float(_to_mel(HIGHEST_HZ)), mels + 2))  # [mels + 2]
    hz = np.linspace(0, rate // 2, bins)[:, None]
    below, centre, above = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (hz - below) / (centre - below), (above - hz) / (above - centre)
    result: NDArray[np.float64] = np.maximum(0, np.minimum(rising, falling)) * 2 / (above - below)
    return result


def _to_mel(hz: ArrayLike) -> NDArray[np.float64]:
    linear = np.asarray(hz, np.float64) / _HZ_PER_MEL
    logarithmic = _CORNER_MEL + np.log(np.maximum(np.asarray(hz), _CORNER_HZ) / _CORNER_HZ) / _LOG_STEP
    return np.where(linear < _CORNER_MEL, linear, logarithmic)


def _to_hz(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(mel < _CORNER_MEL, mel * _HZ_PER_MEL, _CORNER_HZ * np.exp((mel - _CORNER_MEL) * _LOG_STEP))
