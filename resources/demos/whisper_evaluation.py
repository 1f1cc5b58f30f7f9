"""Clips of voices that the Whisper demo never heard, and how many of them it writes right.

held-back bank ──▶ clips of 1, 2, 3 digits, long recordings ──WhisperFeatureExtractor, generate──▶ texts, times
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import WhisperFeatureExtractor, WhisperForConditionalGeneration, WhisperTokenizer

from resources.demos.whisper_speech import (
    DIGITS,
    HELD_BACK_VARIANTS,
    RATE,
    Bank,
    Clip,
    draw_clip,
    record_bank,
    spoken_text,
    write_wave,
)

CLIPS_OF_EACH = 100
RECORDINGS_OF_EACH = 20
RECORDING_DIGITS = 9
SHIPPED = [("en", 1), ("en", 2), ("en", 3), ("de", 1), ("de", 2), ("en", 6)]
_TAKES = 8


class Listener:
    """The checkpoint of a folder, in fp32, greedy."""

    def __init__(self, folder: Path) -> None:
        self._features = WhisperFeatureExtractor.from_pretrained(folder)
        self._tokenizer = WhisperTokenizer.from_pretrained(folder)
        self._model = WhisperForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()

    def texts(self, clips: list[Clip], **options: Any) -> list[str]:
        """What is heard in clips of one window. options: those of generate, as language and task."""
        inputs = self._features([clip.samples for clip in clips], sampling_rate=RATE, return_tensors="pt")
        ids = self._model.generate(inputs["input_features"], **options)
        return [text.strip() for text in self._tokenizer.batch_decode(ids, skip_special_tokens=True)]

    def segments(self, clip: Clip, **options: Any) -> list[tuple[str, float, float]]:
        """The segments of a recording of any length: text, start and end in seconds."""
        features = self._features(
            clip.samples, sampling_rate=RATE, return_tensors="pt", truncation=False, padding="max_length"
        )["input_features"]
        found = self._model.generate(features, return_timestamps=True, return_segments=True, **options)
        ids = [one["tokens"].tolist() for one in found["segments"][0]]
        texts = [self._tokenizer.decode(tokens, skip_special_tokens=True) for tokens in ids]
        rows = zip(texts, found["segments"][0], strict=True)
        return [(text.strip(), float(one["start"]), float(one["end"])) for text, one in rows if text.strip()]


def held_back_banks(seed: int) -> dict[str, Bank]:
    """The digits in the held-back voices."""
    rng = np.random.default_rng(seed)
    return {code: record_bank(rng, code, HELD_BACK_VARIANTS, _TAKES) for code in DIGITS}


def clip_of(rng: np.random.Generator, bank: Bank, count: int, noisy: bool = True) -> Clip:
    """A clip of exactly `count` digits; a longer one than a window where they do not fit into it."""
    seconds = 2.0 if count <= 3 else 0.9 * count
    while len((clip := draw_clip(rng, bank, count, noisy=noisy, seconds=seconds)).words) < count:
        pass
    return clip


def evaluate(folder: Path, banks: dict[str, Bank], seed: int) -> dict[str, Any]:
    """How many clips are written right, by language, number of digits and task; the errors of times; the mistakes."""
    listener, rng = Listener(folder), np.random.default_rng(seed)
    figures: dict[str, Any] = {"wrong": []}

    def judge(name: str, found: list[str], wanted: list[str]) -> None:
        pairs = list(zip(found, wanted, strict=True))
        figures[name] = f"{sum(a == b for a, b in pairs)} of {len(pairs)}"
        figures["wrong"] += [f"{name}: {a!r}, not {b!r}" for a, b in pairs if a != b]

    errors: list[float] = []
    for code, bank in banks.items():
        for count in (1, 2, 3):
            clips = [clip_of(rng, bank, count) for _ in range(CLIPS_OF_EACH)]
            wanted = [spoken_text(clip.words, code) for clip in clips]
            judge(f"{code}, {count}", listener.texts(clips, language=code), wanted)
            judge(f"{code}, {count}, language detected", listener.texts(clips), wanted)
            if code != "en":
                translated = [spoken_text(clip.words, "en") for clip in clips]
                judge(
                    f"{code}, {count}, translated", listener.texts(clips, language=code, task="translate"), translated
                )
        recordings = [clip_of(rng, bank, RECORDING_DIGITS) for _ in range(RECORDINGS_OF_EACH)]
        heard = [listener.segments(clip, language=code) for clip in recordings]
        wanted = [spoken_text(clip.words, code) for clip in recordings]
        judge(f"{code}, recordings", [" ".join(text for text, _, _ in one) for one in heard], wanted)
        for clip, segments in zip(recordings, heard, strict=True):
            if len(segments) == len(clip.words):
                pairs = zip(clip.words, segments, strict=True)
                errors += [abs(e) for word, (_, start, end) in pairs for e in (word.start - start, word.end - end)]
    silence = [draw_clip(rng, banks["en"], 0) for _ in range(CLIPS_OF_EACH)]
    judge("silence", listener.texts(silence, language="en"), [""] * len(silence))
    figures["seconds beside the true times, mean and 95 %"] = (
        [round(float(np.mean(errors)), 3), round(float(np.quantile(errors, 0.95)), 3)] if errors else []
    )
    return figures


def write_clips(folder: Path, banks: dict[str, Bank], seed: int) -> None:
    """Writes the clips of `SHIPPED` as wave files, and clips.json with what they say."""
    rng, rows = np.random.default_rng(seed), []
    folder.mkdir(exist_ok=True)
    for code, count in SHIPPED:
        clip = clip_of(rng, banks[code], count, noisy=False)
        text = spoken_text(clip.words, code)
        name = f"{code}-{'long' if count > 3 else text.replace(' ', '-').replace('ü', 'ue').replace('ö', 'oe')}.wav"
        samples = clip.samples[: int((clip.words[-1].end + 0.1) * RATE)]
        (folder / name).write_bytes(write_wave(samples))
        times = [[round(word.start, 2), round(word.end, 2)] for word in clip.words]
        row = {"file": name, "language": code, "text": text, "english": spoken_text(clip.words, "en"), "times": times}
        rows.append(json.dumps(row, ensure_ascii=False))
    (folder / "clips.json").write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")
