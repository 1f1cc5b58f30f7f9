"""What the Whisper demo learns: its tokenizer, and the tokens and frame labels of a clip.

    words ──byte-level BPE──▶ ids 0 …, then <|endoftext|>, <|startoftranscript|>, languages, tasks … <|notimestamps|>,
    then <|0.00|> … <|2.00|>: the order of Whisper's own vocabulary

Each digit is a segment of its own, so a recording longer than a window continues behind the last whole digit.
"""

from __future__ import annotations

import functools
import json
from typing import NamedTuple

import numpy as np
import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import WhisperTokenizer

from resources.demos.training import IGNORED
from resources.demos.whisper_speech import DIGITS, LENGTH, RATE, SECONDS, Bank, Clip, draw_clip
from workflows.media.sound.log_mel import mel_filters

STEP = 0.02
"""Seconds between two time tokens, and between two positions of the encoder."""
FRAMES = round(SECONDS / STEP)
END, START = "<|endoftext|>", "<|startoftranscript|>"
TASKS = ["<|translate|>", "<|transcribe|>"]
SPECIAL = [
    START, *(f"<|{code}|>" for code in DIGITS), *TASKS,
    "<|startoflm|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>",
]  # fmt: skip
LONGEST = 32
MELS, FFT, HOP = 80, 400, 160
SILENCE = 0
CLASSES = 1 + sum(map(len, DIGITS.values()))


def make_tokenizer() -> WhisperTokenizer:
    """A byte-level BPE in which each digit's word, with the space before it, is one token."""
    words = [f" {word}" for digits in DIGITS.values() for word in digits]
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=1000, initial_alphabet=alphabet, show_progress=False)
    backend.train_from_iterator(words, trainer)
    model = json.loads(backend.to_str())["model"]
    merges = [tuple(pair) for pair in model["merges"]]
    tokenizer = WhisperTokenizer(
        vocab=model["vocab"], merges=merges, model_max_length=LONGEST, extra_special_tokens=SPECIAL
    )
    times = [AddedToken(f"<|{index * STEP:.2f}|>", special=False, normalized=False) for index in range(FRAMES + 1)]
    tokenizer.add_tokens(times)
    tokenizer.set_prefix_tokens()  # they are tokens only now
    return tokenizer


class Batch(NamedTuple):
    """features [B, MELS, 2 FRAMES]; ids, and labels of the token after each: [B, S]; spoken: classes [B, FRAMES]."""

    features: torch.Tensor
    ids: torch.Tensor
    labels: torch.Tensor
    spoken: torch.Tensor


@functools.cache
def _filters() -> torch.Tensor:
    return torch.from_numpy(mel_filters(FFT // 2 + 1, MELS, RATE)).float()


def log_mel(samples: torch.Tensor) -> torch.Tensor:
    """[B, LENGTH] → [B, MELS, 2 FRAMES], as WhisperFeatureExtractor gives them where it uses torch."""
    spectrum = torch.stft(samples, FFT, HOP, window=torch.hann_window(FFT), return_complex=True)[..., :-1]
    logs = (_filters().T @ spectrum.abs() ** 2).clamp(min=1e-10).log10()
    return (torch.maximum(logs, logs.amax(dim=(1, 2), keepdim=True) - 8) + 4) / 4


class Vocabulary:
    """The ids of tokens, and the token sequences of clips."""

    def __init__(self, tokenizer: WhisperTokenizer) -> None:
        self.id = tokenizer.get_vocab()
        self.words = {
            code: tokenizer([f" {word}" for word in digits], add_special_tokens=False).input_ids
            for code, digits in DIGITS.items()
        }
        assert all(len(ids) == 1 for words in self.words.values() for ids in words)

    def prefix(self, language: str, task: str, timed: bool) -> list[int]:
        """The tokens before a transcript."""
        names = [START, f"<|{language}|>", f"<|{task}|>", *([] if timed else ["<|notimestamps|>"])]
        return [self.id[name] for name in names]

    def transcript(self, clip: Clip, language: str, timed: bool) -> list[int]:
        """The digits that are heard whole, and where the window cuts one the time of its start, which comes last."""
        ids: list[int] = []
        for word in clip.words:
            ids += [self.time(word.start)] if timed else []
            if word.whole:
                ids += self.words[language][word.digit] + ([self.time(word.end)] if timed else [])
        return (ids or ([self.time(0)] if timed else [])) + [self.id[END]]

    def time(self, seconds: float) -> int:
        """The token of a time."""
        return self.id["<|0.00|>"] + round(seconds / STEP)


def spoken_classes(clip: Clip, language: str) -> list[int]:
    """[FRAMES]: what is spoken at each position of the encoder, SILENCE or a digit of a language."""
    first = 1 + sum(len(DIGITS[code]) for code in list(DIGITS)[: list(DIGITS).index(language)])
    heard = [SILENCE] * FRAMES
    for word in clip.words:
        for at in range(round(word.start / STEP), min(FRAMES, round(word.end / STEP))):
            heard[at] = first + word.digit
    return heard


def draw_batch(rng: np.random.Generator, banks: dict[str, Bank], vocabulary: Vocabulary, size: int) -> Batch:
    """Clips of 0 to 4 digits in each language, half of them with times, a few of them translated to English."""
    rows: list[tuple[list[int], list[int]]] = []
    samples = torch.zeros(size, LENGTH)
    spoken = []
    for index in range(size):
        language = str(rng.choice(list(DIGITS)))
        timed, task = bool(rng.random() < 0.5), "translate" if rng.random() < 0.25 else "transcribe"
        most = int(rng.choice(5, p=[0.04, 0.36, 0.2, 0.2, 0.2]))
        clip = draw_clip(rng, banks[language], most, cut=rng.random() < 0.5)
        prefix = vocabulary.prefix(language, task, timed)
        content = vocabulary.transcript(clip, "en" if task == "translate" else language, timed)
        language_found = prefix[1] if clip.words else IGNORED
        rows.append((prefix + content[:-1], [language_found] + [IGNORED] * (len(prefix) - 2) + content))
        samples[index, : len(clip.samples)] = torch.from_numpy(clip.samples)
        spoken.append(spoken_classes(clip, language))
    longest = max(len(ids) for ids, _ in rows)
    ids = [row + [vocabulary.id[END]] * (longest - len(row)) for row, _ in rows]
    labels = [row + [IGNORED] * (longest - len(row)) for _, row in rows]
    return Batch(log_mel(samples), torch.tensor(ids), torch.tensor(labels), torch.tensor(spoken))
