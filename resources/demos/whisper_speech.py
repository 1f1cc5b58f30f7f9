"""Spoken digits for the Whisper demo: voices of espeak-ng, and clips of one window with noise.

    espeak-ng ──▶ trimmed words at 16 kHz (a bank of a language) ──gaps, gain, noise──▶ Clip: samples, words, times

A held-back voice is a variant of espeak-ng that no word of the training bank was spoken with.
"""

from __future__ import annotations

import io
import subprocess
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]
Bank = list[list[Samples]]
"""The utterances of each digit, of one language."""

RATE = 16_000
SECONDS = 2
LENGTH = SECONDS * RATE
DIGITS = {
    "en": ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"],
    "de": ["null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"],
}
DIALECTS = {"en": ["en-us", "en-gb", "en-gb-x-rp", "en-us-nyc"], "de": ["de"]}
VARIANTS = [
    *("m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "f1", "f2", "f3", "f5"),
    *("Andrea", "Annie", "Alicia", "belinda", "linda", "steph"),
    *("adam", "david", "Hugo", "Lee", "Mike", "pablo", "zac", "Denis"),
]
HELD_BACK_VARIANTS = ["f4", "Michael"]
_ESPEAK_RATE = 22_050
_CUT_SHARE = 0.6  # of a word may be heard at the end of a window that cuts it


class Spoken(NamedTuple):
    """A digit in a clip. start, end: seconds. whole: whether the window holds all of it."""

    digit: int
    start: float
    end: float
    whole: bool


class Clip(NamedTuple):
    """samples: [n] at 16 kHz."""

    samples: Samples
    words: list[Spoken]


def speak(text: str, voice: str, speed: int, pitch: int) -> Samples:
    """[n] samples at 16 kHz of `text`, without the silence around it. Needs the program espeak-ng."""
    command = ["espeak-ng", "--stdout", "-v", voice, "-s", str(speed), "-p", str(pitch), text]
    wave = subprocess.run(command, capture_output=True, check=True).stdout
    start = wave.index(b"data") + 8  # the header of a stream has no true length
    whole = len(wave) - (len(wave) - start) % 2
    sound = np.frombuffer(wave[start:whole], "<i2").astype(np.float32) / 32768
    heard = np.flatnonzero(np.abs(sound) > 0.01)
    return _at_16_khz(sound[heard[0] : heard[-1] + 1])


def _at_16_khz(sound: Samples) -> Samples:
    """The same spectrum up to 8 kHz; a word begins and ends with silence, so it may be taken as periodic."""
    length = len(sound) * RATE // _ESPEAK_RATE
    spectrum = np.fft.rfft(sound)[: length // 2 + 1]
    return (np.fft.irfft(spectrum, length) * (length / len(sound))).astype(np.float32)


def record_bank(rng: np.random.Generator, language: str, variants: Iterable[str], takes: int) -> Bank:
    """Each digit in each variant, `takes` times, at another speed, pitch, dialect and intonation each time."""
    bank: Bank = [[] for _ in DIGITS[language]]
    for variant in variants:
        for _ in range(takes):
            voice = f"{rng.choice(DIALECTS[language])}+{variant}"
            speed, pitch, mark = int(rng.integers(120, 211)), int(rng.integers(20, 81)), rng.choice(["", ",", "?"])
            for digit, word in enumerate(DIGITS[language]):
                bank[digit].append(speak(f"{word}{mark}", voice, speed, pitch))
    return bank


def draw_clip(
    rng: np.random.Generator, bank: Bank, most: int, cut: bool = False, noisy: bool = True, seconds: float = SECONDS
) -> Clip:
    """Up to `most` digits of one voice, as many as fit; 0 is silence or noise alone.

    cut: whether it is a window of a longer recording, which may begin with the end of a digit and cut the last one.
    """
    length = int(seconds * RATE)
    take = int(rng.integers(len(bank[0])))
    sound = np.zeros(length, np.float32)
    words: list[Spoken] = []
    at = int(rng.uniform(0.01, 1.2 if rng.random() < 0.1 else 0.4) * RATE)
    if cut and rng.random() < 0.5:  # the window begins at the end of a digit, as a next window does
        tail = bank[int(rng.integers(len(bank)))][take][-int(rng.uniform(0, 0.06) * RATE) - 1 :]
        sound[: len(tail)] = tail
        at += len(tail)
    for _ in range(most):
        digit = int(rng.integers(len(bank)))
        word = _at_speed(bank[digit][take], rng.uniform(0.94, 1.06))
        room = length - at
        whole = len(word) <= room
        if not whole and not (cut and 0.1 * RATE < room < _CUT_SHARE * len(word)):
            break
        sound[at : at + len(word)] = word[:room]
        words.append(Spoken(digit, at / RATE, min(at + len(word), length) / RATE, whole))
        at += len(word) + int(rng.uniform(0.05, 0.35) * RATE)
        if not whole or at >= length:
            break
    end = min(length, at if rng.random() < 0.5 else length)  # the rest of the window is padded, or was recorded too
    return Clip(_recorded(rng, sound[:end], noisy), words)


def _at_speed(word: Samples, speed: float) -> Samples:
    """Faster and higher, or slower and lower."""
    at = np.arange(int(len(word) / speed)) * speed
    return np.interp(at, np.arange(len(word)), word).astype(np.float32)


def _recorded(rng: np.random.Generator, sound: Samples, noisy: bool) -> Samples:
    """With the microphone's colour, noise of 12 to 50 dB below the loudest sample, and a gain down to −20 dB."""
    colour = rng.uniform(-0.4, 0.4)
    sound = sound + np.float32(colour) * np.concatenate([np.zeros(1, np.float32), sound[:-1]])
    noise = rng.standard_normal(len(sound)).astype(np.float32)
    if rng.random() < 0.5:  # of low frequencies, as rooms have it
        noise = np.convolve(noise, np.full(8, 8**-0.5, np.float32), "same")
    peak = max(float(np.abs(sound).max()), 0.3)
    level = peak * 10 ** (-(rng.uniform(12, 50) if noisy else 50) / 20) / 3
    sound = (sound + np.float32(level) * noise) * (0.9 / peak)
    gain = np.float32(10 ** (-rng.uniform(0, 20) / 20))
    return np.clip(sound * gain, -1, 1).astype(np.float32)


def write_wave(samples: Samples) -> bytes:
    """A file of 16-bit PCM, mono, 16 kHz."""
    import wave

    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(np.round(samples * 32767).astype("<i2").tobytes())
    return file.getvalue()


def spoken_text(words: Sequence[Spoken], language: str) -> str:
    """The digits that the window holds whole, as words."""
    return " ".join(DIGITS[language][word.digit] for word in words if word.whole)
