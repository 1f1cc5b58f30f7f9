"""Sound files of each kind give the samples that were written; those that cannot be read are refused in a sentence."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from workflows.common.errors import MediaError
from workflows.media import read_sound

KINDS = {"wav": "WAV", "flac": "FLAC", "ogg": "OGG", "opus": "OGG", "mp3": "MP3", "aiff": "AIFF"}
LOSSY = {"ogg", "opus", "mp3"}


def tone(rate: int, seconds: float = 1.0, hz: float = 440) -> NDArray[np.float64]:
    return 0.5 * np.sin(2 * np.pi * hz * np.arange(int(seconds * rate)) / rate)


def stored(samples: NDArray[np.floating], rate: int = 16000, kind: str = "wav", **more: Any) -> bytes:
    buffer = io.BytesIO()
    more = {"subtype": "OPUS"} if kind == "opus" else more
    soundfile.write(buffer, samples, rate, format=KINDS[kind], **more)
    return buffer.getvalue()


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_read(kind: str, tmp_path: Path) -> None:
    (tmp_path / f"a.{kind}").write_bytes(stored(tone(16000), kind=kind))
    sound = read_sound(tmp_path / f"a.{kind}", 16000)
    assert (sound.rate, sound.duration, sound.original_rate, sound.original_channels) == (16000, 1.0, 16000, 1)
    assert sound.samples.dtype == np.float32 and len(sound.samples) == 16000
    error = np.abs(sound.samples - tone(16000))[800:-800].max()
    assert error < (0.05 if kind in LOSSY else 1e-4)


def test_channels_are_averaged_and_the_rate_changed() -> None:
    """More than one block of the file; the channels' parts that cancel are gone."""
    other = tone(48000, 7, 1000)
    left = tone(48000, 7)
    sound = read_sound(stored(np.stack([left + other, left - other], 1), 48000, subtype="FLOAT"), 16000)
    assert (sound.duration, sound.original_rate, sound.original_channels) == (7.0, 48000, 2)
    assert np.abs(sound.samples - tone(16000, 7))[2000:-2000].max() < 2e-5


def test_the_length_is_rounded_up() -> None:
    sound = read_sound(stored(tone(44100)[:44_099], 44100), 16000)
    assert len(sound.samples) == 16000 and sound.duration == 44_099 / 44_100


def test_a_file_of_a_stream_is_read() -> None:
    """Its writer did not know the length: the sizes in its header stand for that."""
    data = bytearray(stored(tone(16000)))
    data[4:8] = data[40:44] = b"\xff\xff\xff\xff"
    assert len(read_sound(bytes(data), 16000).samples) == 16000


def test_a_name_does_not_decide(tmp_path: Path) -> None:
    (tmp_path / "a.raw").write_bytes(stored(tone(16000)))
    assert read_sound(tmp_path / "a.raw", 16000).duration == 1.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", [0.5, 0.97])
def test_a_file_that_is_cut_off_is_noticed(kind: str, part: float) -> None:
    noise = np.random.default_rng(0).standard_normal(48_000) * 0.1
    data = stored(noise, kind=kind)
    with pytest.raises(MediaError, match="cut off"):
        read_sound(data[: int(len(data) * part)], 16000)


def test_damage_gives_a_sentence_or_samples() -> None:
    """Changed bytes in headers; nothing else is raised, and no exception is lost in the decoder."""
    random, refused = np.random.default_rng(2), 0
    files = [stored(tone(8000, 0.1), 8000, kind) for kind in KINDS if kind != "mp3"]  # its decoder prints
    for _ in range(300):
        data = bytearray(files[random.integers(len(files))])
        for place in random.integers(0, min(len(data), 120), 3):
            data[place] = random.integers(256)
        try:
            assert np.isfinite(read_sound(bytes(data), 16000).samples).all()
        except MediaError as error:
            refused += 1
            assert ". " not in str(error)
    assert 50 < refused < 300


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "is not a sound file that can be read"),
        (b"RIFF\0\0\0\0WAVE" + bytes(50), "is damaged or cut off"),
        (b"ID3" + bytes(500), "is damaged or cut off"),
        (b"fLaC" + bytes(500), "is damaged or cut off"),
        (stored(np.zeros(0)), "holds no sound: its length is zero"),
        (stored(np.array([0, 0.5, np.nan]), subtype="FLOAT"), "is not finite or too large, at 0.00 seconds"),
        (stored(np.array([[0, 0], [np.inf, -np.inf]]), subtype="FLOAT"), "is not finite or too large, at 0.00"),
        (stored(np.array([0, 3e38]), 44100, subtype="FLOAT"), "is not finite or too large"),
        (
            stored(np.append(np.zeros(32_000), -np.inf), subtype="FLOAT"),
            "is not finite or too large, at 2.00 seconds",
        ),
        (stored(tone(16000), 400_000), "has a sampling rate of 400,000 Hz"),
    ],
    ids=range(11),
)
def test_what_cannot_be_read_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(MediaError, match=words) as caught:
        read_sound(data, 16000)
    assert str(caught.value).count(". ") == 0


def test_the_limit_is_kept_before_anything_is_decoded() -> None:
    """A header that states days, over a few bytes; and the number is told."""
    data = bytearray(stored(tone(16000), 1000, kind="flac"))
    data[22:26] = b"\x10\0\0\0"  # the low bits of the number of samples
    with pytest.raises(MediaError, match=r"lasts 74\.6 hours, and at most 4 are read"):
        read_sound(bytes(data), 16000)
    with pytest.raises(MediaError, match=r"at most 0\.0001 are read"):
        read_sound(stored(tone(16000)), 16000, most_hours=0.0001)


def test_a_length_that_is_not_stated_is_refused() -> None:
    data = bytearray(stored(tone(16000), kind="flac"))
    data[22:26] = bytes(4)
    with pytest.raises(MediaError, match="does not state its length"):
        read_sound(bytes(data), 16000)


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match=r"The sound file a\.wav cannot be read: No such file"):
        read_sound(tmp_path / "a.wav", 16000)
    with pytest.raises(MediaError, match="is a folder"):
        read_sound(tmp_path, 16000)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(MediaError, match="is a pipe"):
            read_sound(tmp_path / "pipe", 16000)


def test_rates_that_are_none() -> None:
    with pytest.raises(MediaError, match="cannot be converted to 0 Hz"):
        read_sound(b"", 0)
