"""A sine stays the sine that it was, what is above the new band is gone, and blocks do not show."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from workflows.media.sound import Resampler

RATES = ((44100, 16000), (8000, 16000), (48000, 16000), (22050, 16000), (16000, 8000))
SECONDS = 1


def sine(hz: float, rate: int, count: int) -> NDArray[np.float64]:
    return np.sin(2 * np.pi * hz * np.arange(count) / rate)


def resampled(samples: NDArray[np.floating], source: int, target: int) -> NDArray[np.float32]:
    resampler = Resampler(source, target)
    return np.concatenate([resampler.push(samples.astype(np.float32)), resampler.finish()])


def decibel(values: NDArray[np.floating]) -> float:
    return float(20 * np.log10(np.abs(values).max()))


@pytest.mark.parametrize(("source", "target"), RATES)
def test_a_sine_in_the_pass_band_stays_itself(source: int, target: int) -> None:
    """Sample by sample, away from the ends; this holds images of it below −80 dB too."""
    for part in (0.01, 0.31, 0.93):
        hz = part * min(source, target) / 2
        result = resampled(sine(hz, source, SECONDS * source), source, target)
        assert len(result) == SECONDS * target
        assert decibel((result - sine(hz, target, len(result)))[target // 4 : -target // 4]) < -90


@pytest.mark.parametrize(("source", "target"), [pair for pair in RATES if pair[0] > pair[1]])
def test_a_sine_above_the_band_is_gone(source: int, target: int) -> None:
    for hz in np.linspace(target / 2, source / 2, 5)[:-1]:
        result = resampled(sine(float(hz), source, SECONDS * source), source, target)
        assert decibel(result[target // 4 : -target // 4]) < -90, hz


@pytest.mark.parametrize(("source", "target"), [(44100, 16000), (8000, 16000), (11025, 8000)])
def test_blocks_do_not_show(source: int, target: int) -> None:
    """Whatever their sizes; the length is that of the whole, rounded up."""
    random = np.random.default_rng(3)
    samples = random.standard_normal(5 * source + 77).astype(np.float32)
    whole, resampler, parts, place = resampled(samples, source, target), Resampler(source, target), [], 0
    while place < len(samples):
        size = int(random.integers(1, source))
        parts.append(resampler.push(samples[place : place + size]))
        place += size
    np.testing.assert_allclose(np.concatenate([*parts, resampler.finish()]), whole, atol=2e-6)
    assert len(whole) == -(-len(samples) * target // source)


@pytest.mark.parametrize("count", [0, 1, 2, 440])
def test_a_few_samples(count: int) -> None:
    """Less than a period, and less than the filter: the energy of an impulse stays in the band."""
    samples = np.zeros(count, np.float32)
    samples[:1] = 1
    result = resampled(samples, 44100, 16000)
    assert len(result) == -(-count * 160 // 441)
    if count:
        assert result[0] == pytest.approx(2 * (8000 * 0.965) / 44100, rel=2e-3)  # the kernel at 0


def test_a_constant_stays_what_it_is() -> None:
    """In every phase, away from the ends: the filter has no ripple at 0 Hz."""
    result = resampled(np.full(22050, 0.25), 22050, 16000)
    np.testing.assert_allclose(result[1000:-1000], 0.25, atol=1e-6)


def test_equal_rates_change_nothing() -> None:
    samples = np.random.default_rng(0).standard_normal(999).astype(np.float32)
    assert (resampled(samples, 16000, 16000) == samples).all()


def test_memory_stays_bounded() -> None:
    """Of a long stream a chunk is waiting at most: two seconds where the ratio is a usual one."""
    resampler, most = Resampler(44100, 16000), 0
    for _ in range(40):
        resampler.push(np.zeros(44100 // 4, np.float32))
        most = max(most, sum(map(len, resampler._pending)))
    assert most < 2.5 * 44100


@pytest.mark.slow
def test_a_ratio_of_many_phases() -> None:
    """16,000 phases: 125 matrices, and the same quality."""
    result = resampled(sine(1000, 44101, 2 * 44101), 44101, 16000)
    assert decibel((result - sine(1000, 16000, len(result)))[4000:-4000]) < -90
